"""Values meet types: casts, initialisers, l-values and what is known at compile time."""

from __future__ import annotations

from collections.abc import Callable

from p4xdp.diagnostics import Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.typecheck import folding
from p4xdp.frontend.typecheck.context import Context, Rejected
from p4xdp.frontend.typecheck.inference import matches
from p4xdp.frontend.typecheck.spelling import quote, spell
from p4xdp.frontend.typecheck.traits import article, has_default, is_value, strip
from p4xdp.frontend.types import (
    Basic,
    Bit,
    BlockType,
    ExternType,
    Header,
    HeaderUnion,
    Int,
    ListShape,
    ListType,
    NewType,
    SerializableEnum,
    Stack,
    Struct,
    StructShape,
    Tuple,
    Type,
)
from p4xdp.records import replace

Sentence = Callable[[str], str]
"""From the type that a value has, in backticks, to the message that it does not fit."""


def convert(
    cx: Context,
    e: typed.Expression,
    target: Type,
    sentence: Sentence,
    source: syntax.Expression | None = None,
) -> typed.Expression:
    """Return `e` with exactly the type `target`, through an implicit cast where P4 has one.

    `source` is the expression as written, for the help of the message.
    """
    if e.type is target or e.type == target:
        return e
    converted = _implicit(cx, e, target, sentence, source)
    if converted is None:
        raise _mismatch(cx, e, target, sentence, source)
    return converted


def _implicit(
    cx: Context,
    e: typed.Expression,
    target: Type,
    sentence: Sentence,
    source: syntax.Expression | None,
) -> typed.Expression | None:
    """Return the converted expression, None when there is no implicit cast."""
    match e.type:
        case ListShape() | StructShape() | Basic.DONT_CARE if isinstance(e, typed.Conditional):
            return _convert_branches(cx, e, target, sentence, source)
        case ListShape() if isinstance(e, typed.TupleLiteral):
            return _convert_list(cx, e, target, source)
        case StructShape() if isinstance(e, typed.StructLiteral):
            return _convert_struct(cx, e, target, source)
        case Basic.DONT_CARE:
            return _convert_placeholder(e, target)
        case Basic.INT if isinstance(_original(target), Bit | Int):
            return sized(cx, e, target)
        case SerializableEnum(underlying=underlying) if underlying == target:
            return implicit_cast(e, target)
        case BlockType() if matches(target, e.type):
            return e
        case _:
            return e if matches(target, e.type) else None


def _original(type: Type) -> Type:
    """Return the type that a `type` declaration starts from: p4c gives it an `int` as it is."""
    while isinstance(type, NewType):
        type = type.target
    return type


def _mismatch(
    cx: Context,
    e: typed.Expression,
    target: Type,
    sentence: Sentence,
    source: syntax.Expression | None,
) -> Rejected:
    return cx.reject(
        "type-mismatch",
        e.span,
        sentence(describe(e.type)),
        help=cast_help(e.type, target, source),
    )


def describe(type: Type) -> str:
    """Return a type for a message; placeholders and literals are named by what they are."""
    match type:
        case Basic.DONT_CARE:
            return "this placeholder"
        case ListShape() | StructShape():
            return f"the expression `{type}`"
        case _:
            return f"`{type}`"


def cast_help(source: Type, target: Type, expression: syntax.Expression | None) -> str | None:
    """Return the help that shows the cast from one type to the other, if one is legal."""
    text = spell(expression) if expression is not None else "..."
    if isinstance(expression, syntax.Binary | syntax.Conditional):
        text = f"({text})"
    if len(text) > 40:
        text = "(...)"
    if isinstance(target, SerializableEnum) and source is Basic.INT:
        return f"cast: `({target}){text}`, or use a member of `{target}`"
    if is_castable(source, target):
        return f"cast: `({target}){text}`"
    a, b = strip(source), strip(target)
    if isinstance(a, Bit | Int) and isinstance(b, Bit | Int):
        middle = Int(a.width) if isinstance(b, Int) else Bit(a.width)
        return f"cast twice, first the sign and then the width: `({target})({middle}){text}`"
    if a is Basic.BOOL and isinstance(b, Bit):
        return f"cast twice: `({target})(bit<1>){text}`"
    if b is Basic.BOOL and isinstance(a, Bit | Int):
        return f"compare: `{text} != 0`"
    return None


