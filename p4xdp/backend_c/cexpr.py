"""IR expressions in, C expressions out, equal bit for bit at every width.

C computes in `int` at least, so what it computes for a narrow width may hold more than the
width's bits. A `Term` knows between which bounds the value of its text lies; a mask or a cast is
written only where the bounds pass the width and somebody looks at the upper bits. Nothing is ever
computed in a signed type beyond its range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

from p4xdp.backend_c import packet
from p4xdp.backend_c.terms import (
    LIMITS,
    CType,
    Level,
    Term,
    at,
    at_least,
    bounded,
    call,
    cast,
    constant,
    constant_of,
    hexadecimal,
    leaf,
    masked,
    needed,
    operand,
    paired,
    right_operand,
)
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp, UnaryOp
from p4xdp.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Env:
    """The C texts of variables and pointers, by their names in the IR.

    `direct` are variables that there are not, what is read in their place being their text, with
    the address of their bytes.
    `moved` are those that hold bytes as the packet has them (`moved.py`). `crcs` are the variables
    with the parameters of custom checks, `arrays` the constant arrays by their numbers.
    """

    variables: Mapping[str, str]
    pointers: Mapping[str, str]
    direct: Mapping[str, str] = field(default_factory=dict)
    moved: frozenset[str] = frozenset()
    crcs: Mapping[str, str] = field(default_factory=dict)
    arrays: tuple[str, ...] = ()


def render(expr: ir.Expr, env: Env, level: Level = Level.CONDITIONAL) -> str:
    """Return `expr` with exactly its value, in parentheses if it binds weaker than `level`."""
    return at(clean(expr, env), level)


def render_loose(expr: ir.Expr, env: Env, size: int) -> str:
    """Return `expr` for a place that keeps the low `size` bits, a power of two from 8 on."""
    width = ir.width_of(expr) or 1
    return (loose(expr, env) if width == size else clean(expr, env)).text


def condition(expr: ir.Expr, env: Env) -> str:
    """Return a BOOL for `if (...)`."""
    return clean(expr, env).text


def clean(expr: ir.Expr, env: Env) -> Term:
    """Return a term between 0 and 2**width - 1."""
    return masked(loose(expr, env), ir.width_of(expr) or 1)


def loose(expr: ir.Expr, env: Env) -> Term:
    """Return a term whose low `width` bits are right; above them may be anything."""
    match expr:
        case ir.Const(value=value, width=width):
            return constant(value, width)
        case ir.Var(name=name, width=width):
            return leaf(env.variables[name], width)
        case ir.Load():
            return _load(expr, env)
        case ir.Unary(op=op, operand=operand):
            return _unary(op, operand, env)
        case ir.Binary():
            return _binary(expr, env)
        case ir.Slice():
            return _slice(expr, env)
        case ir.Concat():
            return _concat(expr, env)
        case ir.Extend():
            return _extend(expr, env)
        case ir.Mux():
            return _mux(expr, env)
        case ir.Pure(name="csum16"):
            return _sum(expr, env)
        case ir.Pure(name="crc16" | "crc32"):
            return _crc(expr, env)
        case ir.Pure(name="element"):
            return _element(expr, env)
        case ir.Pure(name=name) if name in ir.CUSTOM_CRCS:
            return _custom_crc(expr, env)
        case ir.Pure():
            return _pure(expr, env)
    assert_never(expr)


# Leaves


CHANGES = ("csum_replace2", "csum_replace4")


def _sum(expr: ir.Pure, env: Env) -> Term:
    """Return the one's complement sum of 16 or 32 bits each."""
    terms = [term for part in expr.arguments for term in _sum_parts(part, env)]
    return call("p4xdp_csum_fold", expr.width, [" + ".join(terms) or "0"])


