"""Tables of the interpreter: who wins, what runs, what the control plane may do (14.2)."""

from __future__ import annotations

import pytest
from interp_case import program, run, send, skeleton, typed_program

from p4xdp.diagnostics import CompileError
from p4xdp.frontend import typed
from p4xdp.interp import load
from p4xdp.interp.tables import priorities
from p4xdp.runtime.requests import AddEntry, Name, Number, RemoveAll, SetDefault
from p4xdp.stf.interp import InterpPlace
from p4xdp.stf.parser import parse_case

ACTIONS = "action a() { hd.h.b = 1; } action b() { hd.h.b = 2; } action p(bit<8> x) { hd.h.b = x; }"


def table(keys: str, rest: str) -> str:
    return f"{ACTIONS} table t {{ key = {{ {keys} }} actions = {{ a; b; p; NoAction; }} {rest} }}"


def entries(keys: str, listed: str, rest: str = "") -> str:
    return table(keys, f"entries = {{ {listed} }} {rest}")


def winner(decl: str, sent: str) -> str:
    return run("t.apply();", sent + "000000", decl)[2:4]


def test_const_entries_are_tried_in_order() -> None:
    decl = table(
        "hd.h.a : ternary;", "const entries = { 0x10 &&& 0xf0 : a(); 0x11 : b(); _ : p(9); }"
    )
    assert [winner(decl, x) for x in ("11", "1f", "20")] == ["01", "01", "09"]


def test_the_longest_prefix_wins_in_any_order() -> None:
    decl = table("hd.h.a : lpm;", "const entries = { 0x10 &&& 0xf0 : a(); 0x11 : b(); _ : p(9); }")
    assert [winner(decl, x) for x in ("11", "1f", "20")] == ["02", "01", "09"]


@pytest.mark.parametrize(("rest", "wins"), [("", "02"), ("largest_priority_wins = false;", "01")])
def test_given_priorities_decide(rest: str, wins: str) -> None:
    listed = "priority = 5 : 0x10 &&& 0xf0 : a(); priority = 9 : 0x11 : b();"
    assert winner(entries("hd.h.a : ternary;", listed, rest), "11") == wins


@pytest.mark.parametrize(
    ("given", "smallest", "delta", "result"),
    [
        ((None, None, None), False, 1, [3, 2, 1]),
        ((None, None, None), False, 10, [21, 11, 1]),
        ((None, None, None), True, 10, [1, 11, 21]),
        ((10, None, None, None, 40, None), True, 10, [10, 20, 30, 40, 40, 50]),
        ((10, None, 7, None), False, 2, [10, 8, 7, 5]),
    ],
)
def test_priorities_of_entries_without_one(
    given: tuple[int | None, ...], smallest: bool, delta: int, result: list[int]
) -> None:
    choice = typed.ActionChoice(typed.Action("a", (), typed.Block(())), ())
    made = [typed.TableEntry((), choice, priority) for priority in given]
    assert priorities(made, smallest, delta) == result


def test_ranges_masks_and_signed_keys() -> None:
    listed = "(2..4, _) : a(); (9..3, _) : b(); (_, -3..2) : p(7);"
    decl = table(
        'hd.h.a : range; (int<8>) hd.h.c : range @name("c");', f"const entries = {{ {listed} }}"
    )
    assert [
        run("t.apply();", sent, decl, functions="match_kind { range }")[2:4]
        for sent in ("03000700", "0500fe00", "05000200", "0500fc00")
    ] == ["01", "07", "07", "00"]


def test_keys_are_evaluated_in_order_before_the_lookup() -> None:
    functions = "bit<8> f(in bit<8> x, inout bit<8> y) { y = x + 5; return x; }"
    keys = 'hd.h.c : exact; f(hd.h.a, hd.h.c) : exact @name("f"); hd.h.c : exact @name("c");'
    decl = table(keys, "const entries = { (0, 1, 6) : a(); }")
    assert run("t.apply();", "01000000", decl, functions=functions) == "01010600"


def test_hit_miss_and_action_run() -> None:
    decl = table("hd.h.a : exact;", "const entries = { 1 : a(); 2 : b(); } default_action = b();")
    body = """switch (t.apply().action_run) { a: { hd.h.c = 1; } default: { hd.h.c = 2; } }
    hd.h.d = t.apply().hit ? 8w1 : 2;"""
    assert run(body, "01000000", decl) == "01010101"
    assert run(body, "02000000", decl) == "02020201"
    assert run(body, "03000000", decl) == "03020202"


def test_a_table_without_keys_misses() -> None:
    decl = f"{ACTIONS} table t {{ actions = {{ p; }} default_action = p(4); }}"
    assert run("hd.h.a = t.apply().hit ? 8w1 : 2;", decl=decl) == "02040000"


def test_arguments_of_the_list_are_evaluated_when_the_action_runs() -> None:
    decl = """
    action set(inout bit<8> x, in bit<8> y, bit<8> z) { x = y + z; hd.h.c = x; }
    table t { key = { hd.h.a : exact; } actions = { set(hd.h.b, hd.h.a); }
        const entries = { 5 : set(3); } default_action = set(1); }
    """
    assert run("t.apply();", "05000000", decl) == "05080800"
    assert run("hd.h.a = 7; t.apply();", "05000000", decl) == "07080800"


