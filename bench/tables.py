"""What a table costs as it grows: lookups with random keys and with one, and filling it (as root).

    python bench/tables.py [--most N] [KIND ...]

For each kind and number of entries a P4 program with that one table is compiled and filled; a
program in front (keys.c) writes the key of an entry into each packet. Prints the table and, when
all kinds are measured, writes RESULTS-tables.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import struct
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cases import HERE
from report import FAILURES, cpu
from sides import Side, build, loaded

from p4xdp.deep import call_deep
from p4xdp.description import Description, Table
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import ternary
from p4xdp.runtime.encode import MOST_PRIORITY
from p4xdp.runtime.libbpf import BpfObject, BpfProgram
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.table_maps import ONE_CELL
from p4xdp.stf.timing import Spares, open_spares

SIZES = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
ROUNDS = 75
FACTOR = 0x9E3779B97F4A7C15
DROP = 1
SEED = 4
FREE_BYTES = 2 << 30
"""Memory that has to be free to go on with greater tables."""

PROGRAM = """
#include <core.p4>
#include <xdp_model.p4>
header Keys {{ bit<128> before; bit<32> a; bit<32> b; bit<320> behind; }}
struct Headers {{ Keys keys; }}
parser P(packet_in p, out Headers hd) {{
    state start {{ p.extract(hd.keys); transition accept; }}
}}
control C(inout Headers hd, in xdp_input i, out xdp_output o) {{
    action hit() {{ o.output_action = xdp_action.XDP_DROP; o.output_port = 0; }}
    action miss() {{ o.output_action = xdp_action.XDP_PASS; o.output_port = 0; }}
    table t {{
        key = {{ {key} }}
        actions = {{ hit; miss; }}
        const default_action = miss();
        size = {size};
    }}
    apply {{ t.apply(); }}
}}
control D(in Headers hd, packet_out p) {{ apply {{ p.emit(hd.keys); }} }}
xdp(P(), C(), D()) main;
"""

ONE, TWO = 'hd.keys.a : {0} @name("a");', 'hd.keys.a : {0} @name("a"); hd.keys.b : {0} @name("b");'


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of table. `masks` of a ternary one that its entries have, 0 for prefixes as in `lpm`,
    with the longest first."""

    name: str
    key: str
    masks: int | None = None

    def sizes(self, most: int) -> tuple[int, ...]:
        return tuple(size for size in SIZES if (self.masks or 1) <= size <= most)


KINDS = (
    Kind("exact", TWO.format("exact")),
    Kind("lpm", ONE.format("lpm")),
    Kind("prefixes", ONE.format("ternary"), 0),
    Kind("ternary-1", TWO.format("ternary"), 1),
    Kind("ternary-10", TWO.format("ternary"), 10),
    Kind("ternary-100", TWO.format("ternary"), 100),
)


@dataclass(frozen=True, slots=True)
class Cell:
    """ns for a lookup over the same packet without one, the least and the median of the rounds;
    `filled` is entries per second."""

    hot: tuple[float, float]
    random: tuple[float, float]
    entries: int
    filled: float


# Entries


def number(index: int) -> int:
    """Return the 64-bit number that packets carry for an entry, as in keys.c."""
    return (index + 1) * FACTOR % (1 << 64)


def prefix_length(index: int) -> int:
    """Return a length with the shares of a routing table: mostly 24, none above, some shorter."""
    return (24, 24, 24, 24, 24, 24, 23, 22, 22, 21, 20, 19, 18, 16, 20, 22)[index % 16]


def masks_of(kind: Kind) -> list[int]:
    """Return masks over both fields: pairs of prefixes, of which each keeps 28 bits or more."""
    pairs = [(a, b) for a in range(32, 13, -1) for b in range(32, 13, -1) if a + b >= 42]
    random.Random(SEED).shuffle(pairs)
    pairs = [(32, 32), *(pair for pair in pairs if pair != (32, 32))]
    return [_prefix(a) << 32 | _prefix(b) for a, b in pairs[: kind.masks]]


