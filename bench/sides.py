"""The two sides of a case, built, loaded and filled with the same entries.

Layouts of keys and values agree, and so do the names of maps, so the requests of the test file
fill both by the description of the P4 program.
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
from p4xdp.runtime.entries import apply_requests
from p4xdp.runtime.libbpf import BpfObject, BpfProgram
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.objectfile import functions
from p4xdp.runtime.requests import AddEntry

LOOPBACK = 1
"""A device that every namespace has: what test runs redirect to, and never reach."""


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
        for side in (self.p4, self.twin):
            apply_requests(self.description, side.maps, requests)

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
