"""Entries as P4Runtime-style JSON, and what is said of a wrong file."""

from __future__ import annotations

import json

import pytest
from v1_case import fill, left, place

from p4xdp.diagnostics import CompileError
from p4xdp.stf.p4runtime import parse_runtime_json

DECL = """
action to(bit<9> port) { s.egress_spec = port; }
action group(bit<16> number) { s.mcast_grp = number; }
table t {
    key = { hd.h.a: exact; hd.h.b: lpm; }
    actions = { to; group; NoAction; }
    default_action = NoAction();
}
table u {
    key = { hd.h.c: ternary; hd.h.d: range; }
    actions = { to; NoAction; }
    default_action = NoAction();
}
"""

FILE = {
    "target": "bmv2",
    "p4info": "build/prog.p4info.txt",
    "table_entries": [
        {
            "table": "I.t",
            "default_action": True,
            "action_name": "I.to",
            "action_params": {"port": 9},
        },
        {
            "table": "I.t",
            "match": {"hd.h.a": [1], "hd.h.b": [16, 4]},
            "action_name": "I.to",
            "action_params": {"port": 2},
        },
        {
            "table": "I.t",
            "match": {"hd.h.a": 2},
            "action_name": "I.group",
            "action_params": {"number": 7},
        },
        {
            "table": "I.u",
            "match": {"hd.h.c": [16, 240], "hd.h.d": [1, 3]},
            "priority": 2,
            "action_name": "I.to",
            "action_params": {"port": 4},
        },
        {
            "table": "I.u",
            "match": {"hd.h.c": [16, 240]},
            "priority": 1,
            "action_name": "I.to",
            "action_params": {"port": 5},
        },
    ],
    "multicast_group_entries": [
        {
            "multicast_group_id": 7,
            "replicas": [{"egress_port": 1, "instance": 1}, {"egress_port": 3, "instance": 1}],
        }
    ],
    "clone_session_entries": [{"clone_session_id": 5, "replicas": [{"egress_port": 6}]}],
}


def test_entries_groups_and_sessions() -> None:
    body = (
        "t.apply(); if (hd.h.c != 0) { u.apply(); } if (hd.h.d == 9) { clone(CloneType.I2E, 5); }"
    )
    at = place(DECL, body)
    fill(at, json.dumps(FILE, indent=2), "s1-runtime.json")
    assert left(at, "00000000") == [(9, "00000000")]
    assert left(at, "01120000") == [(2, "01120000")]
    assert left(at, "01220000") == [(9, "01220000")]
    assert left(at, "02330000") == [(1, "02330000"), (3, "02330000")]
    assert left(at, "00001102") == [(4, "00001102")]
    assert left(at, "00001104") == [(5, "00001104")]
    assert left(at, "00000009") == [(6, "00000009"), (9, "00000009")]


def test_addresses_are_numbers() -> None:
    text = '{"table_entries": [{"table": "t", "match": {"k": ["10.0.1.1", 32]}, "action_name": "a",'
    (entry,) = parse_runtime_json(
        text + ' "action_params": {"m": "08:00:00:00:01:11"}}]}', "r.json"
    )
    assert "value=167772417" in repr(entry)
    assert "value=8796093022481" in repr(entry)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ('{\n  "table_entries": [,]\n}', 2, 21, "this is not JSON"),
        ('{\n "tables": []}', 2, 2, "the file has no `tables`"),
        ('{"table_entries":\n [{"table": "t"}]}', 2, 3, "`action_name` is missing here"),
        (
            '{"table_entries": [{"table": "t", "action_name": "a",\n "match": {"k": "x"}}]}',
            2,
            17,
            "this is not a value for `k`: give a number or an address",
        ),
        (
            '{"table_entries": [{"table": 5, "action_name": "a"}]}',
            1,
            30,
            "`table` is a string",
        ),
    ],
)
def test_a_wrong_place_is_named(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        parse_runtime_json(text, "r.json")
    (found,) = caught.value.diagnostics
    assert (found.code, found.text) == ("entries-syntax", message)
    assert found.span is not None
    assert (found.span.line, found.span.column) == (line, column)


def test_two_numbers_for_an_exact_key_are_refused() -> None:
    at = place(DECL, "t.apply();")
    entry = {"table": "t", "match": {"hd.h.a": [1, 8]}, "action_name": "NoAction"}
    with pytest.raises(CompileError, match="is exact: give one number"):
        fill(at, json.dumps({"table_entries": [entry]}), "r.json")
