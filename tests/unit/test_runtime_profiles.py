"""Action profiles: what cannot be asked of them, of the interpreter and of compiled programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from dict_maps import DictMaps

from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, check, compile
from p4xdp.options import Options
from p4xdp.runtime.requests import Name, ResetDefault
from p4xdp.stf.interp import InterpControl, open_program
from p4xdp.stf.place import ControlPlane, MapControl
from p4xdp.stf.simple_switch import parse_commands

PROGRAM = Path(__file__).parents[1] / "stf" / "v1model" / "action_selector.p4"


@pytest.fixture(params=["interp", "compiled"])
def control(request: pytest.FixtureRequest) -> ControlPlane:
    session = Session(PROGRAM, Options())
    if request.param == "interp":
        return InterpControl(open_program(check(session), "aborted"))
    description = compile(session).description
    made = MapControl.of_fresh(description, DictMaps(description))
    made.apply([ResetDefault(Name(table)) for table in ("first", "third")])
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
