"""Every example goes through our binding, `bpftool prog load` and `ip link set ... xdp obj`, from
each clang and for the oldest and the default instruction set, with no word from any of them."""

from __future__ import annotations

import shutil
import subprocess
import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from sandbox import BPFFS, ROOT, Namespace, attached_id

from p4xdp.backend_c import Output
from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang
from p4xdp.runtime.libbpf import BpfObject

EXAMPLES = sorted([*ROOT.glob("examples/*.p4"), *ROOT.glob("examples/v1model/*.p4")])
FOUND = sorted((ROOT / "tests" / "stf" / "found").glob("*.p4"))
STACK_LIMIT = 512


@cache
def compiled(path: Path) -> Output:
    return compile(Session(path, Options()))


@pytest.fixture(scope="module")
def shared() -> Iterator[Namespace]:
    one = Namespace()
    yield one
    one.remove()


@pytest.fixture
def pins() -> Iterator[Path]:
    path = BPFFS / f"p4xdp-test-{uuid.uuid4().hex}"
    yield path
    path.unlink(missing_ok=True)


def our_binding(object: Path, pins: Path, namespace: Namespace) -> None:
    with BpfObject(object) as one:
        one.load()
        assert all(one.program(name).info().jited_size > 0 for name in one.programs)


def bpftool(object: Path, pins: Path, namespace: Namespace) -> None:
    command = ["bpftool", "prog", "load", object, pins]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def ip_link(object: Path, pins: Path, namespace: Namespace) -> None:
    done = namespace.run("ip", "link", "set", "dev", "va", "xdp", "obj", object, "sec", "xdp")
    try:
        assert (done.returncode, done.stderr) == (0, "")
        with namespace:
            assert attached_id()
    finally:
        namespace.ip("link", "set", "dev", "va", "xdp", "off")


LOADERS = (our_binding, bpftool, ip_link)


@pytest.mark.clang
@pytest.mark.parametrize("cpu", ["v1", "v3"])
@pytest.mark.parametrize("compiler", list(clang.installed()), ids=lambda c: f"clang-{c.version}")
@pytest.mark.parametrize("program", EXAMPLES, ids=lambda p: str(p.relative_to(ROOT / "examples")))
def test_an_example_loads_every_way(
    program: Path, compiler: clang.Clang, cpu: str, shared: Namespace, tmp_path: Path, pins: Path
) -> None:
    source = tmp_path / f"{program.stem}.c"
    source.write_text(compiled(program).c)
    built = clang.build(source, source.with_suffix(".o"), cpu=cpu, clang=compiler)
    assert built.warnings == ""
    for load_it in LOADERS:
        load_it(built.object, pins, shared)


@pytest.mark.clang
@pytest.mark.parametrize("target", ["xdp", "tc"])
@pytest.mark.parametrize("program", FOUND, ids=lambda p: p.stem)
def test_variables_in_a_map_are_no_obstacle(program: Path, target: str, tmp_path: Path) -> None:
    """With its variables in memory, a program has other live ranges, spills and copies."""
    options = Options(target=target, layout="scratch")
    session = Session(program, options)
    try:
        output = call_deep(lambda: compile(session))
    except CompileError:
        output = None
    if output is None:
        assert target == "tc"
        assert {d.code for d in session.diagnostics.errors} == {"unsupported"}
        return
    source = tmp_path / f"{program.stem}.c"
    source.write_text(output.c)
    newest = max(clang.installed(), key=lambda one: one.version)
    built = clang.build(source, source.with_suffix(".o"), clang=newest)
    assert built.warnings == ""
    with BpfObject(built.object) as one:
        one.load()


def test_the_tools_are_here() -> None:
    assert [tool for tool in ("bpftool", "ip") if not shutil.which(tool)] == []
    assert list(clang.installed())
    assert EXAMPLES
