"""Putting a loaded program on a device, and taking it off: XDP by pyroute2, tc by libbpf.

Only the program that the caller names is ever replaced or removed: the kernel compares it in the
same step, so that somebody else's program survives a race as well.
"""

from __future__ import annotations

import ctypes
import errno as codes

from p4xdp.diagnostics import CompileError, Note, fail
from p4xdp.records import dataclass, replace
from p4xdp.runtime import capi
from p4xdp.runtime.devices import Device, find, netlink, offloads
from p4xdp.runtime.libbpf import BpfError, BpfProgram
from p4xdp.runtime.machine import no_rights

UPDATE_IF_NOEXIST = 1
REPLACE = 16
MODE_FLAGS = {"generic": 2, "native": 4, "offload": 8}

INGRESS, EGRESS = 1, 2
TC_REPLACE = 1
TC_HANDLE = TC_PRIORITY = 1
CLSACT = 0xFFFF0000
INGRESS_PARENT, EGRESS_PARENT = 0xFFFFFFF2, 0xFFFFFFF3


class Refused(Exception):
    """The kernel does not attach; `errno` and its own words."""

    def __init__(self, errno: int, text: str) -> None:
        super().__init__(text)
        self.errno = errno
        self.text = text


@dataclass(frozen=True, slots=True)
class Occupant:
    """A program that is attached: `mode` is native, generic, offload or tc."""

    id: int
    name: str
    mode: str


@dataclass(frozen=True, slots=True)
class Attached:
    """How a program was attached. `native_refusal` says why it is not native;
    `made_qdisc` whether the clsact qdisc is ours to remove."""

    mode: str
    native_refusal: str | None = None
    made_qdisc: bool = False


def occupant(device: Device, target: str) -> Occupant | None:
    """Return the program that is where one for `target` (xdp, tc) would go."""
    if target == "tc":
        id = _tc_query(device.index)
        return Occupant(id, program_name(id), "tc") if id else None
    current = find(device.name)
    for mode, id in current.xdp:
        return Occupant(id, program_name(id), mode)
    return None


def program_name(id: int) -> str:
    """Return the kernel's name of a program, `?` when it cannot be asked."""
    try:
        with BpfProgram.by_id(id) as program:
            return program.info().name or "?"
    except BpfError:
        return "?"


def attach(
    device: Device, target: str, new: BpfProgram, mode: str | None, old: BpfProgram | None
) -> Attached:
    """Attach `new` in the place of `old`, or where nothing is.

    `mode` None tries native and then generic. When it fails, `old` is in its place again.
    Raises CompileError: `no-native-xdp`, `device-busy`, `no-rights`, `attach-failed`.
    """
    if target == "tc":
        return _attach_tc(device, new, old)
    now = occupant(device, target)
    if old is None or now is None:
        return _attach_xdp(device, new, mode, None)
    wanted = mode or now.mode
    if wanted == now.mode:
        again = _attach_xdp(device, new, wanted, old)
        refusal = "it ran in generic mode before; `--mode native` tries native again"
        return replace(again, native_refusal=None if mode or wanted == "native" else refusal)
    return _switch_mode(device, new, wanted, old, now.mode)


def _switch_mode(
    device: Device, new: BpfProgram, mode: str, old: BpfProgram, old_mode: str
) -> Attached:
    """Attach in another mode, which the kernel allows only when nothing is attached."""
    _detach_xdp(device, old, old_mode)
    try:
        return _attach_xdp(device, new, mode, None)
    except BaseException:
        _attach_xdp(device, old, old_mode, None)
        raise


def _attach_xdp(
    device: Device, new: BpfProgram, mode: str | None, old: BpfProgram | None
) -> Attached:
    expected = old.fd if old else None
    condition = REPLACE if old else UPDATE_IF_NOEXIST
    try:
        first = mode or "native"
        _set(device, new.fd, MODE_FLAGS[first] | condition, expected)
        return Attached(first)
    except Refused as error:
        if mode or error.errno in (codes.EPERM, codes.EBUSY, codes.EEXIST):
            raise explain(device, mode or "native", error) from error
        refusal = error
    try:
        _set(device, new.fd, MODE_FLAGS["generic"] | condition, expected)
    except Refused as error:
        raise explain(device, "generic", error) from error
    return Attached("generic", native_refusal=native_reason(device, refusal))


def _set(device: Device, fd: int, flags: int, expected: int | None) -> None:
    from pyroute2.netlink.exceptions import NetlinkError

    attributes = [("IFLA_XDP_FD", fd), ("IFLA_XDP_FLAGS", flags)]
    if expected is not None:
        attributes.append(("IFLA_XDP_EXPECTED_FD", expected))
    try:
        with netlink() as route:
            route.link("set", index=device.index, xdp={"attrs": attributes})
    except NetlinkError as error:
        raise Refused(error.code, str(error.args[1])) from error


def native_reason(device: Device, error: Refused) -> str:
    """Return why native mode was refused, and what to do, in one line."""
    advice = _advice(device, error)
    return f"{error.text}; {advice}" if advice else error.text