def _sum_parts(part: ir.Expr, env: Env) -> list[str]:
    """Return what a number adds to a sum; of two bytes each for itself, rather than joined."""
    match part:
        case ir.Concat(left=first, right=second) if ir.width_of(first) == ir.width_of(second) == 8:
            named = (("p4xdp_csum_part1", first), ("p4xdp_csum_second", second))
            return [f"{name}({render(one, env)})" for name, one in named]
        case _:
            return [f"p4xdp_csum_part{ir.width_of(part) // 8}({render(part, env)})"]


def _crc(expr: ir.Pure, env: Env) -> Term:
    """Return the cyclic redundancy check of the bytes of all arguments."""
    name = f"p4xdp_{expr.name}"
    result = f"P4XDP_{expr.name.upper()}_START"
    for part in expr.arguments:
        size = ir.width_of(part) // 8
        result = f"{name}({result}, {render(part, env)}, {size})"
    return call(f"{name}_end", expr.width, [result])


def _custom_crc(expr: ir.Pure, env: Env) -> Term:
    """Return the same with the parameters that the control plane says."""
    parameters = f"&{env.crcs[expr.name]}"
    result = f"p4xdp_crc_start({parameters})"
    for part in expr.arguments:
        given = f"{render(part, env)}, {ir.width_of(part) // 8}"
        result = f"p4xdp_crc_add{expr.width}({parameters}, {result}, {given})"
    return call(f"p4xdp_crc_end{expr.width}", expr.width, [parameters, result])


def _element(expr: ir.Pure, env: Env) -> Term:
    """Return a number of a constant array, which has one for each value of the index."""
    which, index = expr.arguments
    assert isinstance(which, ir.Const)
    return leaf(f"{env.arrays[which.value]}[{render(index, env)}]", expr.width)


def _pure(expr: ir.Pure, env: Env) -> Term:
    """Call the function; a checksum that several replacements change is folded once, at the end.

    A sum folds to 0 only if it is 0, so that folding in between makes no difference.
    """
    if expr.name not in CHANGES:
        arguments = [render(argument, env) for argument in expr.arguments]
        return call(f"p4xdp_{expr.name}", expr.width, arguments)
    changes: list[tuple[int, str]] = []
    inner: ir.Expr = expr
    while isinstance(inner, ir.Pure) and inner.name in CHANGES:
        inner, *pair = inner.arguments
        size, pair = _changed_bytes(pair)
        changes.insert(0, (size, ", ".join(render_loose(one, env, size * 8) for one in pair)))
    if len(changes) == 1:
        ((size, text),) = changes
        return call(f"p4xdp_csum_replace{size}", expr.width, [render(inner, env), text])
    parts = [f"p4xdp_csum_part2(~{render(inner, env, Level.UNARY)})"]
    parts += [f"p4xdp_csum_change{size}({text})" for size, text in changes]
    return call("p4xdp_csum_fold", expr.width, [" + ".join(parts)])


def _changed_bytes(pair: list[ir.Expr]) -> tuple[int, list[ir.Expr]]:
    """Return how many bytes change, and what they were and are: of two perhaps only the first."""
    width = ir.width_of(pair[0])
    firsts: list[ir.Expr] = []
    for one in pair:
        match one:
            case ir.Concat(left=first, right=ir.Const(value=0, width=8)) if width == 16:
                firsts.append(first)
            case _:
                return width // 8, pair
    return 1, firsts


def _wide_call(function: str, width: int, arguments: list[str]) -> Term:
    """A call of a function that computes in 64 bits, whatever the width."""
    return replace(call(function, width, arguments), type=CType.U64)


def _load(expr: ir.Load, env: Env) -> Term:
    first, *rest = packet.pieces(expr.offset, expr.width)
    term = _piece(first, expr, env)
    for piece in rest:
        upper = _shifted_left(term, piece.width, expr.width)
        term = _joined("|", Level.OR, upper, _piece(piece, expr, env), expr.width)
    return term


