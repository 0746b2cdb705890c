"""A narrow program in, everything that out.c shows out: names, declarations, maps, the body."""

from __future__ import annotations

import re
from dataclasses import replace

from p4xdp.backend_c import apply, flow, lookup, scan
from p4xdp.backend_c.cwriter import CWriter
from p4xdp.backend_c.library_names import is_library_name
from p4xdp.backend_c.maps import Symbols, declare, has_effect, initial_default, maps_of
from p4xdp.backend_c.model import Action, Layout, Local, Table, Unit
from p4xdp.backend_c.names import Names
from p4xdp.backend_c.shown import Shown
from p4xdp.backend_c.statements import Lowering, PacketUse
from p4xdp.backend_c.target import TC, XDP, Target, check_hook
from p4xdp.backend_c.variables import (
    SCRATCH,
    choose_layout,
    collect,
    declarations,
    environment,
    zeroing,
)
from p4xdp.diagnostics import Diagnostics
from p4xdp.midend import ir
from p4xdp.midend.rewrite import walk, walk_expression
from p4xdp.options import Options

NO_VERDICT = ir.Var("", ir.BOOL)


def lower(program: ir.Program, options: Options, diagnostics: Diagnostics) -> Unit:
    """Return the C file's content; raises CompileError for what the target cannot carry."""
    target = TC if options.target == "tc" else XDP
    symbols = declare(program, diagnostics)
    check_hook(program, target, diagnostics)
    diagnostics.stop_on_error()
    shown = Shown(flow.needed_variables(program.body), options.trace)
    locals_ = collect(program, _by_name(symbols), shown, symbols.names)
    layout = choose_layout(
        program, locals_, symbols.tables, shown.needed, options.layout, diagnostics
    )
    diagnostics.stop_on_error()
    if layout.rung == SCRATCH:
        layout = replace(layout, map=symbols.names.take("scratch_map"))
    low = Lowering(
        options=options,
        target=target,
        verdict=program.verdict if program.model == "xdp" else NO_VERDICT,
        env=environment(locals_, layout.rung),
        tables=_by_name(symbols),
        counters={c.name: c.c_name for c in symbols.counters},
        sparse=frozenset(c.name for c in symbols.counters if c.sparse),
        shown=shown,
        uses=_packet_use(program, target),
        labels=_labels(program),
        devmap=symbols.devmap,
        perf_map=symbols.perf_map,
        in_scratch=layout.rung == SCRATCH,
    )
    return _unit(program, symbols, layout, locals_, low)


def _by_name(symbols: Symbols) -> dict[str, Table]:
    return {table.table.name: table for table in symbols.tables}


def _unit(
    program: ir.Program,
    symbols: Symbols,
    layout: Layout,
    locals_: tuple[Local, ...],
    low: Lowering,
) -> Unit:
    tables, uses = symbols.tables, low.uses
    body = _body(program, low, zeroing(locals_, layout.rung))
    return Unit(
        function=symbols.function,
        source=program.source,
        target=low.target,
        tables=tables,
        typed=tuple(t for t in tables if _is_typed(program, t)),
        bare=_bare_names(symbols),
        counters=symbols.counters,
        maps=maps_of(symbols, layout),
        initial={f"{t.c_name}_default": initial_default(t) for t in tables if t.has_default},
        finders=_finders(tables, low),
        declarations=declarations(locals_, layout.rung),
        body=body,
        uses_data=uses.data,
        uses_end=uses.end,
        uses_context=uses.data or uses.end or _names_context(body),
        pull=_reach(program) if low.target.is_tc else 0,
        devmap=symbols.devmap,
        perf_map=symbols.perf_map,
        layout=layout,
    )


def _is_typed(program: ir.Program, table: Table) -> bool:
    """Tell whether the C names a table's types; a constant table is all code."""
    applied = (s for s in walk(program.body) if isinstance(s, ir.Apply))
    chosen = (apply.needs_choice(s, table) for s in applied if s.table == table.table.name)
    return table.has_map or table.has_default or any(chosen)


def _bare_names(symbols: Symbols) -> dict[str, tuple[Action, ...]]:
    """Return for each table the actions whose own names mean nothing else in the program."""
    every = [action.c_name for table in symbols.tables for action in table.actions]
    return {
        table.c_name: tuple(
            action
            for action in table.actions
            if every.count(action.c_name) == 1
            and action.c_name not in symbols.names.taken
            and not is_library_name(action.c_name)
        )
        for table in symbols.tables
    }


# Names and declarations


def _labels(program: ir.Program) -> dict[str, str]:
    """Return C names for the scopes that something leaves."""
    names = Names()
    left = {s.label for s in walk(program.body) if isinstance(s, ir.Leave)}
    return {
        stmt.label: names.take(stmt.label)
        for stmt in walk(program.body)
        if isinstance(stmt, ir.Scope) and stmt.label in left
    }


# The body


def _packet_use(program: ir.Program, target: Target) -> PacketUse:
    measured = not target.is_tc and has_effect(program, "perf_event_output")
    every = tuple(walk(program.body))
    end = measured or any(isinstance(s, ir.Check | ir.PacketLength) for s in every)
    loads = any(
        isinstance(e, ir.Load)
        for stmt in every
        for expr in flow.used_expressions(stmt)
        for e in walk_expression(expr)
    )
    data = end or loads or any(isinstance(s, ir.Store | ir.SetPointer) for s in every)
    return PacketUse(data, end)


def _reach(program: ir.Program) -> int:
    """Return how many bytes from its start on the program may look at in a packet."""
    farthest, reach = {"data": 0}, 0
    for stmt in walk(program.body):
        match stmt:
            case ir.SetPointer(pointer=pointer, base=base, offset=offset, limit=limit):
                place = farthest.get(base, 0) + offset + limit
                farthest[pointer] = max(farthest.get(pointer, 0), place)
            case ir.Check(pointer=pointer, size=size):
                reach = max(reach, farthest.get(pointer, 0) + size)
    return reach


def _names_context(body: str) -> bool:
    return re.search(r"\bctx\b", re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", body)) is not None


def _finders(tables: tuple[Table, ...], low: Lowering) -> tuple[str, ...]:
    by_name = {table.c_name: table for table in tables}
    how = scan.choose(by_name[n] for n in low.looked_up if by_name[n].kind == "ternary")
    return tuple(
        lookup.function(table, how, in_scratch=low.in_scratch)
        for table in tables
        if table.c_name in low.looked_up
    )


def _body(program: ir.Program, low: Lowering, first: list[str]) -> str:
    w = CWriter()
    for line in first:
        w.line(line)
    if low.shown.needs(program.input_port):
        assert program.input_port is not None
        w.line(f"{low.variable(program.input_port)} = {low.target.input_port};")
    low.body(w, program.body)
    if flow.falls_through(program.body):
        w.line(f"return {low.target.dropped};")
    return w.text()
