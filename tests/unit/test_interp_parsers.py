"""Parsers in the interpreter: errors, states, sub-parsers, what is left of the packet (13)."""

from __future__ import annotations

from interp_case import error, payload, program, run, send, typed_program

from p4xdp.interp import load, run_packet

STACK = {"fields": "H4[2] st;", "emit": "p.emit(hd.st);"}
OPTION = {
    "types": "header Opt { bit<8> n; varbit<32> v; }",
    "fields": "Opt opt;",
    "emit": "p.emit(hd.opt);",
}
SIZE = "(bit<32>) hd.h.a * 8"


def test_a_packet_shorter_than_a_header() -> None:
    assert error("", "000000") == "PacketTooShort"
    assert error("p.extract(hd.g);", "0000000000") == "PacketTooShort"


def test_what_was_not_parsed_follows_what_was_emitted() -> None:
    outcome = send(program("hd.g = hd.h;"), "01020304" + "aabb")
    assert payload(outcome) == "0102030401020304" + "aabb"


def test_lookahead_moves_nothing_and_may_cross_bytes() -> None:
    parse = "p.extract(hd.g); hd.h.b = (bit<8>) p.lookahead<bit<12>>()[11:4];"
    assert run("", "01020304" * 2 + "abcd", parse=parse) == "01ab0304" + "01020304" + "abcd"
    assert error("bit<1> x = p.lookahead<bit<1>>();") == "PacketTooShort"
    assert error("p.lookahead<bit<1>>();") == "PacketTooShort"


def test_lookahead_of_a_header_is_valid() -> None:
    parse = "H4 x = p.lookahead<H4>(); hd.g = x;"
    assert run("", "00000000" + "01020304", parse=parse) == "00000000" + "01020304" * 2


def test_advance_and_length() -> None:
    parse = "hd.h.a = (bit<8>) p.length(); p.advance(16);"
    assert run("", "00000000" + "aabbccdd", parse=parse) == "16000000" + "ccdd"
    assert error("p.advance(8);") == "PacketTooShort"
    assert error("p.advance(4);", "0000000000") == "ParserInvalidArgument"


def test_a_varbit_takes_the_bits_it_is_given() -> None:
    parse = f"p.extract(hd.opt, {SIZE});"
    sent = "02000000" + "07" + "aabb" + "cc"
    assert run("", sent, parse=parse, **OPTION) == sent
    assert run("hd.opt.n = 9;", "00000000" + "07" + "cc", parse=parse, **OPTION) == "0000000009cc"


def test_errors_of_a_varbit_come_in_order() -> None:
    parse = f"p.extract(hd.opt, {SIZE});"
    assert error(parse, "05000000" + "07" + "00" * 4, **OPTION) == "PacketTooShort"
    assert error(parse, "05000000" + "07" + "00" * 5, **OPTION) == "HeaderTooShort"
    bits = "p.extract(hd.opt, (bit<32>) hd.h.a);"
    assert error(bits, "05000000" + "07" + "00" * 5, **OPTION) == "ParserInvalidArgument"


def test_varbits_are_equal_when_size_and_bits_are() -> None:
    parts = {**OPTION, "fields": "Opt opt; Opt two;", "emit": ""}
    parse = "p.extract(hd.opt, 8); p.extract(hd.two, (bit<32>) hd.h.a);"
    body = "hd.h.b = hd.opt.v == hd.two.v ? 8w1 : 2;"
    assert run(body, "08000000" + "0005" + "0005", parse=parse, **parts)[2:4] == "01"
    assert run(body, "08000000" + "0005" + "0006", parse=parse, **parts)[2:4] == "02"
    assert run(body, "10000000" + "0005" + "000005", parse=parse, **parts)[2:4] == "02"


def test_extract_into_nothing_skips() -> None:
    assert run("", "00000000" + "01020304" + "ff", parse="p.extract<H4>(_);") == "00000000ff"


def test_next_and_last_of_a_stack() -> None:
    parse = "p.extract(hd.st.next); p.extract(hd.st.next); hd.h.a = hd.st.last.a;"
    sent = "00000000" + "01000000" + "02000000"
    assert run("", sent, parse=parse, **STACK) == "02" + sent[2:]
    three = parse + "p.extract(hd.st.next);"
    assert error(three, sent + "03000000", **STACK) == "StackOutOfBounds"
    assert error("hd.h.a = hd.st.last.a;", **STACK) == "StackOutOfBounds"


def test_last_index_and_next_move_with_the_stack() -> None:
    parse = "p.extract(hd.st.next); hd.h.a = (bit<8>) hd.st.lastIndex; hd.st.push_front(1);"
    parse += "hd.h.b = (bit<8>) hd.st.lastIndex;"
    assert run("", "00000000" + "05000000", parse=parse, **STACK) == "00010000" + "05000000"
    assert error(parse + "p.extract(hd.st.next);", "00" * 12, **STACK) == "StackOutOfBounds"


