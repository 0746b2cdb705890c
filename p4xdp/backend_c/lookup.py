"""One C function for each table with a map: key fields in, the entry's value or NULL out."""

from __future__ import annotations

from p4xdp.backend_c import scalars, scan
from p4xdp.backend_c.cwriter import CWriter, wrapped
from p4xdp.backend_c.model import Table
from p4xdp.backend_c.scan import Scan


def function(table: Table, how: Scan, *, in_scratch: bool) -> str:
    """Return the C text of `<table>_find`; `in_scratch`: its key is built in memory it is given.

    `how` counts for ternary tables.
    """
    w = CWriter()
    if table.kind == "array":
        w.line("__u32 index = field0;")
        name = table.c_name
        w.line(f"struct {name}_value *value = bpf_map_lookup_elem(&{name}, &index);")
        w.line("")
        w.line("return value && value->in_use ? value : NULL;")
        return _defined(table, w, in_scratch)
    key = "key" if in_scratch else "&key"
    if table.kind == "ternary":
        scan.declare(w, table, how)
    if not in_scratch:
        aligned = " __attribute__((aligned(8)))" if table.kind == "ternary" else ""
        w.line(f"struct {table.c_name}_key key{aligned};")
    if w.lines:
        w.line("")
    _fill_key(w, table, "key->" if in_scratch else "key.")
    if table.kind == "ternary":
        scan.search(w, table, key, how)
        step = f"{scan.step(table)}\n" if how is Scan.STEPS else ""
        return scan.ranges(table) + step + _defined(table, w, in_scratch)
    w.line(f"return bpf_map_lookup_elem(&{table.c_name}, {key});")
    return _defined(table, w, in_scratch)


def _defined(table: Table, w: CWriter, in_scratch: bool) -> str:
    name = table.c_name
    arguments = [f"{kind} {p}" for key in table.keys for kind, p in scalars.parameters(key)]
    if in_scratch and table.kind != "array":
        arguments.insert(0, f"struct {name}_key *key")
    head = f"static __always_inline struct {name}_value *{name}_find("
    return f"{wrapped(head, arguments, ')')}\n{{\n{w.text()}}}\n"


def _fill_key(w: CWriter, table: Table, key: str) -> None:
    """Store all fields and all padding; `key` ends in `.` or `->`."""
    if table.kind == "lpm":
        lpm = next(field for field in table.keys if field.kind == "lpm")
        w.line(f"{key}prefixlen = {table.prefix_base + lpm.width};")
    for scalar in table.keys:
        for line in scalars.stores(scalar, key):
            w.line(line)
    for pad in table.key.padding:
        w.line(f"__builtin_memset({key}{pad.name}, 0, sizeof({key}{pad.name}));")
