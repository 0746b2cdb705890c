"""What a user can ask of a compilation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from p4xdp.records import dataclass, field

HOST_PORT = 510
"""The port that stands for this machine itself, unless the user says otherwise."""

LAST_PORT = 510
"""The last port of v1model that is one: 511 means nowhere."""


@dataclass(frozen=True, slots=True)
class Options:
    """`target` is xdp, tc or native; `layout` None lets the compiler choose;
    `layout_reason` is what to say of why it is another.

    `warnings` holds what follows each `-W`, in order: `unused`, `no-shadow`, `error=overflow`.
    `on_reject` is the verdict for packets that the parser rejects, `aborted` or `drop`.
    `host_port` is the port by which a v1model program sends packets to this machine, `cpu_port`,
    if there is one, that by which it sends them to a controller.
    `lpm` is how tables with one longest-prefix field are searched: by the kernel's `trie`, or by
    `masks`, as ternary ones are.
    `externs` are files in C with the extern functions that the program declares.
    `without` are passes of the midend to leave out.
    """

    target: str = "xdp"
    include_dirs: tuple[Path, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    debug_lines: bool = False
    trace: bool = False
    layout: str | None = None
    layout_reason: str = "as asked"
    on_reject: str = "aborted"
    host_port: int = HOST_PORT
    cpu_port: int | None = None
    lpm: str = "trie"
    warnings: tuple[str, ...] = ()
    externs: tuple[Path, ...] = ()
    without: frozenset[str] = frozenset()
