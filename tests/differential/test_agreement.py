"""A fixed number of random programs, on which every place must agree with the interpreter.

`make fuzz` goes on where this ends.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from choices import Choices, shrink, shrink_text
from expressions import Expressions
from fuzz import case_of, run_seed
from programs import generate
from scope import Scope, Type

from p4xdp.interp import operators
from p4xdp.stf.native import host_compiler
from p4xdp.stf.place import PlaceMissing
from p4xdp.stf.places import CaseResult

SEEDS = 160
SLICES = 8
NATIVE_SEEDS = range(1000, 1036)
KERNEL_SEEDS = range(2000, 2020)


@pytest.mark.parametrize("part", range(SLICES))
def test_the_midend_keeps_the_meaning_of_random_programs(part: int) -> None:
    for seed in range(part, SEEDS, SLICES):
        _agree(seed, "ir")


@pytest.mark.parametrize("seed", NATIVE_SEEDS)
def test_the_c_keeps_the_meaning_of_random_programs(seed: int) -> None:
    try:
        host_compiler()
    except PlaceMissing as missing:
        pytest.skip(str(missing))
    _agree(seed, "native-O0" if seed % 4 == 0 else "native")


@pytest.mark.kernel
@pytest.mark.parametrize("seed", KERNEL_SEEDS)
def test_the_kernel_keeps_the_meaning_of_random_programs(
    seed: int, require_place: Callable[[str, CaseResult], None]
) -> None:
    try:
        _agree(seed, "kernel-O0" if seed % 4 == 0 else "kernel")
    except PlaceMissing as missing:
        require_place("kernel", CaseResult(False, skipped=str(missing)))


def _agree(seed: int, place: str) -> None:
    report = run_seed(seed, (place,))
    assert report.fault is None, f"seed {seed}: {report.fault}\n{case_of(seed)[0].text}"


def test_next_to_all_packets_are_compared() -> None:
    reports = [run_seed(seed, ()) for seed in range(30)]
    compared = sum(report.compared for report in reports)
    assert compared > 12 * sum(report.undefined for report in reports)


def test_a_seed_makes_the_same_case_again() -> None:
    first, taken = case_of(7)
    assert case_of(7)[0] == first
    assert generate(Choices(taken)) == first


def test_a_wrong_answer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(operators._MODULAR, "+", lambda a, b: a + b + 1)
    faults = [run_seed(seed, ("ir",)).fault for seed in range(30)]
    assert "wrong" in [fault.kind for fault in faults if fault]


def test_shrinking_finds_the_smallest_case() -> None:
    def fails(given: list[int]) -> list[int] | None:
        choices = Choices(given)
        text = Expressions(choices).expression(Scope(), Type("bit", 8), 5)
        return choices.taken if "*" in text else None

    source = random.Random(1)
    while True:
        choices = Choices(random=source)
        if "*" in Expressions(choices).expression(Scope(), Type("bit", 8), 5):
            break
    best = shrink(choices.taken, fails, 60.0)
    assert Expressions(Choices(best)).expression(Scope(), Type("bit", 8), 5) == "(8w0 * 8w0)"


def test_shrinking_a_text_keeps_what_fails_and_balances_braces() -> None:
    text = "a;\nif (x) {\nb;\nfault;\n}\nwhile {\nc;\n}\n"
    seen = []

    def fails(text: str) -> bool:
        seen.append(text)
        return "fault;" in text

    assert shrink_text(text, fails, 60.0) == "if (x) {\nfault;\n}\n"
    assert all(one.count("{") == one.count("}") for one in seen)
