"""Let stores to the packet wait behind tests that have nothing to do with them.

    data[192+:16] = hd.ipv4.checksum;        if (hd.tcp.$changed) {
    if (hd.tcp.$changed) {                       data[288+:16] = hd.tcp.dst;
        data[288+:16] = hd.tcp.dst;    ->    }
    }                                        data[192+:16] = hd.ipv4.checksum;

So a test stands right behind the branches that decide it, where jumps can be threaded past it.
"""

from __future__ import annotations

from p4xdp.midend.ir import (
    Assign,
    Body,
    Check,
    Expr,
    If,
    Load,
    Program,
    Stmt,
    Store,
    Switch,
    discards,
)
from p4xdp.midend.rewrite import (
    bodies,
    expressions,
    map_bodies,
    only_open,
    same,
    variables,
    walk_expression,
    with_bodies,
)
from p4xdp.records import replace


def sink_stores(program: Program) -> Program:
    """Return the linear program with stores moved towards the end of their bodies."""
    return replace(program, body=_body(program.body))


def _body(body: Body) -> Body:
    new: list[Stmt] = []
    waiting: list[Store] = []
    for stmt in body:
        stmt = map_bodies(stmt, _body)
        if isinstance(stmt, Store):
            waiting.append(stmt)
            continue
        if waiting and not _passes(stmt, waiting):
            new += waiting
            waiting = []
        stmt, last = _last_stores(stmt)
        new.append(stmt)
        waiting += last
    new += waiting
    return body if same(new, body) else tuple(new)


def _last_stores(stmt: Stmt) -> tuple[Stmt, list[Store]]:
    """Take the stores at the end of the only branch that goes on out of the statement."""
    index = only_open(stmt)
    if index is None:
        return stmt, []
    inside = bodies(stmt)
    body = inside[index]
    count = 0
    while count < len(body) and isinstance(body[-1 - count], Store):
        count += 1
    if not count:
        return stmt, []
    kept, last = body[: len(body) - count], body[len(body) - count :]
    new = tuple(kept if i == index else other for i, other in enumerate(inside))
    return with_bodies(stmt, new), [s for s in last if isinstance(s, Store)]


def _passes(stmt: Stmt, waiting: list[Store]) -> bool:
    """Tell whether the stores may as well happen after the statement."""
    if not isinstance(stmt, Assign | If | Switch):
        return False
    read = {var.name for store in waiting for var in variables(store.value)}
    return all(_is_apart(inner, waiting, read) for inner in _inside(stmt))


def _inside(stmt: Stmt) -> list[Stmt]:
    """Return the statement and those inside it, a check without what happens when it fails."""
    inner = () if isinstance(stmt, Check) and discards(stmt.fail) else bodies(stmt)
    return [stmt, *(found for body in inner for nested in body for found in _inside(nested))]


def _is_apart(stmt: Stmt, waiting: list[Store], read: set[str]) -> bool:
    match stmt:
        case If() | Switch() | Check():
            pass
        case Assign(target=target):
            if target.name in read:
                return False
        case Store(pointer=pointer, offset=offset, width=width):
            if any(touches(store, Load(pointer, offset, width)) for store in waiting):
                return False
        case _:
            return False
    return not any(
        _overlap(store, load)
        for expr in expressions(stmt)
        for load in _loads(expr)
        for store in waiting
    )


def _loads(expr: Expr) -> list[Load]:
    return [node for node in walk_expression(expr) if isinstance(node, Load)]


def touches(store: Store, bits: Load) -> bool:
    """Tell whether the store may write or read any of the bits."""
    return _overlap(store, bits) or any(_overlap(load, bits) for load in _loads(store.value))


def _overlap(one: Store | Load, other: Load) -> bool:
    """Tell whether two accesses may have bits in common; two pointers may be equal."""
    if one.pointer != other.pointer:
        return True
    return one.offset < other.offset + other.width and other.offset < one.offset + one.width
