"""linearise, with merge_checks and simplify behind it: what a program does to the packet."""

from __future__ import annotations

from dataclasses import replace

from make import (
    BOOL,
    EMPTY,
    ETHERNET,
    IPV4,
    VERDICT,
    expected,
    field,
    goto,
    header,
    num,
    op,
    put,
    select,
    state,
    text,
    var,
    when,
)

from p4xdp.midend.ir import (
    FALSE,
    TRUE,
    Advance,
    Body,
    Emit,
    Extract,
    Finish,
    Lookahead,
    Mux,
    Peek,
    Program,
    Reject,
)
from p4xdp.midend.passes.linearise import linearise
from p4xdp.midend.passes.merge_checks import merge_checks
from p4xdp.midend.passes.simplify import simplify
from p4xdp.midend.rewrite import walk
from p4xdp.midend.verify import verify

VLAN = header("hd.vlan", ("pcp", 3), ("dei", 1), ("vid", 12), ("type", 16))
TTL = field(IPV4, "ttl")
TYPE = field(ETHERNET, "type")
START = state("start", Extract("hd.eth"), to=select(TYPE, 16, "accept", ipv4=0x800))
PARSE_IPV4 = state("ipv4", Extract("hd.ipv4"))
PASS = put(VERDICT, num(2, 32))
EMIT = (Emit("hd.eth"), Emit("hd.ipv4"))


def program(
    *control: object,
    parser: tuple[object, ...] = (START, PARSE_IPV4),
    deparser: Body = EMIT,
    **others: object,
) -> Program:
    return replace(
        EMPTY,
        headers=(ETHERNET, VLAN, IPV4),
        parser=parser,  # type: ignore[arg-type]
        control=control,  # type: ignore[arg-type]
        deparser=deparser,
        **others,  # type: ignore[arg-type]
    )


def body(flat: Program) -> str:
    """The linear program as text, without what happens when a check fails."""
    verify(flat)
    for step in (simplify, linearise, simplify, merge_checks, simplify):
        flat = step(flat)
        verify(flat)
    kept: list[str] = []
    rows = iter(text(flat.body).splitlines())
    for row in rows:
        if row.lstrip().startswith(("check", "adjust_head")):
            kept.append(row.removesuffix(" else {") + ";")
            assert next(rows).strip() == "finish 32w0;"
            assert next(rows).strip() == "}"
        else:
            kept.append(row)
    return "\n".join(kept) + "\n"


def test_a_filter_on_validity_loads_one_field_and_stores_none() -> None:
    verdict = put(VERDICT, Mux(IPV4.valid, num(2, 32), num(1, 32)))
    assert body(program(verdict)) == expected("""
        check data 14;
        if (data[96+:16] == 16w0x800) {
            check data 34;
            finish 32w2;
        }
        finish 32w1;
    """)


def test_states_in_a_row_need_one_check() -> None:
    parser = state("start", Extract("hd.eth"), to=goto("ipv4")), PARSE_IPV4
    assert body(program(PASS, parser=parser)) == expected("""
        check data 34;
        finish 32w2;
    """)


def test_a_reject_on_the_other_branch_does_not_hold_up_a_check() -> None:
    start = state("start", Extract("hd.eth"), to=select(TYPE, 16, None, ipv4=0x800))
    assert body(program(PASS, parser=(start, PARSE_IPV4))) == expected("""
        check data 34;
        if (data[96+:16] != 16w0x800) {
            finish 32w0;
        }
        finish 32w2;
    """)


def test_a_changed_field_is_stored_where_it_changed() -> None:
    change = when(IPV4.valid, put(TTL, op(TTL, "-", num(1))))
    parser = (state("start", Extract("hd.eth"), Extract("hd.ipv4")),)
    assert body(program(PASS, change, parser=parser)) == expected("""
        check data 34;
        data[176+:8] = data[176+:8] - 8w1;
        finish 32w2;
    """)


def test_a_field_changed_on_one_path_is_stored_on_that_path() -> None:
    parser = (state("start", Extract("hd.eth"), Extract("hd.ipv4")),)
    change = when(op(TTL, "<", num(9)), put(TTL, num(64)))
    assert body(program(PASS, change, parser=parser)) == expected("""
        check data 34;
        if (data[176+:8] < 8w9) {
            data[176+:8] = 8w0x40;
        }
        finish 32w2;
    """)


def test_a_discarded_packet_is_not_written() -> None:
    parser = (state("start", Extract("hd.eth"), Extract("hd.ipv4")),)
    drop = put(VERDICT, num(1, 32))
    assert body(program(drop, put(TTL, num(1)), parser=parser)) == expected("""
        check data 34;
        finish 32w1;
    """)


def test_a_field_within_a_byte_is_stored_with_its_neighbours() -> None:
    parser = (state("start", Extract("hd.eth"), Extract("hd.ipv4")),)
    assert body(program(PASS, put(field(IPV4, "ihl"), num(6, 4)), parser=parser)) == expected("""
        check data 34;
        data[112+:8] = data[112+:4] ++ 4w6;
        finish 32w2;
    """)


def test_a_new_header_moves_what_stands_before_it() -> None:
    parser = (state("start", Extract("hd.eth"), Extract("hd.ipv4")),)
    push = (
        PASS,
        put(VLAN.valid, TRUE),
        put(field(VLAN, "vid"), num(5, 12)),
        put(field(VLAN, "type"), TYPE),
        put(TYPE, num(0x8100, 16)),
        put(TTL, op(TTL, "-", num(1))),
    )
    emit = Emit("hd.eth"), Emit("hd.vlan"), Emit("hd.ipv4")
    assert body(program(*push, parser=parser, deparser=emit)) == expected("""
        check data 34;
        hd.vlan.type = data[96+:16];
        hd.eth.$bytes0 = data[0+:64];
        hd.eth.$bytes8 = data[64+:32];
        data[176+:8] = data[176+:8] - 8w1;
        adjust_head 32w4;
        check data 18;
        data[0+:64] = hd.eth.$bytes0;
        data[64+:32] = hd.eth.$bytes8;
        data[96+:16] = 16w0x8100;
        data[112+:16] = 16w5;
        data[128+:16] = hd.vlan.type;
        finish 32w2;
    """)


