"""How long p4xdp takes to compile: small samples, and programs that grow.

    python bench/compile_time.py [--runs N] [--quick]

Prints the tables; without --quick it writes RESULTS-compile.md and the figures in README.md too.
Time is measured of whole processes, by the wall clock and as what they used of the CPU (user and
system), which says more on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from compile_programs import program

HERE = Path(__file__).parent
ROOT = HERE.parent
INCLUDE = ROOT / "p4xdp" / "frontend" / "p4include"
RESULTS = HERE / "RESULTS-compile.md"
README = ROOT / "README.md"

RUNS = 7
STAGE_RUNS = 3
SIZES = (500, 1000, 2000, 5000, 10_000)
QUICK_SIZES = (500, 2000)
PUBLIC_P4C = "p4c is not on this machine; its public figure for small programs is 55 to 100 ms."
COMPILE = "import sys; from p4xdp.cli import main; sys.exit(main())"


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one process, or the medians of several: seconds, and the peak of memory in MB."""

    wall: float
    cpu: float
    memory: float


@dataclass(frozen=True, slots=True)
class Sized:
    """A program that was compiled; `stages` are seconds of CPU, in the order of the compiler."""

    name: str
    lines: int
    ours: Cost
    p4c: Cost | None
    stages: dict[str, float]


# Processes


def run(command: list[str]) -> Cost:
    """Return what a process took; raises CalledProcessError when it fails."""
    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=output, env=_environment())
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if status:
            output.seek(0)
            raise subprocess.CalledProcessError(process.returncode, command, output.read().decode())
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT)}


def medians(command: list[str], runs: int) -> Cost:
    """Return the medians of several runs, after one that fills caches."""
    run(command)
    costs = [run(command) for _ in range(runs)]
    wall, cpu = median(c.wall for c in costs), median(c.cpu for c in costs)
    return Cost(wall, cpu, max(c.memory for c in costs))


def p4xdp(path: Path, to: Path) -> list[str]:
    return [sys.executable, "-c", COMPILE, "--target", "xdp", "-o", str(to / "out.c"), str(path)]


def p4c(path: Path) -> list[str] | None:
    """Return p4c's front and midend for the program, if p4c is there."""
    found = shutil.which("p4test")
    return [found, "-I", str(INCLUDE), str(path)] if found else None


# Stages


def stages(path: Path) -> dict[str, float]:
    """Return seconds of CPU of each stage, the medians of several processes."""
    found: list[dict[str, float]] = []
    for _ in range(STAGE_RUNS):
        command = [sys.executable, __file__, "--stages", str(path)]
        done = subprocess.run(
            command, env=_environment(), check=True, capture_output=True, text=True
        )
        found.append(json.loads(done.stdout))
    return {name: median(one[name] for one in found) for name in found[0]}


def time_stages(path: Path) -> dict[str, float]:
    """Compile in this process and return seconds of CPU of each stage."""
    begin = time.process_time()
    from p4xdp import driver
    from p4xdp.deep import call_deep
    from p4xdp.options import Options

    spent = {"import": time.process_time() - begin}

    def timed(module: object, name: str, label: str) -> None:
        stage = getattr(module, name)

        def measured(*values: object, **named: object) -> object:
            start = time.process_time()
            try:
                return stage(*values, **named)
            finally:
                spent[label] = spent.get(label, 0.0) + time.process_time() - start

        setattr(module, name, measured)

    for name, label in STAGES.items():
        timed(driver, name, label)
    marks = [0.0]

    def after(name: str, _: object) -> None:
        number = 1 + sum(label.startswith(f"· {name}") for label in spent)
        spent[f"· {name}" + (f" ({number})" if number > 1 else "")] = time.process_time() - marks[0]
        marks[0] = time.process_time()

    run_passes = driver.pipeline.run

    def passes(*values: object, **named: object) -> object:
        marks[0] = start = time.process_time()
        result = run_passes(*values, **named)
        spent["midend"] = time.process_time() - start
        return result

    driver.pipeline.run = passes
    call_deep(lambda: driver.compile(driver.Session(path, Options()), after))
    order = ["import", *STAGES.values()]
    place = order.index("emit")
    order[place:place] = ["midend", *(label for label in spent if label.startswith("·"))]
    return {label: spent[label] for label in order}


STAGES = {
    "preprocess": "preprocess",
    "parse": "parse",
    "check_types": "check",
    "warn": "warn",
    "elaborate": "elaborate",
    "emit": "emit",
}
"""Functions of the driver, and what they are called here."""


# Text


