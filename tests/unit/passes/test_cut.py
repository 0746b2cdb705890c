"""cut: parts do together what the program did, and each stands on its own."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest
from evaluate import Lookup, Machine, Outcome, evaluate
from generate import generate, packets
from make import VERDICT, linear, num, op, put, text, var, when
from test_meaning import entries, visible

from p4xdp.midend.coverage import Covered, accesses, follow
from p4xdp.midend.cut import cut
from p4xdp.midend.ir import (
    AdjustHead,
    Body,
    Check,
    Effect,
    Finish,
    GoOn,
    If,
    Leave,
    Load,
    Program,
    Scope,
    SetPointer,
    Stmt,
    Store,
)
from p4xdp.midend.pipeline import run
from p4xdp.midend.rewrite import map_statements, walk

LOCK, UNLOCK = Effect("lock", None, ()), Effect("unlock", None, ())
SEEDS = 120
X, N = var("x"), var("n", 32)
PASS, DROP, ABORT = (Finish(num(verdict, 32)) for verdict in (2, 1, 0))


class WentOn(Exception):
    pass


class Parts(Machine):
    """Runs parts, none of which knows the packet pointers of the others."""

    going_to = 0

    def stmt(self, stmt: Stmt) -> None:
        if isinstance(stmt, GoOn):
            self.going_to = stmt.part
            raise WentOn
        if stmt not in (LOCK, UNLOCK):
            super().stmt(stmt)

    def run(self, parts: tuple[Body, ...]) -> Outcome:
        while True:
            number = self.going_to
            self.pointers = {"data": 0}
            self.program = replace(self.program, body=parts[number])
            try:
                return self.outcome()
            except WentOn:
                pass
            assert self.going_to > number


def together(program: Program, parts: tuple[Body, ...], packet: bytes, lookup: Lookup) -> Outcome:
    return Parts(program, packet, lookup).run(parts)


def in_pieces(program: Program, weight: float) -> tuple[Body, ...]:
    parts = cut(program, lambda stmt: 0.0 if isinstance(stmt, Scope) else weight)
    for part in parts:
        stands_alone(part)
    return parts


def stands_alone(part: Body) -> None:
    """A part leaves no scope of another one and looks at no byte that it has not checked."""
    inside = {stmt.label for stmt in walk(part) if isinstance(stmt, Scope)}
    assert all(stmt.label in inside for stmt in walk(part) if isinstance(stmt, Leave))

    def covers(stmt: Stmt, covered: Covered) -> bool:
        assert all(covered[pointer] >= size for pointer, size in accesses(stmt))
        return True

    follow(part, covers)


@pytest.mark.parametrize("weight", [0.7, 0.3, 0.15])
def test_parts_do_what_the_program_does(weight: float) -> None:
    cuts = 0
    for seed in range(SEEDS):
        random = Random(seed)
        flat = generate(random)
        program = run(flat)
        parts = in_pieces(program, weight)
        cuts += len(parts) - 1
        for packet, salt in product(packets(random, 6), range(3)):
            lookup = entries(flat, salt)
            wanted = visible(evaluate(program, packet, lookup))
            assert visible(together(program, parts, packet, lookup)) == wanted, seed
    assert cuts > SEEDS // 2


def locked_here_and_there(program: Program, random: Random) -> Program:
    def put_in(stmt: Stmt) -> Body:
        before = (LOCK,) if random.random() < 0.2 else ()
        return (*before, stmt, UNLOCK) if random.random() < 0.2 else (*before, stmt)

    return replace(program, body=map_statements(program.body, put_in))


@pytest.mark.parametrize("weight", [0.3, 0.15])
def test_parts_of_locked_code_do_what_the_program_does(weight: float) -> None:
    moved = 0
    for seed in range(SEEDS):
        random = Random(seed)
        flat = generate(random)
        program = run(flat)
        locked = locked_here_and_there(program, random)
        parts = in_pieces(locked, weight)
        moved += any(part[0] == LOCK for part in parts[1:])
        for packet, salt in product(packets(random, 6), range(3)):
            lookup = entries(flat, salt)
            wanted = visible(evaluate(program, packet, lookup))
            assert visible(together(locked, parts, packet, lookup)) == wanted, seed
    assert moved


def test_what_is_locked_is_cut_only_if_it_does_not_fit() -> None:
    one, two, three = (put(X, num(number)) for number in (1, 2, 3))
    weights = {one: 0.5, two: 0.3, three: 0.3, LOCK: 0.1, UNLOCK: 0.1}

    def starts(*body: Stmt) -> list[Stmt]:
        parts = cut(linear(*body, PASS), lambda stmt: weights.get(stmt, 0.0))
        return [part[0] for part in parts]

    assert starts(one, LOCK, two, three, UNLOCK) == [one, LOCK]
    assert starts(one, two, LOCK, UNLOCK, three) == [one, three]
    assert starts(one, LOCK, two, UNLOCK, three) == [one, three]
    assert starts(one, LOCK, two, three, three, three, UNLOCK) == [one, LOCK, three]


def test_what_fits_is_not_cut() -> None:
    program = linear(put(X, num(1)), PASS)
    assert in_pieces(program, 0.1) == (program.body,)


def test_a_jump_over_a_cut_is_an_entry_of_the_part_behind() -> None:
    skip = Scope("out", (when(op(X, "==", num(1)), Leave("out")), put(N, num(5, 32))))
    light = {Scope: 0.0, Leave: 0.0, If: 0.2}
    program = linear(skip, put(VERDICT, N), Finish(VERDICT))
    parts = cut(program, lambda stmt: light.get(type(stmt), 0.9))
    assert [text(part) for part in parts] == [
        text(
            (
                when(op(X, "==", num(1)), put(var("$entry", 32), num(1, 32)), GoOn(1)),
                put(var("$entry", 32), num(0, 32)),
                GoOn(1),
            )
        ),
        text(
            (
                Scope(
                    "out",
                    (
                        when(op(var("$entry", 32), "==", num(1, 32)), Leave("out")),
                        put(N, num(5, 32)),
                    ),
                ),
                GoOn(2),
            )
        ),
        text((put(VERDICT, N), GoOn(3))),
        text((Finish(VERDICT),)),
    ]


def test_a_pointer_is_set_and_checked_again() -> None:
    program = linear(
        Check("data", 14, (ABORT,)),
        SetPointer("p", "data", 14, N, 60),
        Check("p", 4, (ABORT,)),
        Store("p", 0, 8, Load("p", 24, 8)),
        PASS,
    )
    parts = in_pieces(program, 0.3)
    last = next(part for part in parts if any(isinstance(s, Store) for s in part))
    assert text(last[:2]) == text(
        (SetPointer("p", "data", 0, var("p.$at", 32), 0x3FFF), Check("p", 4, (ABORT,)))
    )


def test_heavy_branches_are_cut() -> None:
    then = tuple(put(var(f"a{i}"), num(i)) for i in range(9))
    other = tuple(put(var(f"b{i}"), num(i)) for i in range(9))
    program = linear(when(op(X, "==", num(1)), *then, otherwise=other), PASS)
    parts = in_pieces(program, 0.2)
    assert len(parts) > 3
    for value in (0, 1):
        machine = Parts(program, bytes(14), lambda *_: pytest.fail("no table"))
        machine.variables["x"] = value
        machine.run(parts)
        assert sorted(n for n in machine.variables if n[0] in "ab") == [
            f"{'ba'[value]}{i}" for i in range(9)
        ]


def test_the_head_moves_in_one_part_and_is_written_in_another() -> None:
    program = linear(
        Check("data", 14, (ABORT,)),
        put(N, num(7, 32)),
        AdjustHead(num(4, 32), (ABORT,)),
        Check("data", 18, (ABORT,)),
        Store("data", 0, 32, N),
        DROP,
    )
    parts = in_pieces(program, 0.4)
    assert len(parts) > 1
    outcome = together(program, parts, bytes(20), lambda *_: pytest.fail("no table"))
    assert outcome.packet[:4] == bytes([0, 0, 0, 7])