def sized(cx: Context, e: typed.Expression, target: Type) -> typed.Expression:
    """Return an `int` as a value of `target`; warn when it does not keep the value."""
    made = implicit_cast(e, target)
    if isinstance(e, typed.Literal) and isinstance(made, typed.Literal) and e.value != made.value:
        below = isinstance(_original(target), Bit) and int(e.value) < 0
        what = "is below 0" if below else "does not fit"
        where = f", but `{target}` is unsigned" if below else f" in `{target}`"
        text = f"`{e.value}` {what}{where}; its value is {made.value}"
        help = f"write the cast to show that it is meant: `({target})({e.value})`"
        cx.diagnostics.warning("mismatch" if below else "overflow", e.span, text, help=help)
    return made


def implicit_cast(e: typed.Expression, target: Type) -> typed.Expression:
    return make_cast(e, target, e.span, implicit=True)


def make_cast(
    e: typed.Expression, target: Type, span: Span, implicit: bool = False
) -> typed.Expression:
    """Return a legal cast, folded when the operand is a literal."""
    if isinstance(e, typed.Literal):
        return _fold_cast(e, target, span)
    return typed.Cast(e, target, implicit, span)


def _fold_cast(e: typed.Literal, target: Type, span: Span) -> typed.Expression:
    plain = strip(target)
    if isinstance(e.value, str):
        return typed.Literal(e.value, target, span)
    if plain is Basic.BOOL:
        return typed.Literal(bool(e.value), target, span)
    return typed.Literal(folding.wrap(int(e.value), plain), target, span)


# Initialisers


def _convert_branches(
    cx: Context,
    e: typed.Conditional,
    target: Type,
    sentence: Sentence,
    source: syntax.Expression | None,
) -> typed.Expression:
    """Give both branches of `c ? {...} : {...}` their type."""
    branches = source if isinstance(source, syntax.Conditional) else None
    then = convert(cx, e.then, target, sentence, branches.then if branches else None)
    otherwise = convert(cx, e.otherwise, target, sentence, branches.otherwise if branches else None)
    return typed.Conditional(e.condition, then, otherwise, target, e.span)


def _convert_placeholder(e: typed.Expression, target: Type) -> typed.Expression | None:
    """Give `{#}` or `...` its type."""
    match e:
        case typed.InvalidHeader() if isinstance(target, Header | HeaderUnion):
            return typed.InvalidHeader(target, e.span)
        case typed.DefaultValue() if has_default(target):
            return typed.DefaultValue(target, e.span)
        case _:
            return None


def _convert_list(
    cx: Context, e: typed.TupleLiteral, target: Type, source: syntax.Expression | None
) -> typed.Expression | None:
    shape = e.type
    assert isinstance(shape, ListShape)
    texts = source.elements if isinstance(source, syntax.ListExpr) else (None,) * len(e.elements)
    match target:
        case Struct() | Header():
            types = tuple([field.type for field in target.fields])
            names = tuple([f"field `{field.name}` of `{target}`" for field in target.fields])
        case Tuple(elements=types):
            names = tuple([f"element {i} of `{target}`" for i in range(len(types))])
        case Stack(element=element, size=size):
            types = (element,) * size
            names = tuple([f"element {i} of `{target}`" for i in range(size)])
        case ListType(element=element):
            types = (element,) * len(e.elements)
            names = tuple([f"element {i} of `{target}`" for i in range(len(types))])
        case _:
            return None
    _check_count(cx, e, target, len(types), shape.rest)
    values = [
        convert(cx, value, type, _initialising(name, type), text)
        for value, type, name, text in zip(e.elements, types, names, texts, strict=False)
    ]
    values += [typed.DefaultValue(type, e.span) for type in types[len(values) :]]
    if isinstance(target, Struct | Header):
        fields = zip([field.name for field in target.fields], values, strict=True)
        return typed.StructLiteral(tuple(fields), target, e.span)
    return typed.TupleLiteral(tuple(values), target, e.span)


def _initialising(what: str, type: Type) -> Sentence:
    return lambda given: f"cannot initialise {what} (`{type}`) with {given}"


