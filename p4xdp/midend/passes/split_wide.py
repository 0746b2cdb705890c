"""Split everything wider than 64 bits into limbs.

    hd.ipv6.dst = data[304+:128];    ->    hd.ipv6.dst.lo = data[368+:64];
                                           hd.ipv6.dst.hi = data[304+:64];

A variable of up to 128 bits becomes `.hi` and `.lo`, a wider one `.0` (the lowest), `.1` and so on.
Table keys become a `Concat` of limbs, action data several variables, both the highest first.
"""

from __future__ import annotations

from typing import assert_never

from p4xdp.diagnostics import InternalError
from p4xdp.midend import limbs as wide
from p4xdp.midend.fold import fold
from p4xdp.midend.ir import (
    LIMB,
    ActionArm,
    Apply,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Concat,
    Const,
    Expr,
    Extend,
    If,
    Load,
    Mux,
    Program,
    Pure,
    Slice,
    Stmt,
    Store,
    Switch,
    SwitchCase,
    Trace,
    Unary,
    UnaryOp,
    Var,
    width_of,
)
from p4xdp.midend.limbs import Limbs, Temporaries
from p4xdp.midend.rewrite import (
    expressions,
    map_bodies,
    map_expressions,
    map_operands,
    operands,
    targets,
    walk,
    walk_expression,
)
from p4xdp.records import dataclass, field, replace

SHIFTS = frozenset({BinaryOp.SHL, BinaryOp.LSHR, BinaryOp.ASHR})


def split_wide(program: Program) -> Program:
    """Return the narrow program with the meaning of a linear one."""
    if not _has_wide(program.body):
        return replace(program, stage="narrow")
    return replace(program, body=_Split().body(program.body), stage="narrow")


def _has_wide(body: Body) -> bool:
    return any(_is_wide(stmt) for stmt in walk(body))


def _is_wide(stmt: Stmt) -> bool:
    if any(var.width > LIMB for var in targets(stmt)):
        return True
    if isinstance(stmt, Apply) and any(var.width > LIMB for arm in stmt.arms for var in arm.data):
        return True
    return any(width_of(node) > LIMB for e in expressions(stmt) for node in walk_expression(e))


def limb_variables(var: Var) -> list[Var]:
    """Return the variables that hold the limbs of `var`, the lowest first."""
    if var.width <= LIMB:
        return [var]
    widths = wide.limb_widths_up(var.width)
    names = ["lo", "hi"] if len(widths) == 2 else [str(index) for index in range(len(widths))]
    return [Var(f"{var.name}.{name}", w) for name, w in zip(names, widths, strict=True)]


