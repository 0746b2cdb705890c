"""Type declarations: structs, enums, errors, aliases, externs, architecture types (section 7)."""

from __future__ import annotations

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import (
    BlockName,
    Broken,
    ExternName,
    GenericFields,
    PackageName,
    Symbol,
    TypeName,
)
from p4xdp.frontend.typecheck import folding
from p4xdp.frontend.typecheck.annotations import annotated, field_lists
from p4xdp.frontend.typecheck.context import Context, Rejected
from p4xdp.frontend.typecheck.conversion import convert
from p4xdp.frontend.typecheck.expressions import expression
from p4xdp.frontend.typecheck.functions import (
    check_result,
    declare_parameters,
    parameters,
    type_variables,
)
from p4xdp.frontend.typecheck.resolve import (
    field_is_legal,
    parameter_types,
    resolve,
    type_of_entity,
)
from p4xdp.frontend.typecheck.traits import article
from p4xdp.frontend.types import (
    Basic,
    Bit,
    EnumType,
    FieldType,
    Header,
    HeaderUnion,
    Int,
    NewType,
    SerializableEnum,
    Struct,
    Type,
    TypeVariable,
)

_CONTAINERS: dict[str, type[Struct] | type[Header] | type[HeaderUnion]] = {
    "struct": Struct,
    "header": Header,
    "header_union": HeaderUnion,
}


def fields_declaration(cx: Context, d: syntax.FieldsDeclaration) -> None:
    """Check a struct, header or header union, generic or not."""
    with _broken_on_error(cx, d.name):
        annotations = annotated(cx, d.annotations)
        with cx.block():
            variables = type_variables(cx, d.type_parameters)
            made = _container(cx, d, variables)
        for annotation in annotations:
            if annotation.name == "controller_header" and isinstance(made, Header):
                cx.controller_headers[annotation.text or made.name] = made
        if variables:
            cx.declare(d.name, GenericFields(made, variables))
        else:
            cx.declare(d.name, TypeName(made))


class _broken_on_error:
    """Binds a name as broken when its declaration is rejected, and lets the error pass."""

    def __init__(self, cx: Context, name: syntax.Name) -> None:
        self._cx, self._name = cx, name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, Rejected):
            self._cx.declare_broken(self._name)


def _container(
    cx: Context, d: syntax.FieldsDeclaration, variables: tuple[TypeVariable, ...]
) -> Struct | Header | HeaderUnion:
    name = d.name.text
    if variables:
        name = f"{name}<{', '.join(v.name for v in variables)}>"
    kind = _CONTAINERS[d.kind]
    empty = kind(name, (), variables)
    seen: dict[str, Span] = {}
    fields: list[FieldType] = []
    failed = False
    for field in d.fields:
        if field.name.text in seen:
            cx.diagnostics.error(
                "duplicate",
                field.name.span,
                f"`{name}` has two fields `{field.name.text}`",
                notes=(Note("the first one is here", seen[field.name.text]),),
            )
            continue
        seen[field.name.text] = field.name.span
        try:
            fields.append(_field(cx, d, field, empty))
        except Rejected:
            failed = True
    if failed:
        raise Rejected
    return kind(name, tuple(fields), variables)


def _field(
    cx: Context,
    d: syntax.FieldsDeclaration,
    field: syntax.Field,
    container: Struct | Header | HeaderUnion,
) -> FieldType:
    _refuse_recursion(cx, d, field.type)
    type = resolve(cx, field.type)
    if not field_is_legal(container, type):
        raise cx.reject(
            "bad-field",
            field.type.span,
            f"{article(container)} cannot have the field `{field.name.text}` of type `{type}`",
            help=_field_help(container, type),
        )
    for annotation in annotated(cx, field.annotations):
        if annotation.name == "match":
            _check_match(cx, annotation)
    labels = [label for a in field.annotations for label in _labels(cx, a)]
    return FieldType(field.name.text, type, tuple(labels))


def _labels(cx: Context, annotation: syntax.Annotation) -> list[str]:
    body = annotation.body or ()
    match annotation.name:
        case "match" if body:
            return [f"match({body[0]})"]
        case "field_list":
            return [f"field_list({index})" for index in field_lists(cx, annotation)]
        case name:
            return [name]


