"""Each P4 program beside its hand-written twin, measured in one run.

For every bench/twins/NAME.c there is examples/NAME.p4. Both are built and loaded; both must give
the same verdict and bytes on every packet before anything is timed. Then ns per packet by
BPF_PROG_TEST_RUN: rounds alternate, medians, the cost of a bare drop taken off.
"""

from __future__ import annotations

import struct
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from p4xdp.deep import call_deep
from p4xdp.options import Options
from p4xdp.runtime import clang
from p4xdp.runtime.build import build_program
from p4xdp.runtime.libbpf import BpfObject
from p4xdp.runtime.objectfile import Function, functions
from p4xdp.stf.timing import REPEAT, ROUNDS, measure, medians

HERE = Path(__file__).parent
ROOT = HERE.parent

DROP = """\
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int drop(struct xdp_md *ctx) { (void)ctx; return XDP_DROP; }
char _license[] SEC("license") = "GPL";
"""


@dataclass(frozen=True)
class Side:
    """A program that is loaded, and what its object says of it."""

    object: BpfObject
    function: Function


def ethernet(kind: int, payload: bytes) -> bytes:
    header = bytes.fromhex("020000000001020000000002") + struct.pack("!H", kind)
    return (header + payload).ljust(64, b"\0")


PACKETS = {
    "ipv4": ethernet(0x0800, b"\x45" + bytes(7) + b"\x40\x11" + bytes(10)),
    "arp": ethernet(0x0806, bytes(28)),
    "short": ethernet(0x0800, b"")[:20],
}


def load(path: Path, name: str) -> Side:
    found = [f for f in functions(path) if f.section.startswith("xdp")]
    side = Side(BpfObject(path, name), found[0])
    side.object.load()
    return side


def build_c(source: Path, directory: Path) -> Side:
    return load(clang.build(source, directory / f"{source.stem}.twin.o").object, source.stem)


def build_p4(name: str, directory: Path) -> Side:
    built = call_deep(lambda: build_program(ROOT / "examples" / f"{name}.p4", Options()))
    path = directory / f"{name}.o"
    path.write_bytes(built.object)
    return load(path, name)


def assert_same(name: str, p4: Side, twin: Side) -> None:
    for label, packet in PACKETS.items():
        a, b = (s.object.program().test_run(packet) for s in (p4, twin))
        if (a.verdict, a.data) != (b.verdict, b.data):
            sys.exit(f"{name}: P4 and C differ on packet `{label}`: {a.verdict} {b.verdict}")


def compare(name: str, bare: Side, directory: Path) -> str:
    """Return a row of the table."""
    p4 = build_p4(name, directory)
    twin = build_c(HERE / "twins" / f"{name}.c", directory)
    assert_same(name, p4, twin)
    packet = PACKETS["ipv4"]
    programs = [side.object.program() for side in (bare, p4, twin, twin)]
    base, ours, theirs, again = medians(measure(programs, packet))
    return (
        f"| {name} | {ours - base:.1f} | {theirs - base:.1f} | {abs(theirs - again):.1f} "
        f"| {p4.function.instructions} | {twin.function.instructions} "
        f"| {p4.function.stack} | {twin.function.stack} |"
    )


def main() -> None:
    names = sorted(path.stem for path in (HERE / "twins").glob("*.c"))
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "drop.c").write_text(DROP)
        bare = build_c(directory / "drop.c", directory)
        rows = [compare(program, bare, directory) for program in names]
    text = "\n".join(
        [
            "# P4 beside hand-written C",
            "",
            f"`make bench`, clang {clang.find().version}. ns per packet over a bare drop, medians",
            f"of {ROUNDS} alternating rounds of {REPEAT:,} test runs;",
            "`noise` is the twin against itself.",
            "",
            "| program | P4 ns | C ns | noise | P4 insns | C insns | P4 stack | C stack |",
            "|---|--:|--:|--:|--:|--:|--:|--:|",
            *rows,
            "",
        ]
    )
    (HERE / "RESULTS.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
