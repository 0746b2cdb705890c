"""One C function for each table with a map: the key in, as fields or words, the entry's value or
NULL out."""

from __future__ import annotations

from p4xdp.backend_c import keys, scalars, scan
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
    if table.kind == "ternary":
        scan.declare(w, table, how)
    key = _declared_key(w, table, in_scratch)
    if table.kind == "ternary":
        scan.search(w, table, key, how)
        step = f"{scan.step(table)}\n" if how is Scan.STEPS else ""
        return scan.ranges(table) + step + _defined(table, w, in_scratch)
    w.line(f"return bpf_map_lookup_elem(&{table.c_name}, {key});")
    return _defined(table, w, in_scratch)


def _defined(table: Table, w: CWriter, in_scratch: bool) -> str:
    name = table.c_name
    if keys.is_by_words(table):
        arguments = [f"__u64 word{number}" for number in range(keys.count(table))]
    else:
        arguments = [f"{kind} {p}" for key in table.keys for kind, p in scalars.parameters(key)]
    if in_scratch and table.kind != "array":
        arguments.insert(0, f"struct {name}_key *key")
    head = f"static __always_inline struct {name}_value *{name}_find("
    return f"{wrapped(head, arguments, ')')}\n{{\n{w.text()}}}\n"


def _declared_key(w: CWriter, table: Table, in_scratch: bool) -> str:
    """Declare the key and fill it in, padding included; return the C text of its address."""
    if table.kind == "lpm":
        return _by_fields(w, table, in_scratch)
    words = [f"word{number}" for number in range(keys.count(table))]
    if not in_scratch:
        w.line(f"__u64 key[] = {{ {', '.join(words)} }};")
        w.line("")
        return "key"
    w.line("p4xdp_any64 *words = (void *)key;")
    w.line("")
    for number, word in enumerate(words):
        w.line(f"words[{number}] = {word};")
    return "key"


def _by_fields(w: CWriter, table: Table, in_scratch: bool) -> str:
    """Fill in a key that is no multiple of a word, and starts with the prefix length."""
    if not in_scratch:
        w.line(f"struct {table.c_name}_key key;")
        w.line("")
    key = "key->" if in_scratch else "key."
    lpm = next(field for field in table.keys if field.kind == "lpm")
    w.line(f"{key}prefixlen = {table.prefix_base + lpm.width};")
    for scalar in table.keys:
        for line in scalars.stores(scalar, key):
            w.line(line)
    for pad in table.key.padding:
        w.line(f"__builtin_memset({key}{pad.name}, 0, sizeof({key}{pad.name}));")
    return "key" if in_scratch else "&key"
