"""The veth place: the program attached to real devices, real frames in and out.

Two network namespaces, and for each port a veth pair between them. The inner end runs the
program; its interface index is a fixed base plus the port. Frames are sent by the outer end. A
frame that passes arrives at the inner end, one that is transmitted or redirected at an outer one.
The device's counters say when the program has seen a frame and whether it dropped it, so that
nothing is waited for that never comes.
"""

from __future__ import annotations

import errno
import select
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from p4xdp.description import Description
from p4xdp.runtime.groups import REQUESTS as REPLICATION
from p4xdp.runtime.libbpf import BpfObject, BpfProgram
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.requests import Request
from p4xdp.runtime.ringbuf import RingBuffer
from p4xdp.signals import held
from p4xdp.stf.frames import FrameSocket
from p4xdp.stf.kernel import (
    BY_INTERFACE,
    build,
    listening,
    load_for_test,
    recorded_port,
    set_test,
)
from p4xdp.stf.namespace import Namespace, silence
from p4xdp.stf.place import (
    MapControl,
    Outcome,
    PacketRefused,
    PlaceError,
    PlaceMissing,
    Task,
    as_ports_say,
    check_port,
    output_port,
    with_messages,
)
from p4xdp.stf.statistics import Statistics
from p4xdp.stf.syntax import Verdict
from p4xdp.stf.tracing import AbortedCount, aborted_count

PORT_BASE = 1000
MOST_PORT = 0x7FFFFFFF - PORT_BASE
MTU = 3000
"""Nearly the most that a veth with an XDP program takes."""

XDP_NATIVE = 1 << 2
ARRIVAL_SECONDS = 5.0
SETTLE_SECONDS = 0.02
UP_SECONDS = 10.0
WRAPPING = 14
"""The bytes that far_end.c puts in front of a frame."""


@contextmanager
def open_veth(task: Task) -> Iterator[VethPlace]:
    """Set everything up, and down again; raises PlaceError, PlaceMissing, CompileError."""
    for port in task.ports:
        if port > MOST_PORT:
            raise PlaceError(f"port {port} cannot be an interface: the greatest is {MOST_PORT}")
    with load_for_test(task) as (loaded, description), ExitStack() as stack:
        program = loaded.program(description.function)
        far = stack.enter_context(_far_end(task.build_dir)).program("wrap")
        wires = stack.enter_context(_wires(task.ports, program, far))
        aborted = stack.enter_context(aborted_count(program.info().id))
        maps = KernelMaps.of_object(loaded)
        set_test(maps, BY_INTERFACE, 0, PORT_BASE)
        messages = stack.enter_context(listening(maps, description))
        place = VethPlace(maps, description, wires, aborted, task.timeout, messages)
        place.fill_devmap(task.ports)
        yield place


@contextmanager
def _far_end(build_dir: Path) -> Iterator[BpfObject]:
    text = (resources.files("p4xdp") / "stf" / "far_end.c").read_text()
    with BpfObject(build(text, build_dir)) as loaded:
        loaded.load()
        yield loaded


class Wires:
    """The veth pairs of the ports, their sockets, and the counters of the inner ends."""

    def __init__(self, inner: Namespace, outer: Namespace) -> None:
        self.inner = inner
        self.outer = outer
        self.near: dict[int, FrameSocket] = {}
        self.far: dict[int, FrameSocket] = {}
        self.counted: dict[int, Statistics] = {}

    def close(self) -> None:
        for frames in (*self.near.values(), *self.far.values()):
            frames.close()
        for statistics in self.counted.values():
            statistics.close()
        self.inner.close()
        self.outer.close()


@contextmanager
def _wires(ports: tuple[int, ...], program: BpfProgram, far: BpfProgram) -> Iterator[Wires]:
    inner = Namespace()
    try:
        wires = Wires(inner, Namespace())
    except BaseException:
        inner.close()
        raise
    try:
        try:
            _lay(wires, ports, program, far)
        except OSError as error:
            raise PlaceError(f"setting up veth pairs failed: {error}") from error
        yield wires
    finally:
        wires.close()


