"""The interface behind which a table's entries are, and what most kinds share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Protocol

from p4xdp.backend_c.cwriter import inline_function
from p4xdp.backend_c.model import Map, Scalar, Table
from p4xdp.backend_c.numbers import parameter, put


class Access(Protocol):
    """A kind of table; sizes in bytes.

    `by_words`: the key is given as 64-bit words, else a field at a time. `keeps_key`: the search
    needs the key in memory. `key_align`: what the key's size is a multiple of.
    """

    most_entries: ClassVar[int]
    largest_key: ClassVar[int]
    key_align: ClassVar[int]
    by_words: ClassVar[bool]
    keeps_key: ClassVar[bool]

    def maps(self, table: Table) -> Iterator[Map]:
        """Return the maps that hold the entries."""

    def own_stack(self, table: Table) -> int:
        """Return the bytes of stack that a search takes beside the key."""

    def finder(self, table: Table, *, in_scratch: bool) -> str:
        """Return the C of `<table>_find`: the key in, the address of a value or NULL out.

        `in_scratch`: the key is built in memory that the function is given, not on its stack.
        """

    def key_setters(self, table: Table, key: Scalar) -> Iterator[str]:
        """Return the functions of the header that fill in a field of a key."""

    def control(self, table: Table) -> Iterator[str]:
        """Return the functions of the header that change and read entries."""


KEY_LIMIT = 512
"""Bytes of the largest key that is built on the stack."""


def key_setter(table: Table, key: Scalar, *more: str) -> str:
    """Return the function that fills in a field, and what else its statements `more` fill in."""
    return inline_function(
        "void ",
        f"{table.c_name}_key_set_{key.label}",
        [f"struct {table.c_name}_key *key", parameter(key, "value")],
        put(key, f"key->{key.c_name}", "value"),
        *more,
    )


def keyed_entries(name: str) -> Iterator[str]:
    """Return the calls that change the entries of a map whose key is the key struct."""
    head = ["int fd", f"const struct {name}_key *key"]
    yield inline_function(
        "int ",
        f"{name}_insert",
        [*head, f"const struct {name}_value *value"],
        "return bpf_map_update_elem(fd, key, value, BPF_ANY) ? -errno : 0;",
    )
    yield inline_function(
        "int ",
        f"{name}_insert_many",
        [
            "int fd",
            f"const struct {name}_key *keys",
            f"const struct {name}_value *values",
            "__u32 count",
        ],
        "return p4xdp_insert_many(fd, keys, sizeof(*keys), values, sizeof(*values), count);",
    )
    yield inline_function(
        "int ",
        f"{name}_lookup",
        [*head, f"struct {name}_value *value"],
        "return bpf_map_lookup_elem(fd, key, value) ? -errno : 0;",
    )
    yield inline_function(
        "int ", f"{name}_delete", head, "return bpf_map_delete_elem(fd, key) ? -errno : 0;"
    )