def test_a_stack_copy_goes_on_where_the_other_stood() -> None:
    locals_ = "H4[2] other;"
    parse = "p.extract(hd.st.next); other = hd.st; p.extract(other.next); hd.st = other;"
    sent = "00000000" + "01000000" + "02000000"
    assert run("", sent, parse=parse, parser_locals=locals_, **STACK) == sent


def test_a_stack_of_unions_moves_when_a_member_is_extracted() -> None:
    types = "header X { bit<8> x; } header Y { bit<16> y; } header_union U { X x; Y y; }"
    parse = "p.extract(hd.us.next.x); p.extract(hd.us.next.y);"
    body = "hd.us[0].x.x = hd.us[0].x.x + 1;"
    found = run(
        body,
        "00000000" + "0a" + "0102",
        types=types,
        fields="U[2] us;",
        parse=parse,
        emit="p.emit(hd.us);",
    )
    assert found == "00000000" + "0b" + "0102"


def test_verify_stops_at_once() -> None:
    parse = "verify(hd.h.a == 0, error.HeaderTooShort); p.extract(hd.g);"
    assert error(parse, "01000000") == "HeaderTooShort"
    assert error(parse, "00000000") == "PacketTooShort"


STATES = """
#include <core.p4>
#include <xdp_model.p4>
error {{ Mine }}
header H {{ bit<8> a; bit<8> b; }}
struct Hdr {{ H h; H g; }}
{sub}
parser P(packet_in p, out Hdr hd) {{ {locals} {states} }}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {{
    apply {{ o.output_port = 0; o.output_action = xdp_action.XDP_TX; }}
}}
control D(in Hdr hd, packet_out p) {{ apply {{ p.emit(hd.h); p.emit(hd.g); }} }}
xdp(P(), C(), D()) main;
"""


def states(text: str, data: str, locals_: str = "", sub: str = "") -> str:
    """Return what leaves, or the parser's error."""
    source = STATES.format(states=text, locals=locals_, sub=sub)
    outcome = run_packet(load(typed_program(source)), 0, bytes.fromhex(data))
    return outcome.error if outcome.data is None else outcome.data.hex()


def test_select_takes_the_first_label_that_fits() -> None:
    text = """
    state start { p.extract(hd.h); transition select(hd.h.a, hd.h.b) {
        (1, _): accept; (0x10 &&& 0xf0, 2..4): two; (9..3, _): accept; } }
    state two { hd.h.a = 0; transition accept; }
    """
    assert states(text, "0105") == "0105"
    assert states(text, "1f03") == "0003"
    assert states(text, "1f05") == "NoMatch"
    assert states(text, "0500") == "NoMatch"


def test_a_loop_may_run_as_long_as_the_packet_lasts() -> None:
    text = """
    state start { n = 0; transition more; }
    state more { p.extract(hd.h); n = n + 1; transition select(hd.h.a) { 0: more; _: done; } }
    state done { hd.h.b = n; transition accept; }
    """
    assert states(text, "0000" * 99 + "0100" + "aa" * 12, "bit<8> n;") == "0164" + "aa" * 12
    assert states(text, "0000" * 99, "bit<8> n;") == "PacketTooShort"


def test_a_loop_that_reads_nothing_times_out() -> None:
    text = "state start { transition select(p.length()) { 0: accept; _: start; } }"
    assert states(text, "00") == "ParserTimeout"


def test_reject_and_a_state_without_transition_keep_no_error() -> None:
    assert states("state start { transition reject; }", "00") == "NoError"
    assert states("state start { p.extract(hd.h); }", "0000") == "NoError"


SUB = """
parser Sub(packet_in p, out H h, in bit<8> n) {
    state start { p.extract(h); transition select(h.a) { 1: accept; 2: reject; } }
}
"""


def test_a_sub_parser_copies_out_when_it_accepts() -> None:
    text = "state start { s.apply(p, hd.h, 1); s.apply(p, hd.g, 2); transition accept; }"
    assert states(text, "0102" + "0103", "Sub() s;", SUB) == "01020103"


def test_a_sub_parser_that_rejects_rejects_for_its_caller() -> None:
    text = "state start { s.apply(p, hd.h, 1); verify(false, error.Mine); transition accept; }"
    assert states(text, "0102", "Sub() s;", SUB) == "Mine"
    assert states(text, "0202", "Sub() s;", SUB) == "NoError"
    assert states(text, "0302", "Sub() s;", SUB) == "NoMatch"


def test_variables_of_a_parser_begin_anew_in_each_invocation() -> None:
    sub = """
    parser Sub(packet_in p, out bit<8> n) {
        bit<8> count = 0;
        state start { count = count + 1; n = count; transition accept; }
    }
    """
    text = """
    state start { p.extract(hd.h); s.apply(p, hd.h.a); s.apply(p, hd.h.b); transition accept; }
    """
    assert states(text, "0909", "Sub() s;", sub) == "0101"


def test_a_value_set_is_empty_until_it_is_filled() -> None:
    text = """
    state start { p.extract(hd.h); transition select(hd.h.a) { vs: one; _: accept; } }
    state one { hd.h.b = 1; transition accept; }
    """
    assert states(text, "0000", "value_set<bit<8>>(4) vs;") == "0000"
