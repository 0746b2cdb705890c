"""Random entries and packets: the compiled tables choose as the interpreter does."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from p4xdp.driver import Session, check, compile
from p4xdp.frontend.typed import TypedProgram
from p4xdp.options import Options
from p4xdp.runtime.requests import AddEntry
from p4xdp.stf.parser import parse_case
from p4xdp.stf.place import Compiled, Place, PlaceOptions
from p4xdp.stf.places import open_place

SIZES = (20, 300)
"""Entries: a scan, and a search by masks."""

PROGRAM = """
#include <core.p4>
#include <xdp_model.p4>
match_kind { range, optional }
header H { bit<8> a; bit<8> b; bit<8> c; bit<8> d; bit<16> result; bit<64> rest; }
struct Headers { H h; }
parser P(packet_in p, out Headers hd) {
    state start { p.extract(hd.h); transition accept; }
}
control C(inout Headers hd, in xdp_input i, out xdp_output o) {
    action set(bit<16> number) { hd.h.result = number; }
    table t {
        key = { hd.h.a : ternary @name("a"); hd.h.b : KIND_B @name("b");
                hd.h.c : KIND_C @name("c"); hd.h.d : exact @name("d"); }
        actions = { set; NoAction; }
        default_action = NoAction();
        size = SIZE;
    }
    apply { t.apply(); o.output_action = xdp_action.XDP_PASS; o.output_port = 0; }
}
control D(in Headers hd, packet_out p) { apply { p.emit(hd.h); } }
xdp(P(), C(), D()) main;
"""


class Source:
    """A program, compiled for a place when that asks for it."""

    def __init__(self, path: Path, lpm: str = "trie") -> None:
        self.path = path
        self.lpm = lpm

    def __call__(self, target: str, layout: str | None) -> Compiled:
        output = compile(Session(self.path, Options(target=target, layout=layout, lpm=self.lpm)))
        return Compiled(output.c, output.description)

    def check(self) -> TypedProgram:
        return check(Session(self.path, Options()))


def entries(chance: random.Random, count: int, kinds: tuple[str, str]) -> str:
    """Return `add` lines with few masks, few keys and few priorities, so that many overlap."""
    lines = []
    for number in range(count):
        a = f"0b{''.join(chance.choice('01**') for _ in range(8))}"
        b = _key("b", kinds[0], chance)
        c = _key("c", kinds[1], chance)
        where = f"a:{a} {b} {c} d:{chance.randrange(2)}"
        lines.append(f"add t {chance.randrange(40)} {where} set(number:{number + 1})")
    return "\n".join(lines)


def _key(name: str, kind: str, chance: random.Random) -> str:
    match kind:
        case "range":
            low, high = sorted((chance.randrange(8), chance.randrange(8)))
            return f"{name}:{low}..{high}"
        case "lpm":
            return f"{name}:{chance.randrange(8)}/{chance.choice((5, 6, 8))}"
        case _:
            return f"{name}:{chance.randrange(8)}" if chance.randrange(2) else ""


def requests(text: str) -> list[AddEntry]:
    return [s for s in parse_case(text, "random").statements if isinstance(s, AddEntry)]


def packets(chance: random.Random) -> Iterator[bytes]:
    for _ in range(60):
        most = chance.choice((2, 8))
        yield bytes([chance.randrange(256), *(chance.randrange(most) for _ in range(2))]) + bytes(
            [chance.randrange(2)] + 10 * [0]
        )


@pytest.mark.parametrize("place", ["native", "kernel"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kinds", [("optional", "lpm"), ("range", "optional")])
def test_entries_win_as_in_the_interpreter(
    kinds: tuple[str, str], size: int, place: str, tmp_path: Path
) -> None:
    path = tmp_path / "prog.p4"
    text = PROGRAM.replace("KIND_B", kinds[0]).replace("KIND_C", kinds[1])
    path.write_text(text.replace("SIZE", str(size)))
    chance = random.Random(size)
    options = PlaceOptions(build_dir=tmp_path)
    with (
        open_place("interp", Source(path), (0,), options) as interp,
        open_place(place, Source(path), (0,), options) as other,
    ):
        # each step adds to what is there, and replaces some of it
        for count in (1, size // 3, size // 2):
            added = requests(entries(chance, count, kinds))
            interp.control.apply(added)
            other.control.apply(added)
            hits = agree(interp, other, packets(chance))
    assert hits


@pytest.mark.parametrize("lpm", ["trie", "masks"])
@pytest.mark.parametrize("size", SIZES)
def test_the_longest_prefix_wins_either_way(size: int, lpm: str, tmp_path: Path) -> None:
    path = tmp_path / "prog.p4"
    text = PROGRAM.replace("KIND_B", "exact").replace("KIND_C", "exact").replace("SIZE", str(size))
    path.write_text(text.replace("hd.h.a : ternary", "hd.h.a : lpm"))
    chance = random.Random(size)
    options = PlaceOptions(build_dir=tmp_path)
    with (
        open_place("interp", Source(path), (0,), options) as interp,
        open_place("kernel", Source(path, lpm), (0,), options) as kernel,
    ):
        for count in (1, size // 3, size // 2):
            added = requests("\n".join(routes(chance, count)))
            interp.control.apply(added)
            kernel.control.apply(added)
            hits = agree(interp, kernel, packets(chance))
    assert hits


def routes(chance: random.Random, count: int) -> Iterator[str]:
    for number in range(count):
        a = f"a:{chance.randrange(256)}/{chance.randrange(9)}"
        rest = f"b:{chance.randrange(2)} c:{chance.randrange(2)} d:{chance.randrange(2)}"
        yield f"add t {chance.randrange(9)} {a} {rest} set(number:{number + 1})"


def agree(interp: Place, other: Place, sent: Iterator[bytes]) -> int:
    """Send packets to both, who answer alike; return how many met an entry."""
    hits = 0
    for packet in sent:
        wanted = interp.send(0, packet)
        assert other.send(0, packet).data == wanted.data, packet.hex()
        hits += wanted.data != packet
    return hits
