"""Declarations that may stand anywhere: constants, variables and instances of objects."""

from __future__ import annotations

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import ExternName, GenericBlock, PackageName, Symbol, TypeName
from p4xdp.frontend.typecheck.annotations import annotated
from p4xdp.frontend.typecheck.callees import construct
from p4xdp.frontend.typecheck.context import Context, Place, Rejected
from p4xdp.frontend.typecheck.conversion import convert, is_local_known, require_known
from p4xdp.frontend.typecheck.expressions import arguments, expression
from p4xdp.frontend.typecheck.functions import function
from p4xdp.frontend.typecheck.inference import substitute
from p4xdp.frontend.typecheck.resolve import lookup_type, resolve, resolve_arguments
from p4xdp.frontend.typecheck.spelling import spell_type
from p4xdp.frontend.typecheck.traits import article, contains_variable, is_run_time, is_value
from p4xdp.frontend.types import BlockType, ExternType, Type
from p4xdp.records import dataclass, field


def constant(cx: Context, c: syntax.Constant) -> typed.Constant:
    """Check a constant and bind its name."""
    try:
        type = resolve(cx, c.type)
        value = expression(cx, c.value)
        if not is_value(type):
            raise cx.reject("bad-type", c.type.span, f"a constant cannot have the type `{type}`")
        made = _constant(cx, c, type, value)
        annotated(cx, c.annotations)
    except Rejected:
        cx.declare_broken(c.name)
        raise
    cx.declare(c.name, made)
    return made


def _constant(
    cx: Context, c: syntax.Constant, type: Type, value: typed.Expression
) -> typed.Constant:
    name = c.name.text
    value = convert(
        cx,
        value,
        type,
        lambda given: f"cannot initialise `{name}` (`{type}`) with {given}",
        c.value,
    )
    if not is_local_known(value) and not _is_static_assert(value):
        raise cx.reject(
            "not-constant", c.value.span, f"the value of `{name}` is not known at compile time"
        )
    return typed.Constant(name, type, value, c.span)


def _is_static_assert(value: typed.Expression) -> bool:
    match value:
        case typed.Call(callee=typed.ExternFunctionCallee(function=f)):
            return f.name == "static_assert"
        case _:
            return False


def variable(cx: Context, v: syntax.Variable) -> typed.Variable:
    """Check a variable and bind its name; its initial value sees only what stands before it."""
    try:
        type = resolve(cx, v.type)
        _check_variable_type(cx, v, type)
        initial = None
        if v.value is not None:
            name = v.name.text
            initial = convert(
                cx,
                expression(cx, v.value),
                type,
                lambda given: f"cannot initialise `{name}` (`{type}`) with {given}",
                v.value,
            )
    except Rejected:
        cx.declare_broken(v.name)
        raise
    made = typed.Variable(v.name.text, type, initial, v.span)
    cx.declare(v.name, made)
    return made


def _check_variable_type(cx: Context, v: syntax.Variable, type: Type) -> None:
    if isinstance(type, ExternType | BlockType):
        raise cx.reject(
            "bad-type",
            v.type.span,
            f"{article(type)} is not a variable; it is instantiated",
            help=f"write `{spell_type(v.type)}(...) {v.name.text};`",
        )
    if not is_run_time(type):
        raise cx.reject(
            "bad-type",
            v.type.span,
            f"a variable cannot have the type `{type}`",
            help="give it a width, or declare it with `const`" if str(type) == "int" else None,
        )


# Instances


def instantiation(cx: Context, i: syntax.Instantiation) -> typed.Instance:
    """Check `Type(arguments) name;` and bind its name."""
    try:
        made = _instantiate(cx, i)
    except Rejected:
        cx.declare_broken(i.name)
        raise
    cx.declare(i.name, made)
    return made


def _instantiate(cx: Context, i: syntax.Instantiation) -> typed.Instance:
    base, written = _constructed(cx, i)
    symbol = lookup_type(cx, base)
    _check_place(cx, symbol, i)
    types = resolve_arguments(cx, written)
    given = arguments(cx, i.arguments)
    built = construct(cx, symbol, types, given, i.span, named=True)
    made = Initialiser()
    if isinstance(built.target, typed.Extern):
        made = _abstract_methods(cx, i, built.target, built.type)
    elif i.initializer is not None:
        raise cx.reject(
            "not-allowed-here",
            i.span,
            f"only an extern object can have an initialiser, not {article(built.type)}",
        )
    if built.target in cx.generic_blocks and contains_variable(built.type):
        text = f"the type arguments of `{symbol.name}` cannot be inferred"
        raise cx.reject("cannot-infer", i.span, text, help=f"write them: `{symbol.name}<...>()`")
    for argument in built.arguments:
        if argument is not None:
            require_known(cx, argument, f"a constructor argument of `{i.name.text}`")
    found = annotated(cx, i.annotations)
    return typed.Instance(
        i.name.text,
        built.target,
        built.arguments,
        built.type,
        tuple(made.methods.values()),
        found,
        i.span,
        tuple(made.inner),
        tuple(made.methods),
    )


