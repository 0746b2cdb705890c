"""What the control plane asks of the interpreter beside tables, and what is refused."""

from __future__ import annotations

import pytest
from interp_case import typed_program

from p4xdp.diagnostics import CompileError
from p4xdp.interp import load
from p4xdp.runtime.requests import Request
from p4xdp.stf.interp import InterpPlace
from p4xdp.stf.parser import parse_case

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
struct H {} struct M {}
parser P(packet_in b, out H h, inout M m, inout standard_metadata_t s) {
    state start { transition accept; }
}
control C(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    counter(2, CounterType.packets) n;
    meter(2, MeterType.bytes) rates;
    register<bit<12>>(2) r;
    bit<12> x;
    apply {
        n.count(0); r.read(x, 0); r.write(1, x);
        rates.execute_meter(0, x);
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out b, in H h) { apply { } }
V1Switch(P(), C(), I(), E(), C(), D()) main;
"""


def place() -> InterpPlace:
    return InterpPlace(load(typed_program(PROGRAM)))


def apply(at: InterpPlace, text: str) -> None:
    requests = parse_case(text, "t.stf").statements
    at.control.apply([one for one in requests if isinstance(one, Request)])


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("register_read q 0", "entry-object", "`q` is no register"),
        ("register_write r 2 0", "entry-object", "register `I.r` has no cell 2: its size is 2"),
        (
            "register_write r 1 4096",
            "entry-value",
            "4096 does not fit the 12 bits of a cell of `I.r`",
        ),
        ("meter_set_rates n 0 1:1", "entry-object", "`n` is no meter"),
        ("meter_get_rates rates 2", "entry-object", "meter `I.rates` has no cell 2: its size is 2"),
        ("counter_read n 7", "entry-counter", "counter `I.n` has no cell 7: its size is 2"),
        ("mc_node_associate 1 0", "entry-replication", "there is no multicast node 0"),
        (
            "mc_node_create 1 2\nmc_node_associate 1 0",
            "entry-replication",
            "there is no multicast group 1",
        ),
        ("mirroring_delete 5", "entry-replication", "there is no clone session 5"),
        ("mc_node_create 65536 1", "entry-value", "65536 is too great for a replication id"),
    ],
)
def test_refusals(text: str, code: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        apply(place(), text)
    (found,) = caught.value.diagnostics
    assert (found.code, found.text[: len(message)]) == (code, message)
    assert found.span is not None
    assert found.span.line == text.count("\n") + 1


def test_a_node_joins_a_group_once() -> None:
    at = place()
    apply(at, "mc_mgrp_create 1\nmc_node_create 1 2\nmc_node_associate 1 0")
    with pytest.raises(CompileError, match="node 0 is in group 1"):
        apply(at, "mc_node_associate 1 0")
