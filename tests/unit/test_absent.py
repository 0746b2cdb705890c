"""Requests for what no packet reaches are checked like any others, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from dict_maps import DictMaps

from p4xdp import description
from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.stf.parser import parse_case
from p4xdp.stf.place import MapControl
from p4xdp.stf.syntax import CheckCounter

PROGRAM = Path(__file__).parents[1] / "stf" / "v1model" / "absent.p4"


@pytest.fixture(scope="module")
def described() -> description.Description:
    return compile(Session(PROGRAM, Options())).description


def fill(described: description.Description, text: str) -> DictMaps:
    maps = DictMaps(described)
    control = MapControl.of(described, maps)
    for statement in parse_case(text, "t.stf").statements:
        assert not isinstance(statement, CheckCounter)
        control.apply([statement])  # type: ignore[list-item]
    return maps


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("add never data.a:0x100 set(value:7)", "does not fit `hdr.data.a`"),
        ("add never b:1 set(value:7)", "`b` is no key field of table `Enter.never`"),
        ("add never data.a:1 sit(value:7)", "`sit` is no action of table `Enter.never`"),
        ("add done data.a:3 set(value:7)", "the entries of table `Enter.done` are constant"),
        ("register_write unread 4 1", "has no cell 4: its size is 4"),
        ("act_prof_create_member unpicked set 256", "256 does not fit `value`"),
        ("table_indirect_add never 1 => 0", "has no action profile"),
    ],
)
def test_wrong_requests(described: description.Description, text: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        fill(described, text)
    assert message in caught.value.diagnostics[0].text


def test_nothing_is_written(described: description.Description) -> None:
    text = "add never data.a:1 set(value:7)\nregister_write unread 1 1\ntable_clear never\n"
    assert fill(described, text).writes == []


def test_it_lives_on_in_json(described: description.Description) -> None:
    assert description.from_json(description.to_json(described)) == described
    assert [table.name for table in described.absent.tables][:2] == ["Parse.unasked", "Enter.never"]
