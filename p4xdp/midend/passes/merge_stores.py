"""Write neighbouring constants at once.

    data[112+:8] = 0x45;
    data[120+:8] = 0;            ->    data[112+:16] = 0x4500;

A run of stores to neighbouring bytes is written in pieces of 8, 4, 2 and 1 bytes, which one
instruction each stores. A value of three bytes takes a constant byte beside it along.
"""

from __future__ import annotations

from p4xdp.midend.fold import fold
from p4xdp.midend.ir import Body, Concat, Const, Expr, Load, Program, Stmt, Store
from p4xdp.midend.passes.sink_stores import touches
from p4xdp.midend.rewrite import map_bodies, same
from p4xdp.records import replace

PIECES = (64, 32, 16, 8)
ODD = 24
"""Bits of a value that takes two stores, and that one byte more makes fit for one."""


def merge_stores(program: Program) -> Program:
    """Return the narrow program with fewer stores."""
    return replace(program, body=_body(program.body))


def _body(body: Body) -> Body:
    new: list[Stmt] = []
    stores: list[Store] = []
    for stmt in body:
        if isinstance(stmt, Store) and (not stores or stores[0].pointer == stmt.pointer):
            stores.append(stmt)
            continue
        new += _merged(stores)
        stores = [stmt] if isinstance(stmt, Store) else []
        if not stores:
            new.append(map_bodies(stmt, _body))
    new += _merged(stores)
    return body if same(new, body) else tuple(new)


def _merged(stores: list[Store]) -> list[Store]:
    """Return the stores by rising offset, where none minds, and neighbours merged."""
    if _is_free(stores):
        stores = sorted(stores, key=lambda store: store.offset)
    runs: list[list[Store]] = []
    for store in stores:
        if runs and runs[-1][-1].offset + runs[-1][-1].width == store.offset:
            runs[-1].append(store)
        else:
            runs.append([store])
    return [merged for run in runs for merged in _constants(_completed(run))]


def _is_free(stores: list[Store]) -> bool:
    """Tell whether the stores may come in any order: none writes what another reads or writes."""
    bits = [Load(store.pointer, store.offset, store.width) for store in stores]
    return not any(
        touches(store, other)
        for index, store in enumerate(stores)
        for number, other in enumerate(bits)
        if index != number
    )


def _completed(run: list[Store]) -> list[Store]:
    """Join each three-byte value with a constant byte beside it."""
    result: list[Store] = []
    for store in run:
        before = result[-1] if result else None
        if before and _completes(before, store):
            result[-1] = _joined(before, store)
        else:
            result.append(store)
    return result


def _completes(one: Store, other: Store) -> bool:
    widths = {one.width, other.width}
    return widths == {8, ODD} and any(s.width == 8 and _is_constant(s) for s in (one, other))


def _joined(one: Store, other: Store) -> Store:
    value = fold(Concat(one.value, other.value))
    return replace(one, width=one.width + other.width, value=value)


def _is_constant(store: Store) -> bool:
    return isinstance(store.value, Const)


def _constants(run: list[Store]) -> list[Store]:
    """Write each run of constants in as few pieces as there are."""
    result: list[Store] = []
    constants: list[Store] = []
    for store in run:
        if _is_constant(store):
            constants.append(store)
        else:
            result += [*_pieces(constants), store]
            constants = []
    return result + _pieces(constants)


def _pieces(constants: list[Store]) -> list[Store]:
    if len(constants) < 2:
        return constants
    first = constants[0]
    width = sum(store.width for store in constants)
    number = 0
    for store in constants:
        number = number << store.width | _number(store.value)
    result: list[Store] = []
    offset = first.offset
    while width:
        piece = next(piece for piece in PIECES if piece <= width)
        width -= piece
        value = Const(number >> width & ((1 << piece) - 1), piece)
        result.append(Store(first.pointer, offset, piece, value, first.span))
        offset += piece
    return result if len(result) < len(constants) else constants


def _number(value: Expr) -> int:
    assert isinstance(value, Const)
    return value.value
