"""load and unload: a program onto a device and off again, wholly or not at all.

An object and its description go in. What can fail or take long comes first; then, with signals
held, the program is attached and its pins get their final name. Whatever goes wrong before that
is undone, and the device runs what it ran before.
"""

from __future__ import annotations

import contextlib
import errno as codes
import fcntl
import os
import re
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from p4xdp.description import Description
from p4xdp.diagnostics import CompileError, Diagnostic, Note, Severity, fail
from p4xdp.records import dataclass, replace as changed
from p4xdp.runtime import (
    attach as hooks,
    bpffs,
    cpu_device,
    devices,
    entries,
    inventory,
    keep,
    pins,
    ports as numbers,
    verifier,
)
from p4xdp.runtime.attach import Attached, Occupant
from p4xdp.runtime.clang import TooBig
from p4xdp.runtime.commit import Before, On, onto_all
from p4xdp.runtime.devices import Device
from p4xdp.runtime.groups import Groups
from p4xdp.runtime.libbpf import (
    BpfError,
    BpfMap,
    BpfObject,
    MapInfo,
    ObjectMap,
    VerifierError,
)
from p4xdp.runtime.machine import check_machine, no_rights
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.pins import Install
from p4xdp.runtime.ports import Loop, Ports
from p4xdp.runtime.verifier import Origin
from p4xdp.signals import held, undone_on_failure

