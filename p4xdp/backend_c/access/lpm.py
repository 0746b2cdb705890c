"""Tables with one longest-prefix field: the kernel's LPM trie, exact fields in front."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from p4xdp.backend_c import scalars
from p4xdp.backend_c.access import finder
from p4xdp.backend_c.access.base import key_setter, keyed_entries
from p4xdp.backend_c.cwriter import CWriter, inline_function
from p4xdp.backend_c.model import Map, Scalar, Table
from p4xdp.backend_c.numbers import parameter, put

NO_PREALLOC = 1
PREFIX_LENGTH = 4
"""Bytes of the number in front of the key's fields."""


class Lpm:
    most_entries: ClassVar[int] = 1 << 31
    largest_key: ClassVar[int] = 256 + PREFIX_LENGTH
    key_align: ClassVar[int] = 1
    by_words: ClassVar[bool] = False
    keeps_key: ClassVar[bool] = True

    def maps(self, table: Table) -> Iterator[Map]:
        name = table.c_name
        key, value = f"struct {name}_key", f"struct {name}_value"
        sizes = (table.key.size, table.value.size, table.table.size)
        yield Map(name, "lpm_trie", key, value, *sizes, flags=NO_PREALLOC)

    def own_stack(self, table: Table) -> int:
        return 0

    def finder(self, table: Table, *, in_scratch: bool) -> str:
        w = CWriter()
        key = "key->" if in_scratch else "key."
        if not in_scratch:
            w.line(f"struct {table.c_name}_key key;")
            w.line("")
        w.line(f"{key}prefixlen = {table.prefix_base + _prefix(table).width};")
        for scalar in table.keys:
            for line in scalars.stores(scalar, key):
                w.line(line)
        for pad in table.key.padding:
            w.line(f"__builtin_memset({key}{pad.name}, 0, sizeof({key}{pad.name}));")
        address = "key" if in_scratch else "&key"
        w.line(f"return bpf_map_lookup_elem(&{table.c_name}, {address});")
        return finder.by_fields(table, w, in_scratch=in_scratch)

    def key_setters(self, table: Table, key: Scalar) -> Iterator[str]:
        if key.kind != "lpm":
            yield key_setter(table, key)
            return
        yield key_setter(table, key, f"key->prefixlen = {table.prefix_base + key.width};")
        yield inline_function(
            "void ",
            f"{table.c_name}_key_set_{key.label}_prefix",
            [f"struct {table.c_name}_key *key", parameter(key, "value"), "__u32 length"],
            put(key, f"key->{key.c_name}", "value"),
            f"key->prefixlen = {table.prefix_base} + length;",
        )

    def control(self, table: Table) -> Iterator[str]:
        yield from keyed_entries(table.c_name)


def _prefix(table: Table) -> Scalar:
    return next(field for field in table.keys if field.kind == "lpm")