def markdown(samples: list[Sized], grown: list[Sized], runs: int) -> str:
    return "\n".join(
        [
            "# How long a compile takes",
            "",
            "`p4xdp --target xdp -o out.c prog.p4`, whole processes, medians of "
            f"{runs} runs after one that",
            "fills the caches. CPU is user and system time of the process; wall time is longer "
            "where others use",
            f"the machine: see the load. `make bench-compile`, Python {platform.python_version()},",
            f"{_cpu()}, {datetime.now(UTC):%Y-%m-%d}, load {os.getloadavg()[0]:.1f} on"
            f" {os.cpu_count()} CPUs.",
            *(["", PUBLIC_P4C] if p4c(HERE) is None else []),
            "",
            "## Small programs",
            "",
            *_rows(samples, False),
            "",
            "## Growth",
            "",
            "Programs made by `compile_programs.py`. The exponent is that of the growth since the",
            "row above: 1 is linear.",
            "",
            *_rows(grown, True),
            "",
            "## Stages",
            "",
            f"Seconds of CPU, medians of {STAGE_RUNS} runs. The passes are parts of the midend.",
            "",
            *_stage_rows([*samples[:1], *grown]),
            "",
        ]
    )


def _rows(programs: list[Sized], growth: bool) -> list[str]:
    with_p4c = any(one.p4c for one in programs)
    head = ["program", "lines", "wall s", "CPU s", "memory MB"]
    head += ["CPU ms per 100 lines", "exponent"] if growth else []
    head += ["p4test CPU s"] if with_p4c else []
    lines = [f"| {' | '.join(head)} |", f"|---{'|--:' * (len(head) - 1)}|"]
    before: Sized | None = None
    for one in programs:
        cells = [one.name, f"{one.lines}", f"{one.ours.wall:.2f}", f"{one.ours.cpu:.2f}"]
        cells.append(f"{one.ours.memory:.0f}")
        if growth:
            cells.append(f"{one.ours.cpu / one.lines * 1e5:.0f}")
            cells.append(f"{_exponent(before, one):.2f}" if before else "")
        if with_p4c:
            cells.append(f"{one.p4c.cpu:.2f}" if one.p4c else "")
        lines.append(f"| {' | '.join(cells)} |")
        before = one
    return lines


def _exponent(before: Sized, one: Sized) -> float:
    return math.log(one.ours.cpu / before.ours.cpu) / math.log(one.lines / before.lines)


def _stage_rows(programs: list[Sized]) -> list[str]:
    names = dict.fromkeys(name for one in programs for name in one.stages)
    lines = [
        f"| stage | {' | '.join(one.name for one in programs)} |",
        f"|---{'|--:' * len(programs)}|",
    ]
    for name in names:
        cells = [f"{one.stages[name]:.3f}" for one in programs]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def write(text: str, samples: list[Sized], grown: list[Sized]) -> None:
    """Write the results, and the two figures of the README."""
    RESULTS.write_text(text)
    small = max(one.ours.cpu for one in samples)
    large = next(one.ours.cpu for one in grown if one.lines > 4500)
    readme = README.read_text()
    figures = f"A small program compiles in {small:.2f} s, 5,000 lines in {large:.1f} s of CPU time"
    README.write_text(
        re.sub(
            r"A small program compiles in .*? s, 5,000 lines in .*? s of CPU time", figures, readme
        )
    )


# What is measured


def measure(path: Path, name: str, runs: int, to: Path, with_stages: bool) -> Sized:
    print(f"{name} ...", file=sys.stderr, flush=True)
    theirs = p4c(path)
    return Sized(
        name,
        len(path.read_text().splitlines()),
        medians(p4xdp(path, to), runs),
        medians(theirs, runs) if theirs else None,
        stages(path) if with_stages else {},
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=RUNS, help=f"default: {RUNS}")
    parser.add_argument("--quick", action="store_true", help="few programs; write nothing")
    parser.add_argument("--stages", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.stages:
        print(json.dumps(time_stages(asked.stages)))
        return 0
    found = sorted((ROOT / "tests" / "stf" / "samples").glob("*.p4"))
    paths = [ROOT / "examples" / "xdp1.p4", *(found[:2] if asked.quick else found)]
    with tempfile.TemporaryDirectory() as name:
        to = Path(name)
        samples = [measure(p, p.stem, asked.runs, to, p is paths[0]) for p in paths]
        grown: list[Sized] = []
        for size in QUICK_SIZES if asked.quick else SIZES:
            path = to / f"lines{size}.p4"
            path.write_text(program(size))
            grown.append(measure(path, f"{size:,} lines", asked.runs, to, True))
    text = markdown(samples, grown, asked.runs)
    print(text)
    if not asked.quick:
        write(text, samples, grown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
