"""fold and split_wide against arithmetic written out a second time, at any width."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import pairwise

from evaluate import Machine, evaluate, no_tables
from hypothesis import given, settings, strategies as st
from make import FINISH, linear, put, var

from p4xdp.midend.fold import fold
from p4xdp.midend.ir import (
    BOOL,
    COMPARISONS,
    Binary,
    BinaryOp,
    Check,
    Concat,
    Const,
    Expr,
    Extend,
    Load,
    Mux,
    Pure,
    Slice,
    Trace,
    Unary,
    UnaryOp,
    Var,
    width_of,
)
from p4xdp.midend.passes.simplify import simplify
from p4xdp.midend.passes.split_wide import split_wide
from p4xdp.midend.rewrite import rewrite
from p4xdp.midend.verify import verify

SHIFTS = (BinaryOp.SHL, BinaryOp.LSHR, BinaryOp.ASHR)
DIVISIONS = (BinaryOp.DIV, BinaryOp.MOD)
PLAIN = [op for op in BinaryOp if op not in COMPARISONS and op not in SHIFTS]
COMPARING = [op for op in BinaryOp if op in COMPARISONS and op.value not in ("&&", "||")]
NARROW = st.sampled_from([1, 2, 3, 7, 8, 13, 16, 31, 32, 33, 63, 64])
WIDE = st.sampled_from([65, 72, 96, 127, 128, 129, 192, 200])


def numbers(width: int) -> st.SearchStrategy[int]:
    most = (1 << (width or 1)) - 1
    edges = [0, 1, most, most >> 1, (most >> 1) + 1, min(most, (1 << 64) - 1)]
    return st.sampled_from(edges) | st.integers(0, most)


@st.composite
def expressions(draw: st.DrawFn, width: int, depth: int = 3) -> Expr:
    """Expressions over a, b (of the width), p (BOOL) and n (16 bits)."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        if draw(st.booleans()):
            return Const(draw(numbers(width)), width)
        return var("p", BOOL) if width == BOOL else draw(st.sampled_from(own(width)))
    return draw(truths(depth - 1) if width == BOOL else bits(width, depth - 1))


def own(width: int) -> list[Expr]:
    return [Var(f"a{width}", width), Var(f"b{width}", width)]


@st.composite
def truths(draw: st.DrawFn, depth: int) -> Expr:
    inner = expressions(BOOL, depth)
    kind = draw(st.sampled_from(["not", "logical", "compare", "compare"]))
    if kind == "not":
        return Unary(UnaryOp.LNOT, draw(inner))
    if kind == "logical":
        op = draw(st.sampled_from([BinaryOp.LAND, BinaryOp.LOR, BinaryOp.EQ, BinaryOp.NE]))
        return Binary(op, draw(inner), draw(inner))
    width = draw(st.sampled_from([8, 64]) | WIDE)
    side = expressions(width, depth)
    return Binary(draw(st.sampled_from(COMPARING)), draw(side), draw(side))


@st.composite
def bits(draw: st.DrawFn, width: int, depth: int) -> Expr:
    side = expressions(width, depth)
    kind = draw(st.sampled_from(["plain", "plain", "shift", "unary", "mux", "part", "concat"]))
    if kind == "plain":
        ops = [op for op in PLAIN if width <= 64 or op not in DIVISIONS]
        return Binary(draw(st.sampled_from(ops)), draw(side), draw(side))
    if kind == "shift":
        amount = draw(st.sampled_from([Var("n", 16), Const(draw(st.integers(0, 300)), 16)]))
        return Binary(draw(st.sampled_from(SHIFTS)), draw(side), amount)
    if kind == "unary":
        return Unary(draw(st.sampled_from([UnaryOp.NOT, UnaryOp.NEG])), draw(side))
    if kind == "mux":
        return Mux(draw(expressions(BOOL, depth)), draw(side), draw(side))
    if kind == "concat" and width > 1:
        split = draw(st.integers(1, width - 1))
        return Concat(draw(expressions(split, depth)), draw(expressions(width - split, depth)))
    low = draw(st.integers(0, width - 1))
    part = Slice(draw(side), width - 1, low)
    return Extend(part, width, draw(st.booleans())) if low else part


def inputs(expr: Expr) -> list[Var]:
    found: dict[Var, None] = {}

    def note(node: Expr) -> Expr:
        if isinstance(node, Var):
            found[node] = None
        return node

    rewrite(expr, note)
    return list(found)


