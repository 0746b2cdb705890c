"""Operators: typed operands come in, the typed and folded result comes out (section 8)."""

from __future__ import annotations

from p4xdp.diagnostics import Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.typecheck import folding
from p4xdp.frontend.typecheck.context import Context, Rejected
from p4xdp.frontend.typecheck.conversion import (
    Sentence,
    cast_help,
    convert,
    describe,
    implicit_cast,
    is_known,
    sized,
    type_error,
)
from p4xdp.frontend.typecheck.traits import is_comparable, is_numeric, underlying
from p4xdp.frontend.types import (
    Basic,
    Bit,
    Int,
    ListShape,
    NewType,
    SerializableEnum,
    StructShape,
    Type,
)

_MODULAR = frozenset(("+", "-", "*"))
_BITWISE = frozenset(("&", "|", "^", "|+|", "|-|"))
_ORDER = frozenset(("<", "<=", ">", ">="))


def to_underlying(e: typed.Expression) -> typed.Expression:
    """Return a serialisable enum as its representation, anything else as it is."""
    if isinstance(e.type, SerializableEnum):
        return implicit_cast(e, e.type.underlying)
    return e


def unary(cx: Context, op: str, operand: typed.Expression, span: Span) -> typed.Expression:
    """Return `op operand` for `!`, `~`, `-`, `+`."""
    if op == "!":
        return _not(cx, operand, span)
    operand = to_underlying(operand)
    type = operand.type
    if not isinstance(type, Bit | Int) and not (type is Basic.INT and op != "~"):
        help = "write its width, as in `~8w1`" if type is Basic.INT else _newtype_help(type)
        raise cx.reject(
            "bad-operand", span, f"`{op}` is not defined for {describe(type)}", help=help
        )
    if op == "+":
        return operand
    value = folding.int_value(operand)
    if value is not None:
        return folding.number(-value if op == "-" else ~value, type, span)
    return typed.Unary("-" if op == "-" else "~", operand, type, span)


def _not(cx: Context, operand: typed.Expression, span: Span) -> typed.Expression:
    if operand.type is not Basic.BOOL:
        help = None
        if is_numeric(operand.type):
            help = "compare with 0, or use `~` for the bits"
        text = f"`!` is not defined for {describe(operand.type)}"
        raise cx.reject("bad-operand", span, text, help=help)
    value = folding.bool_value(operand)
    if value is not None:
        return folding.boolean(not value, span)
    return typed.Unary("!", operand, Basic.BOOL, span)


def binary(
    cx: Context, node: syntax.Binary, left: typed.Expression, right: typed.Expression
) -> typed.Expression:
    """Return `left op right`."""
    op = node.op
    if op in ("&&", "||"):
        return _logical(cx, node, left, right)
    if op in ("==", "!="):
        return _equality(cx, node, left, right)
    if op in ("<<", ">>"):
        return shift(cx, op, left, right, node.span)
    if op == "++":
        return _concatenation(cx, left, right, node.span)
    return arithmetic(cx, op, left, right, node.span, node)


def _logical(
    cx: Context, node: syntax.Binary, left: typed.Expression, right: typed.Expression
) -> typed.Expression:
    for side in (left, right):
        if side.type is not Basic.BOOL:
            raise _not_boolean(cx, side, f"an operand of `{node.op}`")
    decisive = node.op == "||"
    match folding.bool_value(left), folding.bool_value(right):
        case bool() as known, _:
            return folding.boolean(decisive, node.span) if known is decisive else right
        case None, bool() as known if known is not decisive:
            return left
        case _:
            return typed.Binary(node.op, left, right, Basic.BOOL, node.span)


def _not_boolean(cx: Context, e: typed.Expression, what: str) -> Rejected:
    help = "compare it with a value, as in `x != 0`" if is_numeric(e.type) else None
    text = f"{what} must be `bool`, not {describe(e.type)}"
    return cx.reject("type-mismatch", e.span, text, help=help)


def condition(cx: Context, e: typed.Expression, what: str) -> typed.Expression:
    """Check that something that decides is a bool."""
    if e.type is not Basic.BOOL:
        raise _not_boolean(cx, e, what)
    return e


# Operands of one type


def balance(
    cx: Context,
    op: str,
    left: typed.Expression,
    right: typed.Expression,
    span: Span,
    node: syntax.Binary | None = None,
) -> tuple[typed.Expression, typed.Expression]:
    """Give both operands one type through implicit casts, or report that they differ."""
    if left.type == right.type:
        return left, right
    if isinstance(left.type, SerializableEnum) or isinstance(right.type, SerializableEnum):
        return balance_equal(cx, op, to_underlying(left), to_underlying(right), span, node)
    return balance_equal(cx, op, left, right, span, node)