def _constructed(
    cx: Context, i: syntax.Instantiation
) -> tuple[syntax.Name, tuple[syntax.Type, ...]]:
    match i.type:
        case syntax.NamedType(name=name):
            return name, ()
        case syntax.SpecializedType(base=base, arguments=written):
            return base.name, written
        case _:
            type = resolve(cx, i.type)
            raise cx.reject("not-constructible", i.type.span, f"`{type}` cannot be instantiated")


def _check_place(cx: Context, symbol: Symbol, i: syntax.Instantiation) -> None:
    """Check where an object may be instantiated (appendix F)."""
    allowed: tuple[Place, ...]
    match symbol.entity:
        case typed.Parser() | GenericBlock(pattern=typed.Parser()):
            allowed, what = (Place.PARSER,), "parser"
        case typed.Control() | GenericBlock():
            allowed, what = (Place.CONTROL,), "control"
        case PackageName():
            allowed, what = (Place.TOP,), "package"
        case ExternName() | TypeName(type=ExternType()):
            allowed, what = (Place.TOP, Place.PARSER, Place.CONTROL), "extern object"
        case _:
            return
    if cx.place in allowed:
        return
    text = f"{what} `{symbol.name}` cannot be instantiated {cx.place.value}"
    help = None
    if cx.place is Place.APPLY and Place.CONTROL in allowed:
        help = "move it before `apply`"
    elif cx.place is Place.STATE and Place.PARSER in allowed:
        help = "move it before the first state"
    elif cx.place is Place.TOP:
        help = "give it to the package as an argument, or move it into the block that uses it"
    raise cx.reject("not-allowed-here", i.span, text, help=help)


@dataclass(slots=True)
class Initialiser:
    """What the initialiser of an instance holds: methods by what they implement, instances."""

    methods: dict[typed.ExternFunction, typed.Function] = field(default_factory=dict)
    inner: list[typed.Instance] = field(default_factory=list)


def _abstract_methods(
    cx: Context, i: syntax.Instantiation, extern: typed.Extern, type: Type
) -> Initialiser:
    """Check the implementations of abstract methods, and the instances that they may use."""
    made = Initialiser()
    failed = False
    with cx.methods_of(type):
        for part in i.initializer or ():
            try:
                if isinstance(part, syntax.Function):
                    method, declared = _method(cx, part, extern, type)
                    if declared in made.methods:
                        cx.duplicate(part.prototype.name, made.methods[declared].span)
                    made.methods[declared] = method
                elif isinstance(part, syntax.Instantiation):
                    made.inner.append(instantiation(cx, part))
            except Rejected:
                failed = True
    if failed:
        raise Rejected
    missing = [
        m
        for m in extern.methods
        if m.abstract and m not in made.methods and not has_annotation(m, "optional")
    ]
    if missing:
        names = ", ".join(f"`{m.name}`" for m in missing)
        raise cx.reject(
            "missing-method",
            i.span,
            f"`{i.name.text}` does not implement the abstract method{'s' * (len(missing) > 1)}"
            f" {names} of `{extern.name}`",
            notes=tuple(Note(f"`{m.name}` is declared here", m.span) for m in missing),
        )
    return made


def has_annotation(method: typed.ExternFunction, name: str) -> bool:
    return any(annotation.name == name for annotation in method.annotations)


def _method(
    cx: Context,
    part: syntax.Function,
    extern: typed.Extern,
    type: Type,
) -> tuple[typed.Function, typed.ExternFunction]:
    """Return an implementation and what it implements: of overloaded methods the one with as many
    parameters."""
    name = part.prototype.name
    count = len(part.prototype.parameters)
    choice = [m for m in extern.methods if m.abstract and m.name == name.text]
    if not choice:
        raise cx.reject(
            "no-such-member", name.span, f"`{extern.name}` has no abstract method `{name.text}`"
        )
    abstract = next((m for m in choice if len(m.parameters) == count), choice[0])
    made = function(cx, part, method=True)
    assert isinstance(type, ExternType)
    bindings = dict(zip(extern.variables, type.arguments, strict=True))
    have = [(p.direction, p.type) for p in made.parameters]
    given = abstract.parameters
    while len(given) > len(have) and given[-1].optional:
        given = given[:-1]
    want = [(p.direction, substitute(p.type, bindings)) for p in given]
    if have != want or made.result != substitute(abstract.result, bindings):
        raise _differs(cx, name.span, name.text, abstract.span)
    return made, abstract


def _differs(cx: Context, span: Span, name: str, declared: Span) -> Rejected:
    return cx.reject(
        "type-mismatch",
        span,
        f"`{name}` differs from the abstract method that it implements",
        notes=(Note("the abstract method is declared here", declared),),
    )