def value(expr: Expr, variables: dict[str, int]) -> int:
    return Machine(linear(FINISH), b"", no_tables, variables=dict(variables)).value(expr)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_folding_keeps_the_value(data: st.DataObject) -> None:
    width = data.draw(NARROW | WIDE | st.just(BOOL))
    expr = data.draw(expressions(width))
    folded = rewrite(expr, fold)
    assert width_of(folded) == width
    for _ in range(3):
        values = {v.name: data.draw(numbers(v.width)) for v in inputs(expr)}
        assert value(folded, values) == value(expr, values)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_change_of_a_checksum_without_what_stays_is_the_same(data: st.DataObject) -> None:
    """Parts of a number that are there before and after cancel out, exactly."""
    width = data.draw(st.sampled_from([16, 32]))
    parts = [(Var(f"p{i}", bits), Var(f"q{i}", bits)) for i, bits in enumerate(_cut(data, width))]
    stays = [data.draw(st.booleans()) for _ in parts]
    old = reduce(Concat, [one for one, _ in parts])
    new = reduce(Concat, [p if stay else q for (p, q), stay in zip(parts, stays, strict=True)])
    expr = Pure(f"csum_replace{width // 8}", (Var("c", 16), old, new), 16)
    folded = rewrite(expr, fold)
    left = {v.name for v in inputs(folded)}
    gone = {p.name for (p, _), stay in zip(parts, stays, strict=True) if stay}
    assert not left & gone
    for _ in range(3):
        values = {v.name: data.draw(numbers(v.width)) for v in inputs(expr)}
        assert value(folded, values) == value(expr, values)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_sum_in_other_parts_is_the_same(data: st.DataObject) -> None:
    pieces = [Var(f"p{i}", bits) for i, bits in enumerate(_cut(data, 32) + _cut(data, 32))]
    whole = [*pieces, Const(data.draw(numbers(32)), 32), Load("data", 0, 64)]
    sizes = data.draw(st.sampled_from([(32, 32, 32, 32, 32), (16, 32, 32, 32, 16, 32)]))
    expr = Pure("csum16", tuple(_parts_of(reduce(Concat, whole), sizes)), 16)
    folded = rewrite(expr, fold)
    packet = data.draw(st.binary(min_size=8, max_size=8))
    values = {v.name: data.draw(numbers(v.width)) for v in pieces}
    machine = Machine(linear(FINISH), packet, no_tables, variables=values)
    assert machine.value(folded) == machine.value(expr)


def test_a_sum_takes_from_the_packet_what_lies_in_a_row_by_32_bits() -> None:
    ttl = Concat(Var("ttl", 8), Load("data", 72, 8))
    expr = Pure("csum16", (Concat(ttl, Load("data", 96, 16)), Load("data", 112, 16)), 16)
    assert fold(expr) == Pure("csum16", (ttl, Load("data", 96, 32)), 16)


def _parts_of(whole: Expr, sizes: tuple[int, ...]) -> list[Expr]:
    high = width_of(whole)
    parts = []
    for size in sizes:
        parts.append(fold(Slice(whole, high - 1, high - size)))
        high -= size
    assert high == 0
    return parts


def _cut(data: st.DataObject, width: int) -> list[int]:
    at = data.draw(st.sets(st.integers(1, width - 1), min_size=1, max_size=4))
    ends = [0, *sorted(at), width]
    return [end - start for start, end in pairwise(ends)]


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_splitting_keeps_the_value(data: st.DataObject) -> None:
    width = data.draw(WIDE)
    expr = data.draw(expressions(width))
    chunks = [Slice(Var("r", width), min(i + 63, width - 1), i) for i in range(0, width, 64)]
    reads, offset = [], 0
    names = inputs(expr)
    for name in names:
        load = Load("data", offset, name.width or 1)
        reads.append(put(name, Unary(UnaryOp.TO_BOOL, load) if name.width == BOOL else load))
        offset += name.width or 1
    size = (offset + 7) // 8
    check = Check("data", size, (FINISH,))
    result = put(Var("r", width), expr)
    program = linear(check, *reads, result, Trace("%" * len(chunks), tuple(chunks)), FINISH)
    verify(program)
    narrow = [split_wide(program), simplify(split_wide(simplify(program)))]
    for _ in range(3):
        packed = 0
        for name in names:
            packed = packed << (name.width or 1) | data.draw(numbers(name.width))
        packet = (packed << (8 * size - offset)).to_bytes(size, "big")
        for split in narrow:
            verify(replace(split, stage="narrow"))
            assert evaluate(split, packet) == evaluate(program, packet)