def _prefix(length: int) -> int:
    return (1 << 32) - (1 << 32 - length)


def ternary_entries(kind: Kind, table: Table, count: int) -> Iterator[bytes]:
    """Return entries in order of priority; those of prefixes with the longest first."""
    layout = ternary.layout_of(table)
    value = bytes(layout.entry_size - layout.value_offset)
    if kind.masks:
        masks = masks_of(kind)
        rules = [(masks[i % kind.masks], number(i)) for i in range(count)]
        random.Random(SEED).shuffle(rules)
        form = ">QQ"
    else:
        lengths = sorted(((prefix_length(i), i) for i in range(count)), reverse=True)
        rules = [(_prefix(length), number(i) >> 32) for length, i in lengths]
        form = ">IxxxxIxxxx"
    seen = set()
    for place, (mask, key) in enumerate(rules):
        if (mask, key & mask) not in seen:
            seen.add((mask, key & mask))
            tail = struct.pack("=II", MOST_PRIORITY - place, 0) + value
            yield struct.pack(form, key & mask, mask) + tail


def fill(kind: Kind, description: Description, maps: KernelMaps, count: int) -> tuple[int, float]:
    """Fill the table; return how many entries it has and how many seconds the calls took."""
    (table,) = description.tables
    assert table.map is not None
    if kind.masks is not None:
        start = time.perf_counter()
        entries = list(ternary_entries(kind, table, count))
        maps.update(table.map, bytes(4), ternary.half_of(table, entries))
        maps.update(ternary.layout_of(table).state_map, ONE_CELL, struct.pack("=Q", len(entries)))
        return len(entries), time.perf_counter() - start
    if kind.name == "lpm":
        prefixes = {(prefix_length(i), number(i) >> 32) for i in range(count)}
        packed = {
            struct.pack("=I", n) + (key & _prefix(n)).to_bytes(4, "big") for n, key in prefixes
        }
        keys, total = b"".join(packed), len(packed)
    else:
        keys, total = b"".join(number(i).to_bytes(8, "big") for i in range(count)), count
    values = bytes(table.value_size * total)
    start = time.perf_counter()
    maps[table.map].update_many(keys, values)
    return total, time.perf_counter() - start


# Measuring


class Front:
    """Copies of keys.c in front of a program."""

    def __init__(self, object: Path, stack: ExitStack) -> None:
        self._object = object
        self._stack = stack

    def of(self, program: BpfProgram | None, count: int, *, is_random: bool) -> BpfProgram:
        """Return the program (None: a bare one) with keys of `count` entries in front."""
        opened = self._stack.enter_context(BpfObject(self._object, "keys"))
        opened.load()
        maps = KernelMaps.of_object(opened)
        maps.update("wanted", ONE_CELL, struct.pack("=QII", 88172645463325252, count, is_random))
        following = program or opened.program("bare")
        maps.update("following", ONE_CELL, struct.pack("=I", following.fd))
        return opened.program("keys")


def measure(side: Side, front: Front, spares: Spares, count: int) -> list[tuple[float, float]]:
    """Return least and median ns over no lookup, for one key and for random ones."""
    programs = [
        front.of(program, count, is_random=is_random)
        for is_random in (False, True)
        for program in (None, side.program)
    ]
    packet = bytes(64)
    for program in programs:
        for _ in range(100):
            if program.test_run(packet).verdict != DROP:
                raise RuntimeError("a packet found no entry")
    bare_hot, hot, bare_random, with_random = spares.rounds(programs, packet, ROUNDS)
    pairs = ((hot, bare_hot), (with_random, bare_random))
    return [
        (min(times) - min(bare), statistics.median(times) - statistics.median(bare))
        for times, bare in pairs
    ]


