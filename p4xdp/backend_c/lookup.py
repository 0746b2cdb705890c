"""One C function for each table with a map: key fields in, the entry's value or NULL out."""

from __future__ import annotations

from p4xdp.backend_c import scalars
from p4xdp.backend_c.cwriter import COLUMNS, CWriter
from p4xdp.backend_c.model import Table


def function(table: Table, *, in_scratch: bool) -> str:
    """Return the C text of `<table>_find`; `in_scratch`: its key is built in memory it is given."""
    w = CWriter()
    match table.kind:
        case "array":
            _array(w, table)
        case "ternary":
            _ternary(w, table, in_scratch)
        case _:
            _keyed(w, table, in_scratch)
    return f"{_head(table, in_scratch)}\n{{\n{w.text()}}}\n"


def _head(table: Table, in_scratch: bool) -> str:
    name = table.c_name
    arguments = [f"{kind} {p}" for key in table.keys for kind, p in scalars.parameters(key)]
    if in_scratch and table.kind != "array":
        arguments.insert(0, f"struct {name}_key *key")
    return wrapped(f"static __always_inline struct {name}_value *{name}_find(", arguments, ")")


def wrapped(head: str, arguments: list[str], tail: str) -> str:
    """Return a function's head, its parameters aligned where the line has to be broken."""
    indent = "\t" * (len(head) // 8) + " " * (len(head) % 8)
    return filled(head, arguments or ["void"], tail, indent)


def filled(head: str, items: list[str], tail: str, indent: str, width: int = COLUMNS) -> str:
    """Return `head`, items with commas and `tail`, broken in front of what would pass `width`."""
    lines = [head]
    for i, item in enumerate(items):
        text = item + ("," if i + 1 < len(items) else tail)
        blank = "" if lines[-1] in (head, indent) else " "
        line = lines[-1] + blank + text
        if blank and len(line.expandtabs(8)) > width:
            lines.append(indent + text)
        else:
            lines[-1] = line
    return "\n".join(lines)


def _fill_key(w: CWriter, table: Table, in_scratch: bool) -> None:
    key = "key->" if in_scratch else "key."
    if table.kind == "lpm":
        lpm = next(key for key in table.keys if key.kind == "lpm")
        w.line(f"{key}prefixlen = {table.prefix_base + lpm.width};")
    for scalar in table.keys:
        for line in scalars.stores(scalar, key):
            w.line(line)
    for pad in table.key.padding:
        w.line(f"__builtin_memset({key}{pad.name}, 0, sizeof({key}{pad.name}));")


def _keyed(w: CWriter, table: Table, in_scratch: bool) -> None:
    if not in_scratch:
        w.line(f"struct {table.c_name}_key key;")
        w.line("")
    _fill_key(w, table, in_scratch)
    w.line(f"return bpf_map_lookup_elem(&{table.c_name}, {'key' if in_scratch else '&key'});")


def _array(w: CWriter, table: Table) -> None:
    w.line("__u32 index = field0;")
    name = table.c_name
    w.line(f"struct {name}_value *value = bpf_map_lookup_elem(&{name}, &index);")
    w.line("")
    w.line("return value && value->in_use ? value : NULL;")


def _ternary(w: CWriter, table: Table, in_scratch: bool) -> None:
    name = table.c_name
    w.line(f"__u64 state = p4xdp_read_once(&{name}_state);")
    w.line("__u32 count = (__u32)state;")
    w.line("__u32 index = state >> 32;")
    if not in_scratch:
        w.line(f"struct {name}_key key;")
    w.line("__u32 i;")
    w.line("")
    _fill_key(w, table, in_scratch)
    key, size = ("key", "sizeof(*key)") if in_scratch else ("&key", "sizeof(key)")
    test = f"if (p4xdp_matches({key}, &entry->key, &entry->mask, {size}))"

    def scan(inner: CWriter) -> None:
        inner.line(f"struct {name}_entry *entry;")
        inner.line("")
        inner.chain([("if (i >= count)", lambda b: b.line("break;"))])
        inner.line(f"entry = bpf_map_lookup_elem(&{name}, &index);")
        inner.chain([("if (!entry)", lambda b: b.line("break;"))])
        inner.chain([(test, lambda b: b.line("return &entry->value;"))])
        inner.line("index++;")

    w.braces(f"for (i = 0; i < {table.table.size}; i++)", scan)
    w.line("return NULL;")