def test_a_removed_header_shrinks_the_packet() -> None:
    parser = (state("start", Extract("hd.eth"), Extract("hd.vlan"), Extract("hd.ipv4")),)
    pop = PASS, put(TYPE, field(VLAN, "type")), put(VLAN.valid, FALSE)
    emit = Emit("hd.eth"), Emit("hd.vlan"), Emit("hd.ipv4")
    assert body(program(*pop, parser=parser, deparser=emit)) == expected("""
        check data 38;
        hd.eth.type = data[128+:16];
        hd.eth.$bytes0 = data[0+:64];
        hd.eth.$bytes8 = data[64+:32];
        adjust_head 32w0xfffffffc;
        check data 14;
        data[0+:64] = hd.eth.$bytes0;
        data[64+:32] = hd.eth.$bytes8;
        data[96+:16] = hd.eth.type;
        finish 32w2;
    """)


def test_a_header_that_only_some_packets_get_leaves_the_others_alone() -> None:
    parser = (state("start", Extract("hd.eth"), Extract("hd.ipv4")),)
    push = when(op(TTL, "==", num(1)), put(VLAN.valid, TRUE))
    emit = Emit("hd.eth"), Emit("hd.vlan"), Emit("hd.ipv4")
    assert body(program(PASS, push, parser=parser, deparser=emit)) == expected("""
        check data 34;
        if (data[176+:8] != 8w1) {
            finish 32w2;
        }
        hd.eth.$bytes0 = data[0+:64];
        hd.eth.$bytes8 = data[64+:32];
        hd.eth.$bytes12 = data[96+:16];
        adjust_head 32w4;
        check data 18;
        data[0+:64] = hd.eth.$bytes0;
        data[64+:32] = hd.eth.$bytes8;
        data[96+:16] = hd.eth.$bytes12;
        data[112+:16] = 16w0;
        data[128+:16] = 16w0;
        finish 32w2;
    """)


def test_a_state_behind_different_offsets_is_read_by_a_pointer() -> None:
    parser = (
        state("start", Extract("hd.eth"), to=select(TYPE, 16, "ipv4", vlan=0x8100)),
        state("vlan", Extract("hd.vlan"), to=goto("ipv4")),
        PARSE_IPV4,
    )
    keep = put(VERDICT, Mux(op(TTL, "==", num(0)), num(1, 32), num(2, 32)))
    emit = Emit("hd.eth"), Emit("hd.vlan"), Emit("hd.ipv4")
    assert body(program(keep, parser=parser, deparser=emit)) == expected("""
        check data 34;
        if (data[96+:16] == 16w0x8100) {
            check data 38;
            ipv4.$offset.$pointer = &data[18];
        } else {
            ipv4.$offset.$pointer = &data[14];
        }
        finish (ipv4.$offset.$pointer[64+:8] == 8w0) ? 32w1 : 32w2;
    """)


def test_lookahead_reads_without_moving() -> None:
    kind = var("kind", 4)
    start = state(
        "start",
        Lookahead(4, (Peek(kind, 0, 4),)),
        to=select(kind, 4, "reject", ipv4=4),
    )
    ipv4 = state("ipv4", Extract("hd.ipv4"))
    assert body(program(PASS, parser=(start, ipv4), deparser=(Emit("hd.ipv4"),))) == expected("""
        check data 20;
        if (data[0+:4] != 4w4) {
            finish 32w0;
        }
        finish 32w2;
    """)


def test_advance_skips_and_what_is_skipped_is_lost() -> None:
    start = state("start", Advance(num(32, 32)), Extract("hd.ipv4"))
    assert body(program(PASS, parser=(start,), deparser=(Emit("hd.ipv4"),))) == expected("""
        check data 24;
        adjust_head 32w0xfffffffc;
        finish 32w2;
    """)


def test_advance_by_a_part_of_a_byte_rejects() -> None:
    start = state("start", Advance(num(9, 32)))
    assert body(program(PASS, parser=(start,))) == "finish 32w0;\n"


def test_verify_rejects_at_once() -> None:
    check = when(op(TTL, "==", num(0)), Reject(num(1, 32)))
    start = state("start", Extract("hd.eth"), Extract("hd.ipv4"), check)
    assert body(program(PASS, parser=(start,))) == expected("""
        check data 34;
        if (data[176+:8] == 8w0) {
            finish 32w0;
        }
        finish 32w2;
    """)


def test_a_header_emitted_twice_is_copied() -> None:
    parser = (state("start", Extract("hd.vlan")),)
    emit = Emit("hd.vlan"), Emit("hd.vlan")
    assert body(program(PASS, parser=parser, deparser=emit)) == expected("""
        check data 4;
        hd.vlan.$bytes0 = data[0+:32];
        adjust_head 32w4;
        check data 4;
        data[0+:32] = hd.vlan.$bytes0;
        finish 32w2;
    """)


def test_a_filter_ends_with_a_truth_value() -> None:
    accept = var("accept", BOOL)
    flat = program(put(accept, IPV4.valid), deparser=(), model="filter", verdict=accept)
    linear = simplify(linearise(simplify(flat)))
    verify(linear)
    finishes = [stmt for stmt in walk(linear.body) if isinstance(stmt, Finish)]
    assert set(finishes) == {Finish(TRUE), Finish(FALSE)}
