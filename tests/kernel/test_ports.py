"""v1model programs on real devices: one program for the devices of all ports."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandbox import ROOT, Namespace
from switch_ports import far_ends, frames, packet, running

from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang, load


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("ports", "text"),
    [
        (((600, "va"),), "port 600 cannot be in the port map: it holds ports 0 to 511"),
        (((1, "va"), (2, "va")), "`va` is said to be several ports"),
        ((), "has ports of its own"),
    ],
)
def test_ports_that_cannot_be(
    namespace: Namespace, tmp_path: Path, ports: tuple[tuple[int, str], ...], text: str
) -> None:
    output = compile(Session(ROOT / "tests" / "stf" / "v1model" / "ports.p4", Options()))
    source, object = tmp_path / "a.c", tmp_path / "a.o"
    source.write_text(output.c)
    clang.build(source, object)
    with namespace, pytest.raises(CompileError, match=text):
        load.load(object, output.description, "va", ports=ports)


@pytest.mark.kernel
def test_a_loop_that_nothing_goes_through(namespace: Namespace, tmp_path: Path) -> None:
    output = compile(Session(ROOT / "tests" / "stf" / "v1model" / "ports.p4", Options()))
    source, object = tmp_path / "a.c", tmp_path / "a.o"
    source.write_text(output.c)
    clang.build(source, object)
    with namespace, pytest.raises(CompileError, match="no packet of `ports` goes through a loop"):
        load.load(object, output.description, "va", ports=((1, "va"),), loop=("va", "vb"))


@pytest.mark.kernel
def test_forwarding_by_the_longest_prefix(namespace: Namespace, tmp_path: Path) -> None:
    program = ROOT / "bench" / "programs" / "v1_forward.p4"
    routes = "add routes hd.ipv4.dst:0x0a000200/24 forward(next_hop:0x020000000222, port:2)\n"
    before = "450000240000000040060000 0a000101 0a000201" + "00" * 30
    with namespace, running(program, routes, namespace, tmp_path), far_ends() as far:
        far[0].send(packet(f"020000000001 020000000002 0800 {before}"))
        arrived = frames({port: far[port] for port in (1, 2, 3)})
    (frame,) = arrived[2]
    assert frame[:14] == bytes.fromhex("0200000002220200000000010800")
    assert frame[22] == 63
    assert arrived[1] == arrived[3] == []
