"""The statements that turn the packet into what the deparser emits.

In: the plan. Out: a linear body. Headers that stay get only their changed fields, in place. When
those before them change size, what moves is read first, the head is adjusted once, and the headers
before the tail are written whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p4xdp.diagnostics import NO_SPAN
from p4xdp.midend.deparse_plan import TAIL, Emission, Plan, Unit, parsed_size, units
from p4xdp.midend.fold import fold
from p4xdp.midend.ir import (
    BOOL,
    FALSE,
    TRUE,
    XDP_ABORTED,
    XDP_DROP,
    AdjustHead,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Check,
    Concat,
    Const,
    Expr,
    Finish,
    Header,
    HeaderField,
    If,
    Load,
    Mux,
    Program,
    SetPointer,
    Stmt,
    Store,
    Unary,
    UnaryOp,
    Var,
    stored_width,
)
from p4xdp.midend.names import contents
from p4xdp.midend.parse_graph import FURTHEST, OFFSET_WIDTH
from p4xdp.midend.variable_part import load_words, store_words
from p4xdp.records import dataclass

OUT = "$out"
"""The pointer to where the next header goes."""

OUT_AT = Var("$written", OFFSET_WIDTH)
"""How many bytes of the headers are written, where these are many."""

GROWTH = Var("$growth", OFFSET_WIDTH)

FAIL: Body = (Finish(Const(XDP_ABORTED, 32)),)

CHUNKS = (64, 32, 16, 8)
"""Bits that one load moves."""

MOST_SUMMED = 16
"""Headers whose sizes one expression adds up: clang (14 to 19) first loads the validity of each,
and those of 73 headers exceed the stack."""


def write_back(plan: Plan, program: Program) -> Body:
    """Return the writes, under a test that the verdict keeps the packet if it may not."""
    stay = _stays(plan)
    head = plan.emissions[: plan.tail]
    tail = reversed(plan.emissions[plan.tail :])
    kept = [stmt for emission in tail for stmt in _in_place(emission, plan)]
    still = tuple(stmt for emission in reversed(head) for stmt in _in_place(emission, plan))
    moved = _moved(head, plan)
    kept.append(If(stay, still, moved))
    if program.is_kept:
        return tuple(kept)
    keeps = Binary(BinaryOp.LT, Const(XDP_DROP, program.verdict.width), program.verdict)
    return (If(keeps, tuple(kept)),)


def _all(conditions: list[Expr]) -> Expr:
    result: Expr = TRUE
    for condition in conditions:
        result = fold(Binary(BinaryOp.LAND, result, condition))
    return result


def _any(conditions: list[Expr]) -> Expr:
    result: Expr = FALSE
    for condition in conditions:
        result = fold(Binary(BinaryOp.LOR, result, condition))
    return result


def _stays(plan: Plan) -> Expr:
    """Return the condition under which the layout of the packet is as parsed."""
    if not plan.ordered:
        return FALSE
    return _all(
        [
            _is_as_parsed(emission, plan)
            for emission in plan.emissions[: plan.tail]
            if not _is_steady(emission, plan)
        ]
    )


def _is_as_parsed(emission: Emission, plan: Plan) -> Expr:
    """Return whether a header takes the bytes that it took in the packet that came."""
    header = emission.header
    same = fold(Binary(BinaryOp.EQ, emission.on, plan.parsed(header)))
    if header.size is None or header.name not in plan.resized:
        return same
    length = Binary(BinaryOp.EQ, header.size, parsed_size(header))
    gone = fold(Unary(UnaryOp.LNOT, emission.on))
    return fold(Binary(BinaryOp.LAND, same, fold(Binary(BinaryOp.LOR, gone, length))))


# Places


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a header lies: `offset` bytes behind a pointer, which `setup` sets."""

    setup: Body
    pointer: str
    offset: int

    def check(self, header: Header) -> Body:
        return (*self.setup, Check(self.pointer, self.offset + header.width // 8, FAIL))

    def load(self, offset: int, width: int) -> Load:
        return Load(self.pointer, self.offset * 8 + offset, width)

    def store(self, unit: Unit, value: Expr) -> Store:
        return Store(self.pointer, self.offset * 8 + unit.offset, unit.width, value)


def _place(header: Header, plan: Plan) -> _Place:
    cursor = plan.places[header.name]
    if cursor.base is None:
        return _Place((), "data", cursor.offset)
    pointer = f"{header.name}.$head"
    move = SetPointer(pointer, "data", cursor.offset, cursor.base, FURTHEST)
    return _Place((move,), pointer, 0)


def _bits(item: HeaderField) -> Expr:
    return Unary(UnaryOp.TO_BITS, item.var) if item.var.width == BOOL else item.var


def _concat(parts: list[Expr]) -> Expr:
    result = parts[0]
    for part in parts[1:]:
        result = fold(Concat(result, part))
    return result


# Headers that stay


def _in_place(emission: Emission, plan: Plan) -> Body:
    """Return the stores of a header that is, if valid, where it was parsed."""
    header = emission.header
    if header.name not in plan.places:
        return ()
    place = _place(header, plan)
    if header.size:
        return _part_in_place(emission, place, plan)
    groups: dict[Expr, list[Stmt]] = {}
    all_flags: dict[Expr, None] = {}
    for unit in units(header):
        flags = [plan.flags[f.var.name] for f in unit.fields if f.var.name in plan.flags]
        if flags:
            value = _concat([_current(item, place, plan) for item in unit.fields])
            changed = _any(list(dict.fromkeys(flags)))
            all_flags.update(dict.fromkeys(flags))
            groups.setdefault(changed, []).append(place.store(unit, value))
    if not groups:
        return ()
    some = fold(Binary(BinaryOp.LAND, emission.on, _any(list(all_flags))))
    stores = [If(changed, tuple(group)) for changed, group in groups.items()]
    return (If(some, (*place.check(header), *stores)),)


def _part_in_place(emission: Emission, place: _Place, plan: Plan) -> Body:
    """Return the stores of a part of variable length, whole once any of it has changed."""
    header = emission.header
    assert header.size is not None
    flags = [plan.flags[i.var.name] for i in header.fields if i.var.name in plan.flags]
    if not flags:
        return ()
    some = fold(Binary(BinaryOp.LAND, emission.on, _any(list(dict.fromkeys(flags)))))
    values = [item.var for item in header.fields]
    stores = store_words(header, values, header.size, place.pointer, place.offset, FAIL)
    return (If(some, (*place.setup, *stores)),)


def _current(item: HeaderField, place: _Place, plan: Plan) -> Expr:
    if item.var.name in plan.flags:
        return _bits(item)
    return place.load(item.offset, stored_width(item.var.width))


# Headers that move


def _moved(head: tuple[Emission, ...], plan: Plan) -> Body:
    """Return what brings the head of the packet to its new layout and contents."""
    reads = {emission.header.name: _read(emission.header, plan) for emission in head}
    return (
        *(stmt for body in reads.values() for stmt in body),
        *_adjust(head, plan),
        *(_written_apart if len(head) > MOST_SUMMED else _written)(head, plan),
    )


def _written(head: tuple[Emission, ...], plan: Plan) -> Iterator[Stmt]:
    """Yield the writes of headers one behind the other."""
    yield SetPointer(OUT, "data", 0)
    for emission in head:
        yield If(emission.on, _write(emission.header, plan))


def _written_apart(head: tuple[Emission, ...], plan: Plan) -> Iterator[Stmt]:
    """Yield the writes of many headers, each at a place that is counted in bytes: the verifier
    (Linux 6.18) follows a pointer that moves on through each set of headers that may be there, but
    knows nothing of a number in a map, which is where variables of a program like this are."""
    yield Assign(OUT_AT, Const(0, OUT_AT.width))
    for emission in head:
        here = SetPointer(OUT, "data", 0, OUT_AT, FURTHEST)
        behind = Assign(OUT_AT, _plus(OUT_AT, _length(emission.header)))
        yield If(emission.on, (here, *_write(emission.header, plan), behind))


def _adjust(head: tuple[Emission, ...], plan: Plan) -> Body:
    """Return the one move of the head, by what the headers before the tail grow."""
    if not plan.ordered:
        return _grow(_emitted(head), head)
    unsteady = [e for e in head if not _is_steady(e, plan)]
    if len(unsteady) == 1 and not unsteady[0].header.size:
        return (AdjustHead(_signed(unsteady[0], plan), FAIL, unsteady[0].span),)
    growths = [stmt for emission in unsteady for stmt in _growth(emission, plan)]
    return _grow([Assign(GROWTH, _size(0)), *growths], unsteady)


def _size(size: int) -> Const:
    return Const(size % (1 << OFFSET_WIDTH), OFFSET_WIDTH)


def _plus(left: Expr, right: Expr, op: BinaryOp = BinaryOp.ADD) -> Expr:
    return fold(Binary(op, left, right))


def _emitted(head: tuple[Emission, ...]) -> list[Stmt]:
    """Return what finds by how much all headers that are emitted are longer than those before the
    tail were."""
    first, others = head[:MOST_SUMMED], head[MOST_SUMMED:]
    result: Expr = _size(0)
    for emission in first:
        result = _plus(result, fold(Mux(emission.on, _length(emission.header), _size(0))))
    more = (
        If(emission.on, (Assign(GROWTH, _plus(GROWTH, _length(emission.header))),))
        for emission in others
    )
    return [Assign(GROWTH, _plus(result, TAIL, BinaryOp.SUB)), *more]


def _signed(emission: Emission, plan: Plan) -> Expr:
    """Return by how much a header that was added or removed makes the packet longer."""
    header = emission.header
    if header.size is None:
        return fold(Mux(emission.on, _size(header.width // 8), _size(-header.width // 8)))
    came = parsed_size(header) if header.name in plan.resized else header.size
    return fold(Mux(emission.on, header.size, fold(Unary(UnaryOp.NEG, came))))


def _growth(emission: Emission, plan: Plan) -> Body:
    header = emission.header
    differs = fold(Binary(BinaryOp.NE, emission.on, plan.parsed(header)))
    changed = If(differs, (Assign(GROWTH, _plus(GROWTH, _signed(emission, plan))),))
    if header.size is None or header.name not in plan.resized:
        return (changed,)
    both = fold(Binary(BinaryOp.LAND, emission.on, plan.parsed(header)))
    more = _plus(header.size, parsed_size(header), BinaryOp.SUB)
    return changed, If(both, (Assign(GROWTH, _plus(GROWTH, more)),))


def _length(header: Header) -> Expr:
    """Return the bytes that a valid header takes."""
    return _size(header.width // 8) if header.size is None else header.size


def _grow(computed: list[Stmt], why: Sequence[Emission]) -> Body:
    changes = Binary(BinaryOp.NE, GROWTH, _size(0))
    place = why[0].span if why else NO_SPAN
    return (*computed, If(changes, (AdjustHead(GROWTH, FAIL, place),)))


def _is_steady(emission: Emission, plan: Plan) -> bool:
    """Tell whether the header is in the packet that leaves just if it was in the one that came."""
    return emission.plain and emission.header.name not in plan.unsteady


def is_raw(header: Header, plan: Plan) -> bool:
    """Tell whether a valid instance is sure to be one that was parsed, a part of variable length
    also with the bytes that it had."""
    if header.size and any(var.name in plan.changed for var in contents(header)):
        return False
    return header.name in plan.places and header.name not in plan.revived


def _chunks(header: Header, plan: Plan) -> list[Unit]:
    """Return the unchanged bytes of a parsed header in pieces that one load moves."""
    if not is_raw(header, plan):
        return []
    runs: list[tuple[int, int]] = []
    for unit in units(header):
        if any(item.var.name in plan.changed for item in unit.fields):
            continue
        if runs and runs[-1][1] == unit.offset:
            runs[-1] = (runs[-1][0], unit.offset + unit.width)
        else:
            runs.append((unit.offset, unit.offset + unit.width))
    return [chunk for start, end in runs for chunk in _split(start, end)]


def _split(start: int, end: int) -> list[Unit]:
    chunks: list[Unit] = []
    while start < end:
        width = next(width for width in CHUNKS if width <= end - start)
        chunks.append(Unit(start, width, ()))
        start += width
    return chunks


def _raw(header: Header, chunk: Unit) -> Var:
    return Var(f"{header.name}.$bytes{chunk.offset // 8}", chunk.width)


def _read(header: Header, plan: Plan) -> Body:
    """Return the loads of what is about to move, before the head does."""
    if header.size:
        return _read_part(header, plan)
    chunks = _chunks(header, plan)
    if not chunks:
        return ()
    place = _place(header, plan)
    loads = [Assign(_raw(header, c), place.load(c.offset, c.width)) for c in chunks]
    return (If(header.valid, (*place.check(header), *loads)),)


def _write(header: Header, plan: Plan) -> Body:
    """Return the header whole at the out pointer, which moves behind it."""
    if header.size:
        return _write_part(header, plan)
    place = _Place((), OUT, 0)
    chunks = _chunks(header, plan)
    copied = {chunk.offset: chunk for chunk in chunks}
    covered = {o for c in chunks for o in range(c.offset, c.offset + c.width, 8)}
    stores: list[Stmt] = [
        place.store(unit, _concat([_bits(item) for item in unit.fields]))
        for unit in units(header)
        if unit.offset not in covered
    ]
    stores += [place.store(chunk, _raw(header, chunk)) for chunk in copied.values()]
    stores.sort(key=lambda stmt: stmt.offset if isinstance(stmt, Store) else 0)
    return (*place.check(header), *stores, SetPointer(OUT, OUT, header.width // 8))


def _raw_words(header: Header) -> list[Var]:
    return [Var(f"{header.name}.$bytes{f.offset // 8}", f.var.width) for f in header.fields]


def _read_part(header: Header, plan: Plan) -> Body:
    assert header.size is not None
    if not is_raw(header, plan):
        return ()
    place = _place(header, plan)
    into = _raw_words(header)
    loads = load_words(header, into, header.size, place.pointer, place.offset, FAIL)
    return (If(header.valid, (*place.setup, *loads)),)


def _write_part(header: Header, plan: Plan) -> Body:
    assert header.size is not None
    if not header.fields:
        return ()
    raw = is_raw(header, plan)
    words = _raw_words(header) if raw else [item.var for item in header.fields]
    stores = store_words(header, words, header.size, OUT, 0, FAIL)
    return (*stores, SetPointer(OUT, OUT, 0, header.size, header.width // 8))
