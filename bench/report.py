"""The figures as text for people: bench/RESULTS.md, and bars for the README."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CalledProcessError
from xml.sax.saxutils import escape

from cases import Case
from live import Rate
from measure import Spread, Times

from p4xdp.diagnostics import CompileError
from p4xdp.runtime import clang
from p4xdp.runtime.libbpf import BpfError
from p4xdp.stf.syntax import VERDICTS

FAILURES = (CompileError, BpfError, CalledProcessError, OSError, RuntimeError, ValueError)
"""What the measuring of one program may end with while the others go on."""


@dataclass(frozen=True, slots=True)
class Code:
    """What is known of a side without running it; sizes in bytes."""

    instructions: int
    jited: int
    stack: int
    verified: int


@dataclass(frozen=True, slots=True)
class Row:
    """One case; `rare` is None where there is one path only, `live` unless it was asked for."""

    case: Case
    p4: Code
    twin: Code
    agreed: int
    common: Times | None
    rare: Times | None
    live: tuple[Rate, ...] = ()


def markdown(rows: list[Row], rounds: int, failed: list[str], seconds: float) -> str:
    """Return RESULTS.md; `failed` says what could not be measured, `seconds` how long all took."""
    parts = [
        "# P4 beside hand-written C",
        "",
        "What each program does, and why its twin is written as it is, stands in the heads of",
        "`bench/twins/*.c`. Both sides give the same verdict, port and bytes on every packet of",
        "the program's test file, before anything is timed.",
        "",
        f"`make bench` on Linux {platform.release()}, {cpu()}, clang {clang.find().version},",
        f"{datetime.now(UTC):%Y-%m-%d}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs, "
        f"in {seconds:.0f} seconds.",
        "",
        *(["**Not measured:**", "", *(f"- {text}" for text in failed), ""] if failed else []),
        *_sizes(rows),
    ]
    if any(row.common for row in rows):
        parts += _times(rows, rounds)
    if any(row.live for row in rows):
        parts += _rates(rows)
    return "\n".join(parts)


def cpu() -> str:
    """Return what this machine's processor calls itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _sizes(rows: list[Row]) -> list[str]:
    return [
        "## Size",
        "",
        "Instructions as clang wrote them, machine code and stack in bytes, and the instructions",
        "that the verifier walked through. P4 / C.",
        "",
        "| program | what it is | packets | instructions | ratio "
        "| machine code | stack | verified |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
        *(
            f"| {r.case.name} | {r.case.what} | {r.agreed} "
            f"| {r.p4.instructions} / {r.twin.instructions} "
            f"| {r.p4.instructions / r.twin.instructions:.2f} "
            f"| {r.p4.jited} / {r.twin.jited} | {r.p4.stack} / {r.twin.stack} "
            f"| {r.p4.verified} / {r.twin.verified} |"
            for r in rows
        ),
        "",
    ]


def _times(rows: list[Row], rounds: int) -> list[str]:
    return [
        "## Time",
        "",
        f"Nanoseconds per packet over a bare drop: least < median < greatest of {rounds} rounds",
        "that alternate between all programs, by BPF_PROG_TEST_RUN on a program that is attached",
        "to a spare device. `noise` is the twin against itself. Where `r` stands behind the",
        "verdict, the packet changes, and a program in front restores it before each run; what",
        "that costs is measured without the program and taken off. Ratios of times of few",
        "nanoseconds say little; the difference does.",
        "",
        _judged([times for row in rows for times in (row.common, row.rare) if times]),
        "",
        "| program | path | verdict | P4 | C | difference | ratio | noise |",
        "|---|---|---|--:|--:|--:|--:|--:|",
        *(
            _time(row.case, path, times)
            for row in rows
            for path, times in (("common", row.common), ("rare", row.rare))
            if times
        ),
        "",
    ]


