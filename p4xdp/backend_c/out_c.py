"""out.c around its functions' bodies: types, maps, heads, and the table for the native build."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.backend_c import c_functions, digests, terms
from p4xdp.backend_c.cwriter import commented
from p4xdp.backend_c.model import CARRY, Map, Part, Unit, asks_for_replica
from p4xdp.backend_c.table_types import types_of
from p4xdp.description import MOST_PAYLOAD
from p4xdp.midend import ir

LICENCE = "/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */"


GROUPS = 1 << 14
"""Groups of devices that copies can go to."""


def c_text(unit: Unit, *, native: bool, without: str) -> str:
    """Return the C file; `without` names the passes that were left out."""
    return "".join(f"{line}\n" for line in _lines(unit, native, without))


def _lines(unit: Unit, native: bool, without: str) -> Iterator[str]:
    yield LICENCE
    yield f"/* Written by p4xdp from {commented(unit.source)}. */"
    if unit.sums_payload:
        yield "/* bytes of a payload that a checksum counts */"
        yield f"#define P4XDP_PAYLOAD {MOST_PAYLOAD}"
    yield "#include <p4xdp.h>"
    if without:
        yield from (
            "",
            f"/* Passes were left out ({without}), so variables may be set that nobody reads. */",
            '#pragma GCC diagnostic ignored "-Wunused-but-set-variable"',
        )
    yield ""
    if unit.externs:
        yield from c_functions.declarations(unit, native)
    for t in unit.typed:
        yield f"/* table {commented(t.table.name)} */"
        yield from types_of(t, t.has_map and t.kind != "array")
    for digest in unit.digests:
        yield from digests.types_of(digest)
    if unit.layout.members:
        yield from _scratch(unit)
    for name, array in unit.arrays:
        yield from _array(name, array)
    for m in _own_maps(unit):
        yield from _map(unit, m)
    if unit.ports.groups:
        yield from _groups(unit.ports.groups)
    if unit.itself:
        yield from (f"{_head(unit, unit.function)};", "")
        yield "/* the program itself, for packets that go through it once more */"
        yield from _program_array(unit, unit.itself, {0: unit.function}, 1)
    yield from unit.finders
    if unit.messages:
        yield from (digests.sender(one, unit.messages) for one in unit.digests)
    if unit.parts_map:
        yield from _tail_calls(unit, unit.parts_map)
    if unit.layout.rung == "subprograms":
        yield from _subprograms(unit)
    elif unit.replica:
        yield from _halves(unit, unit.replica)
    else:
        yield from _programs(unit)
    yield from ("", 'char _license[] SEC("license") = "Dual BSD/GPL";')
    if native:
        yield from _native(unit)


NUMBERS_IN_LINE = 8


def _array(name: str, array: ir.Array) -> Iterator[str]:
    size = next(size for size in (8, 16, 32, 64) if size >= array.width)
    numbers = [terms.literal(value) for value in array.values]
    yield f"static const __u{size} {name}[{len(numbers)}] = {{"
    for start in range(0, len(numbers), NUMBERS_IN_LINE):
        yield f"\t{', '.join(numbers[start : start + NUMBERS_IN_LINE])},"
    yield from ("};", "")


def _own_maps(unit: Unit) -> list[Map]:
    return [m for m in unit.maps if m.name not in (unit.parts_map, unit.copy_parts_map)]


def _scratch(unit: Unit) -> Iterator[str]:
    yield "/* the program's variables, more than the stack holds */"
    yield "struct scratch {"
    yield from (f"\t{text}" for text in unit.layout.members)
    yield from ("};", "")


def _map(unit: Unit, m: Map) -> Iterator[str]:
    if m.section:
        yield f'{m.value_type} {m.name} SEC("{m.section}"){unit.initial.get(m.name, "")};'
        yield ""
        return
    yield "struct {"
    yield f"\t__uint(type, {m.constant});"
    if m.max_entries:
        yield f"\t__uint(max_entries, {m.max_entries});"
    if m.flags:
        yield "\t__uint(map_flags, BPF_F_NO_PREALLOC);"
    if m.key_size:
        yield f"\t__type(key, {m.key_type});"
        yield f"\t__type(value, {m.value_type});"
    yield f'}} {m.name} SEC(".maps");'
    yield ""


# Functions


def _head(unit: Unit, name: str, rest: str = "") -> str:
    return f"int {name}({unit.target.context} *ctx{rest})"


def _find_scratch(unit: Unit) -> Iterator[str]:
    if unit.layout.members:
        yield "\tconst __u32 zero = 0;"
        yield (f"\tstruct scratch *scratch = bpf_map_lookup_elem(&{unit.layout.map}, &zero);")


def _scratch_found(unit: Unit) -> Iterator[str]:
    if unit.layout.members:
        yield "\tif (!scratch)"
        yield f"\t\treturn {unit.target.aborted};"


def _variables(unit: Unit, part: Part, finds_scratch: bool) -> Iterator[str]:
    if part.uses_data:
        yield f"\tvoid *data = {unit.target.data};"
    if part.uses_end:
        yield f"\tvoid *data_end = {unit.target.data_end};"
    if finds_scratch:
        yield from _find_scratch(unit)
    yield from (f"\t{text}" for text in part.declarations)
    if part.declarations or part.uses_data or unit.layout.members:
        yield ""
    yield from _scratch_found(unit)


def _body(part: Part) -> list[str]:
    return [*part.body.split("\n")[:-1], "}"]


def _programs(unit: Unit) -> Iterator[str]:
    for number, part in enumerate(unit.parts):
        if number:
            yield ""
        yield f'SEC("{unit.target.section}")'
        yield _head(unit, part.function, "" if part.uses_context else " __attribute__((unused))")
        yield "{"
        if unit.pull and number == 0:
            yield from (f"\tp4xdp_skb_pull(ctx, {unit.pull});", "")
        yield from _variables(unit, part, True)
        yield from _body(part)


def _halves(unit: Unit, replica: str) -> Iterator[str]:
    """Yield the program twice: clang leaves out of each what its packets never meet."""
    yield "/* the program for a packet that arrives, its second half for a copy on its way out */"
    first, *others = unit.parts
    yield from _carried(unit, first, finds_scratch=True)
    yield from _entries(unit, replica)
    for part in others:
        yield ""
        yield from _carried(unit, part, finds_scratch=True)
        for section, function, which in (
            (f'"{unit.target.section}"', part.function, "P4XDP_NO_REPLICA"),
            ("P4XDP_COPIES", part.copy_function, "P4XDP_LEAVING"),
        ):
            yield from ("", f"SEC({section})", _head(unit, function), "{")
            yield from (f"\treturn {part.carried}(ctx, {which});", "}")


def _carried(unit: Unit, part: Part, *, finds_scratch: bool) -> Iterator[str]:
    """Yield the inline function that a part's two functions are made of."""
    scratch = "" if finds_scratch else _scratch_parameter(unit)
    unused = "" if asks_for_replica(part.body) else " __attribute__((unused))"
    context = "" if part.uses_context else " __attribute__((unused))"
    yield (
        f"static __always_inline int {part.carried}({unit.target.context} *ctx{context}{scratch}, "
        f"enum p4xdp_replica replica{unused})"
    )
    yield "{"
    yield from _variables(unit, part, finds_scratch)
    yield from _body(part)


