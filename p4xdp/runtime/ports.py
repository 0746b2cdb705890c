"""Port numbers and the devices behind them: the maps that turn one into the other."""

from __future__ import annotations

import errno as codes
import struct
from collections.abc import Sequence

from p4xdp.description import Description
from p4xdp.diagnostics import CompileError, Diagnostic, Severity, fail
from p4xdp.runtime import capi, devices
from p4xdp.runtime.attach import Attached
from p4xdp.runtime.devices import Device
from p4xdp.runtime.groups import ITS_PORT, NO_SESSION, TO_ITSELF, Copies, Groups
from p4xdp.runtime.libbpf import BpfError, BpfMap, BpfObject, BpfProgram
from p4xdp.runtime.maps import KernelMaps

Ports = tuple[tuple[int, str], ...]
"""Which device is behind a port number."""

Loop = tuple[str, str]
"""Two devices: what leaves by the first comes in by the second."""


CONTROLLERS = "lo"
"""The device by which packets of controllers come: the kernel says so of what a test run sends."""


def carriers(
    description: Description, device: Device, ports: Ports, loop: Loop | None = None
) -> list[Device]:
    """Return the devices that a program runs on: `device`, for one with ports of its own those
    behind its ports, and where a loop comes in; raises CompileError (`port-map`, `no-device`)."""
    found = {device.index: device}
    if loop is not None:
        if description.looped is None:
            text = f"no packet of `{description.program}` goes through a loop"
            raise fail("port-map", None, text, help="leave out `--loop`")
        entered = devices.find(loop[1])
        found[entered.index] = entered
    if description.host_port is not None:
        others = [devices.find(name) for _, name in ports]
        found |= {other.index: other for other in others}
    return list(found.values())


def make_room(made: BpfObject, description: Description, ports: Ports) -> None:
    """Size the map of interfaces, before the object is loaded; raises BpfError."""
    if description.interfaces is not None and ports:
        last = max(devices.find(name).index for _, name in ports)
        made.set_max_entries(description.interfaces, last + 1)


def connect(
    maps: KernelMaps, description: Description, ports: Ports, replica: BpfProgram | None = None
) -> None:
    """Fill the maps of ports, whose entries name `replica` if copies leave by them.

    Raises CompileError (`port-map`, `no-device`).
    """
    if description.devmap is None:
        if ports:
            text = f"`{description.program}` has no port map: its ports are interface numbers"
            raise fail("port-map", None, text, help="leave out `--port`")
        return
    if description.host_port is not None and not ports:
        raise fail(
            "port-map",
            None,
            f"`{description.program}` has ports of its own: say which devices they are",
            help="as in `--port 0=eth0 --port 1=eth1`",
        )
    _check_twice(description, ports)
    _connect_interfaces(maps, description, ports)
    devmap = maps[description.devmap]
    wanted = {n: devices.find(name).index for n, name in ports} or _own_numbers()
    size = devmap.info.max_entries
    if ports and len(wanted) > size:
        text = f"{len(wanted)} ports, but the port map of `{description.program}` holds {size}"
        raise fail("port-map", None, text)
    for number, index in list(wanted.items())[:size]:
        _connect(devmap, number, index, replica, required=bool(ports))


def _check_twice(description: Description, ports: Ports) -> None:
    """Refuse two devices behind a port, and two ports of a device whose packets learn theirs."""
    numbers = [number for number, _ in ports]
    for number in {n for n in numbers if numbers.count(n) > 1}:
        raise fail("port-map", None, f"port {number} is said to be several devices")
    names = [name for _, name in ports]
    if description.interfaces is not None:
        for name in {n for n in names if names.count(n) > 1}:
            text = f"`{name}` is said to be several ports, but its packets have one `ingress_port`"
            raise fail("port-map", None, text)


def _own_numbers() -> dict[int, int]:
    return {d.index: d.index for d in devices.devices() if d.up}


