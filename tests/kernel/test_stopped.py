"""Commands that a signal ends while they load programs, and two that load at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sandbox import ROOT, Namespace, attached_id, pin_names

from p4xdp.runtime import devices, pins

EXAMPLES = ROOT / "examples"
FORWARDING = EXAMPLES / "v1model" / "basic.p4"
PORTS = ("--port", "1=va", "--port", "2=vb")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def start(namespace: Namespace, temporary: Path, *arguments: str | Path) -> subprocess.Popen[str]:
    """Start a command of p4xdp in the namespace."""
    temporary.mkdir(exist_ok=True)
    with namespace:
        return subprocess.Popen(
            [sys.executable, "-m", "p4xdp", *map(str, arguments)],
            env={**ENVIRONMENT, "TMPDIR": str(temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def wait_for_temporary_files(process: subprocess.Popen[str], temporary: Path) -> None:
    """Wait until the command has come to its compiler."""
    while process.poll() is None and not any(temporary.iterdir()):
        time.sleep(0.005)


@pytest.mark.kernel
@pytest.mark.clang
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("wait", [0.0, 0.3, 0.5])
def test_a_load_is_whole_or_undone(
    namespace: Namespace, tmp_path: Path, number: signal.Signals, wait: float
) -> None:
    process = start(namespace, tmp_path / "t", "load", FORWARDING, *PORTS)
    wait_for_temporary_files(process, tmp_path / "t")
    time.sleep(wait)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    assert list((tmp_path / "t").iterdir()) == []
    with namespace:
        both = [(attached_id(device) is not None, pin_names(device)) for device in ("va", "vb")]
    assert both[0] == both[1]
    attached, names = both[0]
    assert attached == bool(names)
    assert process.returncode in (0, 128 + number)
    assert attached or process.returncode


@pytest.mark.veth
@pytest.mark.clang
@pytest.mark.parametrize("wait", [0.0, 0.3, 0.5])
def test_a_test_on_veth_can_be_stopped(namespace: Namespace, tmp_path: Path, wait: float) -> None:
    process = start(namespace, tmp_path / "t", "test", EXAMPLES / "xdp1.p4", "--on", "veth")
    wait_for_temporary_files(process, tmp_path / "t")
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode in (0, 130), errors) == (True, "")
    assert list((tmp_path / "t").iterdir()) == []


@pytest.mark.kernel
@pytest.mark.clang
def test_of_two_programs_that_load_at_once_one_is_on_the_device(
    namespace: Namespace, tmp_path: Path
) -> None:
    programs = (EXAMPLES / "xdp1.p4", EXAMPLES / "icmp_echo.p4")
    processes = [start(namespace, tmp_path / "t", "load", one, "--dev", "va") for one in programs]
    said = [process.communicate(timeout=60)[1] for process in processes]
    assert sorted(process.returncode for process in processes) == [0, 1]
    (refused,) = [text for text in said if "error" in text]
    (loaded,) = [one.stem for one, text in zip(programs, said, strict=True) if text != refused]
    assert f"error[device-busy]: `va` runs the p4xdp program `{loaded}`" in refused
    with namespace:
        (install,) = pins.of_device("va", devices.find("va").index)
    assert install.program_name == loaded


@pytest.mark.kernel
@pytest.mark.clang
def test_one_program_that_loads_twice_at_once_is_there_once(
    namespace: Namespace, tmp_path: Path
) -> None:
    command = ("load", EXAMPLES / "xdp1.p4", "--dev", "va")
    processes = [start(namespace, tmp_path / "t", *command) for _ in range(2)]
    for process in processes:
        process.communicate(timeout=60)
    assert [process.returncode for process in processes] == [0, 0]
    with namespace:
        (install,) = pins.of_device("va", devices.find("va").index)
        with install.program() as program:
            assert program.info().id == attached_id()
