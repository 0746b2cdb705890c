"""The parser graph: loops, stacks, sub-parsers, selects (section 13, cases D)."""

from __future__ import annotations

import pytest
from flat_machine import Outcome, run
from p4_case import ETH, MODEL, compile_text, fields_of, program, sent

from p4xdp.midend import ir

TOO_SHORT, NO_MATCH, OUT_OF_BOUNDS, TIMEOUT = 1, 2, 3, 5

PARSER = (
    MODEL
    + """
error {{ Mine }}
header B {{ bit<8> v; }}
header W {{ bit<16> t; }}
struct Hdr {{ B b; B c; B[2] st; W w; }}
{functions}
parser P(packet_in p, out Hdr hd) {{
    {states}
}}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {{
    apply {{ o.output_port = 0; o.output_action = xdp_action.XDP_TX; {body} }}
}}
control D(in Hdr hd, packet_out p) {{ apply {{ p.emit(hd); }} }}
xdp(P(), C(), D()) main;
"""
)


def flat(states: str, functions: str = "", body: str = "") -> ir.Program:
    return compile_text(PARSER.format(states=states, functions=functions, body=body))


def parsed(states: str, packet: str, functions: str = "", body: str = "") -> Outcome:
    return run(flat(states, functions, body), bytes.fromhex(packet))


LOOP = """
state start { p.extract(hd.b); transition more; }
state more { p.extract(hd.st.next); transition select(hd.st.last.v) { 0: more; _: accept; } }
"""


def test_a_loop_over_a_stack_is_unrolled() -> None:
    states = [state.name for state in flat(LOOP).parser]
    assert states == ["start", "more", "more_1", "more_2"]
    outcome = parsed(LOOP, "aa0001ff", body="hd.st.pop_front(1);")
    assert (outcome.error, outcome.packet.hex()) == (None, "aa01ff")


def test_next_past_the_end_rejects() -> None:
    assert parsed(LOOP, "aa000000").error == OUT_OF_BOUNDS


def test_last_of_an_empty_stack_rejects() -> None:
    states = "state start { transition select(hd.st.last.v) { _: accept; } }"
    assert parsed(states, "aa").error == OUT_OF_BOUNDS


def test_last_index() -> None:
    states = """
    state start { p.extract(hd.st.next); p.extract(hd.st.next);
        transition select(hd.st.lastIndex) { 1: accept; _: reject; } }
    """
    assert parsed(states, "0102").error is None


def test_states_after_a_loop_are_shared() -> None:
    states = """
    state start { p.extract(hd.st.next); transition select(hd.st.last.v) { 0: start; _: on; } }
    state on { p.extract(hd.w); transition accept; }
    """
    names = [state.name for state in flat(states).parser]
    assert names.count("on") == 1
    assert not [name for name in names if name.startswith("on_")]


def test_pop_front_in_the_parser_moves_next() -> None:
    states = """
    state start { p.extract(hd.st.next); p.extract(hd.st.next); hd.st.pop_front(1);
        p.extract(hd.st.next); transition accept; }
    """
    assert parsed(states, "010203").packet.hex() == "0203"


def test_assigning_a_stack_copies_next_index() -> None:
    states = """
    B[2] other;
    state start { p.extract(other.next); hd.st = other; p.extract(hd.st.next); transition accept; }
    """
    assert parsed(states, "0102").packet.hex() == "0102"


COUNTED = """
bit<8> n;
state start { p.extract(hd.b); n = hd.b.v; transition next; }
state next { transition select(n) { 0: accept; _: skip; } }
state skip { p.advance(8); n = n - 1; transition next; }
"""


def test_a_loop_with_a_counter_is_bounded() -> None:
    assert parsed(COUNTED, "03aabbccdd").packet.hex() == "03dd"
    assert parsed(COUNTED, "0f" + 20 * "aa").packet.hex() == "0f" + 5 * "aa"
    assert parsed(COUNTED, "20" + 40 * "aa").error == TIMEOUT


def test_a_loop_inside_a_loop_ends() -> None:
    states = """
    state start { p.extract(hd.b); transition select(hd.b.v) { 0: start; 1: inner; _: accept; } }
    state inner { p.extract(hd.c); transition select(hd.c.v) { 0: inner; 1: start; _: accept; } }
    """
    assert parsed(states, "00010001000002").packet.hex() == "0201"
    assert parsed(states, "000100010000").error == TOO_SHORT
    assert len(flat(states).parser) < 600


