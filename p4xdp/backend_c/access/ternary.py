"""Ternary, range and optional keys: a scan in order of priority, or a search by the masks in use.

A table is two halves of an array; a word says which one is in force. Few entries are gone through
one by one. Of many, those that share a mask share a small hash: a packet's key is looked up there
once for each mask, best entries first, until no later mask can hold a better one. The control plane
fills the other half and then changes the word, so that a packet sees all of a change or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from p4xdp.backend_c.access import finder
from p4xdp.backend_c.access.base import KEY_LIMIT, key_setter
from p4xdp.backend_c.cwriter import CWriter, inline_function, wrapped
from p4xdp.backend_c.model import Map, Scalar, Table, TernaryTable, data_map
from p4xdp.backend_c.numbers import address

ROUND = 16
"""Masks for each step of bpf_loop(), at most."""

RANGE_BYTES = 8
"""Bytes of range fields that may be compared for each of ROUND masks. The verifier follows every
iteration of a step: 16 masks with 64 bytes are more than its limit of 1,000,000 instructions
(Linux 6.18)."""

INDEX, SEARCH, ROUND_STACK = 8, 24, 64
"""Bytes of stack: of an array index, of `struct p4xdp_search`, of the function of a round."""


def branches(size: int, ranges: int) -> int:
    """Return the branches of a scan of `size` entries, some of whose fields are ranges."""
    return size * (4 + ranges)


class Ternary:
    most_entries: ClassVar[int] = 1 << 20
    largest_key: ClassVar[int] = KEY_LIMIT
    key_align: ClassVar[int] = 8
    by_words: ClassVar[bool] = True
    keeps_key: ClassVar[bool] = True

    def maps(self, table: Table) -> Iterator[Map]:
        name = table.c_name
        half = _layout(table).half_size
        yield Map(name, "array", "__u32", f"struct {name}_half", 4, half, 2)
        yield data_map(f"{name}_state", "__u64", 8)

    def own_stack(self, table: Table) -> int:
        return INDEX + SEARCH + ROUND_STACK if _layout(table).masks else INDEX

    def finder(self, table: Table, *, in_scratch: bool) -> str:
        ranges = _ranges(table)
        if not _layout(table).masks:
            return ranges + _scan(table, in_scratch=in_scratch)
        return ranges + _try(table) + _round(table) + _by_masks(table, in_scratch=in_scratch)

    def key_setters(self, table: Table, key: Scalar) -> Iterator[str]:
        yield key_setter(table, key)

    def control(self, table: Table) -> Iterator[str]:
        yield from _mask_setters(table)
        yield from _entries(table)


def _layout(table: Table) -> TernaryTable:
    assert table.ternary is not None
    return table.ternary


# Searching


def _declare_half(w: CWriter, table: Table) -> None:
    name = table.c_name
    w.line(f"__u32 index = p4xdp_read_once(&{name}_state) >> 32;")
    w.line(f"struct {name}_half *half = bpf_map_lookup_elem(&{name}, &index);")


def _scan(table: Table, *, in_scratch: bool) -> str:
    w = CWriter()
    _declare_half(w, table)
    w.line("__u32 i;")
    key = finder.declare_words(w, table, in_scratch=in_scratch)
    w.chain([("if (!half)", lambda b: b.line("return NULL;"))])
    test = f"p4xdp_matches({key}, &entry->key, &entry->mask, sizeof(entry->key))"
    test += _in_ranges(table, key)

    def body(inner: CWriter) -> None:
        inner.line(f"struct {table.c_name}_entry *entry = &half->entries[i];")
        inner.line("")
        inner.chain([("if (!entry->rank)", lambda b: b.line("break;"))])
        inner.chain([(f"if ({test})", lambda b: b.line("return &entry->value;"))])

    w.braces(f"for (i = 0; i < {table.table.size}; i++)", body)
    w.line("return NULL;")
    return finder.by_words(table, w, in_scratch=in_scratch)


def _try(table: Table) -> str:
    """Return the function that looks for a better entry with a mask; it returns 1 when neither
    this mask nor one behind it can have one."""
    name, layout = table.c_name, _layout(table)
    w = CWriter()
    w.line(f"const struct {name}_half *half = search->half;")
    w.line(f"const struct {name}_entry *entry;")
    w.line("const __u32 *slot;")
    w.line("__u32 first, count, i;")
    w.line(f"__u64 masked[{table.key.size // 8}];")
    w.line("")
    w.chain([("if (mask->best <= search->best)", lambda b: b.line("return 1;"))])
    w.line("p4xdp_under_mask(masked, search->key, &mask->bits, sizeof(masked));")
    given = "masked, sizeof(masked), mask->slots, mask->shift"
    w.line(f"slot = &half->slots[p4xdp_slot({given}) & {layout.slots - 1}];")
    w.line("first = slot[0];")
    w.comment("as if it might be more: the loop needs an end that the verifier sees")
    w.line("count = (slot[1] - first) & P4XDP_SLOT_DEPTH;")
    w.chain([(f"if (!count || first >= {table.table.size})", lambda b: b.line("return 0;"))])
    test = "p4xdp_is_key(masked, &entry->key, sizeof(masked))" + _in_ranges(table, "search->key")

    def body(inner: CWriter) -> None:
        inner.chain([(f"if ({test})", _found)])

    w.line("entry = &half->entries[first];")
    w.braces("for (i = 0; i < count; i++, entry++)", body)
    w.line("return 0;")
    arguments = [f"const struct {name}_mask *mask", "struct p4xdp_search *search"]
    head = wrapped(f"static __always_inline int {name}_try(", arguments, ")")
    return f"{head}\n{{\n{w.text()}}}\n\n"


def _found(w: CWriter) -> None:
    w.line("p4xdp_take_better(search, &entry->rank, first + i);")
    w.line("return 0;")


def _masks_a_round(table: Table) -> int:
    """Return the masks for each step of bpf_loop(), a power of two."""
    weight = max(1, sum(scalar.size for scalar in table.ranges) // RANGE_BYTES)
    return max(1, ROUND >> (weight - 1).bit_length())


def _round(table: Table) -> str:
    """Return the function that tries some masks; it returns 1 to end the search."""
    name, layout, masks = table.c_name, _layout(table), _masks_a_round(table)
    w = CWriter()
    w.line("struct p4xdp_search *outer = context, search = *outer;")
    w.line(f"const struct {name}_half *half = search.half;")
    w.line(f"__u32 first = round * {masks}, i;")
    w.line("int done = 0;")
    w.line("")
    w.chain([(f"if (first >= {layout.masks})", lambda b: b.line("return 1;"))])

    def body(inner: CWriter) -> None:
        inner.line(f"done = {name}_try(&half->masks[first + i], &search);")

    w.chain([(f"for (i = 0; i < {masks} && !done; i++)", body)])
    w.line("outer->best = search.best;")
    w.line("outer->found = search.found;")
    w.line("return done;")
    return f"static long {name}_round(__u32 round, void *context)\n{{\n{w.text()}}}\n\n"


def _by_masks(table: Table, *, in_scratch: bool) -> str:
    name, layout = table.c_name, _layout(table)
    w = CWriter()
    _declare_half(w, table)
    w.line("struct p4xdp_search search;")
    key = finder.declare_words(w, table, in_scratch=in_scratch)
    w.chain([("if (!half)", lambda b: b.line("return NULL;"))])
    w.line("search.half = half;")
    w.line(f"search.key = {key};")
    w.line("search.best = search.found = 0;")
    w.line(f"bpf_loop({layout.masks // _masks_a_round(table)}, {name}_round, &search, 0);")
    none = f"if (!search.best || search.found >= {table.table.size})"
    w.chain([(none, lambda b: b.line("return NULL;"))])
    w.line("return &half->entries[search.found].value;")
    return finder.by_words(table, w, in_scratch=in_scratch)


def _in_ranges(table: Table, key: str) -> str:
    return f" && {table.c_name}_in_ranges({key}, entry)" if table.ranges else ""


def _ranges(table: Table) -> str:
    """Return the function that compares the range fields of a key with an entry's; no text for a
    table without any."""
    name = table.c_name
    tests = [
        f"p4xdp_in_range({', '.join(scalar.address_in(p) for p in RANGE_PARTS)}, {scalar.size})"
        for scalar in table.ranges
    ]
    if not tests:
        return ""
    w = CWriter()
    w.line(f"const struct {name}_key *number = key;")
    w.line("")
    w.line(f"return {' && '.join(tests)};")
    arguments = ["const void *key", f"const struct {name}_entry *entry"]
    head = wrapped(f"static __always_inline int {name}_in_ranges(", arguments, ")")
    return f"{head}\n{{\n{w.text()}}}\n\n"


RANGE_PARTS = ("number->", "entry->low.", "entry->high.")


# The control plane


def _mask_setters(table: Table) -> Iterator[str]:
    """Return functions for masks, which are key structs too."""
    struct = f"struct {table.c_name}_key"
    full = []
    for key in table.keys:
        member = address(key, f"mask->{key.c_name}")
        if key.kind == "range":
            continue
        full.append(f"p4xdp_put_prefix({member}, {key.size}, {key.width}, {key.width});")
        if key.kind == "lpm":
            yield inline_function(
                "void ",
                f"{table.c_name}_mask_set_{key.label}_prefix",
                [f"{struct} *mask", "int length"],
                f"p4xdp_put_prefix({member}, {key.size}, {key.width}, length);",
            )
    clear = "memset(mask, 0, sizeof(*mask));"
    yield inline_function("void ", f"{table.c_name}_mask_all", [f"{struct} *mask"], clear, *full)


def _shape(table: Table) -> str:
    """Return `struct p4xdp_ternary` of a table; C++11 knows no designators."""
    name, layout = table.c_name, _layout(table)
    sizes = [table.table.size, table.key.size, layout.size, layout.priority_offset]
    places = [layout.half_size, layout.entries_offset]
    masks = [layout.masks, layout.slots, layout.slots_offset]
    numbers = ", ".join(map(str, [*sizes, *places, *masks]))
    head = f"static const struct p4xdp_ternary {name}_ternary = {{"
    return f'{head}\n\t"{name}", "{name}_state", {numbers}\n}};\n'


def _entries(table: Table) -> Iterator[str]:
    name = table.c_name
    yield _shape(table)
    entry = f"struct {name}_entry"
    identity = _identity(table)
    yield _entry_set(table, identity)
    given = ", ".join(one.split("*")[-1].split()[-1] for one in identity)
    fill = [f"{entry} entry;", "", f"{name}_entry_set(&entry, {given});"]
    yield inline_function(
        "int ",
        f"{name}_insert",
        ["const char *pin_dir", *identity, f"const struct {name}_value *value"],
        *fill,
        "entry.value = *value;",
        f"return p4xdp_ternary_insert(&{name}_ternary, pin_dir, &entry, 1);",
    )
    yield inline_function(
        "int ",
        f"{name}_insert_many",
        ["const char *pin_dir", f"const {entry} *entries", "__u32 count"],
        f"return p4xdp_ternary_insert(&{name}_ternary, pin_dir, entries, count);",
    )
    yield inline_function(
        "int ",
        f"{name}_delete",
        ["const char *pin_dir", *identity],
        *fill,
        f"return p4xdp_ternary_delete(&{name}_ternary, pin_dir, &entry);",
    )
    yield inline_function(
        "int ",
        f"{name}_list",
        ["const char *pin_dir", f"{entry} *entries", "__u32 most"],
        f"return p4xdp_ternary_list(&{name}_ternary, pin_dir, entries, most);",
    )


def _identity(table: Table) -> list[str]:
    """Return the parameters that say which entry is meant."""
    key = f"const struct {table.c_name}_key"
    if table.prefix:
        return [f"{key} *key", "__u32 length"]
    ends = [f"{key} *low", f"{key} *high"] if table.ranges else []
    return [f"{key} *key", f"{key} *mask", *ends, "__u32 priority"]


def _entry_set(table: Table, identity: list[str]) -> str:
    name, prefix = table.c_name, table.prefix
    if prefix:
        masks = [
            f"{name}_mask_all(&to->mask);",
            f"{name}_mask_set_{prefix.label}_prefix(&to->mask, (int)length);",
        ]
        priority = "length"
    else:
        masks = ["to->mask = *mask;"]
        priority = "~priority" if table.table.smallest_first else "priority"
    return inline_function(
        "void ",
        f"{name}_entry_set",
        [f"struct {name}_entry *to", *identity],
        "__u8 *bytes = (__u8 *)&to->key;",
        "const __u8 *care = (const __u8 *)&to->mask;",
        "size_t i;",
        "",
        "memset(to, 0, sizeof(*to));",
        "to->key = *key;",
        *masks,
        *(_end(scalar, end) for scalar in table.ranges for end in ("low", "high")),
        f"to->priority = {priority};",
        "for (i = 0; i < sizeof(to->key); i++)",
        "\tbytes[i] &= care[i];",
    )


def _end(scalar: Scalar, end: str) -> str:
    """Return the statement that copies one end of a range."""
    if scalar.is_array:
        return f"memcpy(to->{end}.{scalar.c_name}, {end}->{scalar.c_name}, {scalar.size});"
    return f"to->{end}.{scalar.c_name} = {end}->{scalar.c_name};"
