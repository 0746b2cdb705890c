"""How programs grow: those of growth.py, built with each clang, tested and timed (as root).

    python bench/grow.py [--rounds N] [--no-times] [NAME ...]

Prints the tables and, when all programs are measured, writes RESULTS-growth.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from growth import FAMILIES, Family, Growth
from measure import Bench, open_bench

from p4xdp.backend_c import Output
from p4xdp.backend_c.ladder import LADDER
from p4xdp.deep import call_deep
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang
from p4xdp.runtime.entries import apply_requests
from p4xdp.runtime.libbpf import BpfError, BpfObject
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.objectfile import functions
from p4xdp.runtime.requests import AddEntry
from p4xdp.stf.parser import parse_case
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.runner import run_case

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS-growth.md"
ROUNDS = 25
VERSIONS = ("14", "16", "19")
PLACES = ("interp", "native", "kernel")
COMPARED = ("headers10", "tables20", "depth10", "stack10")
"""Programs that are measured on every rung."""


@dataclass(frozen=True, slots=True)
class Object:
    """What came of a program with one clang; sizes in bytes. `refused` says why it does not load.

    `verified` are the instructions that the verifier walked through, in all programs of the object.
    """

    clang: str
    instructions: int = 0
    stack: int = 0
    jited: int = 0
    verified: int = 0
    nanoseconds: float | None = None
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A program; `failed` are the places where its test file does not pass."""

    name: str
    size: int
    layout: str
    seconds: float
    objects: tuple[Object, ...]
    failed: tuple[str, ...]


def clangs() -> Iterator[clang.Clang]:
    """Yield the clangs that are measured, the oldest first."""
    found = {one.version.split(".")[0]: one for one in clang.installed()}
    yield from (found[version] for version in VERSIONS if version in found)


def write(program: Growth, directory: Path) -> Path:
    path = directory / f"{program.name}.p4"
    path.write_text(program.p4)
    path.with_suffix(".stf").write_text(program.stf)
    return path


def measure(
    program: Growth, directory: Path, bench: Bench | None, rounds: int, layout: str | None = None
) -> Row:
    """Return what there is to say of a program, on its own rung or the one asked for."""
    path = write(program, directory)
    options = Options(layout=layout)
    start = time.monotonic()
    output = call_deep(lambda: compile(Session(path, options)))
    seconds = time.monotonic() - start
    objects = tuple(build(program, output, one, path, bench, rounds) for one in clangs())
    failed = tuple(
        place
        for place in PLACES
        if not run_case(path, path.with_suffix(".stf"), place, PlaceOptions(options)).passed
    )
    return Row(program.name, program.size, told(output), seconds, objects, failed)


def told(output: Output) -> str:
    parts = len(output.description.parts)
    return output.description.layout + (f" ({parts} parts)" if parts else "")


def build(
    program: Growth,
    output: Output,
    compiler: clang.Clang,
    path: Path,
    bench: Bench | None,
    rounds: int,
) -> Object:
    version = compiler.version.split(".")[0]
    source = path.with_suffix(".c")
    source.write_text(output.c)
    try:
        object = clang.build(source, path.with_suffix(f".{version}.o"), clang=compiler).object
        with BpfObject(object, program.name) as opened:
            opened.load()
            return loaded(program, output, opened, object, version, bench, rounds)
    except (clang.TooBig, BpfError) as error:
        return Object(version, refused=str(error))


def loaded(
    program: Growth,
    output: Output,
    opened: BpfObject,
    object: Path,
    version: str,
    bench: Bench | None,
    rounds: int,
) -> Object:
    code = functions(object)
    infos = [opened.program(name).info() for name in opened.programs]
    spent = None
    if bench is not None:
        fill(program, output, opened)
        entry = opened.program(output.description.function)
        spent = bench.alone(entry, program.packet, rounds).least
    return Object(
        version,
        sum(function.instructions for function in code),
        max(function.stack for function in code),
        sum(info.jited_size for info in infos),
        sum(info.verified for info in infos),
        spent,
    )


