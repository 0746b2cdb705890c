"""A v1model program on the devices p0 to p3, and what arrives at their far ends, q0 to q3."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sandbox import Namespace

from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang, load
from p4xdp.runtime.entries import apply_requests
from p4xdp.runtime.groups import Groups
from p4xdp.runtime.load import Loaded
from p4xdp.runtime.maps import KernelMaps
from p4xdp.stf.parser import parse_case
from p4xdp.stf.syntax import Packet

PORTS = (0, 1, 2, 3)
ALL_FRAMES = 3
QUIET_SECONDS = 0.7
SO_RCVBUFFORCE, BUFFER_BYTES = 33, 1 << 24


@contextmanager
def running(
    program: Path,
    requests: str,
    namespace: Namespace,
    directory: Path,
    *,
    ports: tuple[int, ...] = PORTS,
    loop: bool = False,
    mode: str | None = None,
    layout: str | None = None,
) -> Iterator[Loaded]:
    """Load a program on the devices p0 to p3, whose far ends are q0 to q3, as those of `ports`;
    with a `loop` from pl to ql."""
    for name in (*PORTS, "l") if loop else PORTS:
        namespace.ip("link", "add", f"p{name}", "type", "veth", "peer", "name", f"q{name}")
        for end in (f"p{name}", f"q{name}"):
            namespace.ip("link", "set", end, "up")
            namespace.run("ethtool", "-K", end, "gro", "on", "rxvlan", "off")
    output = compile(Session(program, Options(layout=layout)))
    source, object = directory / "a.c", directory / "a.o"
    source.write_text(output.c)
    clang.build(source, object)
    asked = parse_case(requests, "requests").statements
    groups = Groups.of(output.description)

    def fill(maps: KernelMaps) -> None:
        apply_requests(output.description, maps, asked, groups)

    devices = tuple((port, f"p{number}") for number, port in enumerate(ports))
    loaded = load.load(
        object,
        output.description,
        "p0",
        ports=devices,
        fill=fill,
        groups=groups,
        loop=("pl", "ql") if loop else None,
        mode=mode,
    )
    try:
        yield loaded
    finally:
        for name in ("p0", "p1", "p2", "p3", "ql") if loop else ("p0", "p1", "p2", "p3"):
            load.unload(name)


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
            one.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
            one.bind((f"q{port}", 0))
            found[port] = stack.enter_context(one)
        yield found


def packet(text: str) -> bytes:
    (statement,) = parse_case(f"packet 0 {text}", "packet").statements
    assert isinstance(statement, Packet)
    return statement.data
