"""Each P4 program beside its hand-written twin, measured in one run (as root).

    python bench/run.py [--rounds N] [--sizes] [--live] [NAME ...]

Prints the tables and, when all programs are measured, writes RESULTS.md and results.svg. A program
that fails is named there, and the others are measured all the same; the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from agree import Disagree, check, check_case
from cases import CASES, HERE, Case, chosen
from live import Live, Rate, open_live
from measure import Bench, open_bench
from report import FAILURES, Code, Row, bars, markdown
from sides import Side, open_pair

from p4xdp.options import Options

ROUNDS = 181
LIVE_ROUNDS = 51


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


def measure_all(cases: tuple[Case, ...], asked: argparse.Namespace) -> tuple[list[Row], list[str]]:
    """Return the rows, and what failed."""
    rows: dict[str, Row] = {}
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with nullcontext() if asked.sizes else open_bench(directory) as bench:
            for case in cases:
                with telling(case, "compare", failed):
                    rows[case.name] = measure(case, bench, asked.rounds, directory)
        if asked.live:
            with open_live(directory) as live:
                for row in tuple(rows.values()):
                    with telling(row.case, "live frames", failed):
                        rates = measure_live(row.case, live, directory)
                        rows[row.case.name] = replace(row, live=rates)
    return list(rows.values()), failed


@contextmanager
def telling(case: Case, what: str, failed: list[str]) -> Iterator[None]:
    """Say what is being done; keep what goes wrong with this program, and go on."""
    print(f"{case.name}: {what}", file=sys.stderr, flush=True)
    try:
        yield
    except (Disagree, *FAILURES) as error:
        text = "; ".join(line.strip() for line in str(error).splitlines() if line.strip())
        failed.append(f"{case.name}, {what}: {type(error).__name__}: {text}")
        print(f"  {failed[-1]}", file=sys.stderr, flush=True)


def main() -> int:
    asked = arguments()
    start = time.monotonic()
    rows, failed = measure_all(chosen(asked.names), asked)
    text = markdown(rows, asked.rounds, failed, time.monotonic() - start)
    print(text)
    if not asked.names and not asked.sizes:
        (HERE / "RESULTS.md").write_text(text)
        (HERE / "results.svg").write_text(bars(rows))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
