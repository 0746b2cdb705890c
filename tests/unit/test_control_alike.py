"""What a control plane is told of wrong requests: the same of the interpreter and of compiled
programs, at the word that is wrong."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from dict_maps import DictMaps

from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, check, compile
from p4xdp.options import Options
from p4xdp.runtime.requests import AddEntry, Name, Request, ResetDefault
from p4xdp.stf.entries_file import read_requests
from p4xdp.stf.interp import InterpControl, open_program
from p4xdp.stf.place import ControlPlane, MapControl
from p4xdp.stf.simple_switch import parse_commands

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header H { bit<48> a; bit<48> b; bit<16> c; }
struct Hdr { H h; }
struct M { bit<2> colour; }
parser P(packet_in p, out Hdr hd, inout M m, inout standard_metadata_t s) {
    value_set<bit<16>>(2) types;
    state start { p.extract(hd.h); transition select(hd.h.c) { types: accept; default: accept; } }
}
control C(inout Hdr hd, inout M m) { apply { } }
control I(inout Hdr hd, inout M m, inout standard_metadata_t s) {
    counter(16, CounterType.packets_and_bytes) both;
    counter(16, CounterType.packets) packets;
    meter(4, MeterType.packets) rates;
    register<bit<64>>(8) cells;
    direct_counter(CounterType.packets) hits;
    direct_meter<bit<2>>(MeterType.packets) colours;
    action_selector(HashAlgorithm.crc16, 2, 16) choice;
    action to(bit<9> port) { s.egress_spec = port; }
    action copied(bit<16> group) { s.mcast_grp = group; }
    action cloned() { clone(CloneType.I2E, 5); }
    action none() { }
    action metered() { colours.read(m.colour); }
    table exactly { key = { hd.h.a: exact; } actions = { to; copied; cloned; none; }
        default_action = none(); size = 2; counters = hits; support_timeout = true; }
    table masked { key = { hd.h.a: ternary; hd.h.c: range; } actions = { to; none; }
        default_action = none(); size = 2; }
    table checked { key = { hd.h.b: exact; } actions = { metered; }
        default_action = metered(); size = 2; meters = colours; }
    table chosen { key = { hd.h.c: exact; hd.h.b: selector; } actions = { to; none; }
        implementation = choice; size = 2; }
    apply {
        bit<64> v;
        cells.read(v, 0); cells.write(1, v + 1);
        both.count(0); packets.count(0); rates.execute_meter(0, m.colour);
        exactly.apply(); masked.apply(); checked.apply(); chosen.apply();
    }
}
control E(inout Hdr hd, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in Hdr hd) { apply { p.emit(hd); } }
V1Switch(P(), C(), I(), E(), C(), D()) main;
"""
PLACES = ("interp", "compiled")


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prog.p4"
        path.write_text(PROGRAM)
        yield Session(path, Options())


@pytest.fixture(params=PLACES)
def control(request: pytest.FixtureRequest, session: Session) -> ControlPlane:
    if request.param == "interp":
        return InterpControl(open_program(check(session), "aborted"))
    description = compile(session).description
    made = MapControl.of_fresh(description, DictMaps(description))
    made.apply([ResetDefault(Name("chosen"))])
    return made


def read(text: str) -> tuple[Request, ...]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "entries"
        path.write_text(text)
        return read_requests(path)


def refusals(control: ControlPlane, text: str) -> list[str]:
    """Return what is said of a file: `line:column: code: text`."""
    with pytest.raises(CompileError) as caught:
        control.apply(read(text))
    found = caught.value.diagnostics
    return [f"{d.span.line}:{d.span.column}: {d.code}: {d.text}" for d in found if d.span]


