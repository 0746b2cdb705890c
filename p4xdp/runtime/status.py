"""What is loaded: programs, tables with their entries, counters, as values and as text."""

from __future__ import annotations

import errno as codes
from collections.abc import Iterator

from p4xdp.description import Counter, Description, Profile, Register, Table
from p4xdp.diagnostics import fail
from p4xdp.records import dataclass
from p4xdp.runtime import attach as hooks, bpffs, devices, inventory, pins, profiles
from p4xdp.runtime.devices import Device
from p4xdp.runtime.libbpf import BpfError, ProgramInfo
from p4xdp.runtime.machine import check_machine, no_rights
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.pins import Install
from p4xdp.runtime.replication import ReplicationState

MOST_CELLS = 16


@dataclass(frozen=True, slots=True)
class TableStatus:
    """`entries` are those that can be changed at run time and the const ones among them;
    `const_entries` are all those of the source."""

    name: str
    kind: str
    entries: int
    size: int
    const_entries: int
    default_changed: bool


@dataclass(frozen=True, slots=True)
class CounterStatus:
    """A counter, or a register. `cells` are (index, number) of those that are not zero: packets
    summed over the CPUs, values."""

    name: str
    size: int
    cells: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ProfileStatus:
    """`members` and `groups` are those that have a number; `groups` is None where there can be
    none."""

    name: str
    members: int
    size: int
    groups: int | None


@dataclass(frozen=True, slots=True)
class MeterStatus:
    """`cells` is how many have rates."""

    name: str
    size: int
    cells: int


@dataclass(frozen=True, slots=True)
class CopiesStatus:
    """A multicast group or a clone session: (port, replication id) of each copy; those of a
    session's group, if it has one, come on top."""

    kind: str
    number: int
    copies: tuple[tuple[int, int], ...]
    group: int | None = None


