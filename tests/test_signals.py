"""Whole processes that a signal ends at any time: what is there afterwards is whole or nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from p4xdp.signals import Stopped, held, status_of

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
XDP1 = EXAMPLES / "xdp1.p4"
SIGNALS = (signal.SIGINT, signal.SIGTERM)

COMMANDS = {
    "compile": ("-o", "out.c", EXAMPLES / "v1model" / "nat.p4"),
    "run": ("run", XDP1, XDP1.with_suffix(".pcap"), "-o", "out.pcap"),
    "test": ("test", XDP1, "--on", "native"),
    "build": ("build", "-o", "out.o", XDP1),
}
OUTPUT = {
    "compile": ["out.c", "out.h", "out.json"],
    "run": ["out.pcap"],
    "test": [],
    "build": ["out.c", "out.h", "out.json", "out.o"],
}


class Running:
    """A command in directories of its own: where its output goes, and its temporary files."""

    def __init__(self, directory: Path, name: str) -> None:
        self.output = directory / "output"
        self.temporary = directory / "temporary"
        for path in (self.output, self.temporary):
            path.mkdir()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "p4xdp", *map(str, COMMANDS[name])],
            cwd=self.output,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def stopped_by(self, number: int) -> tuple[int, str]:
        """Send a signal and return the exit status and what was said."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


def wait_for_temporary_files(running: Running) -> None:
    """Wait until the command has come to its compiler."""
    while running.process.poll() is None and not any(running.temporary.iterdir()):
        time.sleep(0.005)


def wait_until_armed(running: Running) -> None:
    """Wait until the command catches signals: what Python does before is not ours."""
    status = Path(f"/proc/{running.process.pid}/status")
    bit = 1 << (signal.SIGTERM - 1)
    while running.process.poll() is None:
        caught = next(
            (line for line in status.read_text().splitlines() if line.startswith("SigCgt")), None
        )
        if caught is None or int(caught.split()[1], 16) & bit:
            return
        time.sleep(0.005)


def moments() -> Iterator[pytest.ParameterSet]:
    """Yield command, seconds to wait once it is there (None: until it has temporary files) and
    signal."""
    for number in SIGNALS:
        for wait in (0.0, 0.3, 0.6):
            yield pytest.param("compile", wait, number, id=f"compile-{wait}-{number.name}")
        for name in ("run", "test", "build"):
            marks = [pytest.mark.clang] if name == "build" else []
            yield pytest.param(name, None, number, id=f"{name}-{number.name}", marks=marks)


@pytest.mark.parametrize(("name", "wait", "number"), list(moments()))
def test_a_signal_leaves_all_or_nothing(
    tmp_path: Path, name: str, wait: float | None, number: signal.Signals
) -> None:
    running = Running(tmp_path, name)
    if wait is None:
        wait_for_temporary_files(running)
    else:
        wait_until_armed(running)
        time.sleep(wait)
    status, errors = running.stopped_by(number)
    found = sorted(path.name for path in running.output.iterdir())
    assert errors == ""
    assert list(running.temporary.iterdir()) == []
    if status == 0:
        assert found == OUTPUT[name]
    else:
        assert status == 128 + number
        assert found in ([], OUTPUT[name])


def test_two_that_write_the_same_files_do_not_mix_them(tmp_path: Path) -> None:
    programs = [EXAMPLES / "xdp1.p4", EXAMPLES / "l2switch.p4"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "p4xdp", "-o", "out.c", str(program)],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        for program in programs
    ]
    assert [process.wait(60) for process in running] == [0, 0]
    assert sorted(path.name for path in tmp_path.iterdir()) == OUTPUT["compile"]
    texts = [path.read_text() for path in sorted(tmp_path.iterdir())]
    assert [sum(program.name in text for text in texts) for program in programs] in (
        [3, 0],
        [0, 3],
    )


def raised(number: int) -> int:
    signal.raise_signal(number)
    return 0


@pytest.mark.parametrize("number", [*SIGNALS, signal.SIGHUP])
def test_the_status_is_that_of_the_signal(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    assert status_of(lambda: raised(number)) == 128 + number
    assert signal.getsignal(number) == before
    assert status_of(lambda: 7) == 7


def test_only_the_first_signal_counts() -> None:
    def run() -> int:
        try:
            return raised(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGINT)

    assert status_of(run) == 143


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert status_of(lambda: raised(signal.SIGHUP)) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def test_signals_wait_for_what_holds_them() -> None:
    done = []

    def run() -> int:
        with held():
            signal.raise_signal(signal.SIGINT)
            done.append("held")
        done.append("behind")
        return 0

    assert status_of(run) == 130
    assert done == ["held"]


def test_a_signal_that_python_drops_comes_again(capsys: pytest.CaptureFixture[str]) -> None:
    class Thing:
        pass

    def run() -> int:
        thing = Thing()
        gone = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGTERM))
        del thing
        assert gone() is None
        time.sleep(5)
        return 0

    assert status_of(run) == 143
    assert capsys.readouterr().err == ""


def test_it_is_no_exception_that_programs_catch() -> None:
    assert not issubclass(Stopped, Exception)