def _check_count(cx: Context, e: typed.TupleLiteral, target: Type, wanted: int, rest: bool) -> None:
    given = len(e.elements)
    if given == wanted or (rest and given < wanted):
        return
    what = "fields" if isinstance(target, Struct | Header) else "elements"
    help = "end the list in `...` to give the others their default value"
    raise cx.reject(
        "wrong-count",
        e.span,
        f"{_count(given, 'value')} for `{target}`, which has {wanted} {what}",
        help=help if given < wanted else None,
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _convert_struct(
    cx: Context, e: typed.StructLiteral, target: Type, source: syntax.Expression | None
) -> typed.Expression | None:
    shape = e.type
    assert isinstance(shape, StructShape)
    if isinstance(target, HeaderUnion):
        raise cx.reject(
            "type-mismatch",
            e.span,
            f"a header union cannot be initialised: `{target}`",
            help="assign to one of its headers",
        )
    if not isinstance(target, Struct | Header):
        return None
    texts = (
        dict((n.text, x) for n, x in source.fields) if isinstance(source, syntax.StructExpr) else {}
    )
    types = {field.name: field.type for field in target.fields}
    fields = []
    for name, value in e.fields:
        if name not in types:
            raise cx.reject("no-such-field", value.span, f"`{target}` has no field `{name}`")
        goal = _initialising(f"field `{name}` of `{target}`", types[name])
        fields.append((name, convert(cx, value, types[name], goal, texts.get(name))))
    given = {name for name, _ in e.fields}
    missing = [name for name in types if name not in given]
    if missing and not shape.rest:
        names = ", ".join(f"`{name}`" for name in missing)
        raise cx.reject(
            "missing-field",
            e.span,
            f"no value for field{'s' * (len(missing) > 1)} {names} of `{target}`",
            help="end the list in `...` to give them their default value",
        )
    fields += [(name, typed.DefaultValue(types[name], e.span)) for name in missing]
    return typed.StructLiteral(tuple(fields), target, e.span)


# Explicit casts


def cast(
    cx: Context, e: typed.Expression, target: Type, span: Span, source: syntax.Expression
) -> typed.Expression:
    """Return `(target) e`, checked against the list of legal casts (section 8.11.1)."""
    if e.type == target and (is_castable(e.type, target) or isinstance(e, typed.InvalidHeader)):
        return e
    if isinstance(e.type, ListShape | StructShape) or e.type is Basic.DONT_CARE:
        return replace(convert(cx, e, target, _casting(target), source), span=span)
    if not is_castable(e.type, target):
        raise cx.reject(
            "bad-cast",
            span,
            f"cannot cast {describe(e.type)} to `{target}`",
            help=cast_help(e.type, target, source),
        )
    if strip(target) is Basic.BOOL and e.type is Basic.INT:
        if folding.int_value(e) not in (0, 1):
            raise cx.reject(
                "bad-cast", span, f"only 0 and 1 can be cast to `bool`, not {quote(source)}"
            )
    if isinstance(e.type, SerializableEnum) and strip(target) != e.type.underlying:
        e = make_cast(e, e.type.underlying, e.span, implicit=True)
    return make_cast(e, target, span)


def _casting(target: Type) -> Sentence:
    return lambda given: f"cannot cast {given} to `{target}`"


def is_castable(source: Type, target: Type) -> bool:
    """Say whether `(target) x` is legal for an `x` of type `source` that is not a list."""
    if source == target:
        return is_value(source)
    if isinstance(target, NewType):
        inner = source is Basic.INT or isinstance(target.target, NewType)
        return source == target.target or (inner and is_castable(source, target.target))
    if isinstance(source, NewType):
        inner = isinstance(source.target, NewType)
        return source.target == target or (inner and is_castable(source.target, target))
    match strip(source), strip(target):
        case ((Bit() | Int() | Basic.INT), Basic.INT):
            return True
        case Basic.INT, (Bit() | Int() | Basic.BOOL):
            return True
        case (Bit(), Bit()) | (Int(), Int()):
            return True
        case (Bit(width=a), Int(width=b)) | (Int(width=a), Bit(width=b)):
            return a == b
        case (Bit(width=width), Basic.BOOL) | (Basic.BOOL, Bit(width=width)):
            return width == 1
        case Basic.BOOL, Basic.BOOL:
            return True
        case _:
            return False


# L-values and compile-time knowledge


def lvalue_fault(e: typed.Expression) -> str | None:
    """Return why an expression cannot be written to, None when it can."""
    while True:
        match e:
            case typed.Ref(declaration=declaration):
                return _declaration_fault(declaration)
            case (
                typed.Field()
                | typed.TupleIndex()
                | typed.StackIndex()
                | typed.Slice()
                | typed.DynamicSlice()
            ):
                e = e.base
            case typed.StackProperty(property="next"):
                e = e.base
            case typed.StackProperty(property=name):
                return f"`{name}` of a header stack can only be read"
            case typed.Literal() | typed.EnumMember():
                return "it is a constant"
            case typed.Call() | typed.TableResult():
                return "it is the result of a call"
            case _:
                return "it is a computed value"


def _declaration_fault(
    declaration: typed.Variable | typed.Parameter | typed.Constant | typed.Instance,
) -> str | None:
    match declaration:
        case typed.Variable():
            return None
        case typed.Parameter(direction="out" | "inout"):
            return None
        case typed.Parameter(direction="in", name=name):
            return f"`{name}` is an `in` parameter"
        case typed.Parameter(name=name):
            return f"`{name}` is a parameter without a direction, which is read-only"
        case typed.Constant(name=name):
            return f"`{name}` is a constant"
        case typed.Instance(name=name):
            return f"`{name}` is an instance"


def is_known(cx: Context, e: typed.Expression) -> bool:
    """Say whether the value is known at compile time (constructor parameters are)."""
    match e:
        case typed.Ref(declaration=typed.Parameter() as parameter):
            compile_time = parameter.type in (Basic.INT, Basic.STRING)
            return parameter.direction == "" and (compile_time or parameter not in cx.run_time)
        case typed.Ref(declaration=declaration):
            return not isinstance(declaration, typed.Variable)
        case typed.Field() | typed.TupleIndex() | typed.Slice():
            return is_known(cx, e.base)
        case typed.StackIndex():
            return is_known(cx, e.base) and is_known(cx, e.index)
        case typed.Unary() | typed.Cast():
            return is_known(cx, e.operand)
        case typed.Binary():
            return is_known(cx, e.right) and is_known(cx, e.left)
        case typed.Conditional():
            return all(is_known(cx, part) for part in (e.condition, e.then, e.otherwise))
        case typed.StructLiteral():
            return all(is_known(cx, value) for _, value in e.fields)
        case typed.TupleLiteral():
            return all(is_known(cx, value) for value in e.elements)
        case typed.Call(callee=typed.ExternFunctionCallee(function=function)):
            return is_pure(function) and all(a is None or is_known(cx, a) for a in e.arguments)
        case typed.StackProperty() | typed.DynamicSlice() | typed.Call() | typed.TableResult():
            return False
        case _:
            return True


def is_pure(function: typed.ExternFunction) -> bool:
    """Say whether a target can call an extern function while it compiles."""
    factory = isinstance(function.result, ExternType)
    return factory or any(a.name == "pure" for a in function.annotations)


def is_local_known(e: typed.Expression) -> bool:
    """Say whether the value is known without any constructor parameter."""
    match e:
        case typed.Ref(declaration=declaration):
            return isinstance(declaration, typed.Constant | typed.Instance)
        case typed.Field() | typed.TupleIndex() | typed.Slice():
            return is_local_known(e.base)
        case typed.StackIndex():
            return is_local_known(e.base) and is_local_known(e.index)
        case typed.Unary() | typed.Cast():
            return is_local_known(e.operand)
        case typed.Binary():
            return is_local_known(e.right) and is_local_known(e.left)
        case typed.Conditional():
            return all(map(is_local_known, (e.condition, e.then, e.otherwise)))
        case typed.StructLiteral():
            return all(is_local_known(value) for _, value in e.fields)
        case typed.TupleLiteral():
            return all(map(is_local_known, e.elements))
        case typed.StackProperty() | typed.DynamicSlice() | typed.Call() | typed.TableResult():
            return False
        case _:
            return True


def require_known(cx: Context, e: typed.Expression, what: str) -> None:
    """Report a value that is not known at compile time; `what` names its role."""
    if not is_known(cx, e):
        raise cx.reject(
            "not-constant", e.span, f"{what} must be known at compile time", help=_why_not(e)
        )


def _why_not(e: typed.Expression) -> str | None:
    match e:
        case typed.Ref(declaration=typed.Variable(name=name)):
            return f"`{name}` is a variable; declare it with `const`"
        case typed.Ref(declaration=typed.Parameter(name=name)):
            return f"`{name}` is a run-time parameter"
        case typed.Field() | typed.Cast() | typed.Call():
            return None
        case _:
            return None


def type_error(cx: Context, e: typed.Expression, wanted: str, what: str) -> Rejected:
    """Report that `what` must be `wanted`."""
    given = describe(e.type) if is_value(e.type) else article(e.type)
    return cx.reject("type-mismatch", e.span, f"{what} must be {wanted}, not {given}")
