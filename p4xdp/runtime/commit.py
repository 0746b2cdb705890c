"""A program onto all of its devices or onto none: what fails on one is undone on all.

Pins are made beside those that are there; then, with signals held, the program is attached to one
device after the other, and the pins get their names when it is on all. Until then each device can
go back to what it ran before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from p4xdp.description import Description, to_json
from p4xdp.records import dataclass, replace
from p4xdp.runtime import attach as hooks, devices, pins
from p4xdp.runtime.attach import Attached, Occupant
from p4xdp.runtime.devices import Device
from p4xdp.runtime.libbpf import BpfObject, BpfProgram
from p4xdp.runtime.pins import Attachment, Install
from p4xdp.signals import held, undone_on_failure

Check = Callable[[Sequence[Attached]], None]


@dataclass(frozen=True, slots=True)
class Before:
    """What is on a device: `now` is attached, by `attached` if it is from p4xdp; `ours` is the
    last load of the same program, `others` are all of p4xdp."""

    now: Occupant | None
    attached: Install | None
    ours: Install | None
    others: tuple[Install, ...]


@dataclass(frozen=True, slots=True)
class On:
    """A device to attach to, with what is there, where the pins go, and the devices that came for
    copies, by port."""

    device: Device
    before: Before
    path: Path
    made: dict[int, str]

    @property
    def staged(self) -> Path:
        return self.path.with_name(self.path.name + pins.STAGED)


def onto_all(
    made: BpfObject,
    description: Description,
    mode: str | None,
    places: Sequence[On],
    texts: dict[str, str],
    check: Check,
) -> list[Attached]:
    """Attach a loaded object to all places and pin it there, with `texts` beside it; `check` may
    refuse what came of that. Raises CompileError, BpfError; all is as it was before then."""
    with ExitStack() as opened, undone_on_failure() as undo:
        olds = [opened.enter_context(_program_before(one.before)) for one in places]
        for one in places:
            _stage(made, description, one, texts, undo)
        with held():
            pairs = zip(places, olds, strict=True)
            attached = [_attach(made, description, mode, one, old, undo) for one, old in pairs]
            check(attached)
            for one in places:
                undo.callback(pins.swap_back, one.path, existed=one.path.exists())
                pins.swap_in(one.staged, one.path)
            undo.pop_all()
            for one in places:
                _clear_away(one)
    return attached


def _stage(
    made: BpfObject,
    description: Description,
    on: On,
    texts: dict[str, str],
    undo: ExitStack,
) -> None:
    pins.remove(pins.retired(on.path))
    pins.remove(on.staged)
    undo.callback(pins.remove, on.staged)
    pins.make_directory(on.staged)
    made.program(description.function).pin(on.staged / pins.PROGRAM)
    for name, text in {pins.DESCRIPTION: to_json(description), **texts}.items():
        pins.pin_text(on.staged / name, name, text)
    pins.pin_attachment(on.staged, _attachment(description, on))
    for one in made.maps:
        if "." not in one.name:
            made.map(one.name).pin(on.staged / one.name)


def _attachment(description: Description, on: On) -> Attachment:
    return Attachment(
        on.device.name,
        on.device.index,
        devices.namespace(),
        description.target,
        "",
        round(time.time(), 3),
        False,
        "".join(on.made.values()),
    )


def _attach(
    made: BpfObject,
    description: Description,
    mode: str | None,
    on: On,
    old: BpfProgram | None,
    undo: ExitStack,
) -> Attached:
    new = made.program(description.function)
    attached = hooks.attach(on.device, description.target, new, mode, old)
    undo.callback(_put_back, on, description.target, new, old, attached)
    qdisc = attached.made_qdisc or _had_qdisc(on.before)
    changed = replace(_attachment(description, on), mode=attached.mode, made_qdisc=qdisc)
    pins.rewrite_attachment(on.staged, changed)
    return attached


def _put_back(
    on: On, target: str, new: BpfProgram, old: BpfProgram | None, attached: Attached
) -> None:
    if old is None or on.before.now is None:
        hooks.detach(on.device, target, new, attached.made_qdisc)
    else:
        hooks.attach(on.device, target, old, on.before.now.mode, new)


def _had_qdisc(before: Before) -> bool:
    return bool(before.ours and before.ours.attachment.made_qdisc)


def _clear_away(on: On) -> None:
    """Remove the pins of what was there before."""
    pins.remove(pins.retired(on.path))
    for other in on.before.others:
        if other.path != on.path:
            pins.remove(other.path)


@contextmanager
def _program_before(before: Before) -> Iterator[BpfProgram | None]:
    """Open what is attached: by its pin if it is ours, since only root may open by number."""
    if before.now is None:
        yield None
    elif before.attached:
        with before.attached.program() as program:
            yield program
    else:
        with BpfProgram.by_id(before.now.id) as program:
            yield program
