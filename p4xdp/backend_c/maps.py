"""The global names of out.c, and the BPF maps and data behind them."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.backend_c import scalars
from p4xdp.backend_c.model import Counter, Layout, Map, Table
from p4xdp.backend_c.names import Names, identifier, short_names
from p4xdp.backend_c.tables import build
from p4xdp.diagnostics import Diagnostics
from p4xdp.midend import ir
from p4xdp.midend.rewrite import walk
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Symbols:
    """Everything with a name of its own in the file; `names` are all that are taken."""

    function: str
    tables: tuple[Table, ...]
    counters: tuple[Counter, ...]
    devmap: str | None
    devmap_size: int
    perf_map: str | None
    names: Names


def declare(program: ir.Program, diagnostics: Diagnostics) -> Symbols:
    """Name what the program declares, P4's names first; reports `table-too-large` and
    `counter-too-large`."""
    names = Names(is_global=True)
    tables = build(program, names, diagnostics)
    counters = counters_of(program, names, diagnostics)
    devmap = names.take("tx_ports") if program.devmap_size is not None else None
    perf_map = names.take("packets") if has_effect(program, "perf_event_output") else None
    function = _function(program.name, names)
    return Symbols(function, tables, counters, devmap, program.devmap_size or 0, perf_map, names)


def _function(program: str, names: Names) -> str:
    """Return the entry point's name: the program's, unless a table has it."""
    taken = identifier(program) in names.taken
    return names.take(f"{program}_program" if taken else program)


def has_effect(program: ir.Program, name: str) -> bool:
    return any(isinstance(s, ir.Effect) and s.name == name for s in walk(program.body))


CELLS = 1 << 24
"""Cells of the largest counter; each takes 8 bytes for each CPU."""


def counters_of(program: ir.Program, names: Names, diagnostics: Diagnostics) -> tuple[Counter, ...]:
    short = short_names(counter.name for counter in program.counters)
    for counter in program.counters:
        if counter.size > CELLS:
            diagnostics.error(
                "counter-too-large",
                counter.span if counter.span.line else None,
                f"counter `{counter.name}` has {counter.size} cells; a counter has at most {CELLS}",
                help="count in fewer cells, or by the entries of a table",
            )
    return tuple(
        Counter(c.name, names.take(short[c.name]), c.size, c.sparse) for c in program.counters
    )


def maps_of(symbols: Symbols, layout: Layout) -> tuple[Map, ...]:
    """Return the maps in the order of the C file."""
    maps = [m for table in symbols.tables for m in table_maps(table)]
    for c in symbols.counters:
        kind = "percpu_hash" if c.sparse else "percpu_array"
        maps.append(Map(c.c_name, kind, "__u32", "__u64", 4, 8, c.size))
    if symbols.devmap is not None:
        size = symbols.devmap_size
        maps.append(Map(symbols.devmap, "devmap_hash", "__u32", "__u32", 4, 4, size))
    if symbols.perf_map is not None:
        maps.append(Map(symbols.perf_map, "perf_event_array", "__u32", "__u32", 4, 4, 0))
    if layout.map:
        sizes = (4, layout.size, 1)
        maps.append(Map(layout.map, "percpu_array", "__u32", "struct scratch", *sizes))
    return tuple(maps)


NO_PREALLOC = 1

SLOTS_OFFSET = 8
"""Bytes in front of the two values of a default."""


def table_maps(table: Table) -> Iterator[Map]:
    """Return the maps of a table: entries, a ternary table's state, a changeable default."""
    name, size = table.c_name, table.table.size
    key, value = f"struct {name}_key", f"struct {name}_value"
    match table.kind:
        case "hash":
            yield Map(name, "hash", key, value, table.key.size, table.value.size, size)
        case "lpm":
            sizes = (table.key.size, table.value.size, size)
            yield Map(name, "lpm_trie", key, value, *sizes, flags=NO_PREALLOC)
        case "array":
            yield Map(name, "array", "__u32", value, 4, table.value.size, size)
        case "ternary":
            assert table.ternary is not None
            entry = f"struct {name}_entry"
            yield Map(name, "array", "__u32", entry, 4, table.ternary.size, 2 * size)
            yield _data_map(f"{name}_state", "__u64", 8)
    if table.has_default:
        if table.has_slots:
            size = SLOTS_OFFSET + 2 * table.value.size
            yield _data_map(f"{name}_default", f"struct {name}_defaults", size)
        else:
            yield _data_map(f"{name}_default", value, table.value.size)


def _data_map(name: str, value_type: str, size: int) -> Map:
    return Map(name, "data", "__u32", value_type, 4, size, 1, section=f".data.{name}")


def initial_default(table: Table) -> str:
    """Return the initializer of a changeable default."""
    choice = table.table.default
    action = table.actions[choice.index]
    slot = ".slots[0]" if table.has_slots else ""
    lines = [f"\t{slot}.action = {action.enumerator},"]
    for scalar, value in zip(action.data, choice.arguments, strict=True):
        name = f"{slot}.u.{action.c_name}.{scalar.c_name}"
        lines.append(f"\t{name} = {scalars.initializer(scalar, value)},")
    return " = {\n" + "\n".join(lines) + "\n}"
