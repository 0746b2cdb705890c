"""Small constructors for IR in tests."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

from p4xdp.midend.ir import (
    ACCEPT,
    BOOL,
    ActionChoice,
    ActionData,
    AnyTest,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Const,
    Expr,
    Finish,
    Header,
    HeaderField,
    If,
    Key,
    MaskTest,
    Program,
    SelectCase,
    State,
    Table,
    TableAction,
    Transition,
    Var,
)
from p4xdp.midend.printer import print_body


def var(name: str, width: int = 8) -> Var:
    return Var(name, width)


def num(value: int, width: int = 8) -> Const:
    return Const(value, width)


def op(left: Expr, text: str, right: Expr) -> Binary:
    return Binary(BinaryOp(text), left, right)


def put(target: Var, value: Expr) -> Assign:
    return Assign(target, value)


def when(condition: Expr, *then: object, otherwise: Body = ()) -> If:
    return If(condition, then, otherwise)  # type: ignore[arg-type]


def header(name: str, *fields: tuple[str, int]) -> Header:
    """A header instance with the fields given as (name, width)."""
    items = []
    offset = 0
    for field, width in fields:
        items.append(HeaderField(field, Var(f"{name}.{field}", width), offset))
        offset += width or 1
    return Header(
        name, name.split(".")[-1] + "_t", Var(f"{name}.$valid", BOOL), tuple(items), offset
    )


ETHERNET = header("hd.eth", ("dst", 48), ("src", 48), ("type", 16))
IPV4 = header(
    "hd.ipv4",
    ("version", 4),
    ("ihl", 4),
    ("tos", 8),
    ("length", 16),
    ("id", 16),
    ("frag", 16),
    ("ttl", 8),
    ("protocol", 8),
    ("checksum", 16),
    ("src", 32),
    ("dst", 32),
)


def field(header: Header, name: str) -> Var:
    return next(item.var for item in header.fields if item.name == name)


def goto(target: str) -> Transition:
    return Transition((), (SelectCase((), target),))


def select(key: Expr, width: int, default: str | None, **targets: int) -> Transition:
    """Equality cases given as state=value."""
    mask = (1 << width) - 1
    cases = [SelectCase((MaskTest(value, mask),), state) for state, value in targets.items()]
    if default is not None:
        cases.append(SelectCase((AnyTest(),), default))
    return Transition((key,), tuple(cases))


def state(name: str, *body: object, to: Transition | None = None) -> State:
    return State(name, body, to or goto(ACCEPT))  # type: ignore[arg-type]


VERDICT = Var("out.verdict", 32)

EMPTY = Program(
    name="test",
    source="test.p4",
    model="xdp",
    headers=(),
    tables=(),
    counters=(),
    errors=("NoError", "PacketTooShort"),
    input_port=None,
    verdict=VERDICT,
    port=None,
    parser=(),
    control=(),
    deparser=(),
)


def linear(*body: object, **others: object) -> Program:
    return replace(EMPTY, **{"stage": "linear", "body": body, **others})  # type: ignore[arg-type]


def table(name: str, *data: Var, keys: tuple[Key, ...] = (), actions: int = 1) -> Table:
    """A table whose actions all take `data`."""
    parameters = tuple(ActionData(v.name, v.width or 1) for v in data)
    choices = tuple(TableAction(f"act{index}", parameters) for index in range(actions))
    default = ActionChoice(0, (0,) * len(data))
    return Table(name, keys, choices, default, False, (), False, 64)


FINISH = Finish(VERDICT)


def text(body: Body) -> str:
    return print_body(body) + "\n"


def expected(block: str) -> str:
    return dedent(block).lstrip("\n")