def _piece(piece: packet.Piece, expr: ir.Load, env: Env) -> Term:
    pointer = env.pointers[expr.pointer]
    size = piece.size * 8
    term = call(f"p4xdp_load{size}", size, [packet.address(pointer, piece.byte)])
    if piece.shift:
        term = _shifted_right(term, piece.shift)
    return masked(term, piece.width)


# Bytes as the packet has them


def is_moved(expr: ir.Expr, env: Env) -> bool:
    """Tell whether a variable that holds bytes decides in which form an expression is had."""
    match expr:
        case ir.Var(name=name):
            return name in env.moved
        case ir.Binary(op=op, left=left, right=right) if op in BITWISE:
            return is_moved(left, env) or is_moved(right, env)
        case _:
            return False


def moved(expr: ir.Expr, env: Env) -> Term:
    """Return the bytes of an expression that `moved.py` found fit."""
    width = ir.width_of(expr)
    bits = (width + 7) // 8 * 8
    match expr:
        case ir.Var(name=name) if name in env.direct:
            return taken(env.direct[name], width)
        case ir.Var(name=name):
            return leaf(env.variables[name], bits)
        case ir.Load(pointer=pointer, offset=offset):
            byte = (offset + width - bits) // 8
            return taken(packet.address(env.pointers[pointer], byte), width)
        case ir.Binary(op=op, left=left, right=right):
            level = BITWISE[op]
            parts = operand(moved(left, env), level), right_operand(moved(right, env), level)
            return replace(leaf(f" {op.value} ".join(parts), bits), level=level)
        case ir.Const(value=0):
            return constant(0, bits)
        case _:
            return call(f"p4xdp_turn{bits}", bits, [render(expr, env)])


def taken(address: str, width: int) -> Term:
    """Return the bytes of a number of `width` bits at an address."""
    bits = (width + 7) // 8 * 8
    term = call(f"p4xdp_take{bits}", bits, [address])
    if width == bits:
        return term
    mask = f"p4xdp_turn{bits}({hexadecimal((1 << width) - 1)})"
    return replace(leaf(f"{operand(term, Level.AND)} & {mask}", bits), level=Level.AND)


# Operators

Interval = Callable[[Term, Term], tuple[int, int]]


def _unary(op: UnaryOp, operand: ir.Expr, env: Env) -> Term:
    match op:
        case UnaryOp.TO_BITS:
            return clean(operand, env)
        case UnaryOp.TO_BOOL:
            return _truth(clean(operand, env))
        case UnaryOp.LNOT:
            return _negated(operand, env)
        case UnaryOp.NOT | UnaryOp.NEG if ir.width_of(operand) == 1:
            return loose(operand, env) if op is UnaryOp.NEG else _negated(operand, env)
        case UnaryOp.NOT:
            return _complement(loose(operand, env), ir.width_of(operand))
        case UnaryOp.NEG:
            return _negative(loose(operand, env), ir.width_of(operand))
    assert_never(op)


def _complement(term: Term, width: int) -> Term:
    term = at_least(term, needed(width))
    if 0 <= term.low and term.high <= 1:  # compilers take `~` of a truth value for a mistake
        return _joined("^", Level.XOR, term, constant((1 << width) - 1, width), width)
    low, high = bounded(~term.high, ~term.low, term.type)
    return Term(f"~{at(term, Level.UNARY)}", Level.UNARY, term.type, low, high)


def _negative(term: Term, width: int) -> Term:
    term = at_least(term, needed(width))
    if term.type is CType.INT and term.low == LIMITS[CType.INT][0]:
        term = cast(term, CType.U32)
    low, high = bounded(-term.high, -term.low, term.type)
    inner = f"({term.text})" if term.text.startswith("-") else at(term, Level.UNARY)
    return Term(f"-{inner}", Level.UNARY, term.type, low, high)


TRUTHS = (Level.LOR, Level.LAND, Level.EQUALITY, Level.RELATION)


def _truth(term: Term) -> Term:
    """Return a bit as a truth value; compilers suspect arithmetic where they expect one."""
    if term.level >= Level.UNARY or term.level in TRUTHS:
        return term
    return Term(f"{operand(term, Level.EQUALITY)} != 0", Level.EQUALITY, CType.INT, 0, 1)


