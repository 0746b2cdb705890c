"""The whole way of a user: load, traffic, a C tool that changes a table, a look inside, unload."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sandbox import BPFFS, ROOT, Namespace, attached_id, map_is_gone, program_is_gone

from p4xdp.runtime import clang, devices, pins

MAC = "02:00:00:00:00:01"
FRAME = bytes.fromhex("02000000000102000000000288b5") + b"hello".ljust(46, b"\0")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
EXAMPLE = ROOT / "examples" / "mactable.p4"


class Pair:
    """Two namespaces; frames sent on `vb` of the far one arrive on `va` of the near one."""

    def __init__(self, near: Namespace, far: Namespace) -> None:
        self.near, self.far = near, far
        near.ip("link", "set", "vb", "netns", far.name, "name", "out")
        far.ip("link", "set", "out", "up")
        with near:
            self._in = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88B5))
            self._in.bind(("va", 0x88B5))
            self._in.settimeout(0.3)
        with far:
            self._out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
            self._out.bind(("out", 0))

    def passes(self) -> bool:
        """Send a frame; say whether it comes through to the network stack."""
        self._out.send(FRAME)
        try:
            return self._in.recv(2048) == FRAME
        except TimeoutError:
            return False

    def p4xdp(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "p4xdp.cli", *arguments]
        return self.near.run(*command, env=ENVIRONMENT)

    def close(self) -> None:
        self._in.close()
        self._out.close()


@pytest.fixture
def pair(new_namespace: Callable[[], Namespace]) -> Iterator[Pair]:
    one = Pair(new_namespace(), new_namespace())
    yield one
    one.close()


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C tool, built against the generated header."""
    here = tmp_path_factory.mktemp("tool")
    subprocess.run(
        [sys.executable, "-m", "p4xdp.cli", "-o", here / "mactable.c", EXAMPLE],
        env=ENVIRONMENT,
        check=True,
    )
    source = ROOT / "examples" / "tools" / "mactable.c"
    flags = ["-Wall", "-Wextra", "-Werror", f"-I{here}", f"-I{clang.include_dir()}"]
    subprocess.run(["cc", *flags, "-o", here / "tool", source, "-lbpf"], check=True)
    return here / "tool"


def test_a_program_is_loaded_steered_by_a_c_tool_and_unloaded(pair: Pair, tool: Path) -> None:
    assert pair.passes()
    done = pair.p4xdp("load", EXAMPLE, "--dev", "va")
    assert done.returncode == 0, done.stderr
    assert pair.passes()
    with pair.near:
        id = attached_id()
        (install,) = pins.of_device("va", devices.find("va").index)
        assert install.path.parent.parent == BPFFS / "p4xdp"
        assert f"pinned in {install.path}" in done.stdout
        with install.program() as program:
            maps = program.info().map_ids
        directory = install.path

    subprocess.run([tool, directory, "add", MAC, "drop"], check=True, capture_output=True)
    assert not pair.passes()
    dump = ["bpftool", "-j", "map", "dump", "pinned", directory / "mactable"]
    (entry,) = json.loads(subprocess.run(dump, check=True, capture_output=True).stdout)
    assert entry["formatted"]["value"]["action"] == "mactable_Drop_action"
    assert entry["formatted"]["key"]["field0"] == [2, 0, 0, 0, 0, 1]
    subprocess.run([tool, directory, "del", MAC], check=True, capture_output=True)
    assert pair.passes()
    subprocess.run([tool, directory, "default", "drop"], check=True, capture_output=True)
    assert not pair.passes()

    again = pair.p4xdp("load", EXAMPLE, "--dev", "va")
    assert again.returncode == 0, again.stderr
    assert not pair.passes(), "the default action lives on over a reload"
    assert "default action changed" in pair.p4xdp("status", "--dev", "va").stdout

    done = pair.p4xdp("unload", "--dev", "va")
    assert (done.returncode, done.stderr) == (0, "")
    assert pair.passes()
    assert not directory.exists()
    assert program_is_gone(id or 0)
    assert all(map_is_gone(one) for one in maps)


def test_entries_are_in_force_from_the_first_packet(pair: Pair, tmp_path: Path) -> None:
    entries = tmp_path / "entries"
    entries.write_text("add mactable hd.eth.dst:0x020000000001 Drop_action()\n")
    done = pair.p4xdp("load", EXAMPLE, "--dev", "va", "--entries", entries)
    assert done.returncode == 0, done.stderr
    assert not pair.passes()


def test_a_wrong_entry_leaves_the_device_as_it_was(pair: Pair, tmp_path: Path) -> None:
    entries = tmp_path / "entries"
    entries.write_text("add mactable hd.eth.dst:0x020000000001 NoSuchAction()\n")
    done = pair.p4xdp("load", EXAMPLE, "--dev", "va", "--entries", entries)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0].startswith(f"{entries}:1:")
    with pair.near:
        assert attached_id() is None
    assert pair.passes()
