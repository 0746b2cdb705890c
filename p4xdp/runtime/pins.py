"""What is loaded, as its pins tell: <bpffs>/p4xdp/<device>/<program>/.

A directory holds the pins `program`, `description` (the description as JSON), `attachment` (where
and how it is attached, as JSON), `replication` (multicast groups and clone sessions, as JSON, of a
program that has such), and one for each map. A `.` in a device's name is a `:` in the
path, since a BPF file system has no dots; when a device of another network namespace has the
name already, `::` and the namespace's number follow.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from p4xdp import description as descriptions
from p4xdp.description import Description, DescriptionError
from p4xdp.records import asdict, dataclass
from p4xdp.runtime import bpffs, devices
from p4xdp.runtime.libbpf import BpfError, BpfMap, BpfProgram
from p4xdp.runtime.maps import KernelMaps

PROGRAM, DESCRIPTION, ATTACHMENT = "program", "description", "attachment"
REPLICATION = "replication"
STAGED, RETIRED = ":new", ":old"
ONE_CELL = bytes(4)
ATTACHMENT_SIZE = 512


@dataclass(frozen=True, slots=True)
class Attachment:
    """Where a program is: `namespace` is the inode of the network namespace, `loaded_at` in
    seconds since 1970, `made_qdisc` whether the clsact qdisc came with it, `cpu_device` the name of
    the device that came with it for copies to the CPU port."""

    device: str
    index: int
    namespace: int
    target: str
    mode: str
    loaded_at: float
    made_qdisc: bool
    cpu_device: str = ""


@dataclass(frozen=True, slots=True)
class Install:
    """A program with its pins in `path`."""

    path: Path
    attachment: Attachment
    description: Description

    @property
    def program_name(self) -> str:
        return self.description.program

    def program(self) -> BpfProgram:
        """Open the program; raises BpfError."""
        return BpfProgram.pinned(self.path / PROGRAM)

    def maps(self) -> KernelMaps:
        """Return its maps, by the names of the description."""
        return KernelMaps.of_pins(self.path)

    def is_staged(self) -> bool:
        """Say whether a load or unload was cut off here, or is under way."""
        return self.path.name.endswith((STAGED, RETIRED))


def top(root: Path) -> Path:
    """Return the directory of everything that p4xdp pinned."""
    return root / "p4xdp"


def installs() -> tuple[Install, ...]:
    """Return everything that p4xdp has pinned on this machine; raises PermissionError."""
    root = bpffs.find()
    if root is None:
        return ()
    return tuple(_scan(top(root)))


def _scan(directory: Path) -> Iterator[Install]:
    for device in _subdirectories(directory):
        for path in _subdirectories(device):
            with contextlib.suppress(BpfError, ValueError, TypeError, DescriptionError):
                yield read(path)


def _subdirectories(path: Path) -> list[Path]:
    try:
        return sorted(entry for entry in path.iterdir() if entry.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def read(path: Path) -> Install:
    """Return what is pinned in `path`; raises BpfError, ValueError, DescriptionError."""
    attachment = Attachment(**json.loads(read_text(path / ATTACHMENT)))
    return Install(path, attachment, descriptions.from_json(read_text(path / DESCRIPTION)))


def read_text(path: Path) -> str:
    """Return the text in a pinned one-entry map; raises BpfError."""
    with BpfMap.pinned(path) as one:
        return (one.lookup(ONE_CELL) or b"").rstrip(b"\0").decode()


def read_replication(directory: Path) -> str | None:
    """Return what a program has of groups and sessions, as text; raises BpfError."""
    path = directory / REPLICATION
    return read_text(path) if path.exists() else None


def pin_text(path: Path, name: str, text: str, size: int = 0) -> None:
    """Pin a one-entry array map of `size` bytes or more that holds `text`; raises BpfError."""
    data = text.encode().ljust(size, b"\0")
    with BpfMap.create(name, "array", 4, len(data), 1) as one:
        one.update(ONE_CELL, data)
        one.pin(path)


def pin_attachment(directory: Path, attachment: Attachment) -> None:
    """Pin where the program of `directory` is; raises BpfError."""
    text = json.dumps(asdict(attachment))
    pin_text(directory / ATTACHMENT, ATTACHMENT, text, ATTACHMENT_SIZE)


def rewrite_attachment(directory: Path, attachment: Attachment) -> None:
    """Store an attachment where one is pinned already; raises BpfError."""
    data = json.dumps(asdict(attachment)).encode()
    with BpfMap.pinned(directory / ATTACHMENT) as one:
        one.update(ONE_CELL, data.ljust(ATTACHMENT_SIZE, b"\0"))


def of_device(name: str, index: int | None) -> tuple[Install, ...]:
    """Return what is pinned for a device of this network namespace; `index` None: it is gone.

    A device goes by its index, which a renaming keeps; what is left of a device or a namespace
    that is gone goes by the device's name.
    """
    here = devices.namespace()
    living = {device.index for device in devices.devices()}

    def belongs(at: Attachment) -> bool:
        if at.namespace == here:
            return at.index == index or (at.device == name and at.index not in living)
        return at.device == name and not devices.namespace_lives(at.namespace)

    return tuple(one for one in installs() if belongs(one.attachment))


def device_directory(root: Path, device: str, mine: tuple[Install, ...]) -> Path:
    """Return the directory for a device of this namespace: that of `mine`, what it has already,
    or a new one."""
    if mine:
        return mine[0].path.parent
    plain = top(root) / device.replace(".", ":")
    here = devices.namespace()
    for one in _scan(top(root)):
        other = one.attachment.namespace
        if one.path.parent == plain and other != here and devices.namespace_lives(other):
            return plain.with_name(f"{plain.name}::{here}")
    return plain


def make_directory(path: Path) -> None:
    """Make a directory and its parents, though another process may be removing empty ones."""
    for _ in range(10):
        with contextlib.suppress(FileNotFoundError):
            path.mkdir(parents=True, exist_ok=True)
            return
    path.mkdir(parents=True, exist_ok=True)


def remove(directory: Path) -> None:
    """Remove the pins in `directory`, if it is there, itself and what above it is then empty."""
    if not directory.exists():
        return
    for pin in directory.iterdir():
        pin.unlink()
    directory.rmdir()
    for parent in (directory.parent, directory.parent.parent):
        with contextlib.suppress(OSError):
            parent.rmdir()


def retired(final: Path) -> Path:
    """Return the name that what was called `final` has until it is removed."""
    return final.with_name(final.name + RETIRED)


def swap_in(staged: Path, final: Path) -> None:
    """Give `staged` its final name; what had that name is retired."""
    if final.exists():
        os.rename(final, retired(final))
    os.rename(staged, final)


def swap_back(final: Path, *, existed: bool) -> None:
    """Undo a swap, wherever it broke off; `existed` says whether there was something before."""
    if retired(final).exists():
        remove(final)
        os.rename(retired(final), final)
    elif not existed:
        remove(final)