OPPOSITES = {
    BinaryOp.EQ: BinaryOp.NE,
    BinaryOp.NE: BinaryOp.EQ,
}


def _negated(expr: ir.Expr, env: Env) -> Term:
    """Return the opposite of a truth value or of a single bit."""
    match expr:
        case ir.Unary(op=UnaryOp.LNOT | UnaryOp.NOT, operand=inner):
            return clean(inner, env)
        case ir.Unary(op=UnaryOp.TO_BITS | UnaryOp.TO_BOOL, operand=inner):
            return _negated(inner, env)
        case ir.Binary(op=op, left=left, right=right) if op in OPPOSITES:
            return _binary(ir.Binary(OPPOSITES[op], left, right), env)
        case ir.Binary(op=BinaryOp.LT | BinaryOp.LT_SIGNED as op, left=left, right=right):
            other = BinaryOp.LE if op is BinaryOp.LT else BinaryOp.LE_SIGNED
            return _binary(ir.Binary(other, right, left), env)
        case ir.Binary(op=BinaryOp.LE | BinaryOp.LE_SIGNED as op, left=left, right=right):
            other = BinaryOp.LT if op is BinaryOp.LE else BinaryOp.LT_SIGNED
            return _binary(ir.Binary(other, right, left), env)
    term = clean(expr, env)
    value = constant_of(term)
    if value is not None:
        return constant(1 - value, ir.BOOL)
    if term.level < Level.UNARY and term.level not in TRUTHS:
        return Term(f"{operand(term, Level.EQUALITY)} == 0", Level.EQUALITY, CType.INT, 0, 1)
    return Term(f"!{at(term, Level.UNARY)}", Level.UNARY, CType.INT, 0, 1)


def _binary(expr: ir.Binary, env: Env) -> Term:
    op = expr.op
    match op:
        case BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL:
            return _arithmetic(expr, env)
        case BinaryOp.AND | BinaryOp.OR | BinaryOp.XOR:
            return _bitwise(expr, env)
        case BinaryOp.DIV | BinaryOp.MOD:
            return _division(expr, env)
        case BinaryOp.SHL | BinaryOp.LSHR | BinaryOp.ASHR:
            return _shift(expr, env)
        case (
            BinaryOp.SAT_ADD | BinaryOp.SAT_SUB | BinaryOp.SAT_ADD_SIGNED | BinaryOp.SAT_SUB_SIGNED
        ):
            return _saturating(expr, env)
        case BinaryOp.EQ | BinaryOp.NE if is_moved(expr.left, env) or is_moved(expr.right, env):
            return _comparison(expr, moved(expr.left, env), moved(expr.right, env))
        case BinaryOp.EQ | BinaryOp.NE | BinaryOp.LT | BinaryOp.LE:
            return _comparison(expr, clean(expr.left, env), clean(expr.right, env))
        case BinaryOp.LT_SIGNED | BinaryOp.LE_SIGNED:
            return _comparison(expr, _signed(expr.left, env), _signed(expr.right, env))
        case BinaryOp.LAND | BinaryOp.LOR:
            return _logical(expr, env)
    assert_never(op)


