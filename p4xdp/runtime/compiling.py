"""Running a compiler, of which nothing is left when it is not waited for any longer.

In: a command line and a directory for what the compiler writes on its way. Out: its exit status
and what it printed.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from p4xdp.signals import held

GRACE = 2.0
"""How many seconds a compiler has to remove its own temporary files."""


def run_compiler(
    command: Sequence[str], directory: Path, seconds: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a compiler to its end; raises OSError, subprocess.TimeoutExpired.

    It is in a session of its own, so that the processes that it starts can be ended with it; a
    Ctrl-C reaches this process alone.
    """
    process = None
    try:
        with held():
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
                env={**os.environ, "TMPDIR": str(directory)},
            )
        output, errors = process.communicate(timeout=seconds)
    except BaseException:
        if process:
            _end(process)
        raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def _end(process: subprocess.Popen[str]) -> None:
    """End a compiler with all that it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=GRACE)
