"""A controller in Python fills tables that share an action profile and have different actions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox import ROOT, Namespace

from p4xdp.controller import ControlError, Switch
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang, load

PROGRAM = ROOT / "tests" / "stf" / "v1model" / "shared_selector.p4"
MEMBERS = """act_prof_create_member ways only_first 0x11
act_prof_create_member ways only_second 0x22000000 0x0f
act_prof_create_member ways put 0x30
act_prof_create_member ways outside
act_prof_create_group ways
act_prof_add_member_to_group ways 0 0
"""


@pytest.fixture
def switch(namespace: Namespace, tmp_path: Path) -> Iterator[Switch]:
    output = compile(Session(PROGRAM, Options()))
    (tmp_path / "a.c").write_text(output.c)
    clang.build(tmp_path / "a.c", tmp_path / "a.o")
    load.load(tmp_path / "a.o", output.description, "va", ports=((2, "va"),))
    with Switch.open("va") as opened:
        yield opened
    load.unload("va")


def run(switch: Switch, tmp_path: Path, commands: str) -> None:
    (tmp_path / "commands.txt").write_text(commands)
    switch.run(tmp_path / "commands.txt")


def test_each_table_leads_to_members_with_its_own_actions(switch: Switch, tmp_path: Path) -> None:
    run(switch, tmp_path, MEMBERS)
    switch.add("first", {"data.first": 1}, "member", {"number": 0})
    switch.add("first", {"data.first": 2}, "group", {"number": 0})
    switch.add("second", {"data.second": 1}, "member", {"number": 1}, priority=1)
    switch.set_default("second", "member", {"number": 2})
    switch.add("unreached", {"data.first": 1}, "member", {"number": 3})
    found = {(one.action, *one.data.values()) for one in switch.entries("first")}
    assert found == {("member", 0), ("group", 0)}
    assert switch.default("second").data == {"member": 2}
    for refused, message in (
        (lambda: switch.set_default("second", "group", {"number": 0}), "member 0 of group 0 runs"),
        (lambda: switch.add("first", {"data.first": 3}, "member", {"number": 1}), "`Enter.first`"),
        (lambda: run(switch, tmp_path, "act_prof_modify_member ways outside 2\n"), "to member 2"),
        (lambda: run(switch, tmp_path, "act_prof_add_member_to_group ways 1 0\n"), "of group 0"),
    ):
        with pytest.raises(ControlError, match=message):
            refused()
    switch.reset_default("second")
    run(switch, tmp_path, "act_prof_modify_member ways outside 2\n")
    with pytest.raises(ControlError, match="member 2 runs an action"):
        switch.set_default("second", "member", {"number": 2})