TWO_STATES = """
B[9] many;
state start {{ transition one; }}
state one {{ p.extract({one}.next);
    transition select({one}.last.v) {{ 0: one; 1: two; 2: on; _: accept; }} }}
state two {{ p.extract({two}.next);
    transition select({two}.last.v) {{ 0: one; 1: two; 2: on; _: accept; }} }}
state on {{ p.extract(hd.c); transition accept; }}
"""


def test_a_loop_that_ends_with_its_stack_is_not_counted() -> None:
    states = TWO_STATES.format(one="many", two="many")
    assert len(flat(states).parser) == 2 * 10 + 1  # `start` is the first `one`, too
    assert parsed(states, "010001000100010002aa").packet.hex() == "aa"
    assert parsed(states, "01000100010001000100").error == OUT_OF_BOUNDS


def test_a_loop_over_two_stacks_ends_with_both() -> None:
    states = TWO_STATES.format(one="many", two="hd.st")
    assert len(flat(states).parser) < 2 * 10 * 3 + 2
    assert parsed(states, "0000010000010002aa").packet.hex() == "aa0000"
    assert parsed(states, "00010001000100").error == OUT_OF_BOUNDS


@pytest.mark.parametrize("body", ["many.pop_front(1);", "B[9] none; many = none;"])
def test_a_loop_that_empties_its_stack_is_counted(body: str) -> None:
    states = f"""
    B[9] many;
    state start {{ p.extract(many.next); {body}
        transition select(p.lookahead<bit<8>>()) {{ 0: start; _: on; }} }}
    state on {{ p.extract(hd.c); transition accept; }}
    """
    assert parsed(states, "00" * 12 + "02aa").packet.hex() == "02aa"
    assert parsed(states, "00" * 40).error == TIMEOUT


def test_a_loop_over_a_stack_of_a_state_is_counted() -> None:
    states = """
    state start { B[2] own; p.extract(own.next);
        transition select(own.last.v) { 0: start; _: accept; } }
    """
    assert parsed(states, "000000000001").error is None
    assert parsed(states, "00" * 40).error == TIMEOUT


def test_nothing_is_done_behind_the_end_of_a_stack() -> None:
    header = "header V {{ bit<8> v; varbit<64> more; }}"
    source = PARSER.replace("struct Hdr", header + "\nstruct Hdr")
    states = """
    V[3] some;
    state start { p.extract(some.next, (bit<32>)p.lookahead<bit<8>>());
        transition select(some.last.v) { 0: accept; _: start; } }
    """
    program = compile_text(source.format(states=states, functions="", body=""))
    assert len(program.parser) == 4
    assert not [one for one in program.headers if "nowhere" in one.name]


def test_no_match_rejects() -> None:
    states = "state start { p.extract(hd.b); transition select(hd.b.v) { 1: accept; } }"
    assert parsed(states, "01").error is None
    assert parsed(states, "02").error == NO_MATCH


def test_a_state_without_transition_rejects() -> None:
    assert parsed("state start { p.extract(hd.b); }", "01").error == 0


def test_a_select_that_is_known() -> None:
    states = "state start { p.extract(hd.b); transition select(8w3) { 1: reject; 2..4: accept; } }"
    assert parsed(states, "01").error is None
    states = "state start { p.extract(hd.b); transition select(8w3) { 1: accept; } }"
    assert parsed(states, "01").error == NO_MATCH


@pytest.mark.parametrize(
    ("keyset", "hits", "misses"),
    [
        ("(0x12f &&& 0xfff, 0x45)", ["012f45", "f12f45"], ["012f46", "022f45"]),
        ("(0x100 .. 0x1ff, _)", ["010000", "01ff99"], ["00ff00", "020000"]),
        ("(0x200 .. 0x1ff, _)", [], ["010000"]),
        ("(_, 7)", ["999907"], ["999908"]),
    ],
)
def test_keysets(keyset: str, hits: list[str], misses: list[str]) -> None:
    states = f"""
    state start {{ p.extract(hd.w); p.extract(hd.b);
        transition select(hd.w.t, hd.b.v) {{ {keyset}: accept; _: reject; }} }}
    """
    program_ = flat(states)
    assert all(run(program_, bytes.fromhex(packet)).error is None for packet in hits)
    assert all(run(program_, bytes.fromhex(packet)).error == 0 for packet in misses)


