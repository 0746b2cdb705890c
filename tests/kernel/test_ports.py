"""v1model programs on real devices: one program for the devices of all ports."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sandbox import ROOT, Namespace

from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang, load
from p4xdp.runtime.entries import apply_requests
from p4xdp.runtime.groups import Groups
from p4xdp.runtime.maps import KernelMaps
from p4xdp.stf.parser import parse_case
from p4xdp.stf.syntax import Packet

PORTS = (0, 1, 2, 3)
ALL_FRAMES = 3
QUIET_SECONDS = 0.7


@contextmanager
def running(program: Path, requests: str, namespace: Namespace, directory: Path) -> Iterator[None]:
    """Load a program on the devices p0 to p3, whose far ends are q0 to q3."""
    for port in PORTS:
        namespace.ip("link", "add", f"p{port}", "type", "veth", "peer", "name", f"q{port}")
        for end in (f"p{port}", f"q{port}"):
            namespace.ip("link", "set", end, "up")
            namespace.run("ethtool", "-K", end, "gro", "on", "rxvlan", "off")
    output = compile(Session(program, Options()))
    source, object = directory / "a.c", directory / "a.o"
    source.write_text(output.c)
    clang.build(source, object)
    asked = parse_case(requests, "requests").statements
    groups = Groups()
    others = [r for r in asked if not groups.take(output.description, r)]

    def fill(maps: KernelMaps) -> None:
        apply_requests(output.description, maps, others)

    devices = tuple((port, f"p{port}") for port in PORTS)
    load.load(object, output.description, "p0", ports=devices, fill=fill, groups=groups)
    try:
        yield
    finally:
        for port in PORTS:
            load.unload(f"p{port}")


def frames(far: dict[int, socket.socket]) -> dict[int, list[bytes]]:
    """Return what has arrived at each far end once nothing follows for a while."""
    found: dict[int, list[bytes]] = {}
    for port, one in far.items():
        one.settimeout(QUIET_SECONDS)
        found[port] = []
        try:
            while True:
                found[port].append(one.recv(2048))
        except TimeoutError:
            continue
    return found


@contextmanager
def far_ends() -> Iterator[dict[int, socket.socket]]:
    with ExitStack() as stack:
        found = {}
        for port in PORTS:
            one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_FRAMES))
            one.bind((f"q{port}", 0))
            found[port] = stack.enter_context(one)
        yield found


def packet(text: str) -> bytes:
    (statement,) = parse_case(f"packet 0 {text}", "packet").statements
    assert isinstance(statement, Packet)
    return statement.data


@pytest.mark.kernel
def test_a_group_of_three_ports(namespace: Namespace, tmp_path: Path) -> None:
    program = ROOT / "tests" / "stf" / "v1model" / "multicast.p4"
    groups = (
        "mc_mgrp_create 5\nmc_node_create 17 1 2\nmc_node_create 18 3\n"
        "mc_node_associate 5 0\nmc_node_associate 5 1\n"
    )
    head, rest = "000000000001 000000000002 0800", "aa" * 50
    with namespace, running(program, groups, namespace, tmp_path), far_ends() as far:
        far[0].send(packet(f"{head} 05000000 {rest}"))
        arrived = frames({port: far[port] for port in (1, 2, 3)})
    assert arrived == {
        1: [packet(f"{head} 05511105 {rest}")],
        2: [packet(f"{head} 05521105 {rest}")],
        3: [packet(f"{head} 05531205 {rest}")],
    }


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
