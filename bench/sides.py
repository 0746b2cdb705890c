"""The two sides of a case, built, loaded and filled with the same entries.

Layouts of keys and values agree, and so do the names of maps, so the requests of the test file
fill both by the description of the P4 program. Only a twin that searches masks is filled its own
way.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from cases import HERE, Case

from p4xdp.deep import call_deep
from p4xdp.description import Description
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang
from p4xdp.runtime.encode import rule_of, ternary_entry, value_of
from p4xdp.runtime.entries import apply_requests
from p4xdp.runtime.libbpf import BpfObject, BpfProgram
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.objectfile import functions
from p4xdp.runtime.requests import AddEntry

LOOPBACK = 1
"""A device that every namespace has: what test runs redirect to, and never reach."""

MASKS = 16


@dataclass(frozen=True)
class Side:
    """A loaded program: `instructions` before the kernel rewrites it, `stack` in bytes."""

    object: BpfObject
    program: BpfProgram
    maps: KernelMaps
    instructions: int
    stack: int

    @property
    def jited(self) -> int:
        """The size of the machine code in bytes."""
        return self.program.info().jited_size

    @property
    def verified(self) -> int:
        """The instructions that the verifier walked through."""
        return self.program.info().verified


@dataclass(frozen=True)
class Pair:
    """Both sides of a case; `description` is what both are filled by."""

    case: Case
    p4: Side
    twin: Side
    description: Description

    def fill(self, requests: Iterable[AddEntry]) -> None:
        requests = tuple(requests)
        apply_requests(self.description, self.p4.maps, requests)
        if self.case.searches_masks:
            fill_masks(self.description, self.twin.maps, requests)
        else:
            apply_requests(self.description, self.twin.maps, requests)

    def fill_all(self) -> None:
        self.fill(s for s in self.case.statements() if isinstance(s, AddEntry))

    def fill_devmap(self, index: int) -> None:
        """Let every port of a device map be the device `index`."""
        for side in (self.p4, self.twin):
            if self.description.devmap:
                for port in range(64):
                    key, value = struct.pack("=I", port), struct.pack("=I", index)
                    side.maps.update(self.description.devmap, key, value)


def build(source: Path, object: Path, *, recording: bool) -> None:
    """Build C as `p4xdp build` does; `recording` keeps the ports of redirects."""
    command = clang.command_line(clang.find(), source, object, "v3", test=False)
    extra = ["-include", str(HERE / "record_ports.h")] if recording else []
    subprocess.run([*command, f"-I{HERE / 'twins'}", *extra], check=True)


@contextmanager
def loaded(
    source: Path, directory: Path, *, recording: bool = False, function: str | None = None
) -> Iterator[Side]:
    path = directory / f"{source.stem}.{source.parent.name}.o"
    build(source, path, recording=recording)
    with BpfObject(path, source.stem) as opened:
        opened.load()
        code = functions(path)
        yield Side(
            opened,
            opened.program(function),
            KernelMaps.of_object(opened),
            sum(f.instructions for f in code),
            max(f.stack for f in code),
        )


@contextmanager
def open_pair(
    case: Case, directory: Path, options: Options, *, recording: bool = False
) -> Iterator[Pair]:
    """Compile, build and load both sides; nothing is in their tables yet."""
    output = call_deep(lambda: compile(Session(case.p4, options)))
    made = directory / "p4"
    made.mkdir(exist_ok=True)
    source = made / f"{case.name}.c"
    source.write_text(output.c)
    with ExitStack() as stack:
        p4 = stack.enter_context(
            loaded(source, directory, recording=recording, function=output.description.function)
        )
        twin = stack.enter_context(loaded(case.twin, directory, recording=recording))
        pair = Pair(case, p4, twin, output.description)
        pair.fill_devmap(LOOPBACK)
        yield pair


def fill_masks(description: Description, maps: KernelMaps, requests: tuple[AddEntry, ...]) -> None:
    """Fill a twin that has a hash `rules` and a list `masks`, the best priority first.

    The key is the masked tuple with the number of its mask in the byte behind the protocol.
    """
    if not requests:
        return
    (table,) = description.tables
    layout = table.ternary
    assert layout is not None
    groups: dict[bytes, list[tuple[int, bytes, int]]] = {}
    for request in requests:
        value = value_of(table, request.action, for_default=False)
        entry = ternary_entry(rule_of(table, request), value)
        key, mask = (entry[at : at + table.key_size] for at in (0, layout.mask_offset))
        (priority,) = struct.unpack_from("=I", entry, layout.priority_offset)
        (action,) = struct.unpack_from("=I", entry, layout.value_offset)
        groups.setdefault(mask, []).append((priority, key, action))
    number_at = next(f for f in table.keys if f.name == "protocol").offset + 1
    listed = b""
    order = sorted(groups, key=lambda mask: -max(groups[mask])[0])
    assert len(order) < MASKS
    for number, mask in enumerate(order):
        listed += mask + struct.pack("=II", max(groups[mask])[0], 0)
        for priority, key, action in sorted(groups[mask]):
            numbered = key[:number_at] + bytes([number]) + key[number_at + 1 :]
            maps.update("rules", numbered, struct.pack("=II", priority, action))
    room = MASKS * (table.key_size + 8)
    maps.update("masks", bytes(4), listed.ljust(room, b"\0"))