def _lay(wires: Wires, ports: tuple[int, ...], program: BpfProgram, far: BpfProgram) -> None:
    """Make the pairs, attach, bring everything up, open the sockets."""
    with _netlink(wires.inner) as inner, _netlink(wires.outer) as outer:
        for port in ports:
            _add_pair(inner, port, wires.outer)
        for route, attached in ((inner, program), (outer, far)):
            for link in route.get_links():
                if link.get("ifi_type") == 1:
                    xdp = {"attrs": [("IFLA_XDP_FD", attached.fd), ("IFLA_XDP_FLAGS", XDP_NATIVE)]}
                    route.link("set", index=link["index"], state="up", xdp=xdp)
        _wait_until_up(inner)
        _wait_until_up(outer)
    for namespace, sockets in ((wires.inner, wires.near), (wires.outer, wires.far)):
        with namespace.inside():
            for port in ports:
                sockets[port] = FrameSocket(f"p{port}")
    with wires.inner.inside():
        for port in ports:
            wires.counted[port] = Statistics(f"p{port}")


@contextmanager
def _netlink(namespace: Namespace) -> Iterator[Any]:
    """Open a netlink socket in the namespace; raises PlaceMissing, PlaceError."""
    try:
        from pyroute2.iproute.linux import IPRoute
        from pyroute2.netlink.exceptions import NetlinkError
    except ImportError:
        text = "pyroute2 is not installed: `pip install 'p4xdp[run]'`"
        raise PlaceMissing(text) from None
    with namespace.inside():
        silence()
        try:
            with held(), IPRoute() as route:  # type: ignore[no-untyped-call]
                yield route
        except NetlinkError as error:
            if error.code == errno.EOPNOTSUPP:
                raise PlaceMissing(f"no veth devices here: {error}") from error
            raise PlaceError(f"setting up veth pairs failed: {error}") from error


def _add_pair(inner: Any, port: int, outer: Namespace) -> None:
    name = f"p{port}"
    peer = {"ifname": name, "mtu": MTU, "net_ns_fd": outer.fd}
    inner.link("add", ifname=name, kind="veth", index=PORT_BASE + port, mtu=MTU, peer=peer)


def _wait_until_up(route: Any) -> None:
    deadline = time.monotonic() + UP_SECONDS
    while time.monotonic() < deadline:
        links = [link for link in route.get_links() if link.get("ifi_type") == 1]
        if all(link.get("operstate") == "UP" for link in links):
            return
        time.sleep(0.002)
    raise PlaceError(f"the veth pairs are not up after {UP_SECONDS} seconds")


class _WithoutCopies(MapControl):
    """The control plane of a place that has no broadcasts."""

    def apply(self, requests: Sequence[Request]) -> None:
        """Carry out the requests; raises CompileError, and PlaceMissing for groups and sessions."""
        super().apply(requests)
        if any(isinstance(one, REPLICATION) for one in requests):
            raise PlaceMissing("copies of packets are not sent over veth: `kernel` runs such cases")


