"""Command files of simple_switch_CLI: what they do to a program; what is said of wrong ones."""

from __future__ import annotations

import pytest
from interp_case import typed_program
from v1_case import fill, left, place

from p4xdp.diagnostics import CompileError
from p4xdp.interp import load
from p4xdp.runtime.requests import (
    ActionCall,
    AddEntry,
    Argument,
    Name,
    Number,
    SetDefault,
    SetRates,
)
from p4xdp.stf.interp import InterpPlace
from p4xdp.stf.simple_switch import parse_commands

TABLES = """
action to(bit<9> port) { s.egress_spec = port; }
action mark(bit<8> value, bit<9> port) { hd.h.d = value; s.egress_spec = port; }
table exactly { key = { hd.h.a: exact; } actions = { to; mark; } default_action = to(1); }
table longest { key = { hd.h.a: lpm; } actions = { to; mark; } default_action = to(1); }
table masked {
    key = { hd.h.a: ternary; hd.h.b: range; }
    actions = { to; mark; }
    default_action = to(1);
}
"""


def tables(applied: str, text: str, packets: str) -> list[int]:
    """Return the ports by which packets leave, 4 bytes each."""
    at = place(TABLES, f"{applied}.apply();")
    fill(at, text)
    return [left(at, packet)[0][0] for packet in packets.split()]


def test_entries_and_defaults() -> None:
    text = """
    # a comment
    table_add exactly to 0x05 => 2
    table_add I.exactly mark 6 => 0x7f 3
    table_set_default exactly to 9
    show_tables
    """
    assert tables("exactly", text, "05000000 06000000 07000000") == [2, 3, 9]


def test_a_default_goes_back_to_the_programs() -> None:
    text = "table_set_default exactly to 9\ntable_reset_default exactly\n"
    assert tables("exactly", text, "05000000") == [1]


def test_prefixes() -> None:
    text = "table_add longest to 0x10/4 => 2\ntable_add longest to 0x18/5 => 3\n"
    assert tables("longest", text, "11000000 19000000 20000000") == [2, 3, 1]


def test_the_least_priority_wins() -> None:
    text = """
    table_add masked to 0x00&&&0x00 0->255 => 2 20
    table_add masked mark 0x10&&&0xf0 0x10->0x1f => 7 3 10
    """
    assert tables("masked", text, "10100000 10200000 20100000") == [3, 2, 2]


def test_handles_are_counted_from_the_least_that_is_free() -> None:
    text = """
    table_add exactly to 1 => 2
    table_add exactly to 2 => 3
    table_delete exactly 0
    table_add exactly to 3 => 4
    table_modify exactly to 0 => 5
    table_modify exactly mark 1 8 6
    """
    assert tables("exactly", text, "01000000 02000000 03000000") == [1, 6, 5]


def test_a_changed_entry_keeps_its_priority() -> None:
    text = """
    table_add masked to 0&&&0 0->255 => 2 20
    table_add masked to 0&&&0 0->255 => 3 10
    table_modify masked to 1 4
    """
    assert tables("masked", text, "00000000") == [4]


def test_a_table_is_cleared() -> None:
    assert tables("exactly", "table_add exactly to 1 => 2\ntable_clear exactly\n", "01000000") == [
        1
    ]


def test_addresses() -> None:
    (entry,) = parse_commands("table_add t a 10.0.0.1 00:00:00:00:01:02 ::1 => 1\n", "c.txt")
    assert isinstance(entry, AddEntry)
    assert [key.value.value for key in entry.keys] == [0x0A000001, 0x102, 1]
    assert entry.keys[1].name.text == "field1"


def test_arguments_go_by_their_order() -> None:
    (request,) = parse_commands("table_set_default t a 7\n", "c.txt")
    assert request == SetDefault(
        Name("t"), ActionCall(Name("a"), (Argument(None, Number(7, text="7")),))
    )
    assert parse_commands("table_set_default t a => 7\n", "c.txt") == (request,)


PROFILE = """
action to(bit<9> port) { s.egress_spec = port; }
action_profile(4) shared;
action_selector(HashAlgorithm.identity, 16, 8) choice;
table direct { key = { hd.h.a: exact; } actions = { to; } implementation = shared;
    default_action = to(1); }
table spread { key = { hd.h.a: exact; hd.h.b: selector; } actions = { to; }
    implementation = choice; default_action = to(1); }
"""


def test_members_are_shared() -> None:
    at = place(PROFILE, "direct.apply();")
    fill(
        at,
        """
        act_prof_create_member shared to 5
        act_prof_create_member shared to 6
        table_indirect_add direct 1 => 0
        table_indirect_add direct 2 => 1
        table_indirect_add direct 3 => 0
        act_prof_modify_member shared to 0 7
        table_indirect_set_default direct 1
        """,
    )
    ports = [left(at, f"{a:02x}000000")[0][0] for a in (1, 2, 3, 4)]
    assert ports == [7, 6, 7, 6]