def balance_equal(
    cx: Context,
    op: str,
    left: typed.Expression,
    right: typed.Expression,
    span: Span,
    node: syntax.Binary | None,
) -> tuple[typed.Expression, typed.Expression]:
    if left.type is Basic.INT and isinstance(right.type, Bit | Int):
        return sized(cx, left, right.type), right
    if right.type is Basic.INT and isinstance(left.type, Bit | Int):
        return left, sized(cx, right, left.type)
    if left.type == right.type:
        return left, right
    if _takes_type(left) and not _takes_type(right):
        return convert(cx, left, right.type, _comparing(op, right.type)), right
    if _takes_type(right) and not _takes_type(left):
        return left, convert(cx, right, left.type, _comparing(op, left.type))
    raise differ(cx, op, left, right, span, node)


def _takes_type(e: typed.Expression) -> bool:
    return isinstance(e.type, ListShape | StructShape) or e.type is Basic.DONT_CARE


def _comparing(op: str, type: Type) -> Sentence:
    return lambda given: f"`{op}` cannot combine {given} with `{type}`"


def differ(
    cx: Context,
    op: str,
    left: typed.Expression,
    right: typed.Expression,
    span: Span,
    node: syntax.Binary | None,
) -> Rejected:
    """Report operands whose types differ, and the cast that makes them one."""
    help = None
    if node is not None:
        a, b = left.type, right.type
        if isinstance(a, Bit | Int) and isinstance(b, Bit | Int) and a.width > b.width:
            help = cast_help(right.type, left.type, node.right)
        else:
            help = cast_help(left.type, right.type, node.left)
            help = help or cast_help(right.type, left.type, node.right)
    return cx.reject(
        "type-mismatch",
        span,
        f"the operands of `{op}` differ: {describe(left.type)} and {describe(right.type)}",
        help=help,
    )


def _equality(
    cx: Context, node: syntax.Binary, left: typed.Expression, right: typed.Expression
) -> typed.Expression:
    op = node.op
    left, right = balance(cx, op, left, right, node.span, node)
    type = left.type
    if isinstance(type, ListShape | StructShape) or type is Basic.DONT_CARE:
        raise cx.reject(
            "cannot-infer",
            node.span,
            f"neither operand of `{op}` says what type `{type}` is to become",
            help="cast one of them to its type",
        )
    if not is_comparable(type):
        raise cx.reject(
            "bad-operand", node.span, f"values of `{type}` cannot be compared with `{op}`"
        )
    same = folding.equal(left, right)
    if same is not None and is_known(cx, left) and is_known(cx, right):
        return folding.boolean(same == (op == "=="), node.span)
    return typed.Binary(op, left, right, Basic.BOOL, node.span)


# Numbers


def arithmetic(
    cx: Context,
    op: str,
    left: typed.Expression,
    right: typed.Expression,
    span: Span,
    node: syntax.Binary | None = None,
) -> typed.Expression:
    """Return the result of an operator whose operands have one numeric type."""
    left, right = to_underlying(left), to_underlying(right)
    for side in (left, right):
        if not is_numeric(side.type):
            raise _undefined(cx, op, side.type, span)
    if op in ("/", "%"):
        _refuse_negative(cx, op, left, right)
    left, right = balance(cx, op, left, right, span, node)
    type = left.type
    if type is Basic.INT and op in ("|+|", "|-|"):
        raise cx.reject(
            "bad-operand",
            span,
            f"`{op}` is not defined for `int`",
            help="give one operand a width, as in `32w5`",
        )
    if op in ("/", "%"):
        return _division(cx, op, left, right, span)
    a, b = folding.int_value(left), folding.int_value(right)
    if op in _ORDER:
        if a is not None and b is not None:
            return folding.boolean(folding.compare(op, a, b), span)
        return typed.Binary(op, left, right, Basic.BOOL, span)
    assert op in _MODULAR or op in _BITWISE
    if a is not None and b is not None:
        return typed.Literal(folding.arithmetic(op, a, b, type), type, span)
    return typed.Binary(op, left, right, type, span)


def _undefined(cx: Context, op: str, type: Type, span: Span) -> Rejected:
    return cx.reject(
        "bad-operand", span, f"`{op}` is not defined for {describe(type)}", help=_newtype_help(type)
    )


def _newtype_help(type: Type) -> str | None:
    if isinstance(type, NewType):
        return f"cast to `{type.target}` first: `{type}` is a `type` of its own"
    return None


def _refuse_negative(cx: Context, op: str, left: typed.Expression, right: typed.Expression) -> None:
    for side in (left, right):
        value = folding.int_value(side)
        if value is not None and value < 0:
            raise cx.reject(
                "bad-operand", side.span, f"`{op}` is not defined for negative numbers: {value}"
            )