# The control plane

OPEN = table("hd.h.a : ternary;", "size = 2;")


def place(decl: str, body: str = "t.apply();") -> InterpPlace:
    return InterpPlace(load(typed_program(skeleton(body, decl))))


def b_of(ready: InterpPlace, first: str) -> str:
    outcome = ready.send(0, bytes(14) + bytes.fromhex(first + "000000"))
    assert outcome.data is not None
    return outcome.data[15:16].hex()


def ask(ready: InterpPlace, text: str) -> None:
    statements = parse_case(text, "t.stf").statements
    ready.control.apply([s for s in statements if isinstance(s, AddEntry | SetDefault | RemoveAll)])


def test_added_entries_and_a_changed_default() -> None:
    ready = place(OPEN)
    ask(ready, "add t 1 hd.h.a:0x1* p(x:7)\nadd t 5 hd.h.a:0x11 a()\nsetdefault t b()")
    assert [b_of(ready, x) for x in ("11", "12", "33")] == ["01", "07", "02"]
    ask(ready, "remove all")
    assert [b_of(ready, x) for x in ("11", "33")] == ["02", "02"]


def test_equal_priorities_go_by_age_and_an_equal_entry_replaces() -> None:
    ready = place(OPEN)
    ask(ready, "add t hd.h.a:0x1* a()\nadd t hd.h.a:0x11 b()")
    assert b_of(ready, "11") == "01"
    ask(ready, "add t hd.h.a:0x1* p(x:9)")
    assert b_of(ready, "11") == "09"


def test_initial_entries_can_be_removed_unless_they_are_const() -> None:
    ready = place(entries("hd.h.a : exact;", "const 1 : a(); 2 : b();"))
    ask(ready, "remove all")
    assert [b_of(ready, x) for x in ("01", "02")] == ["01", "00"]


@pytest.mark.parametrize(
    ("decl", "text", "code"),
    [
        (OPEN, "add u hd.h.a:1 a()", "entry-table"),
        (OPEN, "add t hd.h.q:1 a()", "entry-key"),
        (OPEN, "add t hd.h.a:256 a()", "entry-value"),
        (OPEN, "add t hd.h.a:1 c()", "entry-action"),
        (OPEN, "add t hd.h.a:1 p(y:1)", "entry-argument"),
        (OPEN, "add t hd.h.a:1 a()\nadd t hd.h.a:2 a()\nadd t hd.h.a:3 a()", "entry-full"),
        (
            table("hd.h.a : exact;", "const entries = { 1 : a(); }"),
            "add t hd.h.a:2 a()",
            "entry-constant",
        ),
        (
            table("hd.h.a : exact;", "const default_action = a();"),
            "setdefault t b()",
            "entry-constant",
        ),
    ],
)
def test_wrong_requests(decl: str, text: str, code: str) -> None:
    ready = place(decl)
    with pytest.raises(CompileError) as caught:
        ask(ready, text)
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_nothing_is_changed_when_one_request_is_wrong() -> None:
    ready = place(OPEN)
    with pytest.raises(CompileError):
        ask(ready, "add t hd.h.a:1 a()\nadd t hd.h.a:1 c()")
    assert b_of(ready, "01") == "00"


def test_counters() -> None:
    decl = "CounterArray(4, false) c; CounterArray(2, true) s;"
    body = "c.increment((bit<32>) hd.h.a); c.add(1, 5); s.increment((bit<32>) hd.h.a);"
    ready = place(decl, body)
    for first in ("00", "01", "01", "04", "ff"):
        ready.send(0, bytes(14) + bytes.fromhex(first + "000000"))
    cells = [ready.control.counter(Name("c"), Number(i)) for i in range(4)]
    assert cells == [1, 27, 0, 0]
    assert [ready.control.counter(Name("s"), Number(i)) for i in (0, 1, 4)] == [1, 2, 0]
    with pytest.raises(CompileError):
        ready.control.counter(Name("c"), Number(4))


@pytest.mark.parametrize(
    ("entries", "open_"),
    [
        ("(1, 5): set(1);", True),
        ("(2, 5): set(1);", False),
        ("(1, _): set(1);", False),
        ("(1, _): set(1); (1, 5): set(2);", False),
        ("(1, 5): set(1); (1, _): set(2);", True),
        ("(2, 5): set(1); (_, 5): set(2);", True),
    ],
)
def test_an_undefined_key_counts_where_it_decides_which_entry_wins(
    entries: str, open_: bool
) -> None:
    decl = (
        "action set(bit<8> v) { hd.h.b = v; }"
        "table t { key = { hd.h.a: ternary; hd.g.a: ternary; } actions = { set; NoAction; }"
        f" const entries = {{ {entries} }} default_action = NoAction; }}"
    )
    assert send(program("t.apply();", decl), "01000000").undefined_read is open_
