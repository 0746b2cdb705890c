"""Every pass keeps what a random program does to random packets."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from evaluate import Lookup, Outcome, evaluate
from generate import TABLE, generate, packets

from p4xdp.midend.ir import XDP_DROP, XDP_REDIRECT, ActionChoice, Program
from p4xdp.midend.pipeline import run
from p4xdp.midend.printer import print_program
from p4xdp.midend.verify import verify

SEEDS = 400
SLICES = 8


def entries(program: Program, salt: int) -> Lookup:
    """Return a table that answers by its keys, always in the same way."""
    table = next(table for table in program.tables if table.name == TABLE)
    widths = [data.width for data in table.actions[1].data]

    def lookup(name: str, keys: tuple[int, ...]) -> tuple[bool, ActionChoice]:
        random = Random(f"{salt}{name}{keys}")
        data = tuple(random.getrandbits(width) for width in widths)
        choice = random.choice([ActionChoice(0, ()), ActionChoice(1, data)])
        return random.random() < 0.7, choice

    return lookup


def visible(outcome: Outcome) -> Outcome:
    """Leave out what nobody sees: lookups, a discarded packet, a port beside other verdicts."""
    return replace(
        outcome,
        port=outcome.port if outcome.verdict == XDP_REDIRECT else None,
        packet=outcome.packet if outcome.verdict > XDP_DROP else b"",
        seen=tuple(seen for seen in outcome.seen if seen[0] != TABLE),  # type: ignore[index]
    )


def check(seed: int) -> None:
    random = Random(seed)
    flat = generate(random)
    verify(flat)
    stages = [("elaborate", flat)]
    run(flat, after_each=lambda name, program: stages.append((name, program)), verify_each=True)
    for packet in packets(random, 8):
        wanted = visible(evaluate(flat, packet, entries(flat, seed)))
        before = flat
        for name, program in stages[1:]:
            got = visible(evaluate(program, packet, entries(flat, seed)))
            if got != wanted:
                texts = print_program(before), print_program(program)
                pytest.fail(f"{seed}: {name}: {packet.hex()}\n{wanted}\n{got}\n" + "\n".join(texts))
            before = program


@pytest.mark.parametrize("part", range(SLICES))
def test_passes_keep_the_meaning_of_random_programs(part: int) -> None:
    for seed in range(part, SEEDS, SLICES):
        check(seed)