def _connect(
    devmap: BpfMap, number: int, index: int, replica: BpfProgram | None, *, required: bool
) -> None:
    """Store one port; a number that an array devmap cannot hold matters only when asked for."""
    value = struct.pack("I", index) + (struct.pack("i", replica.fd) if replica else b"")
    value = value.ljust(devmap.info.value_size, b"\0")
    try:
        devmap.update(struct.pack("I", number), value)
    except BpfError as error:
        if required or error.errno != codes.E2BIG:
            reason = capi.message(error.errno)
            if error.errno == codes.E2BIG:
                reason = f"it holds ports 0 to {devmap.info.max_entries - 1}"
            text = f"port {number} cannot be in the port map: {reason}"
            raise fail("port-map", None, text) from error


def connect_groups(
    made: BpfObject,
    description: Description,
    groups: Groups,
    ports: Ports,
    loop: Loop | None = None,
) -> None:
    """Let copies reach their devices, where they meet the program once more, or all the loop;
    raises CompileError (`port-map`), BpfError."""
    if description.groups is None or description.replica is None:
        return
    devices_of = {number: devices.find(name).index for number, name in ports}
    program = made.program(description.replica)
    through = None
    if loop is not None and description.looped is not None:
        program, through = made.program(description.looped), devices.find(loop[0]).index
    outer = made.map(description.groups)
    for copies in groups.every(devices_of):
        found = [port for port, _ in groups.ports(copies)]
        if copies.where == TO_ITSELF and through is None:
            continue
        with BpfMap.create("copies", "devmap_hash", 4, 8, max(len(found), 1)) as inner:
            for index, port in enumerate(found):
                if port not in devices_of and port != ITS_PORT:
                    raise _no_device(copies, port)
                value = struct.pack("=Ii", through or devices_of[port], program.fd)
                inner.update(struct.pack("=I", index), value)
            outer.update(copies.key, struct.pack("=i", inner.fd))


def _no_device(copies: Copies, port: int) -> CompileError:
    what = f"group {copies.to}" if copies.session == NO_SESSION else f"session {copies.session}"
    text = f"{what} has a copy for port {port}, which is no device"
    return fail("port-map", None, text, help=f"as in `--port {port}=eth0`")


def _connect_interfaces(maps: KernelMaps, description: Description, ports: Ports) -> None:
    if description.interfaces is None:
        return
    if description.cpu_port is not None:
        ports = (*ports, (description.cpu_port, CONTROLLERS))
    for number, name in ports:
        index = devices.find(name).index
        interface, port = struct.pack("=I", index), struct.pack("=I", number + 1)
        maps.update(description.interfaces, interface, port)


def without_controller(description: Description) -> list[Diagnostic]:
    """Say to a program that is written for a controller that it has none."""
    if not description.controller_headers or description.cpu_port is not None:
        return []
    names = ", ".join(f"`{header.name}`" for header in description.controller_headers)
    text = f"`{description.program}` has headers for a controller ({names}), but no port for it"
    help = "`--cpu-port N` with the port that the program calls so, often 255 or 510"
    return [Diagnostic(Severity.WARNING, "no-cpu-port", None, text, help=help)]


def check_copies(
    description: Description, groups: Groups | None, attached: Sequence[Attached]
) -> None:
    """Refuse groups and sessions in generic mode (`no-native-xdp`): there all copies of a packet
    have the same bytes in memory, which one's egress would change for all, and no metadata."""
    copies = next(groups.every(()), None) if groups else None
    if copies is not None and any(one.mode == "generic" for one in attached):
        raise fail(
            "no-native-xdp",
            None,
            f"`{description.program}` copies packets, which it cannot do in generic mode",
            help="put it on devices whose drivers run XDP",
        )


def warnings(ports: Ports, attached: Attached) -> list[Diagnostic]:
    """Name the ports whose drivers say that native XDP cannot send by them."""
    if attached.mode != "native" or not ports:
        return []
    features = devices.xdp_features()
    found = []
    for number, name in ports:
        able = features.get(devices.find(name).index, devices.XDP_REDIRECT_TARGET)
        if not able & devices.XDP_REDIRECT_TARGET:
            text = f"port {number}: `{name}` drops what native XDP redirects to it"
            help = (
                "a veth takes it when its peer has an XDP program or GRO (`ethtool -K PEER gro on`)"
            )
            found.append(Diagnostic(Severity.WARNING, "redirect-target", None, text, help=help))
    return found
