"""Each P4 program beside its hand-written twin, measured in one run (as root).

    python bench/run.py [--rounds N] [--sizes] [--live] [NAME ...]

Prints the tables and, when all programs are measured, writes RESULTS.md and results.svg.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from agree import Disagree, check, check_case
from cases import CASES, HERE, Case, chosen
from live import Live, Rate, open_live
from measure import Bench, open_bench
from report import Code, Row, bars, markdown
from sides import Side, open_pair

from p4xdp.options import Options

ROUNDS = 11
LIVE_ROUNDS = 9


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"default: {ROUNDS}")
    parser.add_argument("--sizes", action="store_true", help="load and compare, time nothing")
    parser.add_argument("--live", action="store_true", help="packets per second of live frames too")
    asked = parser.parse_args()
    known = {case.name for case in CASES}
    if unknown := [name for name in asked.names if name not in known]:
        parser.error(f"no program {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    return asked


def code(side: Side) -> Code:
    return Code(side.instructions, side.jited, side.stack, side.verified)


def measure(case: Case, bench: Bench | None, rounds: int, to: Path) -> Row:
    """Compare the sides of a case, then time them; raises Disagree."""
    agreed = check_case(case)
    with open_pair(case, to, Options()) as pair:
        check(pair, recording=False)
        packets = case.packets()
        common = rare = None
        if bench:
            common = bench.time(pair, packets[case.common], rounds)
            rare = bench.time(pair, packets[case.rare], rounds) if case.rare is not None else None
        row = Row(case, code(pair.p4), code(pair.twin), agreed, common, rare)
    return row


def measure_live(case: Case, live: Live, to: Path) -> tuple[Rate, ...]:
    with open_pair(case, to, Options()) as pair:
        return live.measure_all(pair, LIVE_ROUNDS)


def measure_all(cases: tuple[Case, ...], asked: argparse.Namespace) -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with nullcontext() if asked.sizes else open_bench(directory) as bench:
            for case in cases:
                print(f"{case.name} ...", file=sys.stderr, flush=True)
                rows.append(measure(case, bench, asked.rounds, directory))
        if asked.live:
            with open_live(directory) as live:
                rows = [replace(r, live=measure_live(r.case, live, directory)) for r in rows]
    return rows


def main() -> int:
    asked = arguments()
    cases = chosen(asked.names)
    try:
        rows = measure_all(cases, asked)
    except Disagree as error:
        print(f"P4 and C differ: {error}", file=sys.stderr)
        return 1
    text = markdown(rows, asked.rounds)
    print(text)
    if not asked.names and not asked.sizes:
        (HERE / "RESULTS.md").write_text(text)
        (HERE / "results.svg").write_text(bars(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
