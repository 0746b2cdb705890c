"""Tables over a small dense key: an array whose cells are in use or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from p4xdp.backend_c.access import finder
from p4xdp.backend_c.access.base import KEY_LIMIT, key_setter
from p4xdp.backend_c.cwriter import CWriter, inline_function
from p4xdp.backend_c.model import Map, Scalar, Table


class Array:
    most_entries: ClassVar[int] = 1 << 27
    largest_key: ClassVar[int] = KEY_LIMIT
    key_align: ClassVar[int] = 1
    by_words: ClassVar[bool] = False
    keeps_key: ClassVar[bool] = False

    def maps(self, table: Table) -> Iterator[Map]:
        name = table.c_name
        value = f"struct {name}_value"
        yield Map(name, "array", "__u32", value, 4, table.value.size, table.table.size)

    def own_stack(self, table: Table) -> int:
        return 8

    def finder(self, table: Table, *, in_scratch: bool) -> str:
        name = table.c_name
        w = CWriter()
        w.line("__u32 index = field0;")
        w.line(f"struct {name}_value *value = bpf_map_lookup_elem(&{name}, &index);")
        w.line("")
        w.line("return value && value->in_use ? value : NULL;")
        return finder.by_fields(table, w, in_scratch=False)

    def key_setters(self, table: Table, key: Scalar) -> Iterator[str]:
        yield key_setter(table, key)

    def control(self, table: Table) -> Iterator[str]:
        name = table.c_name
        head = ["int fd", f"const struct {name}_key *key"]
        index = f"__u32 index = {name}_key_get_{table.keys[0].label}(key);"
        yield inline_function(
            "int ",
            f"{name}_insert",
            [*head, f"const struct {name}_value *value"],
            index,
            f"struct {name}_value used = *value;",
            "",
            "used.in_use = 1;",
            "return bpf_map_update_elem(fd, &index, &used, BPF_ANY) ? -errno : 0;",
        )
        yield inline_function(
            "int ",
            f"{name}_lookup",
            [*head, f"struct {name}_value *value"],
            index,
            "",
            "if (bpf_map_lookup_elem(fd, &index, value))",
            "\treturn -errno;",
            "return value->in_use ? 0 : p4xdp_error(ENOENT);",
        )
        yield inline_function(
            "int ",
            f"{name}_delete",
            head,
            index,
            f"struct {name}_value unused;",
            "",
            "memset(&unused, 0, sizeof(unused));",
            "return bpf_map_update_elem(fd, &index, &unused, BPF_EXIST) ? -errno : 0;",
        )