def _entries(unit: Unit, replica: str) -> Iterator[str]:
    """Yield the programs of packets that arrive and of copies."""
    yield from ("", f'SEC("{unit.target.section}")', _head(unit, unit.function), "{")
    if unit.looped:
        yield from ("\tif (p4xdp_is_looped(ctx))", f"\t\treturn {CARRY}(ctx, P4XDP_LOOPED);")
    yield from (f"\treturn {CARRY}(ctx, P4XDP_NO_REPLICA);", "}")
    yield from ("", "SEC(P4XDP_COPIES)", _head(unit, replica), "{")
    yield from ("\tif (p4xdp_is_copy(ctx))", f"\t\treturn {CARRY}(ctx, P4XDP_LEAVING);")
    yield from ("\treturn XDP_PASS;", "}")
    if unit.looped:
        yield from ("", "#ifdef __bpf__", "SEC(P4XDP_COPIES)", _head(unit, unit.looped), "{")
        yield from (f"\treturn p4xdp_number_copy(ctx, &{unit.ports.counted});", "}", "#endif")


def _groups(name: str) -> Iterator[str]:
    yield "#ifdef __bpf__"
    yield "/* the devices of copies, each with the function that they meet there */"
    yield "struct {"
    yield "\t__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);"
    yield f"\t__uint(max_entries, {GROUPS});"
    yield "\t__type(key, struct p4xdp_copies);"
    yield "\t__array(values, struct {"
    yield "\t\t__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);"
    yield "\t\t__uint(max_entries, 512);"
    yield "\t\t__uint(key_size, sizeof(__u32));"
    yield "\t\t__uint(value_size, sizeof(struct bpf_devmap_val));"
    yield "\t});"
    yield from (f'}} {name} SEC(".maps");', "#endif", "")