def test_a_group_is_chosen_from_by_hash() -> None:
    at = place(PROFILE, "spread.apply();")
    fill(
        at,
        """
        act_prof_create_member choice to 5
        act_prof_create_member choice to 6
        act_prof_create_member choice to 7
        act_prof_create_group choice
        act_prof_add_member_to_group choice 0 0
        act_prof_add_member_to_group choice 1 0
        act_prof_add_member_to_group choice 2 0
        act_prof_remove_member_from_group choice 1 0
        table_indirect_add_with_group spread 1 => 0
        table_indirect_add spread 2 => 1
        """,
    )
    assert [left(at, f"01{b:02x}0000")[0][0] for b in range(4)] == [5, 7, 5, 7]
    assert left(at, "02030000") == [(6, "02030000")]


def test_value_sets_are_filled() -> None:
    program = """
    #include <core.p4>
    #include <v1model.p4>
    header B { bit<8> b; }
    struct H { B b; }
    struct M { }
    parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
        value_set<bit<8>>(4) known;
        state start { p.extract(h.b); transition select(h.b.b) { known: accept; } }
    }
    control C(inout H h, inout M m) { apply { } }
    control I(inout H h, inout M m, inout standard_metadata_t s) {
        apply { s.egress_spec = s.parser_error == error.NoError ? 9w1 : 2; }
    }
    control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
    control D(packet_out p, in H h) { apply { p.emit(h); } }
    V1Switch(P(), C(), I(), E(), C(), D()) main;
    """
    at = InterpPlace(load(typed_program(program)))
    fill(at, "pvs_add P.known 5\npvs_add known 6\n")
    assert [left(at, f"{b:02x}")[0][0] for b in (4, 5, 6)] == [2, 1, 1]
    fill(at, "pvs_clear known\n")
    assert left(at, "05")[0][0] == 2


INLINE = """
action to(bit<9> port) { s.egress_spec = port; }
table t { key = { hd.h.a: exact; hd.h.b: selector; } actions = { to; }
    implementation = action_selector(HashAlgorithm.identity, 32w16, 32w8);
    default_action = to(1); }
"""


@pytest.mark.parametrize("name", ["action_profile_0", "I.t.implementation"])
def test_a_profile_inside_of_a_table_has_a_name(name: str) -> None:
    at = place(INLINE, "t.apply();")
    fill(at, f"act_prof_create_member {name} to 6\ntable_indirect_add t 1 => 0\n")
    assert left(at, "01000000")[0][0] == 6


def test_an_empty_group_does_nothing() -> None:
    at = place(PROFILE, "spread.apply();")
    fill(at, "act_prof_create_group choice\ntable_indirect_add_with_group spread 1 => 0\n")
    assert left(at, "01000000")[0][0] == 0


def test_replication_registers_and_hashes() -> None:
    decl = "register<bit<8>>(4) r; bit<16> x; bit<8> y;"
    body = """
    s.mcast_grp = 1;
    r.read(y, 2);
    hash(x, HashAlgorithm.crc16_custom, 16w0, { 72w0x313233343536373839 }, 32w0x10000);
    hd.h.c = x[15:8]; hd.h.d = x[7:0]; hd.h.b = y;
    """
    at = place(decl, body)
    fill(
        at,
        """
        mc_mgrp_create 1
        mc_node_create 0 2 3
        mc_node_create 0 4
        mc_node_associate 1 0
        mc_node_associate 1 1
        mc_node_dissociate 1 1
        register_write r 2 0x55
        set_crc16_parameters calc 0x1021 0xffff 0x0 false false
        """,
    )
    assert left(at, "00000000") == [(2, "005529b1"), (3, "005529b1")]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("table_ad t a", 1, 1, "`table_ad` is no command"),
        ("\ntable_add t", 2, 1, "an action is missing at the end of the line"),
        ("table_add t a 1/x => 2", 1, 17, "expected a number, found `x`"),
        ("table_add t a zz => 2", 1, 15, "expected a key's value, found `zz`"),
        ("table_delete t 3", 1, 16, "this file adds no entry 3 to `t`"),
        ("mc_mgrp_create 1 2", 1, 18, "expected the end of the line, found `2`"),
        ("meter_set_rates m 0 1", 1, 21, "expected `rate:burst`, found `1`"),
        ("set_queue_rate 10", 1, 1, "`set_queue_rate`: there are no queues"),
    ],
)
def test_a_wrong_line_is_named(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        parse_commands(text, "c.txt")
    (found,) = caught.value.diagnostics
    assert found.text == message
    assert found.code in ("entries-syntax", "entry-unsupported")
    assert found.span is not None
    assert (found.span.file, found.span.line, found.span.column) == ("c.txt", line, column)


def test_too_many_arguments_are_refused() -> None:
    at = place(TABLES, "exactly.apply();")
    with pytest.raises(CompileError, match="takes 1 arguments"):
        fill(at, "table_add exactly to 1 => 2 3\n")


def test_rates_may_have_exponents() -> None:
    (request,) = parse_commands("meter_set_rates m 0 1e-3:5 2.5E1:7\n", "t.txt")
    assert isinstance(request, SetRates)
    assert [(float(one.rate), one.burst) for one in request.rates] == [(0.001, 5), (25.0, 7)]
