"""Network devices of the current namespace, as the kernel describes them, through pyroute2."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from p4xdp.diagnostics import fail
from p4xdp.records import dataclass
from p4xdp.signals import held

UP = 1
NETDEV_DEV_GET = 1
XDP_BASIC, XDP_REDIRECT_TARGET = 1, 4
EXTRA = "install it: `pip install 'p4xdp[run]'`"

XDP_MODES = (
    ("native", "IFLA_XDP_DRV_PROG_ID"),
    ("generic", "IFLA_XDP_SKB_PROG_ID"),
    ("offload", "IFLA_XDP_HW_PROG_ID"),
)


@dataclass(frozen=True, slots=True)
class Device:
    """A device: `kind` is the link kind (veth, vlan, ...) or empty; `xdp` holds (mode, program
    id) of every attached XDP program."""

    name: str
    index: int
    mtu: int
    up: bool
    kind: str
    xdp: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Offloads:
    """The features of a device that change what XDP sees."""

    rx_vlan: bool
    lro: bool


@contextmanager
def netlink() -> Iterator[Any]:
    """Open rtnetlink with extended errors; raises CompileError (`missing-package`).

    Signals wait until it is closed: what a handler raises inside pyroute2's event loop stops the
    loop, and whoever waits for it waits for ever.
    """
    try:
        pyroute2 = importlib.import_module("pyroute2")
    except ImportError:
        raise fail("missing-package", None, "pyroute2 is not installed", help=EXTRA) from None
    with held(), pyroute2.IPRoute(ext_ack=True) as route:
        yield route


def devices() -> tuple[Device, ...]:
    """Return the devices of this namespace by index."""
    with netlink() as route:
        found = [_device(link) for link in route.get_links()]
    return tuple(sorted(found, key=lambda d: d.index))


def find(name: str) -> Device:
    """Return the device called `name`; raises CompileError (`no-device`)."""
    everything = devices()
    for device in everything:
        if device.name == name:
            return device
    names = [d.name for d in everything]
    close = difflib.get_close_matches(name, names, 1)
    raise fail(
        "no-device",
        None,
        f"there is no device `{name}`",
        help=f"did you mean `{close[0]}`?" if close else f"devices here: {', '.join(names)}",
    )


def _device(link: Any) -> Device:
    info = link.get_attr("IFLA_LINKINFO")
    kind = info.get_attr("IFLA_INFO_KIND") if info else None
    xdp = link.get_attr("IFLA_XDP")
    attached = ((mode, xdp.get_attr(key) if xdp else None) for mode, key in XDP_MODES)
    return Device(
        link.get_attr("IFLA_IFNAME"),
        link["index"],
        link.get_attr("IFLA_MTU") or 0,
        bool(link["flags"] & UP),
        kind or "",
        tuple((mode, id) for mode, id in attached if id),
    )


def offloads(name: str) -> Offloads:
    """Ask for the offloads of a device; a driver that does not say has none."""
    try:
        ioctl = importlib.import_module("pyroute2.ethtool.ioctl")
        with contextlib.closing(ioctl.IoctlEthtool(name)) as ethtool:
            features = ethtool.get_features()
    except (ImportError, OSError):
        return Offloads(False, False)
    except ioctl.EthtoolError:
        return Offloads(False, False)
    return Offloads(_active(features, "rx-vlan-hw-parse"), _active(features, "rx-lro"))


def xdp_features() -> dict[int, int]:
    """Return the XDP feature bits that drivers declare, by device index.

    Empty where the kernel (before 6.3) does not tell.
    """
    try:
        generic = importlib.import_module("pyroute2.netlink.generic")
        base = importlib.import_module("pyroute2.netlink")
    except ImportError:
        return {}
    message = _netdev_message(base)
    with held(), contextlib.closing(generic.GenericNetlinkSocket()) as socket:
        try:
            socket.bind("netdev", message)
            request = message()
            request["cmd"], request["version"] = NETDEV_DEV_GET, 1
            flags = base.NLM_F_REQUEST | base.NLM_F_DUMP
            found = list(socket.nlm_request(request, msg_type=socket.prid, msg_flags=flags))
        except Exception:  # whatever pyroute2 makes of a family that is not there
            return {}
    return {one.get_attr("IFINDEX"): one.get_attr("XDP_FEATURES") or 0 for one in found}


def _netdev_message(base: Any) -> Any:
    """Return the message class of the `netdev` family, as <linux/netdev.h> numbers it."""
    names = (("NONE", "none"), ("IFINDEX", "uint32"), ("PAD", "none"), ("XDP_FEATURES", "uint64"))
    return type("NetdevMessage", (base.genlmsg,), {"nla_map": names})


def driver(device: Device) -> str:
    """Return the name of a device's driver, or its kind; empty when neither is known."""
    try:
        return Path(os.readlink(f"/sys/class/net/{device.name}/device/driver")).name
    except OSError:
        return device.kind


def _active(features: Any, name: str) -> bool:
    return name in features and bool(features.is_active(name))


def namespace() -> int:
    """Return the inode of the network namespace of this process."""
    return os.stat("/proc/self/ns/net").st_ino


def namespace_lives(inode: int) -> bool:
    """Say whether a process or a name still holds the network namespace `inode`."""
    return any(_inode(path) == inode for path in _namespace_paths())


def _namespace_paths() -> Iterator[str]:
    with contextlib.suppress(OSError):
        yield from (entry.path for entry in os.scandir("/run/netns"))
    for pid in os.listdir("/proc"):
        if pid.isdigit():
            yield f"/proc/{pid}/ns/net"


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