def _advice(device: Device, error: Refused) -> str | None:
    name = device.name
    if error.errno == codes.ERANGE or "MTU" in error.text:
        if "Peer" in error.text:
            return f"set a smaller MTU on the peer of {name} (most drivers take up to 3000)"
        return f"set a smaller MTU: `ip link set dev {name} mtu 1500` (now {device.mtu})"
    if "LRO" in error.text or offloads(name).lro:
        return f"switch LRO off: `ethtool -K {name} lro off`"
    if error.errno in (codes.EOPNOTSUPP, codes.EINVAL):
        return f"the driver of {name} has no native XDP as it is set up; generic mode works"
    return None


def explain(device: Device, mode: str, error: Refused) -> CompileError:
    """Return the error for a refusal of the kernel."""
    if error.errno == codes.EPERM:
        return no_rights("attaching a program")
    if error.errno in (codes.EBUSY, codes.EEXIST):
        return fail(
            "device-busy",
            None,
            f"`{device.name}` runs another program: {error.text}",
            help="see `bpftool net show` and `bpftool link show`; a program that a link holds "
            "can be removed only by its owner",
        )
    if mode == "native":
        return fail(
            "no-native-xdp",
            None,
            f"`{device.name}` does not take a native XDP program: {error.text}",
            notes=tuple(Note(a) for a in (_advice(device, error),) if a),
            help="without `--mode native`, generic mode is used where native is not possible",
        )
    text = f"`{device.name}` does not take a {mode} XDP program: {error.text}"
    return fail("attach-failed", None, text)


def detach(device: Device, target: str, old: BpfProgram, made_qdisc: bool) -> None:
    """Take `old` off; nothing happens when it is not attached. Raises CompileError."""
    now = occupant(device, target)
    if now is None or now.id != old.info().id:
        return
    if target == "tc":
        _detach_tc(device, made_qdisc)
        return
    _detach_xdp(device, old, now.mode)


def _detach_xdp(device: Device, old: BpfProgram, mode: str) -> None:
    try:
        _set(device, -1, MODE_FLAGS[mode] | REPLACE, old.fd)
    except Refused as error:
        raise explain(device, mode, error) from error


def _hook(index: int, point: int = INGRESS) -> capi.TcHook:
    return capi.TcHook(ctypes.sizeof(capi.TcHook), index, point, 0)


def _place(fd: int = 0, flags: int = 0) -> capi.TcOpts:
    return capi.TcOpts(ctypes.sizeof(capi.TcOpts), fd, flags, 0, TC_HANDLE, TC_PRIORITY)


def _tc(function: str, *structures: ctypes.Structure) -> tuple[int, str]:
    """Call a function of libbpf's tc interface; return the errno, or 0, and the kernel's words."""
    library = capi.library()
    with library.captured() as log:
        code = getattr(library.functions, function)(*map(ctypes.byref, structures))
    said = [line.partition("Kernel error message: ")[2] for line in log]
    return max(0, -code), next((s.strip() for s in said if s), capi.message(max(0, -code)))


def _tc_query(index: int) -> int:
    """Return the id of the program at our place of the ingress hook, 0 for none."""
    options = _place()
    code, _ = _tc("bpf_tc_query", _hook(index), options)
    return 0 if code else int(options.prog_id)


def _attach_tc(device: Device, new: BpfProgram, old: BpfProgram | None) -> Attached:
    code, text = _tc("bpf_tc_hook_create", _hook(device.index))
    if code not in (0, codes.EEXIST):
        raise _explain_tc(device, code, text)
    flags = TC_REPLACE if old else 0
    failed, text = _tc("bpf_tc_attach", _hook(device.index), _place(new.fd, flags))
    if failed:
        if code == 0:
            _tc("bpf_tc_hook_destroy", _hook(device.index, INGRESS | EGRESS))
        raise _explain_tc(device, failed, text)
    return Attached("tc", made_qdisc=code == 0)


def _explain_tc(device: Device, errno: int, text: str) -> CompileError:
    if errno == codes.EPERM:
        return no_rights("attaching a program")
    if errno in (codes.EEXIST, codes.EBUSY):
        return fail(
            "device-busy",
            None,
            f"another filter has preference {TC_PRIORITY} at the ingress of `{device.name}`",
            help=f"see `tc filter show dev {device.name} ingress`",
        )
    return fail("attach-failed", None, f"`{device.name}` does not take a tc program: {text}")


def _detach_tc(device: Device, made_qdisc: bool) -> None:
    code, text = _tc("bpf_tc_detach", _hook(device.index), _place())
    if code not in (0, codes.ENOENT):
        raise _explain_tc(device, code, text)
    if made_qdisc and not _filters(device.index):
        _tc("bpf_tc_hook_destroy", _hook(device.index, INGRESS | EGRESS))


def _filters(index: int) -> bool:
    with netlink() as route:
        return any(
            list(route.get_filters(index=index, parent=parent))
            for parent in (INGRESS_PARENT, EGRESS_PARENT)
        )
