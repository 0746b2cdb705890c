"""Ternary tables in C: the entries in force, in order of priority, until one matches."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from p4xdp.backend_c.cwriter import CWriter, wrapped
from p4xdp.backend_c.model import Scalar, Table


class Scan(Enum):
    """What a scan is made of: a function of p4xdp.h that compares, or a helper."""

    EARLY = "p4xdp_matches"
    AT_ONCE = "p4xdp_matches_at_once"
    STEPS = "bpf_loop"


BRANCHES = 6000
"""Branches that all scans of a program may have: the verifier follows 8192 in a row."""


def choose(tables: Iterable[Table]) -> Scan:
    """Return how to scan, given a ternary table for each place where one is applied."""
    scanned = [(t.table.size, t.key.size // 8, 2 + len(t.ranges)) for t in tables]
    if sum(size * (words + rest) for size, words, rest in scanned) <= BRANCHES:
        return Scan.EARLY
    if sum(size * (1 + rest) for size, _, rest in scanned) <= BRANCHES:
        return Scan.AT_ONCE
    return Scan.STEPS


def declare(w: CWriter, table: Table, how: Scan) -> None:
    """Write the variables of a search."""
    w.line(f"__u64 state = p4xdp_read_once(&{table.c_name}_state);")
    if how is Scan.STEPS:
        w.line("__u64 count = (__u32)state;")
        w.line(f"struct {table.c_name}_entry *entry;")
        w.line("struct p4xdp_search search;")
    else:
        w.line("__u32 count = (__u32)state;")
        w.line("__u32 index = state >> 32;")
        w.line("__u32 i;")


def search(w: CWriter, table: Table, key: str, how: Scan) -> None:
    """Write the search for a key that is filled in; `key` is the C text of its address."""
    if how is Scan.STEPS:
        _by_steps(w, table, key)
    else:
        _by_loop(w, table, key, how)


def _by_loop(w: CWriter, table: Table, key: str, how: Scan) -> None:
    test = f"{how.value}({key}, &entry->key, &entry->mask, sizeof(entry->key))"
    test += _in_ranges(table, key)

    def body(inner: CWriter) -> None:
        inner.line(f"struct {table.c_name}_entry *entry;")
        inner.line("")
        inner.chain([("if (i >= count)", lambda b: b.line("break;"))])
        inner.line(f"entry = bpf_map_lookup_elem(&{table.c_name}, &index);")
        inner.chain([("if (!entry)", lambda b: b.line("break;"))])
        inner.chain([(f"if ({test})", lambda b: b.line("return &entry->value;"))])
        inner.line("index++;")

    w.braces(f"for (i = 0; i < {table.table.size}; i++)", body)
    w.line("return NULL;")


def _in_ranges(table: Table, key: str) -> str:
    return f" && {table.c_name}_in_ranges((const void *){key}, entry)" if table.ranges else ""


def ranges(table: Table) -> str:
    """Return the function that compares the range fields of a key with an entry's; no text for a
    table without any."""
    name = table.c_name
    tests = [
        f"p4xdp_in_range({', '.join(_part(scalar, p) for p in RANGE_PARTS)}, {scalar.size})"
        for scalar in table.ranges
    ]
    if not tests:
        return ""
    w = CWriter()
    w.line(f"return {' && '.join(tests)};")
    arguments = [f"const struct {name}_key *key", f"const struct {name}_entry *entry"]
    head = wrapped(f"static __always_inline int {name}_in_ranges(", arguments, ")")
    return f"{head}\n{{\n{w.text()}}}\n\n"


RANGE_PARTS = ("key->", "entry->low.", "entry->high.")


def _part(scalar: Scalar, struct: str) -> str:
    return scalar.address_in(struct)


def _by_steps(w: CWriter, table: Table, key: str) -> None:
    name = table.c_name
    w.line(f"search.key = {key};")
    w.line("search.first = state >> 32;")
    w.line("search.found = P4XDP_NOTHING_FOUND;")
    w.comment("an inlined bpf_loop() counts in 64 bits; clang leaves what it likes above 32")
    w.line("p4xdp_opaque(count);")
    w.line(f"bpf_loop(count, {name}_step, &search, 0);")
    w.line(f"entry = bpf_map_lookup_elem(&{name}, &search.found);")
    w.chain([("if (!entry)", lambda b: b.line("return NULL;"))])
    w.comment("clang would add first and ask then, which the verifier does not take")
    w.line("p4xdp_opaque(entry);")
    w.line("return &entry->value;")


def step(table: Table) -> str:
    """Return the function that looks at one entry; it returns 1 to end the search."""
    name = table.c_name
    w = CWriter()
    w.line("struct p4xdp_search *search = context;")
    w.line("__u32 index = search->first + i;")
    w.line(f"struct {name}_entry *entry = bpf_map_lookup_elem(&{name}, &index);")
    w.line("")
    w.chain([("if (!entry)", lambda b: b.line("return 1;"))])
    test = "p4xdp_matches(search->key, &entry->key, &entry->mask, sizeof(entry->key))"
    w.chain([(f"if (!{test})", lambda b: b.line("return 0;"))])
    if table.ranges:
        outside = f"if (!{name}_in_ranges(search->key, entry))"
        w.chain([(outside, lambda b: b.line("return 0;"))])
    w.line("search->found = index;")
    w.line("return 1;")
    return f"static long {name}_step(__u32 i, void *context)\n{{\n{w.text()}}}\n"
