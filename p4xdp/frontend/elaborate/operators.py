"""What P4's operators and casts do to values: signedness chooses the IR operator here."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from p4xdp.diagnostics import InternalError, Span, fail
from p4xdp.frontend import types as t
from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.storage import zero
from p4xdp.frontend.elaborate.trees import (
    HeaderTree,
    Known,
    Record,
    StackTree,
    Tree,
    UnionTree,
    is_signed,
    leaf,
    number_of,
    parts,
    scalar_width,
    underlying,
)
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp, UnaryOp

WIDEST_DIVISION = 64
"""Bits that the machine divides."""

# Equality (sections 8.5, 8.9, 8.12, 8.16 to 8.19)


def equality(left: Tree, right: Tree) -> ir.Expr:
    """Return whether two values of one type are equal."""
    match left, right:
        case Known(value=a), Known(value=b):
            return fold.boolean(a == b)
        case HeaderTree(), HeaderTree():
            return _equal_headers(left, right)
        case (Record(), Record()) | (UnionTree(), UnionTree()) | (StackTree(), StackTree()):
            return _equal_parts(parts(left), parts(right))
        case _:
            return fold.equal(leaf(left), leaf(right))


def _equal_headers(left: HeaderTree, right: HeaderTree) -> ir.Expr:
    neither = fold.conjunction(fold.negation(left.valid), fold.negation(right.valid))
    both = fold.conjunction(left.valid, right.valid)
    same = _equal_parts(parts(left)[1:], parts(right)[1:])
    return fold.disjunction(neither, fold.conjunction(both, same))


def _equal_parts(left: tuple[Tree, ...], right: tuple[Tree, ...]) -> ir.Expr:
    return conjunction(equality(a, b) for a, b in zip(left, right, strict=True))


def conjunction(conditions: Iterable[ir.Expr]) -> ir.Expr:
    result: ir.Expr = ir.TRUE
    for condition in conditions:
        result = fold.conjunction(result, condition)
    return result


# Operators on scalars

_PLAIN = {
    "+": BinaryOp.ADD,
    "-": BinaryOp.SUB,
    "*": BinaryOp.MUL,
    "/": BinaryOp.DIV,
    "%": BinaryOp.MOD,
    "&": BinaryOp.AND,
    "|": BinaryOp.OR,
    "^": BinaryOp.XOR,
    "<<": BinaryOp.SHL,
    "&&": BinaryOp.LAND,
    "||": BinaryOp.LOR,
}

_BY_SIGN = {
    ">>": (BinaryOp.LSHR, BinaryOp.ASHR),
    "|+|": (BinaryOp.SAT_ADD, BinaryOp.SAT_ADD_SIGNED),
    "|-|": (BinaryOp.SAT_SUB, BinaryOp.SAT_SUB_SIGNED),
    "<": (BinaryOp.LT, BinaryOp.LT_SIGNED),
    "<=": (BinaryOp.LE, BinaryOp.LE_SIGNED),
}

_MIRRORED = {">": "<", ">=": "<="}

_KNOWN: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b if b else 0,
    "%": lambda a, b: a % b if b else 0,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
}

_KNOWN_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def apply_binary(op: str, left: Tree, right: Tree, kind: t.Type) -> Tree:
    """Return `left op right`; `kind` is the type of the left operand."""
    if op == "==":
        return equality(left, right)
    if op == "!=":
        return fold.negation(equality(left, right))
    if op == "++":
        return _concatenate(left, right)
    if isinstance(left, Known):
        return _apply_known(op, left, right)
    if isinstance(left, Record):
        return _apply_empty(op, left)
    if op in _MIRRORED:
        op, left, right = _MIRRORED[op], right, left
    return fold.binary(_operator(op, kind), leaf(left), _amount(right))


def checked_binary(op: str, left: Tree, right: Tree, kind: t.Type, span: Span) -> Tree:
    """Return `left op right`; raises CompileError for a division that cannot be carried."""
    result = apply_binary(op, left, right, kind)
    match result:
        case ir.Binary(op=BinaryOp.DIV | BinaryOp.MOD, right=divisor):
            width = ir.width_of(divisor)
            if width > WIDEST_DIVISION and not _is_power_of_two(divisor):
                raise fail(
                    "unsupported",
                    span,
                    f"division of {width} bits by something else than a power of two",
                    help=f"divide numbers of at most {WIDEST_DIVISION} bits, say "
                    f"`(bit<{WIDEST_DIVISION}>) a / (bit<{WIDEST_DIVISION}>) b`, or shift",
                )
    return result


def _is_power_of_two(divisor: ir.Expr) -> bool:
    return isinstance(divisor, ir.Const) and divisor.value.bit_count() == 1


def _operator(op: str, kind: t.Type) -> BinaryOp:
    return _PLAIN[op] if op in _PLAIN else _BY_SIGN[op][is_signed(kind)]


def _amount(right: Tree) -> ir.Expr:
    """Return the right operand; a shift may have a number with no width or a `bit<0>` there."""
    match right:
        case Known(value=int(value)):
            return ir.Const(value, max(1, value.bit_length()))
        case _:
            return number_of(right)


def _apply_known(op: str, left: Known, right: Tree) -> Tree:
    match left.value, Known(0) if isinstance(right, Record) else right:
        case int(a), Known(value=int(b)) | ir.Const(value=b):
            if op in _KNOWN_COMPARISONS:
                return fold.boolean(_KNOWN_COMPARISONS[op](a, b))
            return Known(_KNOWN[op](a, b))
        case _:
            raise InternalError("elaborate", f"{op} on {left} and {right}")


def _apply_empty(op: str, left: Record) -> Tree:
    """Operators on `bit<0>`, whose only value is 0."""
    if op in (*_KNOWN_COMPARISONS,):
        return fold.boolean(op in ("<=", ">="))
    return left


def _concatenate(left: Tree, right: Tree) -> Tree:
    match left, right:
        case Record(), _:
            return right
        case _, Record():
            return left
        case Known(value=str(a)), Known(value=str(b)):
            return Known(a + b)
        case _:
            return fold.concat(leaf(left), leaf(right))


def apply_unary(op: str, operand: Tree) -> Tree:
    match operand:
        case Known(value=int(value)):
            return Known(-value)
        case Record():
            return operand
        case _:
            names = {"!": UnaryOp.LNOT, "~": UnaryOp.NOT, "-": UnaryOp.NEG}
            return fold.unary(names[op], leaf(operand))


def cut(value: Tree, high: int, low: int) -> ir.Expr:
    """Return the slice `value[high:low]`."""
    match value:
        case Known(value=int(number)):
            return fold.constant(number >> low, high - low + 1)
        case _:
            return fold.slice_of(leaf(value), high, low)


def cut_at(value: ir.Expr, low: ir.Expr, width: int) -> ir.Expr:
    """Return `width` bits from run-time position `low` on; zeros past the end."""
    moved = fold.binary(BinaryOp.LSHR, value, low)
    return fold.resize(moved, width)


# Casts (section 8.11)


def cast(value: Tree, source: t.Type, target: t.Type, span: Span) -> Tree:
    """Return the value converted from one type to the other."""
    start, end = underlying(source), underlying(target)
    if start == end:
        return value
    width = scalar_width(end)
    if width is None:
        return _cast_aggregate(value, start, end, span)
    match value:
        case Known(value=int(number)):
            return zero(end) if end == t.Bit(0) else fold.constant(number, width)
        case Record():
            return zero(end)
    if end == t.Bit(0):
        return Record(())
    return _cast_scalar(leaf(value), start, width)


def _cast_scalar(value: ir.Expr, source: t.Type, width: int) -> ir.Expr:
    if ir.width_of(value) == ir.BOOL and width != ir.BOOL:
        return fold.resize(fold.unary(UnaryOp.TO_BITS, value), width)
    if width == ir.BOOL and ir.width_of(value) != ir.BOOL:
        return fold.unary(UnaryOp.TO_BOOL, fold.slice_of(value, 0, 0))
    return fold.resize(value, width, sign=is_signed(source))


def _cast_aggregate(value: Tree, source: t.Type, target: t.Type, span: Span) -> Tree:
    match target, value:
        case t.Basic.INT, ir.Const(value=number, width=width):
            return Known(fold.signed(number, width) if is_signed(source) else number)
        case t.Basic.INT | t.Basic.STRING, Known():
            return value
        case t.Struct(fields=fields), Record() | HeaderTree():
            return Record(_converted(value, source, fields, span))
        case t.Header(fields=fields), Record() | HeaderTree():
            return HeaderTree(target, ir.TRUE, _converted(value, source, fields, span))
        case t.Tuple(elements=elements), Record():
            wanted = tuple(t.FieldType(str(i), element) for i, element in enumerate(elements))
            return Record(_converted(value, source, wanted, span))
        case t.Stack(element=element), Record():
            wanted = tuple(t.FieldType(name, element) for name, _ in value.fields)
            return StackTree(tuple(part for _, part in _converted(value, source, wanted, span)))
        case t.Basic.INT, _:
            raise fail(
                "not-constant",
                span,
                f"a run-time `{source}` cannot become an `int`, which is known at compile time",
                help="cast it to `int<W>` or `bit<W>`",
            )
        case _:
            raise InternalError("elaborate", f"the cast from {source} to {target}", span)


def _converted(
    value: Record | HeaderTree, source: t.Type, wanted: tuple[t.FieldType, ...], span: Span
) -> tuple[tuple[str, Tree], ...]:
    """Return the fields in the order of `wanted`: by name where names agree, else by place."""
    own = _field_types(source)
    by_name = {field.name for field in wanted} == {field.name for field in own}
    order = {field.name: i for i, field in enumerate(own)}
    result = []
    for place, field in enumerate(wanted):
        i = order[field.name] if by_name else place
        part = cast(value.fields[i][1], own[i].type, field.type, span)
        result.append((field.name, part))
    return tuple(result)


def _field_types(kind: t.Type) -> tuple[t.FieldType, ...]:
    match kind:
        case t.Struct(fields=fields) | t.Header(fields=fields) | t.StructShape(fields=fields):
            return fields
        case t.Tuple(elements=elements) | t.ListShape(elements=elements):
            return tuple(t.FieldType(str(i), element) for i, element in enumerate(elements))
        case _:
            raise InternalError("elaborate", f"{kind} has no fields")
