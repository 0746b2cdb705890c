"""log_msg of a program that was built with --trace: what stands in the kernel's trace log."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang
from p4xdp.runtime.libbpf import BpfObject

PROGRAM = Path(__file__).parents[1] / "stf" / "v1model" / "assertions.p4"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """The trace log, on a mount of its own."""
    mount = tmp_path / "tracefs"
    mount.mkdir()
    if subprocess.run(["mount", "-t", "tracefs", "none", mount], check=False).returncode:
        pytest.skip("tracefs cannot be mounted")
    yield mount / "trace"
    subprocess.run(["umount", mount], check=True)


def test_messages_reach_the_trace_log(tmp_path: Path, log: Path) -> None:
    source = PROGRAM.read_text().replace('"include/', f'"{PROGRAM.parent}/include/')
    marked = source.replace("plain", "plain of this very test")
    (tmp_path / "traced.p4").write_text(marked)
    output = compile(Session(tmp_path / "traced.p4", Options(trace=True)))
    (tmp_path / "a.c").write_text(output.c)
    clang.build(tmp_path / "a.c", tmp_path / "a.o")
    with BpfObject(tmp_path / "a.o") as made:
        made.load()
        packet = bytes.fromhex("000000000001 000000000002 0800 00010203")
        made.program(output.description.function).test_run(packet)
        lines = [line.partition("bpf_trace_printk: ")[2] for line in log.read_text().split("\n")]
    at = max(i for i, line in enumerate(lines) if line == "plain of this very test")
    assert lines[at - 4 : at] == [
        '100% of "0x1 0x0 0x1 0x2 0x3", 0x1 and 0x0:0x0:0x5000000000002\\',
        "0x0 0x1 0x2 0x3 0x0 0x1 0x2 0x3 0x0 0x1 0x2 0x3 ",
        "0x0 0x1 {}",
        "gr??er als 0x0: {} {}",
    ]
