"""The architectures that programs run in: one module each, chosen by the package of `main`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from p4xdp.description import Widths
from p4xdp.diagnostics import fail
from p4xdp.frontend import typed
from p4xdp.interp.architectures.ebpf_model import EbpfModel
from p4xdp.interp.architectures.psa import Psa
from p4xdp.interp.architectures.v1model import V1Model
from p4xdp.interp.architectures.xdp_model import XdpModel
from p4xdp.interp.machine import Machine, Run
from p4xdp.interp.outcome import Outcome


class Architecture(Protocol):
    """A program in its architecture.

    `has_ports` when ports are numbers of the program's own, by which it says where packets go;
    `numbers` are the widths of port and group numbers where packets can be replicated; `cpu_port`
    is the one, if any, that always stands for this machine.
    """

    numbers: Widths | None
    has_ports: bool
    cpu_port: int | None
    machine: Machine

    def run(self, run: Run, port: int, data: bytes) -> Outcome:
        """Carry a packet that came in by `port` through the program; raises Stuck."""


class Load(Protocol):
    def __call__(
        self, program: typed.TypedProgram, main: typed.Instance, on_reject: str
    ) -> Architecture: ...


PACKAGES: Mapping[str, Load] = {
    "xdp": XdpModel,
    "ebpfFilter": EbpfModel,
    "V1Switch": V1Model,
    "PSA_Switch": Psa,
}
"""By the name of the package."""


def load(program: typed.TypedProgram, *, on_reject: str = "aborted") -> Architecture:
    """Return a program in its architecture, its instances made.

    `on_reject` is the verdict of packets that the parser rejects, where the architecture leaves it
    open. Raises CompileError (`no-main`, `wrong-architecture`), Stuck.
    """
    main = program.main
    if main is None:
        raise fail("no-main", None, "the program has no `main`")
    name = main.target.name.partition("<")[0]
    if name not in PACKAGES:
        known = ", ".join(f"`{package}`" for package in PACKAGES)
        text = f"this program is written for `{name}`; the interpreter has {known}"
        raise fail("wrong-architecture", main.span, text)
    return PACKAGES[name](program, main, on_reject)