NINES = "9" * 23
ADDED = "table_add exactly none 1 =>\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"meter_set_rates rates 0 {NINES}:1 {NINES}:1", "1:25: entry-value: a rate is less than"),
        (f"meter_set_rates rates 0 1:1 1:{NINES}", "1:29: entry-value: a burst is at most"),
        ("meter_set_rates rates 0 1:1 2:2 3:3", "1:33: entry-value: a meter has two rates"),
        ("meter_set_rates rates 0", "1:1: entry-value: a meter has two rates"),
        ("meter_set_rates rates 0 2:2 1:1", "1:29: entry-value: the peak rate is less than"),
        (f"{ADDED}counter_read hits 1", "2:1: entry-key: table `I.exactly` has no entry 1"),
        ("meter_set_rates colours 0 1:1 1:1", "1:1: entry-key: table `I.checked` has no entry"),
        ("meter_get_rates colours 7", "1:1: entry-key: table `I.checked` has no entry"),
        (
            f"table_indirect_add chosen 1 => {NINES}",
            f"1:32: entry-object: there is no member {NINES}",
        ),
        ("table_indirect_create_group exactly", "1:29: entry-table: `exactly` is no table with an"),
        ("act_prof_create_group choice\n" * 3, "3:1: entry-full: action profile `I.choice` has 2"),
        (
            "act_prof_create_member choice none\n" * 3,
            "3:1: entry-full: action profile `I.choice` is full",
        ),
        ("pvs_remove types 5", "1:1: entry-key: table `P.types` has no such entry"),
        ("table_add exactly to 1 1", "1:24: entry-key: table `I.exactly` has no key field 1"),
        ("table_add masked none 1&&&1 0->5 =>", "1:1: entry-argument: the priority is missing"),
    ],
)
def test_what_cannot_be_asked(control: ControlPlane, text: str, message: str) -> None:
    (found,) = refusals(control, text)
    assert found[: len(message)] == message


@pytest.mark.parametrize(
    "digits", ["9" * 5000, "0x" + "f" * 5000, "0x" + "f" * 3990, "0b" + "1" * 20000]
)
@pytest.mark.parametrize(
    "text",
    [
        "table_add exactly none N =>",
        "table_add exactly to 1 => N",
        "table_delete exactly N",
        "counter_write both N 1 1",
        "meter_set_rates rates 0 N:1 1:1",
        "meter_set_rates rates 0 1:N 1:1",
        "mc_mgrp_destroy N",
        "add exactly hd.h.a:N none()",
        "add exactly hd.h.a:1 to(port:N)",
        '{"table_entries": [{"table": "exactly", "match": {"hd.h.a": N}, "action_name": "none"}]}',
        '{"table_entries": [{"table": "exactly", "match": {"a": "N"}, "action_name": "none"}]}',
    ],
)
def test_numbers_of_thousands_of_digits(text: str, digits: str) -> None:
    with pytest.raises(CompileError) as caught:
        read(text.replace("N", digits))
    (found,) = caught.value.diagnostics
    assert found.code in ("entries-syntax", "stf-syntax")
    assert len(found.text) < 200


def test_a_direct_cell_goes_by_the_handle_of_its_entry(control: ControlPlane) -> None:
    control.apply(
        read(
            "table_add exactly none 1 =>\ntable_add exactly none 2 =>\n"
            "table_delete exactly 0\ncounter_write hits 1 7 0\n"
        )
    )
    (gone, kept, *_) = parse_commands(
        "table_add exactly none 1 =>\ntable_add exactly none 2 =>", "t"
    )
    assert isinstance(gone, AddEntry)
    assert isinstance(kept, AddEntry)
    assert control.counter(Name("hits"), kept) == 7
    assert refusals(control, "counter_write hits 0 5 5") == [
        "1:1: entry-key: table `I.exactly` has no entry 0"
    ]


def test_commands_of_older_files_name_tables(control: ControlPlane) -> None:
    text = """
    table_indirect_create_member chosen to 1
    table_indirect_create_group chosen
    table_indirect_add_member_to_group chosen 0 0
    table_indirect_add_with_group chosen 1 => 0
    table_indirect_modify_member chosen to 0 2
    table_indirect_delete chosen 0
    table_indirect_remove_member_from_group chosen 0 0
    table_indirect_delete_group chosen 0
    table_indirect_delete_member chosen 0
    pvs_add types 5
    pvs_remove types 5
    """
    control.apply(read(text))


