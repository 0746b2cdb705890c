"""Which maps a reload keeps, decided from two descriptions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from by_hand import ACL, DESCRIPTION, MACS, PORTS, ROUTES

from p4xdp.description import ActionChoice, Counter, Description, Table
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime.keep import Plan, plan

ALL = frozenset(("ports", "macs", "macs_default", "routes", "acl", "acl_state", "seen", "bytes"))


def with_macs(**changes: object) -> Description:
    changed: Table = replace(MACS, **changes)  # type: ignore[arg-type]
    return replace(DESCRIPTION, tables=(PORTS, changed, ROUTES, ACL))


def losses(found: Plan) -> dict[str, str]:
    return {lost.map: lost.reason for lost in found.lost}


def test_the_same_program_keeps_everything() -> None:
    assert plan(DESCRIPTION, DESCRIPTION) == Plan(ALL, ())


def test_const_entries_may_change() -> None:
    assert plan(DESCRIPTION, with_macs(const_entries=3)) == Plan(ALL, ())


def test_a_key_of_another_meaning_and_the_same_size_is_not_kept() -> None:
    other = with_macs(keys=(replace(MACS.keys[0], name="hd.eth.src"),))
    found = plan(DESCRIPTION, other)
    assert found.kept == ALL - {"macs", "macs_default"}
    assert losses(found) == {
        "macs": "its key has changed",
        "macs_default": "its key has changed",
    }


def test_actions_in_another_order_are_not_kept() -> None:
    swapped = tuple(replace(a, id=len(MACS.actions) - a.id - 1) for a in MACS.actions)
    assert losses(plan(DESCRIPTION, with_macs(actions=swapped)))["macs"] == (
        "its actions have changed"
    )


def test_another_size_is_not_kept() -> None:
    assert losses(plan(DESCRIPTION, with_macs(size=1024)))["macs"] == (
        "its size has changed from 2 to 1024"
    )


def test_another_kind_is_not_kept() -> None:
    assert losses(plan(DESCRIPTION, with_macs(kind="array")))["macs"] == "its layout has changed"


def test_a_declared_default_that_changed_wins() -> None:
    found = plan(DESCRIPTION, with_macs(default=ActionChoice(1, ())))
    assert found.kept == ALL - {"macs_default"}
    assert losses(found) == {"macs_default": "the source declares another one"}


def test_a_default_that_became_constant_is_lost() -> None:
    found = plan(DESCRIPTION, with_macs(default_map=None))
    assert "macs" in found.kept
    assert losses(found) == {"macs_default": "it is constant now"}


def test_what_is_gone_is_lost() -> None:
    found = plan(DESCRIPTION, replace(DESCRIPTION, tables=(PORTS, MACS, ROUTES), counters=()))
    assert losses(found) == {
        "acl": "it is gone",
        "seen": "it is gone",
        "bytes": "it is gone",
    }


def test_a_counter_of_another_size_starts_again() -> None:
    seen = Counter("Ingress.seen", "seen", "seen", 8, False)
    found = plan(DESCRIPTION, replace(DESCRIPTION, counters=(seen, DESCRIPTION.counters[1])))
    assert losses(found) == {"seen": "its size or kind has changed"}


def test_the_reader_of_packets_goes_on_reading() -> None:
    old = replace(DESCRIPTION, perf_map="events")
    assert "events" in plan(old, old).kept
    assert "events" not in plan(old, DESCRIPTION).kept


@pytest.fixture(scope="module")
def profiles() -> Description:
    program = Path(__file__).parents[1] / "stf" / "v1model" / "action_selector.p4"
    return compile(Session(program, Options())).description


def test_groups_stay_with_their_members_and_the_entries_that_lead_to_them(
    profiles: Description,
) -> None:
    found = plan(profiles, profiles)
    assert found.lost == ()
    assert {"first_", "first_members", "second", "second_members", "paths_groups"} <= found.kept


def test_a_profile_that_changes_loses_all_of_them(profiles: Description) -> None:
    changed = tuple(
        replace(table, size=99) if table.name == "Enter.second" else table
        for table in profiles.tables
    )
    found = plan(profiles, replace(profiles, tables=changed))
    assert losses(found)["first_"] == "action profile `Enter.paths` has changed"
    assert not {"first_", "first_members", "second", "paths_groups"} & found.kept
    assert "third_members" in found.kept


def test_a_table_of_a_profile_that_packets_reach_now_has_its_members_from_the_start(
    tmp_path: Path,
) -> None:
    program = Path(__file__).parents[1] / "stf" / "v1model" / "shared_selector.p4"
    text = program.read_text()
    old = compile(Session(program, Options())).description
    other = tmp_path / program.name
    other.write_text(text.replace("exit;", "std.ingress_port = 1;"))
    new = compile(Session(other, Options())).description
    assert new.profiles == old.profiles
    found = plan(old, new)
    assert losses(found)["first_members"] == "action profile `Enter.ways` has changed"
    assert not {"first_", "first_members", "second_members", "ways_groups"} & found.kept
    assert "first_members" in plan(new, new).kept


def test_members_go_by_the_name_of_their_profile(tmp_path: Path) -> None:
    """Tables of members have names that no program says."""
    path = Path(__file__).parents[1] / "stf" / "v1model" / "action_selector.p4"
    old = compile(Session(path, Options())).description
    names = {profile.name for profile in old.profiles}
    new = replace(old, tables=tuple(replace(t, size=t.size + 1) for t in old.tables))
    said = [lost.what for lost in plan(old, new).lost]
    members = [what for what in said if what.startswith("the members of action profile `")]
    assert {what.split("`")[1] for what in members} == names
    assert not [what for what in said if "_members" in what]


def test_a_profile_that_is_filled_anew_begins_without_members(profiles: Description) -> None:
    found = plan(profiles, profiles, {"Enter.paths"})
    assert losses(found)["first_"] == "action profile `Enter.paths` is filled anew"
    gone = {"first_", "first_members", "second", "second_members", "paths_groups"}
    assert plan(profiles, profiles).kept - found.kept >= gone
