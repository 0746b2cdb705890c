"""Network namespaces and objects for tests that load programs."""

from __future__ import annotations

import importlib
import socket
import subprocess
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from p4xdp.description import Description
from p4xdp.diagnostics import CompileError, Diagnostic
from p4xdp.runtime import devices, load, pins
from p4xdp.runtime.libbpf import BpfError, BpfMap, BpfProgram

ROOT = Path(__file__).parent.parent.parent
BPFFS = Path("/sys/fs/bpf")
DROP, PASS = 1, 2


@dataclass(frozen=True)
class Made:
    """An object and its description."""

    object: Path
    description: Description

    def with_description(self, **changes: Any) -> Made:
        return Made(self.object, replace(self.description, **changes))


class Namespace:
    """A network namespace: `va` and `vb` are a veth pair, `bridge` has no native XDP.

    As a context, it is where this thread is.
    """

    def __init__(self) -> None:
        self.name = f"p4xdp-{uuid.uuid4().hex[:8]}"
        self._netns = importlib.import_module("pyroute2.netns")
        subprocess.run(["ip", "netns", "add", self.name], check=True)
        for scope in ("all", "default"):  # or the kernel sends packets of its own
            self.run("sysctl", "-q", f"net.ipv6.conf.{scope}.disable_ipv6=1")
        self.ip("link", "add", "va", "type", "veth", "peer", "name", "vb")
        self.ip("link", "add", "bridge", "type", "bridge")
        for device in ("va", "vb", "bridge"):
            self.ip("link", "set", device, "up")
        with self:
            self.inode = devices.namespace()
        assert eventually(lambda: "state UP" in self.ip("link", "show", "vb"))

    def run(self, *command: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command in the namespace, which hides the BPF file system from it."""
        whole = ["ip", "netns", "exec", self.name, *map(str, command)]
        return subprocess.run(whole, capture_output=True, text=True, timeout=60, **options)

    def ip(self, *arguments: str) -> str:
        command = ["ip", "-n", self.name, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def __enter__(self) -> Namespace:
        self._netns.pushns(self.name)
        return self

    def __exit__(self, *_: object) -> None:
        self._netns.popns()

    def remove(self) -> None:
        """Remove the namespace and what p4xdp pinned for it."""
        for install in pins.installs():
            if install.attachment.namespace == self.inode:
                pins.remove(install.path)
        subprocess.run(["ip", "netns", "del", self.name], check=False)


def only(error: pytest.ExceptionInfo[CompileError]) -> Diagnostic:
    """Return the one diagnostic of an error."""
    (diagnostic,) = error.value.diagnostics
    return diagnostic


def put(made: Made, device: str = "va", **options: Any) -> load.Loaded:
    """Load what was made onto a device of this namespace."""
    return load.load(made.object, made.description, device, **options)


def codes(loaded: load.Loaded | load.Unloaded) -> list[str]:
    """Return the codes of the warnings, but for that on VLAN tags, which every veth gets."""
    return [d.code for d in loaded.diagnostics if d.code != "vlan-offload"]


def attached_id(device: str = "va") -> int | None:
    """Return the id of the XDP program on a device."""
    return next((id for _, id in devices.find(device).xdp), None)


def pin_names(device: str = "va") -> list[str]:
    """Return the pins that p4xdp has for a device of this namespace."""
    here = devices.namespace()
    return sorted(
        pin.name
        for one in pins.installs()
        if one.attachment.namespace == here and one.attachment.device == device
        for pin in one.path.iterdir()
    )


def eventually(holds: Callable[[], bool]) -> bool:
    """Wait, four seconds at most, for what the kernel does a moment later."""
    end = time.monotonic() + 4
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.01)
    return False


def program_is_gone(id: int) -> bool:
    """Say whether the kernel has freed a program."""
    return eventually(lambda: not _exists(BpfProgram, id))


def map_is_gone(id: int) -> bool:
    """Say whether the kernel has freed a map."""
    return eventually(lambda: not _exists(BpfMap, id))


def _exists(kind: type[BpfProgram] | type[BpfMap], id: int) -> bool:
    try:
        kind.by_id(id).close()
    except BpfError:
        return False
    return True


def send(device: str, *frames: bytes) -> None:
    """Put frames on a device of this namespace."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as raw:
        raw.bind((device, 0))
        for frame in frames:
            raw.send(frame)