def _extremes(left: Term, right: Term, apply: Callable[[int, int], int]) -> tuple[int, int]:
    corners = [apply(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    return min(corners), max(corners)


ARITHMETIC: dict[BinaryOp, tuple[Level, Callable[[int, int], int]]] = {
    BinaryOp.ADD: (Level.SUM, lambda a, b: a + b),
    BinaryOp.SUB: (Level.SUM, lambda a, b: a - b),
    BinaryOp.MUL: (Level.PRODUCT, lambda a, b: a * b),
}


def _arithmetic(expr: ir.Binary, env: Env) -> Term:
    level, apply = ARITHMETIC[expr.op]
    left, right = paired(loose(expr.left, env), loose(expr.right, env), ir.width_of(expr))
    low, high = _extremes(left, right, apply)
    kind = max(left.type, right.type)
    if kind is CType.INT and (low, high) != bounded(low, high, kind):
        left = cast(left, CType.U32)
        kind = CType.U32
    if min(left.low, right.low) < 0 and kind is not CType.INT:
        low, high = LIMITS[kind]
    low, high = bounded(low, high, kind)
    text = f"{operand(left, level)} {expr.op.value} {right_operand(right, level)}"
    return Term(text, level, kind, low, high)


BITWISE = {BinaryOp.AND: Level.AND, BinaryOp.OR: Level.OR, BinaryOp.XOR: Level.XOR}


LOGICAL = {BinaryOp.AND: ("&&", Level.LAND), BinaryOp.OR: ("||", Level.LOR)}


def _is_truth(term: Term) -> bool:
    """Tell whether C computes 0 or 1 by a comparison or the like."""
    return term.level in TRUTHS or term.text.startswith("!")


def _bitwise(expr: ir.Binary, env: Env) -> Term:
    left, right = loose(expr.left, env), loose(expr.right, env)
    if expr.op in LOGICAL and _is_truth(left) and _is_truth(right):
        op, level = LOGICAL[expr.op]
        text = f"{operand(left, level)} {op} {operand(right, level)}"
        return Term(text, level, CType.INT, 0, 1)
    return _joined(expr.op.value, BITWISE[expr.op], left, right, ir.width_of(expr))


def _joined(op: str, level: Level, left: Term, right: Term, width: int) -> Term:
    """Join by `&`, `|` or `^`; bounds as far as they follow from those of the operands."""
    left, right = paired(left, right, width)
    kind = max(left.type, right.type)
    text = f"{operand(left, level)} {op} {operand(right, level)}"
    low, high = LIMITS[kind]
    if op == "&" and max(left.low, right.low) >= 0:
        low = 0
        high = min(t.high for t in (left, right) if t.low >= 0)
    elif min(left.low, right.low) >= 0:
        low = 0
        high = 2 ** max(left.high, right.high).bit_length() - 1
    return Term(text, level, kind, low, high)


def _division(expr: ir.Binary, env: Env) -> Term:
    width = ir.width_of(expr)
    left, right = clean(expr.left, env), clean(expr.right, env)
    if constant_of(right):
        level = Level.PRODUCT
        text = f"{operand(left, level)} {expr.op.value} {right_operand(right, level)}"
        high = left.high if expr.op is BinaryOp.DIV else min(left.high, right.high - 1)
        return Term(text, level, max(left.type, right.type), 0, high)
    name = "p4xdp_div" if expr.op is BinaryOp.DIV else "p4xdp_mod"
    return _wide_call(name, width, [left.text, right.text])


SHIFTS = {BinaryOp.SHL: "p4xdp_shl", BinaryOp.LSHR: "p4xdp_shr", BinaryOp.ASHR: "p4xdp_sar"}


def _shift(expr: ir.Binary, env: Env) -> Term:
    width = ir.width_of(expr.left)
    amount = clean(expr.right, env)
    by = constant_of(amount)
    if by is not None and expr.op is not BinaryOp.ASHR:
        if by >= width:
            return constant(0, width)
        if expr.op is BinaryOp.SHL:
            return _shifted_left(loose(expr.left, env), by, width)
        return _shifted_right(clean(expr.left, env), by)
    left = clean(expr.left, env)
    return _wide_call(SHIFTS[expr.op], width, [left.text, amount.text, str(width)])


def _shifted_left(term: Term, by: int, width: int) -> Term:
    """Shift, in a type that holds `width` bits."""
    term = at_least(term, needed(width))
    if by == 0:
        return term
    if term.type is CType.INT and (term.low < 0 or term.high << by > LIMITS[CType.INT][1]):
        term = cast(term, CType.U32)
    low, high = bounded(term.low << by, term.high << by, term.type)
    return Term(f"{operand(term, Level.SHIFT)} << {by}", Level.SHIFT, term.type, low, high)


def _shifted_right(term: Term, by: int) -> Term:
    if by == 0:
        return term
    text = f"{operand(term, Level.SHIFT)} >> {by}"
    return Term(text, Level.SHIFT, term.type, term.low >> by, term.high >> by)


def _saturating(expr: ir.Binary, env: Env) -> Term:
    width = ir.width_of(expr)
    arguments = [render(expr.left, env), render(expr.right, env)]
    match expr.op:
        case BinaryOp.SAT_ADD:
            return _wide_call("p4xdp_sat_add", width, [*arguments, str(width)])
        case BinaryOp.SAT_SUB:
            return _wide_call("p4xdp_sat_sub", width, arguments)
        case BinaryOp.SAT_ADD_SIGNED:
            return _wide_call("p4xdp_sat_add_signed", width, [*arguments, str(width)])
    return _wide_call("p4xdp_sat_sub_signed", width, [*arguments, str(width)])


# Truth values

COMPARISONS: dict[BinaryOp, tuple[str, Level]] = {
    BinaryOp.EQ: ("==", Level.EQUALITY),
    BinaryOp.NE: ("!=", Level.EQUALITY),
    BinaryOp.LT: ("<", Level.RELATION),
    BinaryOp.LE: ("<=", Level.RELATION),
    BinaryOp.LT_SIGNED: ("<", Level.RELATION),
    BinaryOp.LE_SIGNED: ("<=", Level.RELATION),
}


def _comparison(expr: ir.Binary, left: Term, right: Term) -> Term:
    """Compare; what the bounds decide is a constant, which compilers would warn of."""
    known = _decided(expr, left, right)
    if known is not None:
        return constant(int(known), ir.BOOL)
    if constant_of(left) is None and constant_of(right) is None and left.low >= 0 <= right.low:
        kind = max(left.type, right.type)
        left, right = at_least(left, kind), at_least(right, kind)
    op, level = COMPARISONS[expr.op]
    if constant_of(left) is not None:  # as people write it: the constant on the right
        left, op, right = right, op.replace("<", ">"), left
    text = f"{_compared(left, level)} {op} {_compared(right, level)}"
    return Term(text, level, CType.INT, 0, 1)


def _compared(term: Term, level: Level) -> str:
    """Return a side of a comparison; a comparison inside one needs its parentheses."""
    if term.level in (Level.EQUALITY, Level.RELATION):
        return f"({term.text})"
    return operand(term, level)


def _decided(expr: ir.Binary, left: Term, right: Term) -> bool | None:
    same = expr.left == expr.right
    apart = left.high < right.low or right.high < left.low or _differ(expr.left, expr.right)
    match expr.op:
        case BinaryOp.EQ | BinaryOp.NE:
            equal = same or (left.low == left.high == right.low == right.high)
            return (expr.op is BinaryOp.EQ) == equal if equal or apart else None
        case BinaryOp.LT | BinaryOp.LT_SIGNED:
            never = same or left.low >= right.high
            return not never if never or left.high < right.low else None
    always = same or left.high <= right.low
    return always if always or left.low > right.high else None


def _differ(left: ir.Expr, right: ir.Expr) -> bool:
    """Tell whether a constant has a bit that the other side, by its own constant, cannot have."""
    match left, right:
        case ir.Binary(op=BinaryOp.OR, right=ir.Const(value=ones)), ir.Const(value=value):
            return ones & ~value != 0
        case ir.Binary(op=BinaryOp.AND, right=ir.Const(value=most)), ir.Const(value=value):
            return value & ~most != 0
        case ir.Concat(right=ir.Const(value=low, width=width)), ir.Const(value=value):
            return (value ^ low) & ((1 << width) - 1) != 0
        case ir.Concat(left=ir.Const(value=high), right=rest), ir.Const(value=value):
            return value >> ir.width_of(rest) != high
    return False


def _signed(expr: ir.Expr, env: Env) -> Term:
    """Return the value in two's complement: an `int`, or a signed 64-bit number."""
    width = ir.width_of(expr)
    half = 1 << (width - 1)
    term = loose(expr, env)
    constant = constant_of(masked(term, width))
    if constant is not None and width <= 32:
        value = constant - 2 * half if constant >= half else constant
        level = Level.POSTFIX if value >= 0 else Level.UNARY
        return Term(str(value), level, CType.INT, value, value)
    if width in (8, 16, 32, 64):
        text, level = f"(__s{width}){at(term, Level.UNARY)}", Level.UNARY
    else:
        text, level = f"p4xdp_signed({clean(expr, env).text}, {width})", Level.POSTFIX
    return Term(text, level, CType.INT if width <= 32 else CType.U64, -half, half - 1)


def _logical(expr: ir.Binary, env: Env) -> Term:
    """Join two truth values; operands have no side effect, so constants may take a side away."""
    left, right = clean(expr.left, env), clean(expr.right, env)
    strong = 0 if expr.op is BinaryOp.LAND else 1
    for term, other in ((left, right), (right, left)):
        value = constant_of(term)
        if value is not None:
            return term if value == strong else other
    level = Level.LAND if expr.op is BinaryOp.LAND else Level.LOR
    text = f"{operand(left, level)} {expr.op.value} {operand(right, level)}"
    return Term(text, level, CType.INT, 0, 1)


# Widths


def _slice(expr: ir.Slice, env: Env) -> Term:
    if expr.low == 0:
        return loose(expr.base, env)
    base = loose(expr.base, env)
    if base.low < 0:
        base = clean(expr.base, env)
    return _shifted_right(base, expr.low)


def _concat(expr: ir.Concat, env: Env) -> Term:
    width, by = ir.width_of(expr), ir.width_of(expr.right)
    right = clean(expr.right, env)
    left = loose(expr.left, env)
    upper = constant_of(left)
    if upper is not None:
        left = constant((upper & (1 << (width - by)) - 1) << by, width)
    else:
        left = _shifted_left(left, by, width)
    if constant_of(left) == 0:
        return at_least(right, needed(width))
    if constant_of(right) == 0:
        return left
    return _joined("|", Level.OR, left, right, width)


def _extend(expr: ir.Extend, env: Env) -> Term:
    if not expr.signed:
        return at_least(clean(expr.base, env), needed(expr.width))
    term = _signed(expr.base, env)
    if expr.width > 32:
        return Term(f"(__u64){at(term, Level.UNARY)}", Level.UNARY, CType.U64, 0, 2**64 - 1)
    if ir.width_of(expr.base) in (8, 16):
        return term
    return Term(f"(__u32){at(term, Level.UNARY)}", Level.UNARY, CType.U32, 0, 2**32 - 1)


def _mux(expr: ir.Mux, env: Env) -> Term:
    test = clean(expr.condition, env)
    value = constant_of(test)
    if value is not None:
        return loose(expr.then if value else expr.otherwise, env)
    then, other = clean(expr.then, env), clean(expr.otherwise, env)
    kind = max(then.type, other.type, needed(ir.width_of(expr)))
    if constant_of(then) is None:
        then = at_least(then, kind)
    if constant_of(other) is None:
        other = at_least(other, kind)
    if kind is CType.U64 and max(then.type, other.type) < CType.U64:
        then = cast(then, kind)
    text = " ".join(
        (
            operand(test, Level.CONDITIONAL) if test.level > Level.LAND else f"({test.text})",
            "?",
            _branch(then),
            ":",
            _branch(other),
        )
    )
    return Term(text, Level.CONDITIONAL, kind, min(then.low, other.low), max(then.high, other.high))


def _branch(term: Term) -> str:
    return f"({term.text})" if term.level == Level.CONDITIONAL else term.text
