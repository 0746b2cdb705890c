"""Random programs on every place, until the time is over: `make fuzz`.

    python tests/differential/fuzz.py [--seconds N] [--first SEED] [--on ir,native,kernel]

A failure is shrunk and written as a program with its test file, beside what the places said.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from choices import Choices, shrink
from compare import PORT, Fault, Report, examine
from programs import Case, generate

PLACES = ("ir", "native", "kernel")
SHRINK_SECONDS = 120.0
LONGEST = 60
"""Seconds that a case may take on all places together: longer is a hang."""


def case_of(seed: int) -> tuple[Case, list[int]]:
    """Return the case of a seed and the choices that make it."""
    choices = Choices(random=Random(seed))
    return generate(choices), choices.taken


def smaller(taken: list[int], fault: Fault, seconds: float) -> tuple[Case, Fault]:
    """Return a smaller case with a fault of the same kind on the same place."""
    places = () if fault.place in ("check", "interp") else (fault.place,)

    def fails(given: list[int]) -> list[int] | None:
        choices = Choices(given)
        found = examine(generate(choices), places).fault
        same = found and (found.kind, found.place) == (fault.kind, fault.place)
        return choices.taken if same else None

    case = generate(Choices(shrink(taken, fails, seconds)))
    return case, examine(case, places).fault or fault


def run_seed(seed: int, places: tuple[str, ...]) -> Report:
    case, _ = case_of(seed)
    return examine(case, places)


class Hangs(BaseException):
    """A case does not come to its end."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise Hangs when the block takes longer."""

    def end(number: int, frame: object) -> None:
        raise Hangs

    signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def write(folder: Path, name: str, case: Case, fault: Fault) -> Path:
    """Write a failing case: the program, its packets as a test file, and what was said."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"{name}.p4"
    said = "\n".join(f"// {line}" for line in f"{fault.place}: {fault.text}".splitlines())
    program.write_text(f"{said}\n{_broken(case.text)}")
    packets = "\n".join(f"packet {PORT} {packet.hex()}" for packet in case.packets)
    program.with_suffix(".stf").write_text(f"{case.requests}\n{packets}\n".lstrip())
    return program


def _broken(text: str) -> str:
    """Return the text with a line for each statement."""
    return text.replace("; ", ";\n").replace("{ ", "{\n").replace(" }", "\n}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--first", type=int, default=int(time.time()) * 1000)
    parser.add_argument("--count", type=int, default=sys.maxsize)
    parser.add_argument("--on", default="ir,native")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--go-on", action="store_true", help="do not stop at the first failure")
    parser.add_argument("--shrink", type=float, default=SHRINK_SECONDS, metavar="SECONDS")
    arguments = parser.parse_args()
    places = tuple(arguments.on.split(","))
    deadline = time.monotonic() + arguments.seconds
    total: Counter[str] = Counter()
    seed = arguments.first
    while time.monotonic() < deadline and seed < arguments.first + arguments.count:
        try:
            with limited(LONGEST):
                report = run_seed(seed, places)
        except Hangs:
            path = write(
                arguments.keep, f"seed{seed}", case_of(seed)[0], Fault("hang", "", "no end")
            )
            print(f"seed {seed}: no end after {LONGEST} seconds\n  {path}", flush=True)
            os._exit(1)
        total["programs"] += 1
        total["packets"] += report.compared
        total["undefined"] += report.undefined
        for place, text in report.refused.items():
            total[f"refused on {place}: {text.split(': ')[1]}"] += 1
        if report.fault:
            total["faults"] += 1
            _, taken = case_of(seed)
            case, fault = smaller(taken, report.fault, arguments.shrink)
            path = write(arguments.keep, f"seed{seed}", case, fault)
            print(f"seed {seed}: {fault.kind} on {fault.place}: {fault.text}\n  {path}", flush=True)
            if not arguments.go_on:
                break
        seed += 1
    for name, count in sorted(total.items()):
        print(f"{count:8} {name}")
    return 1 if total["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