def _tail_calls(unit: Unit, name: str) -> Iterator[str]:
    parts = {number: part for number, part in enumerate(unit.parts) if number}
    called = {name: {number: part.function for number, part in parts.items()}}
    if unit.copy_parts_map:
        copies = {number: part.copy_function for number, part in parts.items()}
        called[unit.copy_parts_map] = copies
    for functions in called.values():
        yield from (f"{_head(unit, function)};" for function in functions.values())
    yield from ("", "/* the parts that are tail-called, by their numbers; no call comes back */")
    for array, functions in called.items():
        yield from _program_array(unit, array, functions, len(unit.parts))


def _program_array(unit: Unit, name: str, programs: dict[int, str], size: int) -> Iterator[str]:
    yield "struct {"
    yield "\t__uint(type, BPF_MAP_TYPE_PROG_ARRAY);"
    yield f"\t__uint(max_entries, {size});"
    yield "\t__type(key, __u32);"
    yield f"\t__array(values, int({unit.target.context} *));"
    yield from (f'}} {name} SEC(".maps") = {{', "\t.values = {")
    yield from (f"\t\t[{number}] = &{function}," for number, function in programs.items())
    yield from ("\t},", "};", "")


def _subprograms(unit: Unit) -> Iterator[str]:
    yield "/*"
    yield (
        " * Functions with a name for the linker are verified one by one,"
        " whatever they are called with."
    )
    yield (
        " * Every argument must be in use: clang (14 to 19) passes no other,"
        " and the verifier looks at all."
    )
    yield " */"
    for part in unit.parts:
        yield from _subprogram(unit, part)
    if unit.replica:
        context = unit.target.context
        yield f"static __always_inline int {CARRY}({context} *ctx, enum p4xdp_replica replica)"
        yield "{"
        yield from _calls(unit)
        yield from _entries(unit, unit.replica)
    else:
        yield from (f'SEC("{unit.target.section}")', _head(unit, unit.function), "{")
        yield from _calls(unit)


def _subprogram(unit: Unit, part: Part) -> Iterator[str]:
    parameter = _scratch_parameter(unit)
    if not part.copy_function:
        yield from (f"__noinline {_head(unit, part.function, parameter)}", "{")
        yield from _variables(unit, part, False)
        yield "\tp4xdp_opaque(ctx);"
        yield from (*_body(part), "")
        return
    yield from (*_carried(unit, part, finds_scratch=False), "")
    scratch = ", scratch" if unit.layout.members else ""
    for function, which in (
        (part.function, "P4XDP_NO_REPLICA"),
        (part.copy_function, "P4XDP_LEAVING"),
    ):
        yield from (f"__noinline {_head(unit, function, parameter)}", "{", "\tp4xdp_opaque(ctx);")
        yield from (f"\treturn {part.carried}(ctx{scratch}, {which});", "}", "")


def _scratch_parameter(unit: Unit) -> str:
    return ", struct scratch *scratch" if unit.layout.members else ""


def _calls(unit: Unit) -> Iterator[str]:
    """Yield the body of the function that calls the parts."""
    yield from _find_scratch(unit)
    yield from ("\tint verdict;", "")
    yield from _scratch_found(unit)
    if unit.pull:
        yield f"\tp4xdp_skb_pull(ctx, {unit.pull});"
    yield from unit.first.split("\n")[:-1]
    arguments = "ctx, scratch" if unit.layout.members else "ctx"
    for number, part in enumerate(unit.parts):
        call = f"{part.function}({arguments})"
        if part.copy_function:
            call = f"replica == P4XDP_LEAVING ? {part.copy_function}({arguments}) : {call}"
        if number:
            yield f"\tif (verdict == P4XDP_GO_ON({number}))"
        yield f"\t{chr(9) if number else ''}verdict = {call};"
    yield from ("\treturn verdict;", "}")


def _native(unit: Unit) -> Iterator[str]:
    yield from ("", "static const struct p4xdp_native_map p4xdp_native_maps[] = {")
    for m in _own_maps(unit):
        kind = "P4XDP_NATIVE_DATA" if m.section else m.constant
        numbers = f"{m.key_size}, {m.value_size}, {m.max_entries}, {m.flags}"
        yield f'\t{{ "{m.name}", &{m.name}, {kind}, {numbers} }},'
    yield from ("\t{ 0 },", "};", "")
    yield f"#define P4XDP_NATIVE_ENTRY {unit.function}"
    if unit.replica:
        yield f"#define P4XDP_NATIVE_COPIES {unit.replica}"
    if unit.looped:
        yield "#define P4XDP_NATIVE_LOOPED"
    yield "#include <p4xdp_native_main.h>"
