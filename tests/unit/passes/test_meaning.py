"""Every pass keeps what a program does: random programs, and those that people write."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import pytest
from evaluate import Lookup, Outcome, evaluate, test_passes
from generate import generate, packets

from p4xdp.driver import Session, check as check_types
from p4xdp.frontend.elaborate import elaborate
from p4xdp.midend.ir import XDP_DROP, XDP_REDIRECT, ActionChoice, Program, Table
from p4xdp.midend.pipeline import run
from p4xdp.midend.printer import print_program
from p4xdp.midend.verify import verify
from p4xdp.options import Options

SEEDS = 320
SLICES = 8
ROOT = Path(__file__).parents[3]
WRITTEN = sorted([*ROOT.glob("examples/*.p4"), *ROOT.glob("tests/stf/samples/*.p4")])
PACKET = re.compile(r"^\s*packet\s+\S+\s+([0-9a-fA-F\s]+?)\s*(?:#.*)?$", re.MULTILINE)
MOST_PACKETS, MOST_SALTS = 8, 16


def entries(program: Program, salt: int) -> Lookup:
    """Return tables that answer by their keys, always in the same way."""
    tables = {table.name: table for table in program.tables}

    def lookup(name: str, keys: tuple[int, ...]) -> tuple[bool, ActionChoice]:
        random = Random(f"{salt}{name}{keys}")
        table = tables[name]
        if not table.keys or table.const_entries:
            return constant(table, keys)
        index = random.randrange(len(table.actions))
        data = tuple(random.getrandbits(d.width) for d in table.actions[index].data)
        return random.random() < 0.7, ActionChoice(index, data)

    return lookup


def constant(table: Table, keys: tuple[int, ...]) -> tuple[bool, ActionChoice]:
    for entry in table.entries:
        if all(test_passes(test, key) for test, key in zip(entry.tests, keys, strict=True)):
            return True, entry.choice
    return False, table.default


def visible(outcome: Outcome) -> Outcome:
    """Leave out what nobody sees: lookups, a discarded packet, a port beside other verdicts."""
    return replace(
        outcome,
        port=outcome.port if outcome.verdict == XDP_REDIRECT else None,
        packet=outcome.packet if outcome.verdict > XDP_DROP else b"",
        seen=tuple(seen for seen in outcome.seen if seen[0] != "lookup"),  # type: ignore[index]
    )


def check(flat: Program, inputs: list[bytes], salts: Iterable[int]) -> None:
    verify(flat)
    stages = [("elaborate", flat)]
    run(flat, after_each=lambda name, program: stages.append((name, program)), verify_each=True)
    for packet, salt in product(inputs, salts):
        wanted = visible(evaluate(flat, packet, entries(flat, salt)))
        before = flat
        for name, program in stages[1:]:
            got = visible(evaluate(program, packet, entries(flat, salt)))
            if got != wanted:
                texts = print_program(before), print_program(program)
                pytest.fail(f"{salt}: {name}: {packet.hex()}\n{wanted}\n{got}\n" + "\n".join(texts))
            before = program


def check_random(seed: int) -> None:
    random = Random(seed)
    flat = generate(random)
    check(flat, packets(random, 8), [seed])


@pytest.mark.parametrize("part", range(SLICES))
def test_passes_keep_the_meaning_of_random_programs(part: int) -> None:
    for seed in range(part, SEEDS, SLICES):
        check_random(seed)


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_passes_keep_the_meaning_of_written_programs(path: Path) -> None:
    session = Session(path, Options(include_dirs=(path.parent,)))
    flat = elaborate(check_types(session), session.diagnostics, name=path.stem, source=path.name)
    text = "".join(stf.read_text() for stf in sorted(path.parent.glob(f"{path.stem}*.stf")))
    found = [bytes.fromhex("".join(digits.split())) for digits in PACKET.findall(text)]
    assert found
    distinct = list(dict.fromkeys(found))[:MOST_PACKETS]
    check(flat, distinct, range(MOST_SALTS))