def fill(program: Growth, output: Output, opened: BpfObject) -> None:
    statements = parse_case(program.stf, program.name).statements
    entries = tuple(s for s in statements if isinstance(s, AddEntry))
    apply_requests(output.description, KernelMaps.of_object(opened), entries)


# The report


def markdown(tables: list[tuple[Family, list[Row]]], rungs: list[tuple[str, list[Row]]]) -> str:
    versions = ", ".join(one.version for one in clangs())
    lines = [
        "# How programs grow",
        "",
        "`make bench-growth`: programs of any size, written by `growth.py` with their test files,",
        "which must pass in the interpreter, natively and in the kernel before anything counts.",
        f"Linux {platform.release()}, clang {versions}. Figures that are three are those of the",
        "three clangs. Stack and machine code in bytes; `verified` are the instructions that the",
        "verifier walked through, in all programs of the object; ns are over a bare drop, the",
        "least of the rounds, for the longest packet with the newest clang.",
        f"Load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs.",
        "",
    ]
    for family, rows in tables:
        lines += [f"## {family.name}: {family.what}", "", *_table(rows, "size", family.name), ""]
    if rungs:
        lines += [
            "## The rungs beside each other",
            "",
            "The same programs on each rung of the ladder, whether they need it or not.",
            "",
        ]
    for name, rows in rungs:
        lines += [*_table(rows, name, ""), ""]
    return "\n".join(lines)


def _table(rows: list[Row], head: str, family: str) -> list[str]:
    return [
        f"| {head} | layout | compile s | instructions | each | verified | each | stack "
        "| machine code | ns | tests |",
        "|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|---|",
        *(_line(row, str(row.size) if family else "") for row in rows),
    ]


def _line(row: Row, first: str) -> str:
    good = [one for one in row.objects if not one.refused]
    refused = "; ".join(f"clang {one.clang}: {one.refused}" for one in row.objects if one.refused)
    tests = ", ".join(f"{place} FAILS" for place in row.failed) or "pass"
    last = good[-1] if good else Object("")
    spent = "" if last.nanoseconds is None else f"{last.nanoseconds:.1f}"
    cells = [
        first,
        row.layout,
        f"{row.seconds:.1f}",
        " / ".join(str(one.instructions) for one in good),
        f"{last.instructions / row.size:.0f}",
        " / ".join(str(one.verified) for one in good),
        f"{last.verified / row.size:.0f}",
        " / ".join(str(one.stack) for one in good),
        str(last.jited),
        spent,
        f"{tests}; {refused}" if refused else tests,
    ]
    return f"| {' | '.join(cells)} |"


# The run


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="as headers20")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"default: {ROUNDS}")
    parser.add_argument("--no-times", action="store_true", help="load and test, time nothing")
    return parser.parse_args()


def main() -> int:
    asked = arguments()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with nullcontext() if asked.no_times else open_bench(directory) as bench:

            def row(program: Growth, layout: str | None = None) -> Row:
                print(f"{program.name} {layout or ''}", file=sys.stderr, flush=True)
                return measure(program, directory, bench, asked.rounds, layout)

            programs = [
                (family, [family.write(size) for size in family.sizes]) for family in FAMILIES
            ]
            chosen = asked.names or [one.name for _, ones in programs for one in ones]
            tables = [
                (family, [row(one) for one in ones if one.name in chosen])
                for family, ones in programs
            ]
            compared = [
                (one.name, [row(one, rung) for rung in LADDER])
                for _, ones in programs
                for one in ones
                if one.name in COMPARED and not asked.names
            ]
    text = markdown([(family, rows) for family, rows in tables if rows], compared)
    print(text)
    if not asked.names and not asked.no_times:
        RESULTS.write_text(text)
    every = [row for _, rows in (*tables, *compared) for row in rows]
    return 1 if any(row.failed or any(o.refused for o in row.objects) for row in every) else 0


if __name__ == "__main__":
    sys.exit(main())
