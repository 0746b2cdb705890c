"""out.h, the control plane's header of one program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from p4xdp.backend_c import control, digests
from p4xdp.backend_c.cwriter import commented
from p4xdp.backend_c.model import Counter, Table, Unit
from p4xdp.backend_c.out_c import LICENCE
from p4xdp.backend_c.table_types import types_of


def header_text(program: str, unit: Unit) -> str:
    """Return the header; `program` is the name under which the program is pinned."""
    return "".join(f"{line}\n" for line in _lines(program, unit))


def _lines(program: str, unit: Unit) -> Iterator[str]:
    upper = unit.function.upper()
    tables = tuple(table for table in unit.tables if table.has_map or table.has_default)
    guard = f"P4XDP_PROGRAM_{upper}_H"
    yield LICENCE
    yield "/*"
    yield (
        f" * The control plane of {commented(unit.source)}, written by p4xdp. Key fields and action"
        " data are"
    )
    yield (
        " * big-endian numbers; the functions here take and give them in host order,"
        " or, above 64 bits, as"
    )
    yield " * bytes with the highest first."
    yield " */"
    yield from (f"#ifndef {guard}", f"#define {guard}", "")
    yield _control_text(tables, bool(unit.messages))
    yield from ("#ifdef __cplusplus", 'extern "C" {', "#endif", "")
    yield from _pins(program, unit, upper)
    if unit.perf_map:
        yield from _events(unit, upper, unit.perf_map)
    if unit.messages:
        yield from ("", f'#define {upper}_MESSAGES_MAP "{unit.messages}"')
    for digest in unit.digests:
        yield from digests.header_lines(digest)
    if unit.ports.devmap:
        yield ""
        yield (
            "/* Ports that packets can be redirected to: a number in the program,"
            " an interface index here. */"
        )
        yield f'#define {upper}_PORT_MAP "{unit.ports.devmap}"'
    for table in tables:
        yield from _table(unit, table)
    for counter in (one for one in unit.counters if one.unit != "last_hit"):
        yield from _counter(counter)
    yield from ("", "#ifdef __cplusplus", "}", "#endif", "", "#endif")


def _control_text(tables: tuple[Table, ...], sends: bool) -> str:
    """Return what the tables' functions build on: a header of a program stands alone."""
    names = ["p4xdp_control.h"]
    if any(table.ternary for table in tables):
        names.append("p4xdp_ternary.h")
    if sends:
        names.append("p4xdp_messages.h")
    directory = Path(__file__).parent.parent / "runtime_headers"
    texts = [(directory / name).read_text(encoding="utf-8") for name in names]
    return "\n".join(text.split("\n", 1)[1] for text in texts)


def _pins(program: str, unit: Unit, upper: str) -> Iterator[str]:
    yield f'#define {upper}_PROGRAM "{program}"'
    yield f'#define {upper}_PIN_DIR(device) P4XDP_PIN_ROOT "/" device "/{program}"'
    yield ""
    yield (
        "/* The directory of this program's maps on a device whose name is known at run time. */"
    )
    yield (
        f"static inline int {unit.function}_pin_dir(char *buffer, size_t size, const char *device)"
    )
    yield "{"
    yield f"\treturn p4xdp_pin_dir(buffer, size, device, {upper}_PROGRAM);"
    yield "}"


def _events(unit: Unit, upper: str, name: str) -> Iterator[str]:
    yield from ("", f'#define {upper}_PERF_MAP "{name}"', "")
    yield "/* What stands in front of the packet in an event of that map. */"
    yield f"struct {unit.function}_event {{"
    yield from ("\t__u32 input_port;", "\t__u32 length;", "};")


def _table(unit: Unit, t: Table) -> Iterator[str]:
    name, upper = t.c_name, t.c_name.upper()
    yield from ("", f"/* table {commented(t.table.name)}: {t.kind} */")
    if t.has_map:
        yield f'#define {upper}_MAP "{name}"'
        yield f"#define {upper}_SIZE {t.table.size}"
    yield ""
    yield from types_of(t, t.has_map, unit.bare[name])
    sizes = {"key": t.key.size} if t.has_map else {}
    sizes["value"] = t.value.size
    if t.ternary:
        sizes |= {"entry": t.ternary.size, "half": t.ternary.half_size}
    for struct, size in sizes.items():
        yield f'P4XDP_STATIC_ASSERT(sizeof(struct {name}_{struct}) == {size}, "hidden padding");'
    for function in control.functions(t):
        yield from ("", *function.split("\n")[:-1])


def _counter(c: Counter) -> Iterator[str]:
    name, upper = c.c_name, c.c_name.upper()
    yield from ("", f"/* counter {commented(c.name)}: {c.size} cells */")
    yield from (f'#define {upper}_MAP "{name}"', "")
    yield f"static inline int {name}_open(const char *pin_dir)"
    yield from ("{", f"\treturn p4xdp_open(pin_dir, {upper}_MAP);", "}", "")
    yield f"static inline int {name}_read(int fd, __u32 index, __u64 *total)"
    yield from ("{", "\treturn p4xdp_counter_read(fd, index, total);", "}")
