"""Random programs on every place, until the time is over: `make fuzz`.

    python tests/differential/fuzz.py [--seconds N] [--first SEED] [--on ir,native,kernel/4]

A failure is shrunk and written as a program with its test file, beside what the places said.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from choices import Choices, shrink, shrink_text
from compare import PORT, Fault, Report, examine
from programs import Case, generate

SHRINK_SECONDS = 120.0
LONGEST = 300
"""Seconds that a case may take on all places together, on a busy machine: longer is a hang."""


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

    case = generate(Choices(shrink(taken, fails, seconds / 2)))

    def is_same(case: Case) -> bool:
        found = examine(case, places).fault
        return found is not None and (found.kind, found.place) == (fault.kind, fault.place)

    alone = (replace(case, packets=(packet,)) for packet in case.packets)
    case = next((one for one in alone if is_same(one)), case)
    text = _broken(case.text)
    if is_same(replace(case, text=text)):
        short = shrink_text(text, lambda t: is_same(replace(case, text=t)), seconds / 2)
        case = replace(case, text=short)
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


@dataclass(frozen=True, slots=True)
class Wanted:
    """A place and how many programs there are to one that runs there: `kernel/4`."""

    place: str
    every: int

    @classmethod
    def of(cls, text: str) -> Wanted:
        place, _, every = text.partition("/")
        return cls(place, int(every or 1))


def wanted_at(seed: int, wanted: tuple[Wanted, ...]) -> tuple[str, ...]:
    return tuple(one.place for one in wanted if seed % one.every == 0)


class Run:
    """Seeds in a row; what was counted is written to a file now and then."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.total: Counter[str] = Counter()
        self._arguments = arguments
        self._wanted = tuple(Wanted.of(one) for one in arguments.on.split(","))

    def all(self) -> None:
        first = self._arguments.first
        deadline = time.monotonic() + self._arguments.seconds
        for seed in range(first, first + self._arguments.count):
            is_fine = self._one(seed)
            if time.monotonic() > deadline or not (is_fine or self._arguments.go_on):
                break

    def _one(self, seed: int) -> bool:
        """Run a seed; return whether it is fine."""
        try:
            with limited(LONGEST):
                report = run_seed(seed, wanted_at(seed, self._wanted))
        except Hangs:
            report = Report(fault=Fault("hang", "", f"no end after {LONGEST} seconds"))
        self._count(report)
        if report.fault:
            self._keep(seed, report.fault)
        if self._arguments.counts and self.total["programs"] % 100 == 0:
            self._arguments.counts.write_text(self.figures(seed))
        return report.fault is None

    def _count(self, report: Report) -> None:
        self.total["programs"] += 1
        self.total["packets"] += report.compared
        self.total["packets with an undefined outcome"] += report.undefined
        self.total.update(f"programs on {place}" for place in report.ran)
        for place, text in report.refused.items():
            self.total[f"refused on {place}: {text.split(': ')[1]}"] += 1
        self.total["faults"] += report.fault is not None

    def _keep(self, seed: int, fault: Fault) -> None:
        case, taken = case_of(seed)
        if fault.kind != "hang":
            case, fault = smaller(taken, fault, self._arguments.shrink)
        path = write(self._arguments.keep, f"seed{seed}", case, fault)
        print(f"seed {seed}: {fault.kind} on {fault.place}: {fault.text}\n  {path}", flush=True)

    def figures(self, seed: int) -> str:
        rows = "".join(f"{count:8} {name}\n" for name, count in sorted(self.total.items()))
        return f"{rows}last seed {seed}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--first", type=int, default=int(time.time()) * 1000)
    parser.add_argument("--count", type=int, default=sys.maxsize)
    parser.add_argument(
        "--on", default="ir,native", help="such as ir/8,native,kernel/4,native-O0/4"
    )
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--counts", type=Path, help="write the counts to this file now and then")
    parser.add_argument("--go-on", action="store_true", help="do not stop at the first failure")
    parser.add_argument("--shrink", type=float, default=SHRINK_SECONDS, metavar="SECONDS")
    run = Run(parser.parse_args())
    run.all()
    for name, count in sorted(run.total.items()):
        print(f"{count:8} {name}")
    return 1 if run.total["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