@dataclass(frozen=True, slots=True)
class ProgramStatus:
    """A program of p4xdp. `state` is `attached`, `detached` (its pins are left), `device gone`,
    `namespace gone`, or `other namespace` (not asked)."""

    device: str
    state: str
    program: str
    source: str
    program_id: int
    tag: str
    mode: str
    instructions: int
    layout: str
    jited: bool
    loaded_at: float
    pins: str
    tables: tuple[TableStatus, ...]
    counters: tuple[CounterStatus, ...]
    profiles: tuple[ProfileStatus, ...] = ()
    registers: tuple[CounterStatus, ...] = ()
    meters: tuple[MeterStatus, ...] = ()
    copies: tuple[CopiesStatus, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignStatus:
    """An XDP program that is not from p4xdp."""

    device: str
    name: str
    program_id: int
    mode: str


@dataclass(frozen=True, slots=True)
class Status:
    """Everything that is loaded, of one device or of all."""

    programs: tuple[ProgramStatus, ...]
    foreign: tuple[ForeignStatus, ...]


def status(device: str | None = None) -> Status:
    """Return what is loaded: on this machine, or on a device of this network namespace.

    Raises CompileError: `no-device`, `no-rights`, `libbpf-missing`.
    """
    check_machine("asking for the status")
    try:
        return _status(device)
    except PermissionError as error:
        raise no_rights(f"access to {error.filename}") from error
    except BpfError as error:
        raise fail("load-failed", None, f"cannot read what is loaded: {error}") from error


def _status(device: str | None) -> Status:
    here = devices.devices()
    programs = tuple(_programs(here))
    wanted = tuple(
        p
        for p in programs
        if device is None or (p.device == device and p.state != "other namespace")
    )
    if device and not wanted:
        devices.find(device)
    ids = {p.program_id for p in programs}
    foreign = tuple(
        ForeignStatus(d.name, hooks.program_name(id), id, mode)
        for d in here
        for mode, id in d.xdp
        if id not in ids and device in (None, d.name)
    )
    return Status(wanted, foreign)


def _programs(here: tuple[Device, ...]) -> Iterator[ProgramStatus]:
    for one in pins.installs():
        if one.is_staged():
            continue
        try:
            yield _program(one, here)
        except BpfError as error:
            if error.errno != codes.ENOENT:  # else a load or an unload has taken it away meanwhile
                raise


def _program(install: Install, here: tuple[Device, ...]) -> ProgramStatus:
    with install.program() as program:
        info = program.info()
    device, state, mode = _whereabouts(install, here, info)
    description = install.description
    maps = install.maps()
    try:
        return ProgramStatus(
            device,
            state,
            description.program,
            description.source,
            info.id,
            info.tag,
            mode,
            info.instructions,
            description.layout_line,
            info.jited_size > 0,
            install.attachment.loaded_at,
            bpffs.shown(install.path),
            tuple(_tables(description, maps)),
            tuple(_counter(maps, c) for c in description.counters),
            tuple(_profile(description, maps, one) for one in description.profiles),
            tuple(_register(maps, one) for one in description.registers),
            tuple(
                MeterStatus(one.name, one.size, inventory.meters_set(maps, one))
                for one in description.meters
            ),
            tuple(_copies(install)),
        )
    finally:
        maps.close()


def _whereabouts(
    install: Install, here: tuple[Device, ...], info: ProgramInfo
) -> tuple[str, str, str]:
    """Return the device's name now, the state and the mode."""
    at = install.attachment
    if at.namespace != devices.namespace():
        lives = devices.namespace_lives(at.namespace)
        return at.device, "other namespace" if lives else "namespace gone", at.mode
    device = next((d for d in here if d.index == at.index), None)
    if device is None:
        return at.device, "device gone", at.mode
    now = hooks.occupant(device, at.target)
    if now and now.id == info.id:
        return device.name, "attached", now.mode
    return device.name, "detached", at.mode


def _tables(description: Description, maps: KernelMaps) -> Iterator[TableStatus]:
    for table in description.tables:
        if not profiles.is_of_members(description, table):
            yield _table(maps, table)


def _table(maps: KernelMaps, table: Table) -> TableStatus:
    return TableStatus(
        table.name,
        table.kind,
        inventory.entry_count(maps, table),
        table.size,
        table.const_entries,
        inventory.default_is_changed(maps, table),
    )


def _counter(maps: KernelMaps, counter: Counter) -> CounterStatus:
    cells = sorted(inventory.counter_cells(maps, counter).items())
    return CounterStatus(counter.name, counter.size, tuple(cells))


def _profile(description: Description, maps: KernelMaps, profile: Profile) -> ProfileStatus:
    members, groups = profiles.counts(description, maps, profile)
    return ProfileStatus(
        profile.name, members, profile.size, None if profile.groups is None else groups
    )


def _register(maps: KernelMaps, register: Register) -> CounterStatus:
    cells = sorted(inventory.register_cells(maps, register).items())
    return CounterStatus(register.name, register.size, tuple(cells))


def _copies(install: Install) -> Iterator[CopiesStatus]:
    """Yield the groups and sessions that were said at the load."""
    text = pins.read_replication(install.path)
    if text is None:
        return
    state = ReplicationState()
    state.take_json(text)
    for number in sorted(state.groups):
        yield CopiesStatus("multicast group", number, state.copies(number))
    for number, session in sorted(state.sessions.items()):
        yield CopiesStatus("clone session", number, session.copies, session.group)


def render(found: Status) -> str:
    """Return the text for a terminal."""
    lines = [line for one in found.programs for line in _program_lines(one)]
    for other in found.foreign:
        lines.append(
            f"{other.device}: `{other.name}` (not from p4xdp), {other.mode} XDP, "
            f"program {other.program_id}"
        )
    return "\n".join(lines) if lines else "nothing is loaded"


def _program_lines(one: ProgramStatus) -> Iterator[str]:
    way = "tc ingress" if one.mode == "tc" else f"{one.mode} XDP"
    yield f"{one.device}: {one.program} ({one.source}), {_state(one, way)}"
    jit = "JIT" if one.jited else "interpreted: see net.core.bpf_jit_enable"
    yield f"  program {one.program_id}, {one.instructions} instructions ({jit}), {one.layout}"
    yield f"  pins in {one.pins}"
    for table in one.tables:
        yield f"  table {table.name}: {_table_text(table)}"
    for counter in one.counters:
        yield f"  counter {counter.name}: {_counter_text(counter)}"
    for profile in one.profiles:
        yield f"  action profile {profile.name}: {_profile_text(profile)}"
    for register in one.registers:
        yield f"  register {register.name}: {_counter_text(register)}"
    for meter in one.meters:
        yield f"  meter {meter.name}: {meter.cells} of {meter.size} cells have rates"
    for copies in one.copies:
        yield f"  {copies.kind} {copies.number}: {_copies_text(copies)}"


def _state(one: ProgramStatus, way: str) -> str:
    match one.state:
        case "attached":
            return way
        case "detached":
            return f"no longer attached: `p4xdp unload --dev {one.device}` removes its pins"
        case "other namespace":
            return f"{way}, in another network namespace"
        case _:
            return f"{one.state}: `p4xdp unload --dev {one.device}` removes its pins"


def _table_text(table: TableStatus) -> str:
    parts = []
    if table.kind != "constant":
        parts.append(f"{table.entries} of {table.size} entries")
    if table.const_entries:
        parts.append(f"{table.const_entries} const entries")
    if table.default_changed:
        parts.append("default action changed")
    return ", ".join(parts) or "only a default action"


def _profile_text(profile: ProfileStatus) -> str:
    parts = [f"{profile.members} of {profile.size} members"]
    if profile.groups is not None:
        parts.append(f"{profile.groups} group{'' if profile.groups == 1 else 's'}")
    return ", ".join(parts)


def _copies_text(copies: CopiesStatus) -> str:
    parts = [] if copies.group is None else [f"multicast group {copies.group}"]
    for port, rid in copies.copies:
        parts.append(f"port {port} (instance {rid})" if rid else f"port {port}")
    return ", ".join(parts) or "no copies"


def _counter_text(counter: CounterStatus) -> str:
    shown = ", ".join(f"[{index}] {count}" for index, count in counter.cells[:MOST_CELLS])
    more = len(counter.cells) - MOST_CELLS
    return (shown or "all zero") + (f" and {more} more" if more > 0 else "")
