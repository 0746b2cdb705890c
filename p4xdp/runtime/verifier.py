"""A refusal of the verifier, in words for the author of the P4 program.

Out comes one diagnostic: the P4 line (objects built with `-g` carry it), the verifier's reason,
its last lines, a hint where the reason is a known one, and the file with the whole log.
"""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

from p4xdp.diagnostics import CompileError, Note, Span, fail
from p4xdp.output import write_files
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
        ),
    ),
)
HINTS = (
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


def place(log: str, source: Path | None) -> Span | None:
    """Return the line of `source` that the verifier was at; kernels before 6.9 give only its
    text, which must then stand in `source` once."""
    found = list(_PLACE.finditer(log))
    if not found or source is None:
        return None
    last = found[-1]
    try:
        lines = source.read_text(errors="replace").splitlines()
    except OSError:
        return None
    if last["line"]:
        return _span(source, lines, int(last["line"])) if last["file"] == source.name else None
    same = [n for n, line in enumerate(lines, 1) if line.strip() == last["text"].strip()]
    return _span(source, lines, same[0]) if len(same) == 1 else None


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


def explain(error: VerifierError, source: Path | None, log_file: Path) -> CompileError:
    """Return the diagnostic (`verifier-refused`) and write the whole log to `log_file`."""
    log = error.verifier_log
    return fail(
        "verifier-refused",
        place(log, source),
        f"the kernel's verifier refuses `{error.program}`: {cause(log)}",
        notes=(
            Note("the verifier's log ends with\n" + last_lines(log)),
            Note(_write_log(log_file, log)),
        ),
        help=hint(error),
    )


def hint(error: VerifierError) -> str:
    """Return what a user can do."""
    if too_big(error):
        return "the program is too big for one piece: build it with `--layout scratch`"
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
