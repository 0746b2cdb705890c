"""Members, groups and sets of actions from JSON, in the interpreter and in compiled programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from p4xdp.diagnostics import CompileError
from p4xdp.stf.p4runtime import parse_runtime_json
from p4xdp.stf.parser import parse_case
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.places import run_statements
from p4xdp.stf.runner import compiler
from p4xdp.stf.syntax import Case

PROGRAM = Path(__file__).parents[1] / "stf" / "v1model" / "action_selector.p4"


def action(value: int, weight: int = 1) -> dict[str, object]:
    return {"action_name": "set", "action_params": {"value": value}, "weight": weight}


FILE = {
    "action_profile_members": [
        {
            "action_profile": "paths",
            "member_id": n,
            "action_name": "set",
            "action_params": {"value": 16 * n},
        }
        for n in (4, 5, 6)
    ],
    "action_profile_groups": [
        {
            "action_profile": "paths",
            "group_id": 9,
            "members": [{"member_id": 5, "weight": 2}, {"member_id": 4}],
        }
    ],
    "table_entries": [
        {"table": "first", "match": {"data.first": 1}, "action_profile_member_id": 6},
        {"table": "first", "match": {"data.first": 2}, "action_profile_group_id": 9},
        {
            "table": "first",
            "match": {"data.first": 3},
            "action_profile_action_set": [action(0x71, 2), action(0x72)],
        },
    ],
}
EXPECTED = """
packet 1 01 00 0001 00 00 00112233445566778899
expect 2 01 00 0001 60 01 00112233445566778899
# the hash modulo 3 is 2 for flow 1, 0 for flow 3, 1 for flow 5; the group is 4, 5, 5
packet 1 02 00 0001 00 00 00112233445566778899
expect 2 02 00 0001 50 01 00112233445566778899
packet 1 02 00 0003 00 00 00112233445566778899
expect 2 02 00 0003 40 01 00112233445566778899
packet 1 02 00 0005 00 00 00112233445566778899
expect 2 02 00 0005 50 01 00112233445566778899
# the set is 71, 71, 72
packet 1 03 00 0001 00 00 00112233445566778899
expect 2 03 00 0001 72 01 00112233445566778899
packet 1 03 00 0003 00 00 00112233445566778899
expect 2 03 00 0003 71 01 00112233445566778899
packet 1 03 00 0005 00 00 00112233445566778899
expect 2 03 00 0005 71 01 00112233445566778899
add first data.first:3 set(value:0x77)
packet 1 03 00 0001 00 00 00112233445566778899
expect 2 03 00 0001 77 01 00112233445566778899
"""


@pytest.mark.parametrize("place", ["interp", "native"])
def test_what_the_file_says_holds(place: str, tmp_path: Path) -> None:
    given = parse_runtime_json(json.dumps(FILE), "t.json")
    told = parse_case(EXPECTED, "t.stf")
    case = Case("t.stf", (*given, *told.statements))
    options = PlaceOptions(build_dir=tmp_path)
    result = run_statements(case, compiler(PROGRAM, options), place, options)
    assert result.skipped is None
    assert not result.failures


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"action_profile_member_id": 1, "action_name": "set"}, "there is `action_name` already"),
        ({"action_profile_action_set": [action(1, 0)]}, "a weight is 1 at least"),
        ({"action_profile_action_set": 7}, "`action_profile_action_set` is an array"),
    ],
)
def test_what_a_file_may_not_say(entry: dict[str, object], message: str) -> None:
    file = {"table_entries": [{"table": "first", "match": {"data.first": 1}, **entry}]}
    with pytest.raises(CompileError) as caught:
        parse_runtime_json(json.dumps(file), "t.json")
    assert message in caught.value.diagnostics[0].text
