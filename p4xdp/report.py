"""How diagnostics reach the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from p4xdp.diagnostics import MOST_ERRORS, Diagnostic, InternalError, Severity, render


class SourceTexts(dict[str, str]):
    """File texts by name, read when first asked for; an unreadable one is not there."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._read(name) is not None

    def __missing__(self, name: str) -> str:
        return self._read(name) or ""

    def _read(self, name: str) -> str | None:
        if dict.__contains__(self, name):
            return dict.__getitem__(self, name)
        try:
            self[name] = Path(name).read_bytes().decode("utf-8-sig", "replace")
        except (OSError, ValueError):
            return None
        return self[name]


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Write them to stderr, at most MOST_ERRORS errors and then how many more there are."""
    texts = SourceTexts()
    errors = 0
    for diagnostic in diagnostics:
        errors += diagnostic.severity is Severity.ERROR
        if errors <= MOST_ERRORS:
            sys.stderr.write(render(diagnostic, texts) + "\n")
    if errors > MOST_ERRORS:
        sys.stderr.write(f"{errors - MOST_ERRORS} more errors\n")


MOST_OF_A_FAULT = 300


def _shortened(error: BaseException) -> str:
    text = str(error)
    return text if len(text) <= MOST_OF_A_FAULT else f"{text[:MOST_OF_A_FAULT]}..."


def print_internal_error(error: BaseException) -> None:
    """Say that it is our fault and where it happened, without a traceback."""
    if isinstance(error, InternalError):
        place = f" at {error.span}" if error.span else ""
        sys.stderr.write(f"p4xdp: {_shortened(error)}{place}\n")
    else:
        import traceback  # a tenth of what all of Python's own modules take to import

        frames = traceback.extract_tb(error.__traceback__)
        last = frames[-1] if frames else None
        where = f"{Path(last.filename).stem}.{last.name}:{last.lineno}" if last else "unknown"
        what = f"{type(error).__name__}: {_shortened(error)}"
        sys.stderr.write(f"p4xdp: internal error in {where}: {what}\n")
    sys.stderr.write(
        "This is a fault of p4xdp, not of your program. Please report it with the program.\n"
        "P4XDP_DEBUG=1 shows the traceback.\n"
    )