class VethPlace:
    """A program on the inner ends of veth pairs."""

    def __init__(
        self,
        maps: KernelMaps,
        description: Description,
        wires: Wires,
        aborted: AbortedCount | None,
        timeout: float,
        messages: RingBuffer | None,
    ) -> None:
        self.description = description
        self.maps = maps
        self.control = _WithoutCopies.of_fresh(description, maps)
        self._wires = wires
        self._aborted = aborted
        self._timeout = timeout
        self._messages = messages
        self._sockets = {
            **{s.fileno(): (s, port, True) for port, s in wires.near.items()},
            **{s.fileno(): (s, port, False) for port, s in wires.far.items()},
        }
        self._poll = select.poll()
        for descriptor in self._sockets:
            self._poll.register(descriptor, select.POLLIN)

    def fill_devmap(self, ports: tuple[int, ...]) -> None:
        """Let each port stand for its interface, which the kernel seeks in this namespace."""
        name = self.description.devmap
        if name is None:
            return
        value_size = self.maps[name].info.value_size
        ports = tuple([port for port in ports if not port >> self.description.port_width])
        with self._wires.inner.inside():
            for port in ports:
                value = struct.pack("=I", PORT_BASE + port).ljust(value_size, b"\0")
                self.maps.update(name, struct.pack("=I", port), value)
        if self.description.interfaces is not None:
            for port in ports:
                pair = struct.pack("=I", PORT_BASE + port), struct.pack("=I", port + 1)
                self.maps.update(self.description.interfaces, *pair)

    def send(self, port: int, data: bytes) -> Outcome:
        check_port(port, self.description.port_width)
        outcome = self._sent(port, data)
        records = self._messages.read() if self._messages else ()
        outcome = with_messages(outcome, self.description, records)
        return as_ports_say(outcome, port, self.description.host_port)

    def _sent(self, port: int, data: bytes) -> Outcome:
        before = self._wires.counted[port].read()
        try:
            self._wires.far[port].send(data)
        except OSError as error:
            text = f"a packet of {len(data)} bytes cannot be sent: {error.strerror}"
            raise PacketRefused(text) from error
        after = self._processed(port, before)
        if after["drops"] > before["drops"]:
            raise PlaceError("the kernel could not redirect the packet: no such port in this case")
        if after["xdp_drops"] > before["xdp_drops"]:
            self._check_wanted()
            return self._dropped(port)
        return self._arrived(port, after["xdp_redirect"] > before["xdp_redirect"])

    def _processed(self, port: int, before: dict[str, int]) -> dict[str, int]:
        """Return the counters once the program has seen the packet."""
        deadline = time.monotonic() + self._timeout
        while time.monotonic() < deadline:
            after = self._wires.counted[port].read()
            if after["xdp_packets"] > before["xdp_packets"]:
                return after
            time.sleep(0.0005)
        raise PlaceError(f"the packet did not reach the program in {self._timeout} seconds")

    def _check_wanted(self) -> None:
        """Raise PlaceError for a packet that was dropped because its port leads nowhere."""
        wanted = recorded_port(self.maps)
        if wanted is not None:
            set_test(self.maps, BY_INTERFACE, 0, PORT_BASE)
            text = f"the packet was to leave by port {wanted}, which this case does not name"
            raise PlaceError(text)

    def _dropped(self, port: int) -> Outcome:
        if self._aborted is None:
            return Outcome("drop", port, None, either=True)
        return Outcome("aborted" if self._aborted.is_new() else "drop", port, None)

    def _arrived(self, port: int, is_redirect: bool) -> Outcome:
        arrived = self._receive(ARRIVAL_SECONDS)
        if arrived is None:
            raise PlaceError("the packet was not dropped, but it arrived nowhere")
        near, left_by, frame = arrived
        verdict: Verdict = "redirect" if is_redirect else "pass" if near else "tx"
        if (near and is_redirect) or (left_by != port and not is_redirect):
            side = "inner" if near else "outer"
            raise PlaceError(f"verdict {verdict}, but at port {left_by} the {side} end got it")
        left_by = output_port(self.description, verdict, left_by, left_by)
        return Outcome(verdict, left_by, frame)

    def stray(self) -> tuple[tuple[int, bytes], ...]:
        found: list[tuple[int, bytes]] = []
        while True:
            arrived = self._receive(SETTLE_SECONDS)
            if arrived is None:
                return tuple(found)
            found.append(arrived[1:])

    def _receive(self, seconds: float) -> tuple[bool, int, bytes] | None:
        """Return the next frame that arrives anywhere: at an inner end, the port, the bytes."""
        for descriptor, _ in self._poll.poll(seconds * 1000):
            frames, port, near = self._sockets[descriptor]
            frame = frames.receive()
            if frame is not None:
                return near, port, frame if near else frame[WRAPPING:]
        return None
