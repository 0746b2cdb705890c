"""The reader of examples/tools: packets of a program arrive in user space, and in a capture."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import dpkt
from sandbox import ROOT, Namespace, send

from p4xdp.runtime import clang, devices, pins

EXAMPLE = ROOT / "examples" / "packet_in.p4"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
MACS = bytes.fromhex("020000000001020000000002")
PASSED = MACS + bytes.fromhex("88b6") + b"passed only"
COPIED = MACS + bytes.fromhex("88b5") + b"copied"
DIVERTED = MACS + bytes.fromhex("0806") + bytes(range(200))


def test_chosen_packets_reach_the_reader(namespace: Namespace, tmp_path: Path) -> None:
    directory = _load(namespace, tmp_path)
    capture = tmp_path / "out.pcap"
    with subprocess.Popen(
        [_reader(tmp_path), "-c", "2", "-w", capture, directory],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as reader:
        try:
            assert reader.stderr is not None
            assert reader.stderr.readline() == "packet_in: listening\n"
            send("vb", PASSED, COPIED, DIVERTED)
            shown, said = reader.communicate(timeout=10)
        finally:
            reader.kill()
    assert (reader.returncode, said) == (0, "packet_in: 2 packets, 0 lost\n")
    port = devices.find("va").index
    heads = [line for line in shown.splitlines() if not line.startswith(" ")]
    # Each CPU has its ring, so the order is open.
    assert sorted(heads) == sorted(f"port {port}, {len(f)} bytes" for f in (COPIED, DIVERTED))
    assert "  02 00 00 00 00 01 02 00 00 00 00 02 88 b5 63 6f\n  70 69 65 64\n" in shown
    with capture.open("rb") as file:
        assert {packet for _, packet in dpkt.pcap.Reader(file)} == {COPIED, DIVERTED}


def _load(namespace: Namespace, here: Path) -> Path:
    """Load the program onto `va`; return its pin directory."""
    entries = here / "entries"
    entries.write_text("add protocols type:0x88b5 copy()\nadd protocols type:0x0806 divert()\n")
    command = [sys.executable, "-m", "p4xdp.cli", "load", EXAMPLE]
    done = namespace.run(*command, "--dev", "va", "--entries", entries, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    (install,) = pins.of_device("va", devices.find("va").index)
    return install.path


def _reader(here: Path) -> Path:
    """Build the C tool against the generated header."""
    command = [sys.executable, "-m", "p4xdp.cli", "-o", here / "packet_in.c", EXAMPLE]
    subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True)
    source = ROOT / "examples" / "tools" / "packet_in.c"
    flags = ["-Wall", "-Wextra", "-Werror", f"-I{here}", f"-I{clang.include_dir()}"]
    subprocess.run(["cc", *flags, "-o", here / "reader", source, "-lbpf"], check=True)
    return here / "reader"