@pytest.mark.parametrize(
    ("keyset", "hits", "misses"),
    [
        ("hd.c.v", ["0505"], ["0506"]),
        ("hd.c.v &&& 0x0f", ["1525"], ["1526"]),
        ("0x05 &&& hd.c.v", ["050f", "2507"], ["1407"]),
        ("2 .. hd.c.v", ["0205", "0505"], ["0105", "0605"]),
    ],
)
def test_keysets_with_run_time_values(keyset: str, hits: list[str], misses: list[str]) -> None:
    states = f"""
    state start {{ p.extract(hd.b); p.extract(hd.c);
        transition select(hd.b.v) {{ 0xfe: reject; {keyset}: accept; hd.c.v + 1: reject; }} }}
    """
    program_ = flat(states)
    assert all(run(program_, bytes.fromhex(packet)).error is None for packet in hits)
    assert all(run(program_, bytes.fromhex(packet)).error in (0, NO_MATCH) for packet in misses)


def test_last_index_of_an_empty_stack_is_no_index() -> None:
    states = """
    state start { p.extract(hd.b); hd.st[hd.st.lastIndex].v = 9; hd.b.v = hd.st[hd.st.lastIndex].v;
        p.extract(hd.st.next); hd.st[hd.st.lastIndex].v = 8; transition accept; }
    """
    assert parsed(states, "0102").packet.hex() == "0008"


def test_a_signed_range() -> None:
    states = """
    state start { p.extract(hd.b);
        transition select((int<8>) hd.b.v) { -2 .. 3: accept; _: reject; } }
    """
    program_ = flat(states)
    accepted = [v for v in range(256) if run(program_, bytes([v])).error is None]
    assert accepted == [0, 1, 2, 3, 254, 255]


def test_select_on_bool_and_enum() -> None:
    functions = "enum E { X, Y }"
    states = """
    E e = E.X;
    state start { p.extract(hd.b); if (hd.b.v == 1) { e = E.Y; }
        transition select(hd.b.v < 5, e) { (true, E.Y): accept; _: reject; } }
    """
    assert parsed(states, "01", functions).error is None
    assert parsed(states, "02", functions).error == 0


def test_select_on_more_than_64_bits() -> None:
    text = (
        MODEL
        + """
    header L { bit<128> v; }
    struct Hdr { L l; }
    parser P(packet_in p, out Hdr hd) {
        state start { p.extract(hd.l); transition select(hd.l.v) {
            0x20010db8000000000000000000000000 &&& 0xffffffff000000000000000000000000: accept;
            _: reject; } }
    }
    control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
        apply { o = { xdp_action.XDP_PASS, 0 }; } }
    control D(in Hdr hd, packet_out p) { apply { p.emit(hd); } }
    xdp(P(), C(), D()) main;
    """
    )
    program_ = compile_text(text)
    assert run(program_, bytes.fromhex("20010db8" + 12 * "ff")).verdict == ir.XDP_PASS
    assert run(program_, bytes.fromhex("20010db9" + 12 * "ff")).error == 0


def test_verify_stops_the_state() -> None:
    states = """
    state start { p.extract(hd.b); verify(hd.b.v == 1, error.Mine); hd.b.v = 2; transition accept; }
    """
    assert parsed(states, "01").packet.hex() == "02"
    assert parsed(states, "03").error == 7


def test_lookahead() -> None:
    states = """
    state start { transition select(p.lookahead<bit<4>>()) { 1: one; _: two; } }
    state one { p.extract(hd.b); transition accept; }
    state two { p.extract(hd.w); transition accept; }
    """
    assert parsed(states, "1f02").packet.hex() == "1f02"
    assert parsed(states, "2f").error == TOO_SHORT
    assert parsed(states, "").error == TOO_SHORT


def test_lookahead_of_a_header_is_valid() -> None:
    states = """
    state start { hd.w = p.lookahead<W>(); p.extract(hd.b); transition accept; }
    """
    assert parsed(states, "1234").packet.hex() == "12123434"


def test_lookahead_whose_value_is_not_used_still_rejects() -> None:
    states = "state start { p.lookahead<bit<16>>(); transition accept; }"
    assert parsed(states, "12").error == TOO_SHORT


def test_extract_to_nowhere_advance_and_length() -> None:
    states = """
    state start { p.extract<W>(_); p.advance((bit<32>) p.lookahead<bit<8>>());
        transition select(p.length()) { 5: on; _: reject; } }
    state on { p.extract(hd.b); transition accept; }
    """
    assert parsed(states, "ffff0877ee").packet.hex() == "77ee"
    assert parsed(states, "ffff0877").error == 0
    assert parsed(states, "ffff8877ee").error == TOO_SHORT


