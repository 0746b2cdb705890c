"""Copies that are copied again: the interpreter says that it cannot carry them, and ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from p4xdp.driver import Session, check
from p4xdp.options import Options
from p4xdp.stf.interp import InterpPlace, open_program
from p4xdp.stf.parser import parse_case
from p4xdp.stf.place import PacketRefused

PROGRAM = """#include <core.p4>
#include <v1model.p4>
header E { bit<8> kind; }
struct H { E e; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.e); transition accept; }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) { apply { s.egress_spec = 1; } }
control G(inout H h, inout M m, inout standard_metadata_t s) {
    apply {
        if (h.e.kind == 1) {
            clone(CloneType.E2E, 5);
            recirculate_preserving_field_list(0);
        }
    }
}
control C(inout H h, inout M m) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.e); } }
V1Switch(P(), V(), I(), G(), C(), D()) main;
"""


def test_what_doubles_is_not_carried(tmp_path: Path) -> None:
    path = tmp_path / "double.p4"
    path.write_text(PROGRAM)
    place = InterpPlace(open_program(check(Session(path, Options())), "aborted"))
    place.control.apply(parse_case("mirroring_add 5 2\n", "t.stf").statements)  # type: ignore[arg-type]
    with pytest.raises(PacketRefused, match="more than 2,048 passes"):
        place.send(1, b"\x01")
    assert place.send(1, b"\x02").packets == ((1, b"\x02"),)
