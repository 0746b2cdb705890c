"""The software switch: a program's JSON in `simple_switch`, its commands by `simple_switch_CLI`.

P4XDP_SIMPLE_SWITCH names the switch and P4XDP_SIMPLE_SWITCH_CLI its command line (else both are
looked for on the path). The switch reads packets from captures, a file for each port, in the order
of their times, and writes what leaves to others; so no device and no right is needed.
"""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import dpkt

SWITCH, CLI = "P4XDP_SIMPLE_SWITCH", "P4XDP_SIMPLE_SWITCH_CLI"
READY_SECONDS = 30
"""How long the switch waits for its entries before it reads the captures."""

SPACING = 0.25
"""Seconds between packets, so that one is through before the next comes."""

QUIET_SECONDS = 1.5
"""How long nothing may leave before the switch counts as done."""

Sent = Sequence[tuple[int, bytes]]


class SwitchMissing(Exception):
    """There is no switch: the text says how to name one."""


class SwitchFails(Exception):
    """The switch did not take the program or its entries: the text is what it said."""


@dataclass(frozen=True)
class Switch:
    switch: tuple[str, ...]
    cli: tuple[str, ...]


def find() -> Switch:
    """Return the commands of the switch; raises SwitchMissing."""
    return Switch(_command(SWITCH, "simple_switch"), _command(CLI, "simple_switch_CLI"))


def _command(variable: str, name: str) -> tuple[str, ...]:
    words = tuple(shlex.split(os.environ.get(variable, ""))) or (name,)
    if shutil.which(words[0]) is None:
        raise SwitchMissing(f"no {name}: name one in {variable}")
    return words


def run(
    switch: Switch, program: Path, commands: Sequence[str], packets: Sent, ports: Sequence[int]
) -> dict[int, list[bytes]]:
    """Return the packets that leave by each port, in order; raises SwitchFails."""
    with tempfile.TemporaryDirectory(prefix="p4xdp.") as name:
        folder = Path(name)
        _write(folder, packets, ports)
        with _started(switch, program, folder, ports) as port:
            began = time.monotonic()
            _send_commands(switch, port, commands)
            if time.monotonic() - began > READY_SECONDS - 1:
                raise SwitchFails("the entries took longer than the switch waits for them")
            time.sleep(max(0.0, READY_SECONDS - (time.monotonic() - began)))
            time.sleep(SPACING * len(packets))
            _wait_for_quiet(folder)
        return {one: _read(folder / f"port{one}_out.pcap") for one in ports}


def _write(folder: Path, packets: Sent, ports: Sequence[int]) -> None:
    for port in ports:
        with (folder / f"port{port}_in.pcap").open("wb") as file:
            writer = dpkt.pcap.Writer(file)
            for number, (to, packet) in enumerate(packets):
                if to == port:
                    writer.writepkt(packet, ts=1000 + number * SPACING)


@contextmanager
def _started(switch: Switch, program: Path, folder: Path, ports: Sequence[int]) -> Iterator[int]:
    """Start the switch and end it; yield the port that its command line connects to."""
    thrift = _free_port()
    interfaces = [word for one in ports for word in ("-i", f"{one}@port{one}")]
    options = ["--use-files", str(READY_SECONDS), "--thrift-port", str(thrift)]
    command = [*switch.switch, *options, *interfaces, str(program)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for_port(process, thrift, folder / "log")
        yield thrift
    finally:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait_for_port(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    for _ in range(200):
        if process.poll() is not None:
            raise SwitchFails(log.read_text(errors="replace").strip()[-300:])
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SwitchFails("the switch does not answer")


def _send_commands(switch: Switch, port: int, commands: Sequence[str]) -> None:
    text = "\n".join([*commands, ""])
    done = subprocess.run(
        [*switch.cli, "--thrift-port", str(port)],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
    )
    wrong = [line for line in done.stdout.splitlines() if "Error" in line or "Invalid" in line]
    if done.returncode or wrong:
        raise SwitchFails("; ".join(wrong) or done.stderr.strip()[-300:])


def _wait_for_quiet(folder: Path) -> None:
    """Wait until the captures of what leaves no longer grow."""
    size = -1
    while size != (now := sum(file.stat().st_size for file in folder.glob("*_out.pcap"))):
        size = now
        time.sleep(QUIET_SECONDS)


def _read(file: Path) -> list[bytes]:
    if not file.exists() or file.stat().st_size < 24:
        return []
    with file.open("rb") as opened:
        return [data for _, data in dpkt.pcap.Reader(opened)]