def _judged(paths: list[Times]) -> str:
    medians = _counts([(times.p4.median, times.twin.median) for times in paths])
    least = _counts([(times.p4.least, times.twin.least) for times in paths])
    return (
        f"Of {len(paths)} paths, by their medians {medians[0]} take no longer than the C and "
        f"{medians[1]} at most 1.05 times\nas long or 1 ns longer; by the least of the rounds, "
        f"which others at work change less, {least[0]} and {least[1]}."
    )


def _counts(pairs: list[tuple[float, float]]) -> tuple[int, int]:
    """Return how many of P4 are as fast as C, and how many nearly."""
    return sum(p4 <= c for p4, c in pairs), sum(p4 <= max(1.05 * c, c + 1.0) for p4, c in pairs)


def _time(case: Case, path: str, times: Times) -> str:
    restored = " r" if times.restored else ""
    return (
        f"| {case.name} | {path} | {VERDICTS[times.verdict]}{restored} | {_spread(times.p4)} "
        f"| {_spread(times.twin)} | {times.p4.median - times.twin.median:+.1f} "
        f"| {_ratio(times)} | {times.noise:.1f} |"
    )


def _ratio(times: Times) -> str:
    """Return the ratio where there is enough of a time to have one."""
    return f"{times.ratio:.2f}" if times.twin.median >= 1 else "-"


def _spread(spread: Spread) -> str:
    return f"{spread.least:.1f} < **{spread.median:.1f}** < {spread.most:.1f}"


def _rates(rows: list[Row]) -> list[str]:
    return [
        "## Live frames",
        "",
        "Million packets per second on one CPU, with frames that are dropped, sent back or",
        "redirected for real through veth pairs with native XDP (BPF_F_TEST_XDP_LIVE_FRAMES): the",
        "least of the fastest tenth of the rounds. `noise` is the twin once more, beside itself.",
        "",
        "| program | verdict | P4 | C | ratio | noise |",
        "|---|---|--:|--:|--:|--:|",
        *(
            f"| {row.case.name} | {rate.verdict} | {rate.p4:.2f} | {rate.twin:.2f} "
            f"| {rate.ratio:.2f} | {rate.noise:.2f} |"
            for row in rows
            for rate in row.live
        ),
        "",
    ]


# Bars

LEFT, WIDTH, BAR, GAP, TOP = 110, 520, 11, 12, 46
P4_COLOUR, C_COLOUR = "#2f6db3", "#b8b8b8"


def bars(rows: list[Row]) -> str:
    """Return an SVG of the common path's medians, P4 above C for each program."""
    timed = [(row.case.name, row.common) for row in rows if row.common]
    longest = max(max(t.p4.median, t.twin.median) for _, t in timed)
    height = TOP + len(timed) * (2 * BAR + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 70}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="16" font-size="13">ns per packet over a bare drop</text>',
        _swatch(LEFT, P4_COLOUR, "from P4"),
        _swatch(LEFT + 90, C_COLOUR, "C by hand"),
    ]
    for index, (name, times) in enumerate(timed):
        y = TOP + index * (2 * BAR + GAP)
        parts.append(
            f'<text x="{LEFT - 8}" y="{y + BAR + 4}" text-anchor="end">{escape(name)}</text>'
        )
        for offset, value, colour in (
            (0, times.p4.median, P4_COLOUR),
            (BAR, times.twin.median, C_COLOUR),
        ):
            length = max(1.0, max(value, 0.0) / longest * WIDTH)
            parts.append(
                f'<rect x="{LEFT}" y="{y + offset}" width="{length:.1f}" height="{BAR - 1}" '
                f'fill="{colour}"/>'
                f'<text x="{LEFT + length + 4:.1f}" y="{y + offset + BAR - 2}" font-size="9">'
                f"{value:.1f}</text>"
            )
    return "\n".join([*parts, "</svg>", ""])


def _swatch(x: int, colour: str, text: str) -> str:
    return (
        f'<rect x="{x}" y="24" width="10" height="10" fill="{colour}"/>'
        f'<text x="{x + 14}" y="33">{text}</text>'
    )
