"""Exact tables: the kernel's hash map, whose keys are whole words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from p4xdp.backend_c.access import finder
from p4xdp.backend_c.access.base import KEY_LIMIT, key_setter, keyed_entries
from p4xdp.backend_c.cwriter import CWriter
from p4xdp.backend_c.model import Map, Scalar, Table


class Hash:
    most_entries: ClassVar[int] = 1 << 27
    largest_key: ClassVar[int] = KEY_LIMIT
    key_align: ClassVar[int] = 8
    by_words: ClassVar[bool] = True
    keeps_key: ClassVar[bool] = True

    def maps(self, table: Table) -> Iterator[Map]:
        name = table.c_name
        key, value = f"struct {name}_key", f"struct {name}_value"
        yield Map(name, "hash", key, value, table.key.size, table.value.size, table.table.size)

    def own_stack(self, table: Table) -> int:
        return 0

    def finder(self, table: Table, *, in_scratch: bool) -> str:
        w = CWriter()
        if in_scratch:
            key = finder.declare_words(w, table, in_scratch=True)
        else:
            key = finder.declare_halves(w, table)
        w.line(f"return bpf_map_lookup_elem(&{table.c_name}, {key});")
        return finder.by_words(table, w, in_scratch=in_scratch)

    def key_setters(self, table: Table, key: Scalar) -> Iterator[str]:
        yield key_setter(table, key)

    def control(self, table: Table) -> Iterator[str]:
        yield from keyed_entries(table.c_name)
