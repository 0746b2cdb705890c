"""Hand-built programs on packets: the same answers natively and in the kernel, on every layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from backend_programs import (
    ARMS,
    DROP,
    FORWARD_CHOICE,
    HIT,
    PASS,
    PORT,
    REDIRECT,
    TABLES,
    VERDICT,
    applied,
    check,
    compiled,
    equal,
    exact_entries,
    key,
    load,
    program,
    table,
    wide,
)

from p4xdp.midend import ir
from p4xdp.midend.ir import (
    AdjustHead,
    Apply,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Check,
    Const,
    Counter,
    Effect,
    Extend,
    Finish,
    If,
    Load,
    Program,
    SetPointer,
    Store,
    Table,
    Var,
)
from p4xdp.stf.parser import parse_case
from p4xdp.stf.place import Compiled, PlaceOptions
from p4xdp.stf.places import run_statements

PLACES = ["native", pytest.param("kernel", marks=pytest.mark.kernel)]
LAYOUTS = ["stack", "scratch"]


def outcome(source: Program, statements: str, place: str, tmp_path: Path, **options: Any) -> None:
    def compile_for(target: str, layout: str | None) -> Compiled:
        output = compiled(source, target=target, **options)
        return Compiled(output.c, output.description)

    case = parse_case(statements, "case.stf")
    result = run_statements(case, compile_for, place, PlaceOptions(build_dir=tmp_path))
    if result.skipped:
        pytest.skip(result.skipped)
    assert result.failures == ()


# Tables


def one_table(one: Table, *keys: ir.Expr, size: int = 40) -> Program:
    """Apply one table; its actions set the verdict, a packet that meets none of them passes."""
    name = one.name.split(".")[1]
    body: Body = (
        check(size),
        Assign(VERDICT, PASS),
        applied(name, *keys),
        Finish(VERDICT, PORT),
    )
    return program(body, tables=(one,))


A, B = "000000000001", "000000000002"
TAIL = "00" * 60

EXACT = f"""
packet 0 {A} 000000000009 0800 {TAIL}
verdict drop
add macs hd.eth.dst:1 forward(port:5, dst:0x0a0b0c0d0e0f)
packet 0 {A} 000000000009 0800 {TAIL}
expect 5 0a0b0c0d0e0f 000000000009 0800 {TAIL} $
packet 0 {B} 000000000009 0800 {TAIL}
verdict drop
setdefault macs NoAction()
packet 0 {B} 000000000009 0800 {TAIL}
verdict pass
expect 0 {B} 000000000009 0800
"""

TERNARY = f"""
add acl 5 src:0x20010db8000000000000000000000000/32 dst:0x0a000000/8 port:1 Drop_action()
add acl 9 src:0x20010db8000000000000000000000007 dst:0x0a000000/16 port:1 forward(port:3, dst:1)
add acl 7 src:0x0/0 dst:0x0a000002 port:2 NoAction()
packet 0 01 0a000001 20010db8000000000000000000000007 {TAIL}
expect 3 000000000001
packet 0 01 0a010001 20010db8000000000000000000000007 {TAIL}
verdict drop
packet 0 02 0a000002 20010db8000000000000000000000007 {TAIL}
verdict pass
expect 0 02 0a000002
packet 0 03 0a000002 20010db8000000000000000000000007 {TAIL}
verdict drop
"""

LPM = f"""
add routes dst:0x0a000000/8 vrf:0x123 forward(port:1, dst:1)
add routes dst:0x0a010000/16 vrf:0x123 forward(port:2, dst:2)
add routes dst:0x0/0 vrf:0x124 Drop_action()
packet 0 0123 0a010203 {TAIL}
expect 2 000000000002
packet 0 f123 0a020203 {TAIL}
expect 1 000000000001
packet 0 0124 0a010203 {TAIL}
verdict drop
packet 0 0123 0b010203 {TAIL}
expect 7 020000000001
"""

SLOTS = f"""
packet 0 0003 {TAIL}
verdict drop
add slots index:3 mark()
packet 0 0003 {TAIL}
expect 4 000000000006
packet 0 fe03 {TAIL}
expect 4 000000000006
packet 0 01ff {TAIL}
verdict drop
"""

TYPES = f"""
packet 0 0800 {TAIL}
expect 7 020000000001
packet 0 86dd {TAIL}
verdict drop
packet 0 0806 {TAIL}
expect 7 020000000001
packet 0 0807 {TAIL}
verdict drop
setdefault types NoAction()
packet 0 0807 {TAIL}
verdict pass
expect 0 0807
packet 0 0800 {TAIL}
expect 7 020000000001
"""

ALWAYS = f"""
packet 0 {TAIL}
expect 7 020000000001
setdefault always Drop_action()
packet 0 {TAIL}
verdict drop
"""

ACL = table("acl", key("src", 128, "ternary"), key("dst", 32, "lpm"), key("port", 7), size=40)
ACL_KEYS = (wide(40), load(8, 32), load(1, 7))
TYPE_ENTRIES = exact_entries(16, 0x800, 0x86DD, 0x806)
CASES = {
    "exact": (one_table(TABLES[0], load(0, 48)), EXACT),
    "ternary": (one_table(ACL, *ACL_KEYS), TERNARY),
    "ternary by masks": (one_table(replace(ACL, size=5000), *ACL_KEYS), TERNARY),
    "lpm": (one_table(TABLES[2], load(16, 32), load(4, 12)), LPM),
    "array": (one_table(TABLES[4], load(7, 9)), SLOTS),
    "const entries": (
        one_table(
            table("types", key("t", 16), entries=TYPE_ENTRIES, const_entries=True), load(0, 16)
        ),
        TYPES,
    ),
    "keyless": (one_table(table("always", default=FORWARD_CHOICE)), ALWAYS),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("case", CASES)
def test_tables(case: str, place: str, layout: str, tmp_path: Path) -> None:
    source, statements = CASES[case]
    outcome(source, statements, place, tmp_path, layout=layout)


@pytest.mark.parametrize("place", PLACES)
def test_a_large_action_stands_once_and_runs_from_every_entry(place: str, tmp_path: Path) -> None:
    """The arm is too large to be copied to each entry: the entry is chosen first."""
    twice = tuple(Assign(PORT, Binary(BinaryOp.ADD, PORT, Const(1, 32))) for _ in range(6))
    arms = (replace(ARMS[0], body=ARMS[0].body + twice), *ARMS[1:])
    entries = exact_entries(16, 0x800, 0x86DD, 0x806)
    types = table("types", key("t", 16), entries=entries, const_entries=True)
    run = Var("run", 32)
    apply = Apply("Switch.types", (load(0, 16),), arms, HIT, run)
    last = If(HIT, (Assign(PORT, Binary(BinaryOp.ADD, PORT, run)),))
    source = program(
        (check(20), Assign(VERDICT, PASS), apply, last, Finish(VERDICT, PORT)), tables=(types,)
    )
    assert "types_action" in compiled(source).c
    statements = f"""
    packet 0 0800 {TAIL}
    expect 13 020000000001
    packet 0 0807 {TAIL}
    verdict drop
    setdefault types forward(port:1, dst:2)
    packet 0 0807 {TAIL}
    expect 7 000000000002
    packet 0 86dd {TAIL}
    verdict drop
    """
    outcome(source, statements, place, tmp_path)


@pytest.mark.parametrize("place", PLACES)
def test_a_large_constant_default_is_shared_with_the_entries(place: str, tmp_path: Path) -> None:
    more = tuple(Assign(PORT, Binary(BinaryOp.ADD, PORT, Const(1, 32))) for _ in range(6))
    arms = (replace(ARMS[0], body=ARMS[0].body + more), *ARMS[1:])
    macs = table("macs", key("m", 48), default=FORWARD_CHOICE, default_const=True)
    apply = Apply("Switch.macs", (load(0, 48),), arms, HIT)
    body = (check(20), Assign(VERDICT, PASS), apply, Finish(VERDICT, PORT))
    statements = f"""
    packet 0 {A} {TAIL}
    expect 13 020000000001
    add macs m:1 forward(port:2, dst:3)
    packet 0 {A} {TAIL}
    expect 8 000000000003
    """
    outcome(program(body, tables=(macs,)), statements, place, tmp_path)


# Counters


@pytest.mark.parametrize("place", PLACES)
def test_counters_add_from_the_first_time_on_and_only_inside(place: str, tmp_path: Path) -> None:
    index, amount = load(0, 32), load(32, 32)
    counters = (Counter("C.dense", 8, False), Counter("C.sparse", 8, True))
    count = tuple(Effect("count", c.name, (index, amount)) for c in counters)
    statements = """
    packet 0 00000005 0000000a 000000000000
    packet 0 00000005 00000001 000000000000
    packet 0 00000008 00000001 000000000000
    packet 0 ffffffff 00000001 000000000000
    check_counter dense(5) == 11
    check_counter sparse(5) == 11
    check_counter dense(4) == 0
    check_counter sparse(4) == 0
    """
    source = program((check(10), *count, Finish(DROP)), counters=counters)
    outcome(source, statements, place, tmp_path)


# The packet


def test_loads_and_stores_reach_no_byte_too_far(tmp_path: Path) -> None:
    """Every width at the end of the packet, behind which the sanitizer stands guard."""
    for width in (8, 16, 24, 32, 40, 48, 56, 64):
        body: list[ir.Stmt] = [check(width // 8 + 1)]
        low = Load("data", 4, width)  # from the middle of a byte to the middle of the last
        target = Var("v", width)
        body += [Assign(target, Binary(BinaryOp.ADD, low, Const(1, width)))]
        body += [Store("data", 8, width, target), Finish(PASS)]
        data = int.from_bytes(bytes(range(0xA1, 0xA1 + width // 8 + 1)), "big")
        expected = ((data >> 4) + 1) & ((1 << width) - 1)
        statements = f"""
        packet 0 {data:0{width // 4 + 2}x}
        expect 0 a1 {expected:0{width // 4}x} $
        """
        outcome(program(tuple(body)), statements, "native", tmp_path)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("place", PLACES)
def test_a_pointer_behind_options(place: str, layout: str, tmp_path: Path) -> None:
    """A header length in words moves the pointer; the store lands behind the options."""
    words = Extend(load(4, 4), 32)
    amount = Binary(BinaryOp.SHL, words, Const(2, 32))
    body = (
        check(1),
        SetPointer("rest", "data", 1, amount, 60),
        Check("rest", 3, (Finish(DROP),)),
        If(equal(Load("rest", 0, 8), Const(0xEE, 8)), (Store("rest", 8, 16, Const(0xBEEF, 16)),)),
        Finish(PASS),
    )
    statements = f"""
    packet 0 00 ee0102 {TAIL}
    expect 0 00 eebeef {TAIL} $
    packet 0 03 {"11" * 12} ee0102 {TAIL}
    expect 0 03 {"11" * 12} eebeef {TAIL} $
    packet 0 0f {"11" * 60} ee0102
    expect 0 0f {"11" * 60} eebeef $
    packet 0 0f {"11" * 60} ee01
    verdict drop
    """
    outcome(program(body), statements, place, tmp_path, layout=layout)


@pytest.mark.parametrize("place", PLACES)
def test_the_head_grows_and_shrinks(place: str, tmp_path: Path) -> None:
    growth = Var("growth", 32)
    grow = equal(load(0, 8), Const(1, 8))
    body = (
        check(14),
        If(grow, (Assign(growth, Const(4, 32)),), (Assign(growth, Const((1 << 32) - 6, 32)),)),
        AdjustHead(growth, (Finish(DROP),)),
        check(4),
        Store("data", 0, 32, Const(0xCAFEF00D, 32)),
        Finish(REDIRECT, Const(2, 32)),
    )
    statements = f"""
    packet 0 01 aabbccdd {TAIL}
    expect 2 cafef00d 01 aabbccdd {TAIL} $
    packet 0 02 aabbccdd eeff1122 33445566 {TAIL}
    expect 2 cafef00d 445566 {TAIL} $
    """
    outcome(program(body), statements, place, tmp_path)
