"""Objects go through our binding, `bpftool prog load` and `ip link set ... xdp obj` alike."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sandbox import BPFFS, Made, Namespace, attached_id

from p4xdp.runtime import clang
from p4xdp.runtime.libbpf import BpfObject

Make = Callable[..., Made]
CLANGS = [pytest.param(one, id=f"clang-{one.version}") for one in clang.installed()]
pytestmark = [
    pytest.mark.clang,
    pytest.mark.parametrize("compiler", CLANGS),
    pytest.mark.parametrize("cpu", ["v1", "v3"]),
]


@pytest.fixture
def object(make: Make, compiler: clang.Clang, cpu: str, tmp_path: Path) -> Path:
    source = make().object.with_suffix(".c")
    built = clang.build(source, tmp_path / "by_hand.o", cpu=cpu, clang=compiler)
    assert built.warnings == ""
    return built.object


@pytest.fixture
def pins(tmp_path: Path) -> Iterator[Path]:
    path = BPFFS / f"p4xdp-test-{tmp_path.name}"
    yield path
    for pin in sorted(path.rglob("*"), reverse=True) if path.is_dir() else [path]:
        pin.rmdir() if pin.is_dir() else pin.unlink(missing_ok=True)
    if path.is_dir():
        path.rmdir()


def test_our_binding_loads_it(object: Path) -> None:
    with BpfObject(object) as one:
        one.load()
        assert one.program("by_hand").info().jited_size > 0


def test_bpftool_loads_it(object: Path, pins: Path) -> None:
    command = ["bpftool", "prog", "load", object, pins, "type", "xdp"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_ip_link_loads_it(object: Path, namespace: Namespace) -> None:
    done = namespace.run("ip", "link", "set", "dev", "va", "xdp", "obj", object, "sec", "xdp")
    assert (done.returncode, done.stderr) == (0, "")
    assert attached_id()
