"""The device that stands for the CPU port where a packet is copied.

The kernel copies packets to devices only. What goes to this one is told to user space by the
program that copies meet on their way, and dropped there: no frame ever leaves by it. It comes with
a load and goes with the last device that the program is taken off.
"""

from __future__ import annotations

from collections.abc import Iterable

from p4xdp.description import Description
from p4xdp.diagnostics import fail
from p4xdp.runtime import devices, pins
from p4xdp.runtime.devices import Device
from p4xdp.runtime.groups import Groups
from p4xdp.runtime.ports import Ports


def wanted(description: Description, groups: Groups | None, ports: Ports) -> bool:
    """Say whether copies of packets may go to a CPU port behind which there is no device."""
    if description.cpu_port is None or description.groups is None or groups is None:
        return False
    copies = bool(groups.state.groups or groups.state.sessions)
    return copies and description.cpu_port not in [number for number, _ in ports]


def name_beside(device: Device) -> str:
    """Return its name; `device` is that of the first port."""
    return f"p4xdp-cpu{device.index}"


def make(name: str) -> None:
    """Make the device unless it is there; raises CompileError (`no-cpu-device`)."""
    if any(device.name == name for device in devices.devices()):
        return
    with devices.netlink() as route:
        try:
            route.link("add", ifname=name, kind="tuntap", mode="tap")
            route.link("set", index=devices.find(name).index, state="up")
        except Exception as error:
            reason = f"the device `{name}` for copies to the CPU port cannot be made: {error}"
            help = "give the port a device of your own, which is up: `--port N=DEV`"
            raise fail("no-cpu-device", None, reason, help=help) from error


def remove_unused(names: Iterable[str]) -> None:
    """Remove those of the devices that are there and that nothing loaded here needs."""
    here = devices.namespace()
    loaded = [one.attachment for one in pins.installs() if not one.is_staged()]
    unused = set(names) - {at.cpu_device for at in loaded if at.namespace == here}
    for device in devices.devices() if unused else ():
        if device.name in unused:
            with devices.netlink() as route:
                route.link("del", index=device.index)
