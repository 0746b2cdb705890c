"""Narrow programs built by hand: every statement and every kind of table, without a front end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from p4xdp.backend_c import Output, emit
from p4xdp.diagnostics import Diagnostics, Span
from p4xdp.midend import ir
from p4xdp.midend.ir import (
    BOOL,
    ActionArm,
    ActionChoice,
    ActionData,
    AdjustHead,
    Apply,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Check,
    Concat,
    Const,
    Counter,
    Effect,
    Entry,
    Expr,
    Extend,
    Finish,
    If,
    Key,
    Load,
    MaskTest,
    Mux,
    Program,
    RangeTest,
    SetPointer,
    Store,
    Table,
    TableAction,
    Var,
)
from p4xdp.options import Options

VERDICT = Var("output.output_action", 32)
PORT = Var("output.output_port", 32)
HIT = Var("hit", BOOL)
IPV4_VALID = Var("hd.ipv4.$valid", BOOL)
ABORTED, DROP, PASS, TX, REDIRECT = (Const(n, 32) for n in range(5))


def at(line: int) -> Span:
    return Span("examples/demo.p4", line, 5, line, 9)


def program(body: Body, **changes: Any) -> Program:
    empty: dict[str, Any] = {
        "name": "demo",
        "source": "demo.p4",
        "model": "xdp",
        "headers": (),
        "tables": (),
        "counters": (),
        "errors": ("NoError",),
        "input_port": None,
        "verdict": VERDICT,
        "port": PORT,
        "parser": (),
        "control": (),
        "deparser": (),
        "body": body,
        "stage": "narrow",
    }
    return Program(**{**empty, **changes})


def compiled(source: Program, **options: Any) -> Output:
    return emit(source, Options(**options), Diagnostics())


def load(offset: int, width: int) -> Load:
    return Load("data", offset, width)


def equal(left: Expr, right: Expr) -> Expr:
    return Binary(BinaryOp.EQ, left, right)


def check(size: int, pointer: str = "data") -> Check:
    return Check(pointer, size, (Finish(ABORTED),), at(20))


def parse_only() -> Program:
    """Ethernet and IPv4, pass the latter: no table, no change."""
    ipv4 = (check(34), Assign(IPV4_VALID, Const(1, BOOL), at(31)))
    return program(
        (
            check(14),
            If(equal(load(96, 16), Const(0x800, 16)), ipv4, (), at(25)),
            Finish(Mux(IPV4_VALID, PASS, DROP), None, at(40)),
        ),
        name="parse_only",
    )


# Tables

FORWARD = TableAction("Switch.forward", (ActionData("port", 32), ActionData("dst", 48)))
ACTIONS = (FORWARD, TableAction("Switch.Drop_action", ()), TableAction("NoAction", ()))
PLAIN_ACTIONS = (TableAction("Switch.mark", ()), *ACTIONS[1:])
FORWARD_DATA = (Var("forward.port", 32), Var("forward.dst", 48))
ARMS = (
    ActionArm(
        0,
        FORWARD_DATA,
        (
            Assign(PORT, FORWARD_DATA[0], at(60)),
            Store("data", 0, 48, FORWARD_DATA[1], at(61)),
            Assign(VERDICT, REDIRECT, at(62)),
        ),
    ),
    ActionArm(1, (), (Assign(VERDICT, DROP, at(65)),)),
    ActionArm(2, (), ()),
)
PLAIN_ARMS = (
    ActionArm(
        0,
        (),
        (
            Assign(PORT, Const(4, 32), at(60)),
            Store("data", 0, 48, Const(6, 48), at(61)),
            Assign(VERDICT, REDIRECT, at(62)),
        ),
    ),
    *ARMS[1:],
)
DROP_CHOICE = ActionChoice(1, ())
FORWARD_CHOICE = ActionChoice(0, (7, 0x0200_0000_0001))


def key(name: str, width: int, kind: Any = "exact") -> Key:
    return Key(name, width, kind, at(50))


def table(name: str, *keys: Key, **changes: Any) -> Table:
    plain = Table(
        name=f"Switch.{name}",
        keys=keys,
        actions=ACTIONS,
        default=DROP_CHOICE,
        default_const=False,
        entries=(),
        const_entries=False,
        size=64,
        span=at(49),
    )
    return replace(plain, **changes)


def full(width: int) -> int:
    return (1 << width) - 1


def exact_entries(width: int, *values: int) -> tuple[Entry, ...]:
    """Entries that alternate between the first two actions."""
    choices = (FORWARD_CHOICE, DROP_CHOICE)
    return tuple(
        Entry((MaskTest(value, full(width)),), choices[i % 2], 0) for i, value in enumerate(values)
    )


TABLES = (
    table("macs", key("hd.eth.dst", 48)),
    table("pairs", key("hd.eth.src", 48), key("hd.eth.type", 16), default_const=True),
    table(
        "routes",
        key("hd.ipv4.dst", 32, "lpm"),
        key("vrf", 12),
        default=FORWARD_CHOICE,
        default_const=True,
    ),
    table(
        "acl",
        key("src", 128, "ternary"),
        key("dst", 32, "lpm"),
        key("port", 7),
        size=1000,
    ),
    table("slots", key("index", 9), implementation="array_table", actions=PLAIN_ACTIONS),
    table(
        "types",
        key("type", 16),
        entries=exact_entries(16, 0x800, 0x86DD, 0x806),
        const_entries=True,
        default_const=True,
    ),
    table(
        "ranges",
        key("src", 128, "ternary"),
        key("port", 7),
        entries=tuple(
            Entry((MaskTest(n << 60, full(100) << 28), RangeTest(3, n)), choice, 0)
            for n, choice in ((4, FORWARD_CHOICE), (5, DROP_CHOICE), (6, FORWARD_CHOICE))
        ),
        const_entries=True,
    ),
    table("always", default=FORWARD_CHOICE),
)


def applied(name: str, *keys: Expr) -> Apply:
    arms = PLAIN_ARMS if name == "slots" else ARMS
    return Apply(f"Switch.{name}", keys, arms, HIT, None, at(70))


def wide(offset: int) -> Expr:
    return Concat(load(offset, 64), load(offset + 64, 64))


def every_table() -> Program:
    """One application of each kind of table."""
    return program(
        (
            check(54),
            Assign(VERDICT, PASS, at(69)),
            applied("macs", load(0, 48)),
            applied("pairs", load(48, 48), load(96, 16)),
            applied("routes", load(128, 32), load(4, 12)),
            applied("acl", wide(128), load(128, 32), load(1, 7)),
            applied("slots", load(1, 9)),
            applied("types", load(96, 16)),
            applied("ranges", wide(128), load(1, 7)),
            applied("always"),
            If(HIT, (Finish(VERDICT, PORT),)),
            Finish(VERDICT, PORT, at(80)),
        ),
        name="every_table",
        tables=TABLES,
    )


def every_statement() -> Program:
    """Pointers, head moves, counters, events, switches, jumps."""
    time, sent, length = Var("time", 64), Var("sent", 32), Var("length", 32)
    options = SetPointer("options", "data", 14, _four_times(load(4, 4)), 60, at(30))
    grow = (
        AdjustHead(Const(4, 32), (Finish(ABORTED),), at(40)),
        check(20),
        Store("data", 96, 16, Const(0x8100, 16), at(41)),
        Store("data", 112, 24, Binary(BinaryOp.ADD, load(112, 24), Const(1, 24)), at(42)),
    )
    leave = ir.Leave("done", at(53))
    cases = (
        ir.SwitchCase((1, 2), (Assign(PORT, Const(9, 32), at(50)),)),
        ir.SwitchCase((3,), (leave,)),
    )
    return program(
        (
            check(54),
            ir.PacketLength(length, at(21)),
            Effect("count", "Switch.packets", (load(8, 8), Const(1, 32)), None, at(22)),
            Effect("count", "Switch.flows", (load(32, 32), length), None, at(23)),
            Effect("ktime", None, (), time, at(24)),
            Effect("perf_event_output", None, (), sent, at(25)),
            If(equal(ir.Slice(time, 0, 0), Const(1, 1)), grow),
            options,
            check(20, "options"),
            Store("options", 8, 16, Const(5, 16), at(31)),
            ir.Scope("done", (ir.Switch(load(8, 8), cases, (leave,), at(49)),)),
            ir.Trace("sent %", (sent,), at(60)),
            If(equal(sent, Const(0, 32)), (Finish(REDIRECT, PORT, at(61)),)),
            Finish(TX, None, at(62)),
        ),
        name="every_statement",
        counters=(Counter("Switch.packets", 256, False), Counter("Switch.flows", 64, True)),
        input_port=Var("input.input_port", 32),
        devmap_size=64,
    )


def _four_times(nibble: Expr) -> Expr:
    return Binary(BinaryOp.SHL, Extend(nibble, 32), Const(2, 32))


PROGRAMS = {p.name: p for p in (parse_only(), every_table(), every_statement())}