def _check_match(cx: Context, annotation: typed.Annotation) -> None:
    """`@match(kind)` of a field of a value set names a match kind."""
    if len(annotation.body) != 1 or annotation.body[0] not in cx.match_kinds:
        text = "`@match` takes the name of a match kind"
        raise cx.reject("bad-annotation", annotation.span, text)


def _refuse_recursion(cx: Context, d: syntax.FieldsDeclaration, type: syntax.Type) -> None:
    inner = type
    while isinstance(inner, syntax.StackType):
        inner = inner.element
    base = inner.base if isinstance(inner, syntax.SpecializedType) else inner
    if isinstance(base, syntax.NamedType) and base.name.text == d.name.text:
        if cx.find(base.name) is None:
            raise cx.reject("recursion", base.span, f"`{d.name.text}` cannot contain itself")


def _field_help(container: Struct | Header | HeaderUnion, type: Type) -> str | None:
    if isinstance(container, HeaderUnion):
        return "a header union holds headers only"
    if type is Basic.INT:
        return "give it a width, as in `bit<32>`"
    if isinstance(container, Header):
        if isinstance(type, EnumType):
            return f"give the enum a representation: `enum bit<8> {type} {{ ... }}`"
        if isinstance(type, Header):
            return "headers cannot be nested; put both into a struct"
    return None


# Enums, errors, match kinds


def enum(cx: Context, d: syntax.EnumDeclaration) -> None:
    with _broken_on_error(cx, d.name):
        _check_members(cx, d)
        made: Type
        if d.type is None:
            made = EnumType(d.name.text, tuple([name.text for name, _ in d.members]))
        else:
            made = _serializable(cx, d, d.type)
        cx.declare(d.name, TypeName(made))


def _check_members(cx: Context, d: syntax.EnumDeclaration) -> None:
    seen: dict[str, Span] = {}
    for name, _ in d.members:
        if name.text in seen:
            cx.duplicate(name, seen[name.text])
        seen.setdefault(name.text, name.span)


def _serializable(cx: Context, d: syntax.EnumDeclaration, written: syntax.Type) -> SerializableEnum:
    type = resolve(cx, written)
    if not isinstance(type, Bit | Int):
        raise cx.reject(
            "bad-type",
            written.span,
            f"the representation of an enum must be `bit<W>` or `int<W>`, not `{type}`",
        )
    members: list[tuple[str, int]] = []
    for name, value in d.members:
        assert value is not None, "the grammar asks for the value"
        members.append((name.text, _member(cx, name, value, type)))
    return SerializableEnum(d.name.text, type, tuple(members))


def _member(cx: Context, name: syntax.Name, e: syntax.Expression, type: Bit | Int) -> int:
    value = expression(cx, e)
    number = folding.int_value(value)
    low, high = folding.bounds(type)
    if value.type is Basic.INT and number is not None and not low <= number <= high:
        raise cx.reject("out-of-range", e.span, f"{number} does not fit `{type}`")
    value = convert(
        cx, value, type, lambda given: f"the value of `{name.text}` (`{type}`) cannot be {given}", e
    )
    number = folding.int_value(value)
    if number is None:
        raise cx.reject(
            "not-constant", e.span, f"the value of `{name.text}` must be known at compile time"
        )
    return number


def names_declaration(
    cx: Context, names: tuple[syntax.Name, ...], known: dict[str, Span], kind: str
) -> None:
    """Add the names of an `error` or `match_kind` block to the known ones."""
    for name in names:
        if name.text in known:
            cx.diagnostics.error(
                "duplicate",
                name.span,
                f"the {kind} `{name.text}` is declared twice",
                notes=(Note("the first one is here", known[name.text]),),
            )
        known.setdefault(name.text, name.span)


# Aliases


def alias(cx: Context, d: syntax.TypeAlias) -> None:
    """Check `typedef` and `type`."""
    with _broken_on_error(cx, d.name):
        annotated(cx, d.annotations)
        type = _alias_target(cx, d)
        if d.new:
            if not isinstance(type, Bit | Int | NewType) and type is not Basic.BOOL:
                raise cx.reject(
                    "bad-type",
                    d.target.span,
                    f"`type` can only be made from `bit<W>`, `int<W>` or `bool`, not `{type}`",
                    help="use `typedef`",
                )
            type = NewType(d.name.text, type)
        elif type in (Basic.VOID, Basic.MATCH_KIND, Basic.DONT_CARE):
            raise cx.reject("bad-type", d.target.span, f"`typedef` of `{type}` is not possible")
        cx.declare(d.name, TypeName(type))