Fill = Callable[[KernelMaps], None]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A program on devices, of which the first has the entries. `kept` names what lives on from
    the program before."""

    devices: tuple[str, ...]
    program: str
    program_id: int
    mode: str
    path: Path
    kept: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def pins(self) -> str:
        """Where its pins are, as a login shell sees it."""
        return bpffs.shown(self.path)


@dataclass(frozen=True, slots=True)
class Unloaded:
    """What was taken off a device."""

    device: str
    programs: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


def groups_before(description: Description, device: str, ports: Ports) -> Groups:
    """Return the groups and sessions that a program begins with: those that it has from before, if
    it is on `device` or on that of a port. Raises CompileError."""
    groups = Groups.of(description)
    if description.groups is None:
        return groups
    names = [device, *(name for _, name in ports)]
    cpu = set() if description.cpu_port is None else {description.cpu_port}
    with _kernel_errors(None):
        installs = [one for name in names for one in _same_program(name, description)]
        for one in installs[:1]:
            text = pins.read_replication(one.path)
            if text is not None:
                groups.keep(text, {number for number, _ in ports} | cpu)
    return groups


def _same_program(device: str, description: Description) -> list[Install]:
    index = devices.find(device).index
    mine = pins.of_device(device, index)
    return [
        one
        for one in mine
        if one.program_name == description.program
        and one.attachment.target == description.target
        and one.description.port_width == description.port_width
    ]


def load(
    object: Path | bytes,
    description: Description,
    device: str,
    *,
    mode: str | None = None,
    replace: bool = False,
    ports: Ports = (),
    source: Path | None = None,
    c: str = "",
    log: Path | None = None,
    fill: Fill | None = None,
    groups: Groups | None = None,
    loop: Loop | None = None,
    anew: Container[str] = (),
) -> Loaded:
    """Put the program of an object file onto `device`, with its entries from before if it was
    there already; `fill` may add some before the first packet, and `groups` are its multicast
    groups and sessions, None for those from before.

    `mode` is native or generic, None or `auto` for native and else generic; `ports` says which
    device is behind a port number, by default each device behind its own index. A program with
    ports of its own must be told, and runs on the devices of all ports. `loop` are two devices of
    which one sends to the other: copies of packets come in there once more. Action profiles in
    `anew` begin without members, since `fill` makes theirs. `source` is the P4 file and `c` the
    text that clang built, for messages; `log` is where a refusing verifier's log goes, by default
    beside the object. Raises CompileError; every device
    runs what it ran then, and only what `fill` put into tables that live on is there.
    """
    check_machine("loading a program")
    places = numbers.carriers(description, devices.find(device), ports, loop)
    mode = None if mode == "auto" else mode
    groups = groups or groups_before(description, device, ports)
    errors = _kernel_errors(_origin(object, description.program, source, c, log))
    with (
        _locked(bpffs.need()) as root,
        errors,
        _cpu_device(description, groups, ports, places[0]) as cpu,
        BpfObject(object) as made,
    ):
        wired = (*ports, *cpu)
        befores = [_before(place, description, replace) for place in places]
        last = next((one for one in befores if one.ours), befores[0])
        kept, warnings = _reuse(made, description, last, anew)
        numbers.make_room(made, description, wired)
        made.load()
        maps = KernelMaps.of_object(made)
        replica = made.program(description.replica) if description.replica else None
        numbers.connect(maps, description, wired, replica)
        entries.install_initial(description, maps, kept)
        if fill:
            _fill(fill, maps, kept)
        groups.store(description, maps, looped=loop is not None)
        numbers.connect_groups(made, description, groups, wired, loop)
        warnings += [_lost_warning(keep.Lost(what, "", why)) for what, why in groups.still_lost()]
        on = [
            On(place, before, _directory(root, place, before) / description.program, dict(cpu))
            for place, before in zip(places, befores, strict=True)
        ]

        def check(attached: Sequence[Attached]) -> None:
            numbers.check_copies(description, groups, attached)

        attached = onto_all(made, description, mode, on, _texts(description, groups), check)
        for one, how in zip(on, attached, strict=True):
            warnings += _attach_warnings(one.device, description, how)
        warnings += numbers.warnings(ports, attached[0])
        warnings += numbers.without_controller(description)
        return Loaded(
            tuple(place.name for place in places),
            description.program,
            made.program(description.function).info().id,
            attached[0].mode,
            on[0].path,
            (*keep.names(description, kept), *groups.kept()),
            tuple(warnings),
        )


STILL_THERE = (
    "the lines before this one are carried out already, in what lives on from before; "
    "`p4xdp unload` and a new load begin from nothing"
)


def _fill(fill: Fill, maps: KernelMaps, kept: list[str]) -> None:
    """Let entries be added; raises CompileError, which says so where others are there already."""
    try:
        fill(maps)
    except CompileError as error:
        if not kept:
            raise
        note = Note(STILL_THERE)
        noted = [changed(one, notes=(*one.notes, note)) for one in error.diagnostics]
        raise CompileError(tuple(noted)) from error


def _texts(description: Description, groups: Groups) -> dict[str, str]:
    """Return what is pinned beside the maps of a program."""
    if description.groups is None:
        return {}
    return {pins.REPLICATION: groups.state.to_json()}


def _directory(root: Path, device: Device, before: Before) -> Path:
    return pins.device_directory(root, device.name, before.others)


def _before(device: Device, description: Description, replace: bool) -> Before:
    """Look at what is there; raises CompileError (`device-busy`) if it may not be replaced."""
    target = description.target
    now = hooks.occupant(device, target)
    mine = tuple(
        one for one in pins.of_device(device.name, device.index) if one.attachment.target == target
    )
    attached = next((one for one in mine if now and _id_of(one) == now.id), None)
    same = [one for one in mine if one.program_name == description.program]
    if now and not replace and (attached is None or attached not in same):
        raise _busy(device, now, attached)
    last = attached if attached in same else next(iter(same), None)
    return Before(now, attached, last, mine)


def _id_of(install: Install) -> int:
    with install.program() as program:
        return program.info().id


def _busy(device: Device, now: Occupant, ours: Install | None) -> CompileError:
    if ours:
        what = f"the p4xdp program `{ours.program_name}` ({now.mode}, program {now.id})"
    else:
        what = f"a program that is not from p4xdp: `{now.name}` ({now.mode}, program {now.id})"
    help = "`--replace` puts this program in its place"
    if now.name == "xdp_dispatcher":
        help += "; it is the dispatcher of libxdp, `xdp-loader status` lists its programs"
    return fail("device-busy", None, f"`{device.name}` runs {what}", help=help)


def _reuse(
    made: BpfObject, description: Description, before: Before, anew: Container[str]
) -> tuple[list[str], list[Diagnostic]]:
    """Let maps of the program before live on; return their names, and what is lost."""
    if before.ours is None:
        return [], []
    plan = keep.plan(before.ours.description, description, anew)
    shapes = {m.name: m for m in made.maps}
    lost, kept = list(plan.lost), []
    for name in sorted(plan.kept & shapes.keys()):
        with BpfMap.pinned(before.ours.path / name) as old:
            if not _same_shape(old.info, shapes[name]):
                lost.append(keep.Lost(f"the contents of map `{name}`", name, "its layout changed"))
                continue
            made.reuse(name, old)
            kept.append(name)
    return kept, [_lost_warning(one) for one in lost if _matters(before.ours, one)]


def _same_shape(old: MapInfo, new: ObjectMap) -> bool:
    sizes = (old.type, old.key_size, old.value_size, old.flags)
    same_count = new.max_entries in (old.max_entries, 0)
    return same_count and sizes == (new.type, new.key_size, new.value_size, new.flags)


def _matters(old: Install, lost: keep.Lost) -> bool:
    """Say whether there was anything to lose."""
    maps = old.maps()
    try:
        for table in old.description.tables:
            if table.map == lost.map:
                return inventory.entry_count(maps, table) > 0
            if table.default_map == lost.map:
                return inventory.default_is_changed(maps, table)
        for counter in old.description.counters:
            if counter.map == lost.map:
                return bool(inventory.counter_cells(maps, counter))
        for register in old.description.registers:
            if register.map == lost.map:
                return inventory.register_is_changed(maps, register)
        for meter in old.description.meters:
            if meter.map == lost.map:
                return inventory.meters_set(maps, meter) > 0
        return True
    finally:
        maps.close()


def _lost_warning(lost: keep.Lost) -> Diagnostic:
    text = f"{lost.what} did not live on: {lost.reason}"
    return Diagnostic(Severity.WARNING, "entries-lost", None, text)


def _attach_warnings(
    device: Device, description: Description, attached: Attached
) -> list[Diagnostic]:
    found = []
    if attached.native_refusal:
        text = f"generic XDP on `{device.name}`: native was refused: {attached.native_refusal}"
        help = "generic XDP is several times slower; `--mode native` insists"
        found.append(Diagnostic(Severity.WARNING, "generic-xdp", None, text, help=help))
    offloads = devices.offloads(device.name)
    if offloads.rx_vlan and description.target == "xdp":
        text = f"`{device.name}` takes VLAN tags off before XDP sees the packet (rx-vlan-offload)"
        help = f"if the program matches on VLAN tags: `ethtool -K {device.name} rxvlan off`"
        found.append(Diagnostic(Severity.WARNING, "vlan-offload", None, text, help=help))
    if offloads.lro:
        text = f"`{device.name}` merges TCP packets before XDP sees them (LRO)"
        help = f"`ethtool -K {device.name} lro off`"
        found.append(Diagnostic(Severity.WARNING, "lro", None, text, help=help))
    return found


def _origin(
    object: Path | bytes, program: str, source: Path | None, c: str, log: Path | None
) -> Origin:
    beside = object if isinstance(object, Path) else Path(program)
    return Origin(str(beside), source, c, log or beside.with_suffix(".verifier.log"))


def verify(
    object: Path | bytes,
    program: str,
    *,
    source: Path | None = None,
    c: str = "",
    log: Path | None = None,
) -> None:
    """Load an object and let go of it again: does the verifier accept it?

    Raises TooBig when another layout may help, else CompileError.
    """
    check_machine("asking the verifier")
    errors = _kernel_errors(_origin(object, program, source, c, log))
    with errors, BpfObject(object) as made:
        try:
            made.load()
        except VerifierError as error:
            reason: TooBig | None = verifier.too_big(error)
            if reason:
                raise reason from error
            raise


def unload(device: str) -> Unloaded:
    """Take every program of p4xdp off `device`; no program, map or pin stays behind.

    Raises CompileError: `not-loaded`, `device-busy` for somebody else's program, `no-device`.
    """
    check_machine("unloading a program")
    known = next((d for d in devices.devices() if d.name == device), None)
    with _locked(bpffs.need()), _kernel_errors(None):
        mine = pins.of_device(device, known.index if known else None)
        if not mine:
            raise _nothing_to_unload(device)
        warnings = [w for one in mine for w in _take_off(one, known)]
        warnings += _still_there(known) if known else []
        names = sorted({one.program_name for one in mine})
        return Unloaded(device, tuple(names), tuple(warnings))


@contextmanager
def _cpu_device(
    description: Description, groups: Groups | None, ports: Ports, first: Device
) -> Iterator[Ports]:
    """Give the CPU port a device if copies of packets may go there; what was one before and is no
    longer needed goes."""
    before = [one.attachment.cpu_device for one in pins.of_device(first.name, first.index)]
    if not cpu_device.wanted(description, groups, ports):
        yield ()
    else:
        assert description.cpu_port is not None
        name = cpu_device.name_beside(first)
        with undone_on_failure() as undo:
            cpu_device.make(name)
            undo.callback(cpu_device.remove_unused, [name])
            yield ((description.cpu_port, name),)
    cpu_device.remove_unused(before)


def _take_off(install: Install, device: Device | None) -> list[Diagnostic]:
    at = install.attachment
    found = []
    with held():
        if device:
            with install.program() as program:
                hooks.detach(device, at.target, program, at.made_qdisc)
        else:
            text = f"device `{at.device}` is gone; the pins of `{install.program_name}` went too"
            found.append(Diagnostic(Severity.WARNING, "device-gone", None, text))
        pins.remove(install.path)
    cpu_device.remove_unused([at.cpu_device])
    return found


def _still_there(device: Device) -> list[Diagnostic]:
    now = hooks.occupant(device, "xdp")
    if now is None:
        return []
    text = f"`{device.name}` goes on running `{now.name}` (program {now.id}), not from p4xdp"
    return [Diagnostic(Severity.WARNING, "device-busy", None, text)]


def _nothing_to_unload(device: str) -> CompileError:
    place = devices.find(device)
    for target in ("xdp", "tc"):
        now = hooks.occupant(place, target)
        if now:
            return fail(
                "device-busy",
                None,
                f"`{device}` runs a program that is not from p4xdp: `{now.name}` "
                f"({now.mode}, program {now.id})",
                help=f"`ip link set dev {device} xdp off` takes it off"
                if target == "xdp"
                else None,
            )
    return fail("not-loaded", None, f"no program of p4xdp is on `{device}`")


@contextmanager
def _locked(root: Path) -> Iterator[Path]:
    """Let one load or unload work at a time; raises CompileError (`no-rights`)."""
    try:
        handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError as error:
        raise no_rights(f"access to {root}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield root
    finally:
        os.close(handle)


_MAP_REFUSED = re.compile(r"map '([^']+)': failed to create: ([^(]+)\(")


@contextmanager
def _kernel_errors(origin: Origin | None) -> Iterator[None]:
    """Turn what the kernel refuses into diagnostics."""
    try:
        yield
    except VerifierError as error:
        assert origin is not None
        raise verifier.explain(error, origin) from error
    except BpfError as error:
        raise _explain(error, origin) from error
    except OSError as error:
        if isinstance(error, PermissionError) and str(bpffs.MOUNT) in str(error.filename):
            raise no_rights(f"access to {error.filename}") from error
        raise fail("load-failed", None, f"cannot load: {error}") from error


def _explain(error: BpfError, origin: Origin | None) -> CompileError:
    if error.errno == codes.EPERM:
        return no_rights("loading a program")
    refused = _MAP_REFUSED.search(error.log)
    if refused:
        name = refused[1].removeprefix(".data.")
        text = f"the kernel refuses map `{name}`: {refused[2].strip().lower()}"
        help = "a smaller `size` of the table may help" if error.errno == codes.ENOMEM else None
        return fail("load-failed", None, text, help=help)
    said = [line for line in error.log.splitlines() if line.strip()]
    with contextlib.suppress(IndexError):
        said = [said[-1].removeprefix("libbpf: ")]
    what = f" `{origin.name}`" if origin else ""
    return fail("load-failed", None, f"cannot load{what}: {'; '.join([str(error), *said])}")