def cell(kind: Kind, size: int, object: Path, spares: Spares, to: Path) -> Cell:
    source = to / f"{kind.name}{size}.p4"
    source.write_text(PROGRAM.format(key=kind.key, size=size))
    output = call_deep(lambda: compile(Session(source, Options())))
    c = source.with_suffix(".c")
    c.write_text(output.c)
    with loaded(c, to) as side, ExitStack() as stack:
        entries, seconds = fill(kind, output.description, side.maps, size)
        hot, mixed = measure(side, Front(object, stack), spares, size)
        return Cell(hot, mixed, entries, entries / seconds)


def free_bytes() -> int:
    words = Path("/proc/meminfo").read_text().split()
    return int(words[words.index("MemAvailable:") + 1]) * 1024


def measure_all(kinds: tuple[Kind, ...], most: int) -> dict[tuple[str, int], Cell]:
    cells: dict[tuple[str, int], Cell] = {}
    with tempfile.TemporaryDirectory() as name, open_spares(4) as spares:
        to = Path(name)
        object = to / "keys.o"
        build(HERE / "keys.c", object, recording=False)
        for kind in kinds:
            for size in kind.sizes(most):
                if free_bytes() < FREE_BYTES:
                    print(f"{kind.name}, {size}: too little memory is free", file=sys.stderr)
                    continue
                try:
                    cells[kind.name, size] = found = cell(kind, size, object, spares, to)
                    print(f"{kind.name}, {size}: {found}", file=sys.stderr, flush=True)
                except FAILURES as error:
                    print(f"{kind.name}, {size}: not measured: {error}", file=sys.stderr)
    return cells


# The page


def markdown(kinds: tuple[Kind, ...], cells: dict[tuple[str, int], Cell]) -> str:
    sizes = [size for size in SIZES if any((kind.name, size) in cells for kind in kinds)]
    head = "| entries | " + " | ".join(kind.name for kind in kinds) + " |"
    rule = "|--:|" + "--:|" * len(kinds)

    def table(text: str, value: str) -> list[str]:
        lines = [
            f"| {size:,} | "
            + " | ".join(_shown(cells.get((kind.name, size)), value) for kind in kinds)
            + " |"
            for size in sizes
        ]
        return [text, "", head, rule, *lines, ""]

    return "\n".join(
        [
            "# Tables as they grow",
            "",
            f"`make bench-tables` on Linux {platform.release()}, {cpu()},",
            f"{datetime.now(UTC):%Y-%m-%d}, load {os.getloadavg()[0]:.1f}, {os.cpu_count()} CPUs.",
            HEAD,
            *table("A key at random each time:", "random"),
            *table("Always the same key:", "hot"),
            *table(
                "Entries per second when all are entered at once: `bpf_map_update_batch` for exact "
                "and lpm,\nfrom Python the layout of the whole table for the others:",
                "filled",
            ),
        ]
    )


HEAD = f"""
Nanoseconds for a lookup that hits, over the same packet without one: least / median of
{ROUNDS} alternating rounds. `ternary-10` has entries of 10 masks in random order of priority;
`prefixes` holds the routes of `lpm` in a ternary table, a mask for each length (9 of them).
Exact keys and masks cover 64 bits, prefixes 32. How a table is searched follows from its
`size`, which is the number of entries here.
"""


def _shown(cell: Cell | None, value: str) -> str:
    if cell is None:
        return ""
    if value == "filled":
        return f"{cell.filled:,.0f}"
    least, median = cell.random if value == "random" else cell.hot
    return f"{least:.1f} / {median:.1f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="entries of the largest table")
    asked = parser.parse_args()
    kinds = tuple(kind for kind in KINDS if not asked.kinds or kind.name in asked.kinds)
    cells = measure_all(kinds, asked.most)
    text = markdown(kinds, cells)
    print(text)
    if not asked.kinds and asked.most >= SIZES[-1]:
        (HERE / "RESULTS-tables.md").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
