"""What is left of a packet whose parser rejects it in v1model, where such packets go on."""

from __future__ import annotations

import pytest
from interp_case import typed_program
from v1_case import PROGRAM

from p4xdp.interp import load, run_packet

SUB = """
parser Sub(packet_in p, out bit<8> seen, inout bit<8> kept) {
    state start { seen = 9; transition select(kept) { 1: accept; } }
}
parser P"""
APPLIED = "Sub() sub; state start { b.extract(hd.h); sub.apply(b, hd.h.b, hd.h.a);"


@pytest.mark.parametrize(("data", "is_open"), [("01020304", False), ("02020304", True)])
def test_the_arguments_of_a_sub_parser_that_rejects_are_undefined(data: str, is_open: bool) -> None:
    text = PROGRAM.format(decl="", body="s.egress_spec = 1;")
    text = text.replace("parser P", SUB.strip(), 1).replace(
        "state start { b.extract(hd.h);", APPLIED, 1
    )
    outcome = run_packet(load(typed_program(text)), 0, bytes.fromhex(data))
    assert outcome.data == bytes.fromhex(f"{data[:2]}09{data[4:]}")
    assert outcome.undefined_read is is_open
