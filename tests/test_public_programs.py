"""tools/public_programs on a checkout made here: what is found, tried and said."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tools"))

from trials.bits import Bits  # noqa: E402
from trials.found import Repository, programs  # noqa: E402
from trials.trial import Source, stimuli_of, tried  # noqa: E402

PARSED = """#include <core.p4>
#include <v1model.p4>
header A { bit<16> kind; bit<8> count; bit<8> more; }
header B { bit<8> first; bit<32> value; }
struct Hdr { A a; B b; }
struct Meta { }
parser P(packet_in p, out Hdr h, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        transition select(h.a.kind, p.lookahead<bit<8>>()) {
            (0x0800, 0x45): inner;
            (0x1000 &&& 0xF000, _): accept;
            default: reject;
        }
    }
    state inner { p.extract(h.b); transition accept; }
}
control I(inout Hdr h, inout Meta m, inout standard_metadata_t s) {
    action to(bit<9> port) { s.egress_spec = port; }
    action drop() { mark_to_drop(s); }
    table t { key = { h.b.value: lpm; } actions = { to; drop; } }
    apply { if (h.b.isValid()) { t.apply(); } else { s.egress_spec = 3; } }
}
control V(inout Hdr h, inout Meta m) { apply { } }
control E(inout Hdr h, inout Meta m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in Hdr h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "owner+name"
    root.mkdir()
    (root / "parsed.p4").write_text(PARSED)
    return root


def test_programs_are_found_once(checkout: Path) -> None:
    (checkout / "same.p4").write_text(f"// another comment\n{PARSED}")
    (checkout / "part.p4").write_text("// V1Switch(P()) main;\nheader H { }")
    (checkout / "old").mkdir()
    (checkout / "old" / "left.p4").write_text(PARSED.replace("= 3", "= 4"))
    listed = {"owner/name": Repository.of("owner/name 1234 -DPORT=5@^parsed -DOTHER !^old/")}
    (found,) = programs([checkout], listed)
    assert found.name == "owner/name: parsed.p4"
    assert found.model == "v1model"
    assert found.defines == {"PORT": "5", "OTHER": "1"}


def test_packets_and_entries_reach_all_of_a_program(checkout: Path) -> None:
    (found,) = programs([checkout], {})
    stimuli = stimuli_of(Source(found))
    assert stimuli.states == (2, 2)
    assert stimuli.actions == (3, 3)
    kinds = {packet[:2] + packet[4:5] for _, packet in stimuli.packets}
    assert b"\x08\x00\x45" in kinds
    assert any(kind[0] >> 4 == 1 for kind in kinds)
    assert stimuli == stimuli_of(Source(found))


def test_program_comes_to_its_end(checkout: Path) -> None:
    (found,) = programs([checkout], {})
    result = tried(found, ["native"])
    assert result.reason == ""
    assert result.reached == ["accepted", "compiled", "agrees"]
    assert result.compared == 60


def test_refusal_says_why(checkout: Path) -> None:
    (checkout / "parsed.p4").write_text(PARSED.replace("h.b.value: lpm", "h.b.valu: lpm"))
    (found,) = programs([checkout], {})
    result = tried(found, ["native"])
    assert result.reached == []
    assert result.reason.startswith("parsed.p4:21: no-such-field: ")


def test_bits_of_a_packet() -> None:
    assert Bits(4, 8).set(b"\x00\x00", 0xAB) == b"\x0a\xb0"
    assert Bits(12, 8).set(b"\x00\x00", 0xAB) == b"\x00\x00"
    assert Bits(8, 16).part(3, 0) == Bits(20, 4)