def test_a_table_has_its_handles_whatever_it_is_called(control: ControlPlane) -> None:
    text = "table_add I.exactly none 1 =>\ntable_modify exactly to 0 5\ntable_delete I_exactly 0\n"
    control.apply(read(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tabel_add t a 1 => 2", "1:1: entries-syntax: `tabel_add` is no command; table_add"),
        ("TABLE_ADD t a 1 => 2", "1:1: entries-syntax: `TABLE_ADD` is no command; table_add"),
        ("foo\ntable_add t a 1 => 2", "1:1: entries-syntax: `foo` is no command; None"),
        ("mc_mgrp_creat 1", "1:1: entries-syntax: `mc_mgrp_creat` is no command; mc_mgrp_create"),
        ("ad t k:1 a()", "1:1: stf-syntax: `ad` does not start a statement; add"),
        ("foo\nadd t k:1 a()", "1:1: stf-syntax: `foo` does not start a statement; None"),
        (
            "add t k:1 a()\npvs_remov p 1",
            "2:1: stf-syntax: `pvs_remov` does not start a statement; pvs_remove",
        ),
    ],
)
def test_a_mistyped_word_does_not_decide_what_a_file_is(text: str, said: str) -> None:
    with pytest.raises(CompileError) as caught:
        read(text)
    (found,) = caught.value.diagnostics
    message, _, near = said.partition("; ")
    assert found.span is not None
    whole = f"{found.span.line}:{found.span.column}: {found.code}: {found.text}"
    assert whole[: len(message)] == message
    assert found.help == (None if near == "None" else f"did you mean `{near}`?")


def test_handles_of_many_entries_are_found_at_once() -> None:
    rows = "".join(f"table_add t a {n} =>\n" for n in range(20_000))
    handles = "table_delete t 7\ntable_add t a 0x7 =>\ntable_delete t 7\n"
    assert len(parse_commands(rows + handles, "t")) == 20_003


def test_sets_of_actions_fill_the_profile_and_not_the_table(session: Session) -> None:
    """Members that found a place go when there is none for the rest of the entry."""
    description = compile(session).description
    maps = DictMaps(description)
    made = MapControl.of_fresh(description, maps)
    action = '{"action_name": "to", "action_params": {"port": 1}}'
    entry = (
        '{"table_entries": [{"table": "chosen", "match": {"c": %d}, '
        f'"action_profile_action_set": [{action}, {action}]}}]}}'
    )
    made.apply(read(entry % 1))
    made.apply(read("act_prof_create_group choice"))
    held = {name: dict(pairs) for name, pairs in maps.held.items()}
    (found,) = refusals(made, entry % 2)
    assert found.endswith("action profile `I.choice` has no room for the actions of this entry")
    assert maps.held == held


@pytest.mark.parametrize(
    "text",
    [
        "counter_write both N 1 1",
        f"{ADDED}counter_write hits N 1 1",
        "register_write cells N 1",
        "mc_mgrp_destroy N",
        "mirroring_delete N",
        "act_prof_delete_member choice N",
        "table_add masked none 1&&&1 1->2 => N",
    ],
)
def test_the_longest_numbers_can_be_told(control: ControlPlane, text: str) -> None:
    for digits in ("9" * 3900, "0x" + "f" * 3240):
        assert refusals(control, text.replace("N", digits))


TABLE = '"table": "exactly", "action_name": "none"'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a":\n' + "[" * 5000 + "]" * 5000 + "}", "2:50: entries-syntax: this is nested more"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "1:251: entries-syntax: this is nested more than 50"),
        ('{"table_entries": [], "table_entries": []}', "1:23: entries-syntax: `table_entries` is"),
        (
            f'{{"table_entries": [{{{TABLE}, "default_action": true, "match": {{"a": 1}}}}]}}',
            "1:98: entries-syntax: a default action matches nothing",
        ),
        (
            '{"clone_session_entries": [{"clone_session_id": 5, "replicas": [], '
            '"packet_length_bytes": 64}]}',
            "1:91: entry-unsupported: clones are whole",
        ),
    ],
)
def test_json_that_says_what_cannot_be(text: str, said: str) -> None:
    with pytest.raises(CompileError) as caught:
        read(text)
    (found,) = caught.value.diagnostics
    assert found.span is not None
    assert f"{found.span.line}:{found.span.column}: {found.code}: {found.text}".startswith(said)


def test_half_a_character_is_no_name(control: ControlPlane) -> None:
    (found,) = refusals(control, '{"table_entries": [{"table": "\\ud800", "action_name": "a"}]}')
    assert found.encode().startswith(b"1:30: entry-table: ")


def test_comments_stand_behind_commands_too() -> None:
    text = "# first\n// second\ntable_add t a 1 => 2 # third\nshow_tables #fourth\n"
    (entry,) = parse_commands(text, "t")
    assert isinstance(entry, AddEntry)
