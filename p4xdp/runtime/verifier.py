"""A refusal of the verifier, in words for the author of the P4 program.

Out comes one diagnostic: the P4 line, the verifier's reason, its last lines, a hint where the
reason is a known one, and the file with the whole log.
"""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

from p4xdp.diagnostics import CompileError, Note, Span, fail
from p4xdp.output import write_files
from p4xdp.records import dataclass
from p4xdp.runtime.clang import TooBig
from p4xdp.runtime.libbpf import VerifierError

LAST_LINES = 8

_PLACE = re.compile(r"^; (?P<text>.*?)(?: @ (?P<file>[^\s:]+):(?P<line>\d+))?$", re.MULTILINE)
_FIGURES = re.compile(
    r"^(processed \d+ insns|verification time|stack depth|mark_precise|peak_states)"
)
_STATE = re.compile(r"^(\d+: |; |from \d+ to \d+|\s*R\d+(_\w+)?=|func#|last_idx|regs=|parent )")

TOO_BIG = (
    ("stack", re.compile(r"combined stack size|stack size .* too large|exceeds? the stack")),
    (
        "size",
        re.compile(
            r"BPF program is too large|too complex|program too large|too many (states|insns)"
            r"|total number of maps per program"
        ),
    ),
)
HINTS = (
    (
        re.compile(r"prohibited for !root"),
        "the verifier follows such a program only with CAP_PERFMON beside CAP_BPF: load it as root",
    ),
    (
        re.compile(r"unknown func|invalid func"),
        "the kernel has no such helper for this program type: a newer kernel is needed",
    ),
    (
        re.compile(r"cannot call GPL.restricted function"),
        "the kernel lets only GPL-compatible programs call this helper",
    ),
    (
        re.compile(r"invalid access to packet|back-edge|infinite loop|invalid mem access|!read_ok"),
        "a fault of p4xdp, not of the program: please report it with the log",
    ),
)
REPORT = "please report it with the log and the program"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an object came from: `name` for messages, the P4 file, the text of the C, and where
    the verifier's log goes."""

    name: str
    source: Path | None
    c: str
    log: Path


def too_big(error: VerifierError) -> TooBig | None:
    """Return the reason if another layout may help."""
    for reason, pattern in TOO_BIG:
        if pattern.search(error.verifier_log):
            return TooBig(reason, cause(error.verifier_log))
    return None


def cause(log: str) -> str:
    """Return what the log ends with beside states and figures: one line, or two joined."""
    lines = [line.rstrip() for line in log.splitlines() if line.strip()]
    said = [line for line in lines if not _FIGURES.match(line)]
    reasons = list(takewhile(lambda line: not _STATE.match(line), reversed(said)))
    return "; ".join(reversed(reasons[:2])) or "no reason given"


def place(log: str, origin: Origin) -> Span | None:
    """Return the line of the P4 file that the verifier was at, as far as it can be known.

    The log names a line of the C, whose comments name those of the P4 file; or, where #line
    stands in the C and clang (18 or later) kept it, one of the P4 file. Kernels before 6.9 give
    only the line's text.
    """
    if origin.source is None:
        return None
    found = (_p4_line(match, origin.source.name, origin.c) for match in _PLACE.finditer(log))
    numbers = [number for number in found if number]
    try:
        lines = origin.source.read_text(errors="replace").splitlines()
    except OSError:
        return None
    return _span(origin.source, lines, numbers[-1]) if numbers else None


def _p4_line(match: re.Match[str], name: str, c: str) -> int | None:
    """Return the line of the P4 file `name` that a line of the log stands for."""
    if match["file"] == name:
        return int(match["line"])
    lines = c.splitlines()
    if match["file"] is None:
        same = [n for n, line in enumerate(lines, 1) if line.strip() == match["text"].strip()]
        return _named_above(lines, same[0], name) if len(same) == 1 else None
    if not match["file"].endswith(".c"):
        return None
    number = int(match["line"])
    return number if "\n#line " in c else _named_above(lines, number, name)


def _named_above(lines: list[str], number: int, name: str) -> int | None:
    """Return the line of the P4 file that the last comment above line `number` of the C names,
    leaving out what stands in blocks that are closed by then."""
    comment = re.compile(rf"/\* {re.escape(name)}:(\d+)\b")
    depth = _depth(lines[number - 1]) if 0 < number <= len(lines) else 0
    for line in reversed(lines[:number]):
        found = comment.search(line)
        if found and _depth(line) <= depth:
            return int(found[1])
        if line.startswith("{"):
            return None
    return None


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip("\t"))


def _span(source: Path, lines: list[str], number: int) -> Span | None:
    if not 1 <= number <= len(lines):
        return None
    row = lines[number - 1]
    start = len(row) - len(row.lstrip()) + 1
    return Span(str(source), number, start, number, max(start + 1, len(row.rstrip()) + 1))


def last_lines(log: str) -> str:
    """Return the end of the log: the kernel's explanation if it gives one, else some lines."""
    lines = log.rstrip().splitlines()
    for number, line in enumerate(lines):
        if line.startswith("Reason:"):
            return "\n".join(lines[number:])
    return "\n".join(lines[-LAST_LINES:])


def explain(error: VerifierError, origin: Origin) -> CompileError:
    """Return the diagnostic (`verifier-refused`) and write the whole log to its file."""
    log = error.verifier_log
    return fail(
        "verifier-refused",
        place(log, origin),
        f"the kernel's verifier refuses `{error.program}`: {cause(log)}",
        notes=(
            Note("the verifier's log ends with\n" + last_lines(log)),
            Note(_write_log(origin.log, log)),
        ),
        help=hint(error),
    )


def hint(error: VerifierError) -> str:
    """Return what a user can do."""
    if too_big(error):
        return "the program is too big for one piece: cut it with `--layout tail-calls`"
    for pattern, text in HINTS:
        if pattern.search(error.verifier_log):
            return text
    return REPORT


def _write_log(path: Path, log: str) -> str:
    try:
        write_files({path: log})
    except CompileError as error:
        return f"the whole log could not be kept: {error}"
    return f"the whole log is in {path}"