def _alias_target(cx: Context, d: syntax.TypeAlias) -> Type:
    match d.target:
        case syntax.FieldsDeclaration():
            fields_declaration(cx, d.target)
        case syntax.EnumDeclaration():
            enum(cx, d.target)
        case target:
            return resolve(cx, target)  # type: ignore[arg-type]
    symbol = cx.lookup(d.target.name)
    return type_of_entity(cx, symbol, (), d.target.span)


# Externs


def extern_function(cx: Context, d: syntax.ExternFunction) -> typed.ExternFunction:
    """Check the head of an extern function; its name is bound by the caller."""
    found = d.annotations + d.prototype.annotations
    return _prototype(cx, d.prototype, "extern", found)


def _prototype(
    cx: Context, p: syntax.Prototype, owner: str, found: tuple[syntax.Annotation, ...]
) -> typed.ExternFunction:
    with cx.block():
        variables = type_variables(cx, p.type_parameters)
        result: Type = Basic.VOID
        if p.result is not None:
            result = resolve(cx, p.result)
            check_result(cx, p.result, result, factory=owner == "extern")
        made = parameters(cx, p.parameters, owner)
        declare_parameters(cx, p.parameters, made)
    return typed.ExternFunction(
        p.name.text, variables, made, result, p.abstract, annotated(cx, found), p.span
    )


def extern_object(cx: Context, d: syntax.ExternObject) -> typed.Extern:
    """Check an extern object type and bind its name; the type is known inside its own methods."""
    with _broken_on_error(cx, d.name), cx.block() as inner:
        variables = type_variables(cx, d.type_parameters)
        name = ExternName(d.name.text, variables)
        constructors: list[typed.ExternFunction] = []
        methods: list[typed.ExternFunction] = []
        symbol = Symbol(d.name.text, name, d.name.span)
        earlier = cx.top.names.get(d.name.text)
        if earlier is not None:
            if not isinstance(earlier.entity, Broken):
                cx.duplicate(d.name, earlier.span)
            raise Rejected
        inner.names.setdefault(d.name.text, symbol)
        for p in d.methods:
            try:
                _method(cx, d, p, constructors, methods)
            except Rejected:
                continue
        cx.top.names[d.name.text] = symbol
    made = typed.Extern(
        d.name.text,
        variables,
        tuple(constructors),
        tuple(methods),
        annotated(cx, d.annotations),
        d.span,
    )
    cx.externs[d.name.text] = made
    return made


def _method(
    cx: Context,
    d: syntax.ExternObject,
    p: syntax.Prototype,
    constructors: list[typed.ExternFunction],
    methods: list[typed.ExternFunction],
) -> None:
    is_constructor = p.result is None
    if is_constructor != (p.name.text == d.name.text):
        what = (
            "a constructor has the name of its extern"
            if is_constructor
            else ("a method cannot have the name of its extern")
        )
        raise cx.reject("bad-constructor", p.name.span, f"{what}, `{d.name.text}`")
    made = _prototype(cx, p, "extern constructor" if is_constructor else "extern", p.annotations)
    group = constructors if is_constructor else methods
    for other in group:
        if other.name == made.name and _same_shape(other, made):
            cx.duplicate(p.name, other.span)
    group.append(made)


def _same_shape(a: typed.ExternFunction, b: typed.ExternFunction) -> bool:
    """Say whether no call could tell two overloads apart."""
    return len(a.parameters) == len(b.parameters) and all(
        x.name == y.name for x, y in zip(a.parameters, b.parameters, strict=True)
    )


# Architecture types


def architecture_type(cx: Context, d: syntax.ArchitectureType) -> None:
    """Check a parser, control or package type and bind its name."""
    with _broken_on_error(cx, d.name):
        with cx.block():
            variables = type_variables(cx, d.type_parameters)
            owner = "package" if d.kind == "package" else f"{d.kind} type"
            made = parameters(cx, d.parameters, owner)
            declare_parameters(cx, d.parameters, made)
        if d.kind == "package":
            cx.declare(d.name, PackageName(d.name.text, variables, made, d.span))
        else:
            types = parameter_types(made)
            cx.declare(d.name, BlockName(d.kind, d.name.text, variables, types))