def _division(
    cx: Context, op: str, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression:
    """Division is defined for `bit<W>` and for `int` that is not negative (section 8.8)."""
    type = left.type
    if isinstance(type, Int):
        raise _undefined(cx, op, type, span)
    a, b = folding.int_value(left), folding.int_value(right)
    if b == 0:
        raise cx.reject("division-by-zero", right.span, f"the right operand of `{op}` is zero")
    if a is not None and b is not None:
        return typed.Literal(folding.arithmetic(op, a, b, type), type, span)
    return typed.Binary(op, left, right, type, span)


def shift(
    cx: Context, op: str, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression:
    """Return `left << right` or `left >> right`; the types of the two need not agree."""
    left, right = to_underlying(left), to_underlying(right)
    if not is_numeric(left.type):
        raise _undefined(cx, op, left.type, span)
    value, amount = folding.int_value(left), folding.int_value(right)
    if isinstance(right.type, Int) and amount is None:
        raise type_error(cx, right, "unsigned", f"the right operand of `{op}`")
    if not is_numeric(right.type):
        raise type_error(cx, right, "a number", f"the right operand of `{op}`")
    if amount is not None and amount < 0:
        raise cx.reject("bad-operand", right.span, f"shift by a negative amount: {amount}")
    if left.type is Basic.INT and amount is None and not is_known(cx, right):
        raise cx.reject(
            "bad-operand",
            left.span,
            "`int` cannot be shifted by an amount that is known only at run time",
            help="give the left operand a width, as in `32w1`",
        )
    if value is not None and amount is not None:
        return _fold_shift(cx, op, value, amount, left.type, span)
    return typed.Binary(op, left, right, left.type, span)


def _fold_shift(
    cx: Context, op: str, value: int, amount: int, type: Type, span: Span
) -> typed.Expression:
    if type is Basic.INT and op == "<<" and amount > folding.LARGEST_SHIFT:
        raise cx.reject("bad-operand", span, f"shift of an `int` by {amount} bits is too large")
    return typed.Literal(folding.shift(op, value, amount, type), type, span)


def _concatenation(
    cx: Context, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression:
    if left.type is Basic.STRING and right.type is Basic.STRING:
        return _join(left, right, span)
    left, right = to_underlying(left), to_underlying(right)
    a, b = left.type, right.type
    for side in (left, right):
        if not isinstance(side.type, Bit | Int):
            help = "write its width, as in `8w1`" if side.type is Basic.INT else None
            text = f"`++` is not defined for {describe(side.type)}"
            raise cx.reject("bad-operand", side.span, text, help=help)
    assert isinstance(a, Bit | Int)
    assert isinstance(b, Bit | Int)
    width = a.width + b.width
    type = Bit(width) if isinstance(a, Bit) else Int(width)
    high, low = folding.int_value(left), folding.int_value(right)
    if high is not None and low is not None:
        return typed.Literal(folding.concatenate(high, low, b, type), type, span)
    return typed.Binary("++", left, right, type, span)


def _join(left: typed.Expression, right: typed.Expression, span: Span) -> typed.Expression:
    if isinstance(left, typed.Literal) and isinstance(right, typed.Literal):
        return typed.Literal(f"{left.value}{right.value}", Basic.STRING, span)
    return typed.Binary("++", left, right, Basic.STRING, span)


def conditional(
    cx: Context,
    node: syntax.Conditional,
    test: typed.Expression,
    then: typed.Expression,
    otherwise: typed.Expression,
) -> typed.Expression:
    """Return `test ? then : otherwise`; a known test chooses here."""
    condition(cx, test, "the condition of `?:`")
    then, otherwise = _same_branches(cx, node, then, otherwise)
    known = folding.bool_value(test)
    if known is not None:
        return then if known else otherwise
    type = then.type
    if type is Basic.INT and not is_known(cx, test):
        raise cx.reject(
            "cannot-infer",
            node.span,
            "both branches of `?:` are `int`, so the result has no width",
            help="write the width of one of them, as in `8w1`",
        )
    return typed.Conditional(test, then, otherwise, type, node.span)


def _same_branches(
    cx: Context, node: syntax.Conditional, then: typed.Expression, otherwise: typed.Expression
) -> tuple[typed.Expression, typed.Expression]:
    if then.type == otherwise.type:
        return then, otherwise
    if then.type is Basic.INT and isinstance(otherwise.type, Bit | Int):
        return sized(cx, then, otherwise.type), otherwise
    if otherwise.type is Basic.INT and isinstance(then.type, Bit | Int):
        return then, sized(cx, otherwise, then.type)
    if underlying(then.type) == underlying(otherwise.type):
        return to_underlying(then), to_underlying(otherwise)
    shapes = [_takes_type(then), _takes_type(otherwise)]
    if shapes == [True, True]:
        return then, otherwise
    if shapes == [True, False]:
        return convert(cx, then, otherwise.type, _comparing("?:", otherwise.type)), otherwise
    if shapes == [False, True]:
        return then, convert(cx, otherwise, then.type, _comparing("?:", then.type))
    raise cx.reject(
        "type-mismatch",
        node.span,
        f"the branches of `?:` differ: {describe(then.type)} and {describe(otherwise.type)}",
        help=cast_help(otherwise.type, then.type, node.otherwise),
    )
