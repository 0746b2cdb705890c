"""A narrow IR program in; the C file, the control-plane header and the description out."""

from __future__ import annotations

from pathlib import Path

from p4xdp.backend_c import control
from p4xdp.backend_c.describe import describe
from p4xdp.backend_c.model import Table, Unit
from p4xdp.backend_c.program import lower
from p4xdp.backend_c.render import render
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
    c = render(
        "out.c.j2",
        unit=unit,
        native=options.target == "native",
        without=", ".join(sorted(options.without)),
    )
    description = describe(program, unit, options)
    return Output(c, _header(program, unit), description, _summary(description))


def _header(program: ir.Program, unit: Unit) -> str:
    upper = unit.function.upper()
    tables = tuple(table for table in unit.tables if table.has_map or table.has_default)
    return render(
        "out.h.j2",
        unit=unit,
        program=program.name,
        tables=tables,
        functions={table.c_name: control.functions(table) for table in tables},
        control=_control_text(tables),
        guard=f"P4XDP_PROGRAM_{upper}_H",
        upper=upper,
    )


def _control_text(tables: tuple[Table, ...]) -> str:
    """Return what the tables' functions build on: a header of a program stands alone."""
    names = ["p4xdp_control.h"]
    if any(table.ternary for table in tables):
        names.append("p4xdp_ternary.h")
    directory = Path(__file__).parent.parent / "runtime_headers"
    texts = [(directory / name).read_text(encoding="utf-8") for name in names]
    return "\n".join(text.split("\n", 1)[1] for text in texts)


def _summary(description: Description) -> str:
    d = description
    tables, maps = _counted(len(d.tables), "table"), _counted(len(d.maps), "map")
    return f"{d.program}: {tables}, {maps}, stack ~{d.stack} bytes, {d.layout_line}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
