"""A narrow IR program in; the C file, the control-plane header and the description out."""

from __future__ import annotations

from p4xdp.backend_c.describe import describe
from p4xdp.backend_c.out_c import c_text
from p4xdp.backend_c.out_h import header_text
from p4xdp.backend_c.program import lower
from p4xdp.description import Description
from p4xdp.diagnostics import Diagnostics
from p4xdp.midend import ir
from p4xdp.options import Options
from p4xdp.records import dataclass

__all__ = ["Output", "emit"]


@dataclass(frozen=True, slots=True)
class Output:
    """Texts of out.c and out.h, what out.json holds, and the line for the terminal."""

    c: str
    header: str
    description: Description
    summary: str


def emit(program: ir.Program, options: Options, diagnostics: Diagnostics) -> Output:
    """Return the C of a program at stage narrow.

    Raises CompileError where the target cannot carry it: `table-too-large`, `stack-too-large`.
    """
    unit = lower(program, options, diagnostics)
    without = ", ".join(sorted(options.without))
    c = c_text(unit, native=options.target == "native", without=without)
    description = describe(program, unit, options)
    return Output(c, header_text(program.name, unit), description, _summary(description))


def _summary(description: Description) -> str:
    d = description
    tables, maps = _counted(len(d.tables), "table"), _counted(len(d.maps), "map")
    return f"{d.program}: {tables}, {maps}, stack ~{d.stack} bytes, {d.layout_line}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
