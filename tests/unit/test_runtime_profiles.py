"""Action profiles: what cannot be asked of them, of the interpreter and of compiled programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dict_maps import DictMaps

from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, check, compile
from p4xdp.options import Options
from p4xdp.runtime.requests import Name, ResetDefault
from p4xdp.stf.interp import InterpControl, open_program
from p4xdp.stf.p4runtime import parse_runtime_json
from p4xdp.stf.place import ControlPlane, MapControl
from p4xdp.stf.simple_switch import parse_commands

CASES = Path(__file__).parents[1] / "stf" / "v1model"
PROGRAM = CASES / "action_selector.p4"
SHARED = CASES / "shared_selector.p4"


def opened(program: Path, place: str, *tables: str) -> ControlPlane:
    """Return the control plane of a program; `tables` are those whose default can change."""
    session = Session(program, Options())
    if place == "interp":
        return InterpControl(open_program(check(session), "aborted"))
    description = compile(session).description
    made = MapControl.of_fresh(description, DictMaps(description))
    made.apply([ResetDefault(Name(table)) for table in tables])
    return made


@pytest.fixture(params=["interp", "compiled"])
def control(request: pytest.FixtureRequest) -> ControlPlane:
    return opened(PROGRAM, request.param, "first", "third")


@pytest.fixture(params=["interp", "compiled"])
def shared(request: pytest.FixtureRequest) -> ControlPlane:
    """Tables with different actions: member 0 is for `first`, 1 for `second`, 2 for both, 3 for
    none that packets reach; `first` leads to member 0 and to group 0, `second` to member 1, by
    default to 2, and to group 1."""
    made = opened(SHARED, request.param, "first", "second")
    fill(made, SHARED_MEMBERS)
    return made


def fill(control: ControlPlane, text: str) -> None:
    for request in parse_commands(text, "t.txt"):
        control.apply([request])


MADE = """act_prof_create_member paths set 1
act_prof_create_member paths set 2
act_prof_create_group paths
act_prof_create_group paths
act_prof_add_member_to_group paths 1 1
table_indirect_add first 1 => 0
table_indirect_add_with_group first 2 => 0
"""


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("act_prof_create_member paths miss", "is for the default only"),
        ("act_prof_create_member paths set 256", "256 does not fit `value`, a bit<8>"),
        ("act_prof_create_member path set 1", "`path` is no action profile"),
        ("act_prof_modify_member paths set 7 1", "there is no member 7"),
        ("act_prof_delete_member paths 7", "there is no member 7"),
        ("act_prof_delete_member paths 0", "member 0 cannot be deleted: table `Enter.first`"),
        ("act_prof_delete_member paths 1", "member 1 cannot be deleted: group 1 leads to it"),
        ("act_prof_delete_group paths 0", "group 0 cannot be deleted: table `Enter.first`"),
        ("act_prof_delete_group paths 5", "there is no group 5"),
        ("act_prof_add_member_to_group paths 1 1", "member 1 belongs already to group 1"),
        ("act_prof_remove_member_from_group paths 0 1", "member 0 does not belong to group 1"),
        ("act_prof_add_member_to_group paths 0 5", "there is no group 5"),
        ("act_prof_add_member_to_group paths 7 0", "there is no member 7"),
        ("act_prof_create_group action_profile_0", "has no groups: it is no action selector"),
        ("table_indirect_add first 3 => 7", "there is no member 7"),
        ("table_indirect_add_with_group first 3 => 7", "there is no group 7"),
        ("table_indirect_add_with_group third 3 => 0", "has no groups"),
        ("table_indirect_set_default first 7", "there is no member 7"),
        ("table_indirect_set_default second 0", "the default action of table `Enter.second` is"),
    ],
)
def test_what_cannot_be(control: ControlPlane, command: str, message: str) -> None:
    fill(control, MADE)
    with pytest.raises(CompileError) as caught:
        fill(control, command)
    assert message in caught.value.diagnostics[0].text


def test_a_profile_gets_full(control: ControlPlane) -> None:
    fill(control, "act_prof_create_member action_profile_0 result 1\n" * 4)
    with pytest.raises(CompileError) as caught:
        fill(control, "act_prof_create_member action_profile_0 result 1")
    assert caught.value.diagnostics[0].code == "entry-full"


def test_entries_that_name_an_action_need_no_room_in_the_profile(control: ControlPlane) -> None:
    fill(control, "act_prof_create_member action_profile_0 result 1\n" * 4)
    fill(control, "".join(f"table_add third result {i} => {i}\n" for i in range(8)))
    fill(control, "table_clear third\n")
    fill(control, "".join(f"table_add third result {i} => {i}\n" for i in range(8)))
    with pytest.raises(CompileError) as caught:
        fill(control, "table_add third result 9 => 9")
    assert caught.value.diagnostics[0].code == "entry-full"


SHARED_MEMBERS = """act_prof_create_member ways only_first 1
act_prof_create_member ways only_second 2 3
act_prof_create_member ways put 4
act_prof_create_member ways outside
act_prof_create_group ways
act_prof_create_group ways
act_prof_create_group ways
act_prof_create_group ways
act_prof_add_member_to_group ways 0 0
act_prof_add_member_to_group ways 2 0
act_prof_add_member_to_group ways 1 1
act_prof_add_member_to_group ways 1 2
act_prof_add_member_to_group ways 3 3
table_indirect_add first 1 => 0
table_indirect_add second 1&&&1 => 1 1
table_indirect_set_default second 2
table_indirect_add_with_group first 2 => 0
table_indirect_add_with_group second 2&&&2 => 1 1
"""
FOREIGN = "runs an action that entries of table `Enter.{}` cannot have"
FIRST, SECOND = FOREIGN.format("first"), FOREIGN.format("second")
STILL = "table `Enter.{}` leads to member {}, and its entries cannot have `{}`"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("table_indirect_add first 3 => 1", f"member 1 {FIRST}"),
        ("table_indirect_add first 3 => 3", f"member 3 {FIRST}"),
        ("table_indirect_add second 3&&&3 => 0 1", f"member 0 {SECOND}"),
        ("table_indirect_set_default second 0", f"member 0 {SECOND}"),
        ("table_indirect_add_with_group first 3 => 2", f"member 1 of group 2 {FIRST}"),
        ("table_indirect_add_with_group second 3&&&3 => 0 1", f"member 0 of group 0 {SECOND}"),
        ("table_indirect_add_with_group second 3&&&3 => 3 1", f"member 3 of group 3 {SECOND}"),
        ("table_indirect_set_default_with_group second 0", f"member 0 of group 0 {SECOND}"),
        ("act_prof_add_member_to_group ways 1 0", f"member 1 of group 0 {FIRST}"),
        ("act_prof_add_member_to_group ways 0 1", f"member 0 of group 1 {SECOND}"),
        ("act_prof_modify_member ways only_second 0 1 2", STILL.format("first", 0, "only_second")),
        ("act_prof_modify_member ways only_first 2 5", STILL.format("second", 2, "only_first")),
        ("act_prof_modify_member ways outside 2", STILL.format("first", 2, "outside")),
        ("act_prof_create_member ways nothing", "`nothing` is no action of action profile"),
        ("act_prof_create_member ways put 256", "256 does not fit `value`, a bit<8>"),
        ("table_add first only_second 7 => 1 2", "is no action of table `Enter.first`"),
    ],
)
def test_a_table_leads_to_members_with_its_own_actions(
    shared: ControlPlane, command: str, message: str
) -> None:
    with pytest.raises(CompileError) as caught:
        fill(shared, command)
    assert message in caught.value.diagnostics[0].text


def test_a_group_of_the_whole_is_refused_alike(shared: ControlPlane) -> None:
    group = {"action_profile": "ways", "group_id": 0, "members": [{"member_id": 1}]}
    file = json.dumps({"action_profile_groups": [group]})
    with pytest.raises(CompileError) as caught:
        shared.apply(parse_runtime_json(file, "t.json"))
    assert f"member 1 of group 0 {FIRST}" in caught.value.diagnostics[0].text


def test_members_of_all_tables_together_fill_a_profile(shared: ControlPlane) -> None:
    with pytest.raises(CompileError) as caught:
        fill(shared, "act_prof_create_member ways only_first 1")
    assert caught.value.diagnostics[0].code == "entry-full"
    fill(shared, "act_prof_remove_member_from_group ways 3 3\nact_prof_delete_member ways 3\n")
    fill(shared, "act_prof_create_member ways NoAction\ntable_indirect_add second 4&&&4 => 3 1")
    with pytest.raises(CompileError) as caught:
        fill(shared, "act_prof_delete_member ways 3")
    assert "member 3 cannot be deleted: table `Enter.second`" in caught.value.diagnostics[0].text


def test_what_leads_nowhere_any_more_can_change(shared: ControlPlane) -> None:
    fill(shared, "table_clear first\nact_prof_modify_member ways only_second 0 1 2\n")
    fill(shared, "table_indirect_add second 4&&&4 => 0 1\nact_prof_add_member_to_group ways 0 1\n")
    with pytest.raises(CompileError) as caught:
        fill(shared, "table_indirect_add first 4 => 0")
    assert f"member 0 {FIRST}" in caught.value.diagnostics[0].text