SUB = """
parser Sub(packet_in p, out B b, inout bit<8> sum) {
    state start { p.extract(b); sum = sum + b.v;
        transition select(b.v) { 0xff: reject; 0: start; _: accept; } }
}
"""


def test_a_sub_parser_called_twice() -> None:
    states = """
    Sub() s; bit<8> total = 0;
    state start { s.apply(p, hd.b, total); s.apply(p, hd.c, total); hd.b.v = total;
        transition accept; }
    """
    assert parsed(states, "0203", SUB).packet.hex() == "0503"
    assert parsed(states, "00020003", SUB).packet.hex() == "0503"
    assert parsed(states, "02ff", SUB).error == 0
    assert parsed(states, "02", SUB).error == TOO_SHORT


def test_an_out_parameter_of_a_sub_parser_begins_invalid() -> None:
    functions = "parser Sub(packet_in p, out B b) { state start { transition accept; } }"
    states = "state start { p.extract(hd.b); Sub.apply(p, hd.b); transition accept; }"
    assert parsed(states, "02", functions).packet.hex() == ""


def test_a_sub_parser_over_a_stack_of_its_caller() -> None:
    functions = """
    parser Sub(packet_in p, inout B[2] st) {
        state start { p.extract(st.next); transition select(st.last.v) { 0: start; _: accept; } }
    }
    """
    states = """
    Sub() s;
    state start { p.extract(hd.st.next); s.apply(p, hd.st); transition accept; }
    """
    assert parsed(states, "0102", functions).packet.hex() == "0102"
    assert parsed(states, "0100", functions).error == OUT_OF_BOUNDS


def test_aliased_arguments_of_a_sub_parser() -> None:
    functions = """
    parser Sub(packet_in p, inout bit<8> x, inout bit<8> y) {
        state start { x = 1; y = y + 2; transition accept; }
    }
    """
    states = "state start { p.extract(hd.b); Sub.apply(p, hd.b.v, hd.b.v); transition accept; }"
    assert parsed(states, "04", functions).packet.hex() == "06"


def test_an_if_around_an_extraction_splits_the_state() -> None:
    states = """
    state start { p.extract(hd.b);
        if (hd.b.v == 1) { p.extract(hd.c); hd.c.v = hd.c.v + 1; }
        else if (hd.b.v == 2) { p.advance(8); }
        p.extract(hd.w); transition accept; }
    """
    assert parsed(states, "01101234").packet.hex() == "01111234"
    assert parsed(states, "02101234").packet.hex() == "021234"
    assert parsed(states, "031234").packet.hex() == "031234"
    assert parsed(states, "0112").error == TOO_SHORT


def test_next_under_an_if_is_followed_on_each_way() -> None:
    states = """
    state start { p.extract(hd.b); if (hd.b.v == 1) { p.extract(hd.st.next); }
        p.extract(hd.st.next); transition accept; }
    """
    assert parsed(states, "010203").packet.hex() == "010203"
    assert parsed(states, "0203").packet.hex() == "0203"


def test_a_local_of_a_state_is_new_each_time() -> None:
    states = """
    state start { bit<8> n; H h; p.extract(hd.b); if (h.isValid()) { hd.c = { 9 }; }
        h.setValid(); n = n + 1;
        transition select(hd.b.v) { 0: start; _: accept; } }
    """
    assert parsed(states, "0001", "header H { bit<8> z; }").packet.hex() == "01"


def test_a_union_member_extracted_invalidates_the_others() -> None:
    parts = {
        "types": "header X { bit<8> x; } header Y { bit<8> y; } header_union U { X x; Y y; }",
        "fields": "U u;",
        "parse": "p.extract(hd.u.x); p.extract(hd.u.y);",
        "emit": "p.emit(hd.u);",
    }
    outcome = run(program("", **parts), ETH + fields_of("") + b"\x01\x02")
    assert outcome.packet[18:].hex() == "02"


def test_a_short_packet_is_rejected() -> None:
    assert run(program(), ETH[:13]).error == TOO_SHORT
    assert run(program(), ETH + b"123").error == TOO_SHORT
    assert sent("a=01").error is None


def test_a_parser_with_names_of_the_graph() -> None:
    states = """
    state start { p.extract(hd.b); transition select(hd.b.v) { 0: start; _: start_1; } }
    state start_1 { p.extract(hd.c); transition accept; }
    """
    assert parsed(states, "000102").packet.hex() == "0102"
