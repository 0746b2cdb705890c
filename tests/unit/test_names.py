"""What a name means in one list of things, and in several."""

from __future__ import annotations

import pytest

from p4xdp.diagnostics import CompileError
from p4xdp.runtime.names import resolve, resolve_in_each
from p4xdp.runtime.requests import Name


def in_each(name: str, *lists: tuple[str, ...]) -> list[str | None]:
    return resolve_in_each(Name(name), lists, str, "entry-action", "action of action profile `p`")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("c.set", ["c.set", None]),
        ("set", ["c.set", None]),
        ("c_do_set", [None, "c.do_set"]),
        ("do_set", [None, "c.do_set"]),
        ("NoAction", ["NoAction", "NoAction"]),
    ],
)
def test_a_name_that_fits_well_in_one_list_means_no_other_thing_in_another(
    name: str, found: list[str | None]
) -> None:
    assert in_each(name, ("c.set", "NoAction"), ("NoAction", "c.do_set")) == found
    assert resolve(Name("set"), ("c.do_set",), str, "entry-action", "action") == "c.do_set"


def test_an_end_may_mean_one_thing_of_each_instance() -> None:
    assert in_each("set", ("a.set",), ("b.set",)) == ["a.set", "b.set"]
    assert in_each("a.set", ("a.set",), ("b.set",)) == ["a.set", None]


def test_what_is_in_no_list_is_told_with_all_there_is() -> None:
    with pytest.raises(CompileError) as caught:
        in_each("sit", ("c.set", "NoAction"), ("NoAction", "c.add"))
    found = caught.value.diagnostics[0]
    assert found.text == "`sit` is no action of action profile `p`"
    assert found.help == "there is `c.set`, `NoAction`, `c.add`"


def test_two_things_of_one_list_are_too_many() -> None:
    with pytest.raises(CompileError) as caught:
        in_each("set", ("a.set", "b.set"), ("c.set",))
    assert caught.value.diagnostics[0].help == "say which: `a.set`, `b.set`"