@dataclass(slots=True)
class _Split:
    temps: Temporaries = field(default_factory=Temporaries)

    # Statements

    def body(self, body: Body) -> Body:
        outer = self.temps.take()
        new: list[Stmt] = []
        for stmt in body:
            if _is_wide(stmt):
                changed = self.stmt(stmt)
                new += self.temps.take()
                new += changed
            else:
                new.append(map_bodies(stmt, self.body))
        self.temps.pending = outer
        return tuple(new)

    def stmt(self, stmt: Stmt) -> Body:
        match stmt:
            case Assign(target=target, value=value) if target.width > LIMB:
                return self.assign(stmt, target, value)
            case Store(value=value) if width_of(value) > LIMB:
                return self.store(stmt, value)
            case Switch(selector=selector) if width_of(selector) > LIMB:
                return self.switch(stmt, selector)
            case Apply():
                return (self.apply(stmt),)
            case Trace():
                return (self.trace(stmt),)
            case _:
                return (map_bodies(map_expressions(stmt, self.narrow), self.body),)

    def assign(self, stmt: Assign, target: Var, value: Expr) -> Body:
        parts = self.wide(value)
        variables = limb_variables(target)
        own = {var.name for var in variables}
        if any(isinstance(n, Var) and n.name in own for p in parts for n in walk_expression(p)):
            parts = [self.temps.keep(part) if _reads(part, own) else part for part in parts]
            parts = [self.copied(part) if _reads(part, own) else part for part in parts]
        return tuple(Assign(v, p, stmt.span) for v, p in zip(variables, parts, strict=True))

    def copied(self, expr: Expr) -> Expr:
        var = Var(f"{self.temps.prefix}{self.temps.count}", width_of(expr))
        self.temps.count += 1
        self.temps.pending.append(Assign(var, expr))
        return var

    def store(self, stmt: Store, value: Expr) -> Body:
        parts = [self.temps.keep(part) for part in self.wide(value)]
        stores: list[Stmt] = []
        offset = stmt.offset
        for part in reversed(parts):
            width = width_of(part)
            stores.append(Store(stmt.pointer, offset, width, part, stmt.span))
            offset += width
        return tuple(stores)

    def switch(self, stmt: Switch, selector: Expr) -> Body:
        parts = [self.temps.keep(part) for part in self.wide(selector)]
        width = width_of(selector)
        result = self.body(stmt.default)
        for case in reversed(stmt.cases):
            test = self.case(parts, case, width)
            result = (If(test, self.body(case.body), result, stmt.span),)
        return result

    def case(self, parts: Limbs, case: SwitchCase, width: int) -> Expr:
        tests = [wide.equal(parts, wide.constant(value, width)) for value in case.values]
        result = tests[0]
        for test in tests[1:]:
            result = wide.disjunction(result, test)
        return result

    def apply(self, stmt: Apply) -> Stmt:
        keys = tuple(self.key(key) for key in stmt.keys)
        arms = tuple(
            ActionArm(
                arm.index,
                tuple(limb for var in arm.data for limb in reversed(limb_variables(var))),
                self.body(arm.body),
            )
            for arm in stmt.arms
        )
        return replace(stmt, keys=keys, arms=arms)

    def key(self, key: Expr) -> Expr:
        if width_of(key) <= LIMB:
            return self.narrow(key)
        *low, result = self.wide(key)
        for limb in reversed(low):
            result = Concat(result, limb)
        return result

    def trace(self, stmt: Trace) -> Stmt:
        """Show a wide value as its limbs."""
        pieces = stmt.format.split("%")
        text = pieces[0]
        values: list[Expr] = []
        for value, piece in zip(stmt.values, pieces[1:], strict=True):
            parts = list(reversed(self.limbs(value)))
            text += ":".join("%" * len(parts)) + piece
            values += parts
        return replace(stmt, format=text, values=tuple(values))

    # Expressions

    def limbs(self, expr: Expr) -> Limbs:
        return self.wide(expr) if width_of(expr) > LIMB else [self.narrow(expr)]

    def kept(self, expr: Expr) -> Limbs:
        """Return limbs that may stand in several places without being computed twice."""
        return [p if isinstance(p, Load) else self.temps.keep(p) for p in self.limbs(expr)]

    def narrow(self, expr: Expr) -> Expr:
        """Return an expression of at most 64 bits without anything wider in it."""
        if not any(width_of(operand) > LIMB for operand in operands(expr)):
            return fold(map_operands(expr, self.narrow))
        match expr:
            case Slice(base=base, high=high, low=low):
                pieces = wide.slice_limbs(self.kept(base), high, low)
                return wide.regroup(pieces, width_of(expr))[0]
            case Binary(op=op, left=left, right=right) if op in SHIFTS:
                amount = wide.narrowed(self.wide(right), width_of(left))
                return fold(Binary(op, self.narrow(left), amount))
            case Binary(op=op, left=left, right=right):
                return self.compare(op, self.wide(left), self.wide(right))
            case _:
                raise InternalError("split_wide", f"{type(expr).__name__} of a wide value")

    def compare(self, op: BinaryOp, left: Limbs, right: Limbs) -> Expr:
        match op:
            case BinaryOp.EQ:
                return wide.equal(left, right)
            case BinaryOp.NE:
                return wide.unequal(left, right)
            case _:
                return wide.less(op, left, right, self.temps)

    def wide(self, expr: Expr) -> Limbs:
        """Return the limbs of an expression of more than 64 bits."""
        width = width_of(expr)
        match expr:
            case Const(value=value):
                return wide.constant(value, width)
            case Var():
                return list(limb_variables(expr))
            case Load():
                return _loads(expr)
            case Unary(op=op, operand=operand):
                return self.unary(op, self.wide(operand))
            case Binary(op=op, left=left, right=right):
                return self.binary(op, left, right, width)
            case Slice(base=base, high=high, low=low):
                return wide.regroup(wide.slice_limbs(self.kept(base), high, low), width)
            case Concat(left=left, right=right):
                return wide.regroup([*self.kept(right), *self.kept(left)], width)
            case Extend(base=base, signed=signed):
                return wide.extend_limbs(self.kept(base), width_of(base), width, signed)
            case Mux(condition=condition, then=then, otherwise=otherwise):
                test = self.temps.keep(self.narrow(condition))
                pairs = zip(self.wide(then), self.wide(otherwise), strict=True)
                return [wide.choose(test, one, other) for one, other in pairs]
            case Pure():
                raise InternalError("split_wide", f"{expr.name} of {width} bits")
            case _:
                assert_never(expr)

    def unary(self, op: UnaryOp, operand: Limbs) -> Limbs:
        if op is UnaryOp.NEG:
            nothing: Limbs = [wide.zero(width_of(limb)) for limb in operand]
            return wide.subtract(nothing, operand, self.temps)[0]
        return [fold(Unary(op, limb)) for limb in operand]

    def binary(self, op: BinaryOp, left: Expr, right: Expr, width: int) -> Limbs:
        if op in SHIFTS:
            return self.shift(op, self.kept(left), right, width)
        one, other = self.wide(left), self.wide(right)
        match op:
            case BinaryOp.AND | BinaryOp.OR | BinaryOp.XOR:
                return wide.each(lambda a, b: fold(Binary(op, a, b)), one, other)
            case BinaryOp.ADD:
                return wide.add(one, other, self.temps)[0]
            case BinaryOp.SUB:
                return wide.subtract(one, other, self.temps)[0]
            case BinaryOp.MUL:
                return wide.multiply(one, other, width, self.temps)
            case BinaryOp.SAT_ADD:
                return wide.saturating_add(one, other, self.temps)
            case BinaryOp.SAT_SUB:
                return wide.saturating_subtract(one, other, self.temps)
            case BinaryOp.SAT_ADD_SIGNED:
                return wide.saturating_signed(one, other, False, self.temps)
            case BinaryOp.SAT_SUB_SIGNED:
                return wide.saturating_signed(one, other, True, self.temps)
            case _:
                return self.divide(op, one, right, width)

    def divide(self, op: BinaryOp, left: Limbs, right: Expr, width: int) -> Limbs:
        """Divide by a power of two; the front end refuses other divisors of wide values."""
        if not isinstance(right, Const) or right.value & (right.value - 1):
            raise InternalError("split_wide", f"division of {width} bits")
        if right.value == 0:
            return wide.constant(0, width)
        amount = right.value.bit_length() - 1
        if op is BinaryOp.DIV:
            return wide.shift_constant(BinaryOp.LSHR, left, width, amount)
        mask = wide.constant(right.value - 1, width)
        return wide.each(lambda a, b: fold(Binary(BinaryOp.AND, a, b)), left, mask)

    def shift(self, op: BinaryOp, limbs: Limbs, amount: Expr, width: int) -> Limbs:
        if isinstance(amount, Const):
            return wide.shift_constant(op, limbs, width, amount.value)
        short = wide.narrowed(self.limbs(amount), width)
        return wide.shift(op, limbs, width, short, self.temps)


def _reads(expr: Expr, names: set[str]) -> bool:
    return any(isinstance(node, Var) and node.name in names for node in walk_expression(expr))


def _loads(load: Load) -> Limbs:
    result: Limbs = []
    end = load.offset + load.width
    for width in wide.limb_widths_up(load.width):
        end -= width
        result.append(Load(load.pointer, end, width))
    return result
