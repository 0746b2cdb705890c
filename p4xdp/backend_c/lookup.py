"""One C function for each table with a map: key fields in, the entry's value or NULL out."""

from __future__ import annotations

from p4xdp.backend_c import scalars
from p4xdp.backend_c.cwriter import CWriter
from p4xdp.backend_c.model import Table


def function(table: Table) -> str:
    """Return the C text of `<table>_find`."""
    w = CWriter()
    match table.kind:
        case "array":
            _array(w, table)
        case "ternary":
            _ternary(w, table)
        case _:
            _keyed(w, table)
    return f"{_head(table)}\n{{\n{w.text()}}}\n"


def _head(table: Table) -> str:
    name = table.c_name
    arguments = [f"{kind} {p}" for key in table.keys for kind, p in scalars.parameters(key)]
    return wrapped(f"static __always_inline struct {name}_value *{name}_find(", arguments, ")")


def wrapped(head: str, arguments: list[str], tail: str, width: int = 100) -> str:
    """Return a list of arguments, broken where a line would pass `width` columns."""
    indent = "\t" * (len(head) // 8) + " " * (len(head) % 8)
    lines = [head]
    column = len(head)
    for i, argument in enumerate(arguments):
        last = i + 1 == len(arguments)
        text = argument + (tail if last else ",")
        if column + 1 + len(text) > width and lines[-1] != head:
            lines.append(indent)
            column = len(head)
        blank = "" if lines[-1] in (head, indent) else " "
        lines[-1] += blank + text
        column += len(blank + text)
    return "\n".join(lines) if arguments else f"{head}void{tail}"


def _fill_key(w: CWriter, table: Table) -> None:
    if table.kind == "lpm":
        lpm = next(key for key in table.keys if key.kind == "lpm")
        w.line(f"key.prefixlen = {table.prefix_base + lpm.width};")
    for key in table.keys:
        for line in scalars.stores(key, "key"):
            w.line(line)
    for pad in table.key.padding:
        w.line(f"__builtin_memset(key.{pad.name}, 0, sizeof(key.{pad.name}));")


def _keyed(w: CWriter, table: Table) -> None:
    w.line(f"struct {table.c_name}_key key;")
    w.line("")
    _fill_key(w, table)
    w.line(f"return bpf_map_lookup_elem(&{table.c_name}, &key);")


def _array(w: CWriter, table: Table) -> None:
    w.line("__u32 index = field0;")
    name = table.c_name
    w.line(f"struct {name}_value *value = bpf_map_lookup_elem(&{name}, &index);")
    w.line("")
    w.line("return value && value->in_use ? value : NULL;")


def _ternary(w: CWriter, table: Table) -> None:
    name = table.c_name
    w.line(f"__u64 state = p4xdp_read_once(&{name}_state);")
    w.line("__u32 count = (__u32)state;")
    w.line("__u32 index = state >> 32;")
    w.line(f"struct {name}_key key;")
    w.line("__u32 i;")
    w.line("")
    _fill_key(w, table)

    def scan(inner: CWriter) -> None:
        inner.line(f"struct {name}_entry *entry;")
        inner.line("")
        inner.chain([("if (i >= count)", lambda b: b.line("break;"))])
        inner.line(f"entry = bpf_map_lookup_elem(&{name}, &index);")
        inner.chain([("if (!entry)", lambda b: b.line("break;"))])
        inner.chain(
            [
                (
                    "if (p4xdp_matches(&key, &entry->key, &entry->mask, sizeof(key)))",
                    lambda b: b.line("return &entry->value;"),
                )
            ]
        )
        inner.line("index++;")

    w.braces(f"for (i = 0; i < {table.table.size}; i++)", scan)
    w.line("return NULL;")
