"""Check bounds before a branch that cannot be observed rather than behind it.

    if (hd.udp.checksum != 0) {              check data 42 else { finish 32w0; }
        hd.udp.$changed = true;              if (hd.udp.checksum != 0) {
    }                                  ->        hd.udp.$changed = true;
    check data 42 else { finish 32w0; }      }
    if (hd.udp.$changed) { ... }             if (hd.udp.$changed) { ... }

So a test stands right behind the branches that decide it, where jumps can be threaded past it.
Behind branches of which only one goes on, a check moves into that one.
"""

from __future__ import annotations

from p4xdp.midend.ir import Assign, Body, Check, If, Program, Stmt, Store, Switch, discards
from p4xdp.midend.rewrite import bodies, map_bodies, only_open, same, with_bodies
from p4xdp.records import replace


def hoist_checks(program: Program) -> Program:
    """Return the linear program with checks moved up past branches without effect."""
    return replace(program, body=_body(program.body))


def _body(body: Body) -> Body:
    new: list[Stmt] = []
    for stmt in body:
        stmt = map_bodies(stmt, _body)
        if isinstance(stmt, Check) and discards(stmt.fail):
            _add(new, stmt)
        else:
            new.append(stmt)
    return body if same(new, body) else tuple(new)


def _add(before: list[Stmt], check: Check) -> None:
    """Put the check behind the statements, as far up as it may stand."""
    index = only_open(before[-1]) if before else None
    if index is None:
        before.insert(_place(before), check)
        return
    inside = list(bodies(before[-1]))
    branch = list(inside[index])
    _add(branch, check)
    inside[index] = tuple(branch)
    before[-1] = with_bodies(before[-1], tuple(inside))


def _place(before: list[Stmt]) -> int:
    """Return the index of the first of the branches that a check may pass; the end if none."""
    place = index = len(before)
    while index and _is_silent(before[index - 1]):
        index -= 1
        if isinstance(before[index], If | Switch):
            place = index
    return place


def _is_silent(stmt: Stmt) -> bool:
    """Tell whether nobody can tell that the statement ran once the packet is discarded."""
    match stmt:
        case Assign() | Store():
            return True
        case Check(fail=fail):
            return discards(fail)
        case If() | Switch():
            return all(_is_silent(inner) for body in bodies(stmt) for inner in body)
        case _:
            return False
