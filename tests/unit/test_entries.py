"""Entries, defaults and counters: the bytes that reach the maps, and what is refused."""

from __future__ import annotations

import errno
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from by_hand import DESCRIPTION
from dict_maps import DictMaps
from v1_case import PROGRAM

from p4xdp.description import Action, ActionChoice, Description, Entry, Field
from p4xdp.diagnostics import CompileError, Diagnostic
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime.entries import (
    apply_requests,
    install_initial,
    read_counter,
)
from p4xdp.runtime.libbpf import ANY, BpfError
from p4xdp.runtime.requests import AddEntry, Name, Number, RemoveAll, SetDefault
from p4xdp.runtime.table_maps import ternary_entries
from p4xdp.stf.parser import parse_case


@pytest.fixture
def maps() -> DictMaps:
    return DictMaps(DESCRIPTION)


def apply(maps: DictMaps, text: str, description: Description = DESCRIPTION) -> None:
    requests = [
        statement
        for statement in parse_case(text, "t.stf").statements
        if isinstance(statement, AddEntry | SetDefault | RemoveAll)
    ]
    apply_requests(description, maps, requests)


def refusal(
    maps: DictMaps, text: str, description: Description = DESCRIPTION
) -> tuple[Diagnostic, str]:
    """Return the one diagnostic and the words of the line that it underlines."""
    before = list(maps.writes)
    with pytest.raises(CompileError) as error:
        apply(maps, text, description)
    assert maps.writes == before
    (found,) = error.value.diagnostics
    assert found.span is not None
    return found, text[found.span.column - 1 : found.span.end_column - 1]


def host32(number: int) -> bytes:
    return struct.pack("=I", number)


def test_hash_entry_has_zero_padding_and_big_endian_fields(maps: DictMaps) -> None:
    apply(maps, "add macs hd.eth.dst:0x010203040506 to_port(port:0x0a0b)")
    key = bytes.fromhex("010203040506 0000")
    assert maps.held["macs"] == {key: host32(2) + bytes(4) + bytes.fromhex("00000a0b")}


def test_data_narrower_than_its_bytes_is_right_aligned(maps: DictMaps) -> None:
    apply(maps, "add macs dst:1 tag(vlan:0xabc)")
    assert maps.held["macs"][bytes(5) + b"\1" + bytes(2)] == host32(3) + b"\x0a\xbc" + bytes(6)


@pytest.mark.parametrize(
    ("match", "length", "value"),
    [
        ("dst:0x0a1112131415/8", 24, "0a0000000000"),
        ("dst:0x0a0000000001", 64, "0a0000000001"),
        ("dst:0x0a********** ", 24, "0a0000000000"),
        ("dst:5/0", 16, "000000000000"),
        ("", 16, "000000000000"),
    ],
)
def test_lpm_entry_counts_the_exact_bits_too(
    maps: DictMaps, match: str, length: int, value: str
) -> None:
    apply(maps, f"add routes type:0x0800 {match} drop()")
    key = host32(length) + bytes.fromhex("0800") + bytes.fromhex(value)
    assert list(maps.held["routes"]) == [key]


def test_the_lpm_field_is_the_one_of_that_kind_not_the_last(maps: DictMaps) -> None:
    routes = DESCRIPTION.tables[2]
    turned = replace(routes, keys=routes.keys[::-1])
    apply(
        maps,
        "add routes dst:0x0a0000000000/8 type:1 drop()",
        replace(DESCRIPTION, tables=(turned,)),
    )
    assert list(maps.held["routes"]) == [host32(24) + bytes.fromhex("0001 0a0000000000")]


def test_array_entry_is_marked_in_use_when_it_is_whole(maps: DictMaps) -> None:
    seen: list[bytes] = []

    class Watching(DictMaps):
        def update(self, name: str, key: bytes, value: bytes, flags: int = ANY) -> None:
            seen.append(value)
            super().update(name, key, value, flags)

    maps = Watching(DESCRIPTION)
    apply(maps, "add ports input_port:3 to_port(port:1)")
    data = host32(2) + bytes(7) + b"\1"
    assert seen == [data + host32(0), data + host32(1)]
    assert list(maps.held["ports"]) == [host32(3)]
    apply(maps, "add ports input_port:3 drop()")
    assert seen[2:] == [host32(1) + bytes(8) + host32(1)]
    apply(maps, "remove all")
    assert set(maps.held["ports"].values()) == {bytes(16)}


def test_ternary_entries_stand_by_priority_in_the_other_half_each_time(maps: DictMaps) -> None:
    def in_force() -> tuple[int, list[int]]:
        entries = ternary_entries(maps, DESCRIPTION.tables[3])
        (state,) = struct.unpack("=Q", maps.held["acl_state"][bytes(4)])
        assert maps.writes[-2:] == [("acl_state", bytes(4)), ("settle", b"")]
        return state >> 32, [struct.unpack_from("=I", entry, 16)[0] for entry in entries]

    apply(maps, "add acl 10 src:1 drop()")
    assert in_force() == (1, [10])
    apply(maps, "add acl 30 src:2 drop()")
    assert in_force() == (0, [30, 10])
    apply(maps, "add acl 20 src:3 drop()\nadd acl 5 src:3 drop()")
    assert in_force() == (1, [30, 20, 10, 5])
    found, _ = refusal(maps, "add acl 1 src:4 drop()")
    assert (found.code, found.text) == ("entry-full", "table `Ingress.acl` is full: its size is 4")
    apply(maps, "remove all")
    assert in_force() == (0, [])


def test_an_entry_that_is_there_is_replaced(maps: DictMaps) -> None:
    apply(maps, "add macs dst:1 drop()\nadd macs dst:1 to_port(port:7)")
    assert list(maps.held["macs"].values()) == [host32(2) + bytes(7) + b"\7"]
    apply(maps, "add acl 3 src:0x1* drop()\nadd acl 2 src:1 drop()\nadd acl 3 src:0x1* tag(vlan:1)")
    first, _ = ternary_entries(maps, DESCRIPTION.tables[3])
    assert first[24:28] == host32(3)


def test_ternary_entries_of_one_priority_stay_in_order(maps: DictMaps) -> None:
    apply(maps, "add acl src:1 drop()\nadd acl src:2 drop()\nadd acl 0 src:3 drop()")
    entries = ternary_entries(maps, DESCRIPTION.tables[3])
    assert [entry[5] for entry in entries] == [1, 2, 3]


def test_everything_wrong_is_reported_before_anything_is_written(maps: DictMaps) -> None:
    with pytest.raises(CompileError) as error:
        apply(maps, "add macs dst:1 drop()\nadd mcas dst:1 drop()\nsetdefault acl drop()")
    assert [d.code for d in error.value.diagnostics] == ["entry-table", "entry-constant"]
    assert maps.writes == []


@pytest.mark.parametrize(
    ("match", "key", "mask"),
    [
        ("src:0x12*4 type:0x0800", "000000001204 0800", "ffffffffff0f ffff"),
        ("src:0b1* type:0x0800/5", "000000000002 0800", "fffffffffffe f800"),
        ("type:0x08**", "000000000000 0800", "000000000000 ff00"),
        ("src:0x0000ffff0000/24", "0000ff000000 0000", "ffffff000000 0000"),
    ],
)
def test_ternary_keys_are_stored_masked(maps: DictMaps, match: str, key: str, mask: str) -> None:
    apply(maps, f"add acl 7 {match} to_port(port:1)")
    (entry,) = ternary_entries(maps, DESCRIPTION.tables[3])
    value = host32(2) + bytes(7) + b"\1"
    assert entry == bytes.fromhex(key + mask) + host32(7) + host32(0) + value


def test_default_goes_to_its_data_map(maps: DictMaps) -> None:
    apply(maps, "setdefault Ingress.macs Ingress.to_port(port:9)")
    assert maps.held["macs_default"] == {bytes(4): host32(2) + bytes(7) + b"\x09"}


def test_remove_all_empties_hashes_and_tries_and_keeps_defaults(maps: DictMaps) -> None:
    apply(maps, "add macs dst:1 drop()\nadd routes type:1 drop()\nsetdefault macs drop()")
    apply(maps, "remove all")
    assert maps.held["macs"] == maps.held["routes"] == {}
    assert maps.held["macs_default"] != {}


@pytest.mark.parametrize("name", ["Ingress.inner.routes", "inner.routes", "routes"])
@pytest.mark.parametrize("key", ["hd.eth.type", "type", "field0", "key.field0", "hd_eth_type"])
def test_names_may_be_short_or_in_the_way_of_c(maps: DictMaps, name: str, key: str) -> None:
    for table in (name, name.replace(".", "_")):
        apply(maps, f"remove all\nadd {table} {key}:5 Ingress_drop()")
        assert len(maps.held["routes"]) == 1


@pytest.mark.parametrize("written", ["hd.st$0.$valid$", "hd.st[0].valid", '"hd.st[0].isValid()"'])
def test_validity_keys_and_stack_elements_may_be_written_in_several_ways(written: str) -> None:
    table = replace(
        DESCRIPTION.tables[1], keys=(Field("hd.st[0].isValid()", "valid", 1, 0, 1, "exact"),)
    )
    description = replace(DESCRIPTION, tables=(table,))
    maps = DictMaps(description)
    apply(maps, f"add macs {written}:1 drop()", description)
    assert list(maps.held["macs"]) == [b"\1" + bytes(7)]


@pytest.mark.parametrize(
    ("line", "code", "words", "text"),
    [
        ("add mcas dst:1 drop()", "entry-table", "mcas", "`mcas` is no table"),
        (
            "add macs dts:1 drop()",
            "entry-key",
            "dts",
            "`dts` is no key field of table `Ingress.macs`",
        ),
        (
            "add macs dst:1 dorp()",
            "entry-action",
            "dorp",
            "`dorp` is no action of table `Ingress.macs`",
        ),
        (
            "add macs dst:0x1000000000000 drop()",
            "entry-value",
            "0x1000000000000",
            "0x1000000000000 does not fit `hd.eth.dst`, a bit<48>",
        ),
        (
            "add macs dst:1 tag(vlan:4096)",
            "entry-value",
            "4096",
            "4096 does not fit `vlan`, a bit<12>",
        ),
        (
            "add acl src:0x*000000000000 drop()",
            "entry-value",
            "0x*000000000000",
            "0x*000000000000 does not fit `hd.eth.src`, a bit<48>",
        ),
        (
            "add macs drop()",
            "entry-key",
            "add macs drop()",
            "key field `hd.eth.dst` of table `Ingress.macs` is exact and needs a value",
        ),
        (
            "add macs dst:1 hd.eth.dst:2 drop()",
            "entry-key",
            "hd.eth.dst",
            "key field `hd.eth.dst` is given twice",
        ),
        (
            "add macs dst:1/47 drop()",
            "entry-key",
            "1",
            "key field `hd.eth.dst` is exact: give all bits",
        ),
        (
            "add routes type:1 dst:0x*1 drop()",
            "entry-key",
            "0x*1",
            "key field `hd.eth.dst` is lpm: only a prefix can be given",
        ),
        (
            "add routes type:1 dst:1/49 drop()",
            "entry-value",
            "49",
            "a prefix of 49 bits does not fit `hd.eth.dst`, a bit<48>",
        ),
        (
            "add macs dst:1 to_port()",
            "entry-argument",
            "to_port",
            "action `Ingress.to_port` needs `port` too",
        ),
        (
            "add macs dst:1 to_port(prt:1)",
            "entry-argument",
            "prt",
            "`prt` is no parameter of action `Ingress.to_port`",
        ),
        (
            "add macs dst:1 to_port(port:1, port:1)",
            "entry-argument",
            "port",
            "`port` is given twice",
        ),
        (
            "add ports input_port:4 drop()",
            "entry-value",
            "4",
            "table `Ingress.ports` is an array of 4: 4 is past its end",
        ),
        (
            "add acl 4294967296 drop()",
            "entry-value",
            "4294967296",
            "priority 4294967296 is greater than 4294967295",
        ),
        (
            "add fixed type:1 drop()",
            "entry-constant",
            "fixed",
            "the entries of table `Ingress.fixed` are constant",
        ),
        (
            "setdefault acl drop()",
            "entry-constant",
            "acl",
            "the default action of table `Ingress.acl` is constant",
        ),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_is_written(
    maps: DictMaps, line: str, code: str, words: str, text: str
) -> None:
    found, underlined = refusal(maps, line)
    assert (found.code, underlined, found.text) == (code, words, text)


def test_the_nearest_names_come_first(maps: DictMaps) -> None:
    found, _ = refusal(maps, "add rotes type:1 drop()")
    assert found.help is not None
    assert found.help.startswith("there is `Ingress.inner.routes`, ")


def test_an_ambiguous_name_lists_what_it_fits(maps: DictMaps) -> None:
    other = replace(DESCRIPTION.tables[1], name="Egress.macs")
    description = replace(DESCRIPTION, tables=(*DESCRIPTION.tables, other))
    found, _ = refusal(maps, "add macs dst:1 drop()", description)
    assert found.text == "`macs` fits more than one table"
    assert found.help == "say which: `Ingress.macs`, `Egress.macs`"


def test_actions_for_the_other_use_are_refused(maps: DictMaps) -> None:
    only_entries = Action("Ingress.a", "A", 4, (), table_only=True)
    only_default = Action("Ingress.b", "B", 5, (), default_only=True)
    table = replace(DESCRIPTION.tables[1], actions=(only_entries, only_default))
    description = replace(DESCRIPTION, tables=(table,))
    found, _ = refusal(maps, "setdefault macs a()", description)
    assert found.text == "`Ingress.a` is for entries only (@tableonly)"
    found, _ = refusal(maps, "add macs dst:1 b()", description)
    assert found.text == "`Ingress.b` is for the default only (@defaultonly)"


def test_a_full_hash_says_so(maps: DictMaps) -> None:
    apply(maps, "add macs dst:1 drop()\nadd macs dst:2 drop()")
    found, _ = refusal(maps, "add macs dst:3 drop()")
    assert (found.code, found.text) == ("entry-full", "table `Ingress.macs` is full: its size is 2")


def test_the_entry_too_many_is_named_where_entries_have_counters(tmp_path: Path) -> None:
    path = tmp_path / "counted.p4"
    decl = """direct_counter(CounterType.packets) seen;
        action a() { seen.count(); }
        table t { key = { hd.h.a: exact; } actions = { a; } size = 2; counters = seen; }"""
    path.write_text(PROGRAM.format(decl=decl, body="t.apply();"))
    description = compile(Session(path, Options())).description
    entries = "".join(f"add t hd.h.a:{key} a()\n" for key in (1, 2, 3))
    with pytest.raises(CompileError) as error:
        apply(DictMaps(description), entries, description)
    (found,) = error.value.diagnostics
    assert found.code == "entry-full"
    assert found.span is not None
    assert found.span.line == 3


def test_a_refusal_of_the_kernel_is_passed_on(maps: DictMaps) -> None:
    class Refusing(DictMaps):
        def update(self, name: str, key: bytes, value: bytes, flags: int = ANY) -> None:
            raise BpfError(errno.EPERM, "update of map macs")

    found, _ = refusal(Refusing(DESCRIPTION), "add macs dst:1 drop()")
    assert found.code == "entry-map"
    assert "Operation not permitted" in found.text


def test_counters_are_summed_over_cpus(maps: DictMaps) -> None:
    maps.held["seen"][host32(2)] = struct.pack("=3Q", 5, 0, 2**40)
    assert read_counter(DESCRIPTION, maps, Name("seen"), Number(2)) == 5 + 2**40
    assert read_counter(DESCRIPTION, maps, Name("bytes"), Number(77)) == 0
    with pytest.raises(CompileError) as error:
        read_counter(DESCRIPTION, maps, Name("seen"), Number(4))
    (found,) = error.value.diagnostics
    assert found.code == "entry-counter"
    assert found.text == "counter `Ingress.seen` has no cell 4: its size is 4"


# Entries that the program starts with

FULL = (1 << 48) - 1
TYPE = (0x0800, 0xFFFF)
TO_PORT_7 = ActionChoice(2, (7,))
INITIAL = {
    "macs": (Entry(((5, FULL),), TO_PORT_7, 0, True), Entry(((6, FULL),), TO_PORT_7, 0, False)),
    "routes": (Entry((TYPE, (0, 0)), TO_PORT_7, 0, True),),
    "ports": (Entry(((3, 0xFFFFFFFF),), TO_PORT_7, 0, True),),
    "acl": (
        Entry(((5, FULL), TYPE), TO_PORT_7, 9, True),
        Entry(((0, 0), TYPE), TO_PORT_7, 8, False),
    ),
}


def started(*, smallest_first: bool = False) -> tuple[DictMaps, Description]:
    tables = tuple(
        replace(table, initial=INITIAL.get(table.c_name, ()), smallest_first=smallest_first)
        for table in DESCRIPTION.tables
    )
    description = replace(DESCRIPTION, tables=tables)
    maps = DictMaps(description)
    install_initial(description, maps)
    return maps, description


def test_initial_entries_have_the_bytes_of_added_ones(maps: DictMaps) -> None:
    apply(
        maps,
        "add macs dst:5 to_port(port:7)\nadd macs dst:6 to_port(port:7)\n"
        "add routes type:0x800 to_port(port:7)\nadd ports input_port:3 to_port(port:7)\n"
        "add acl 9 src:5 type:0x800 to_port(port:7)\nadd acl 8 type:0x800 to_port(port:7)",
    )
    assert started()[0].held == maps.held


def test_const_entries_neither_change_nor_go() -> None:
    maps, description = started()
    for text in (
        "add macs dst:5 drop()",
        "add routes type:0x800 drop()",
        "add ports input_port:3 drop()",
        "add acl 9 src:5 type:0x800 drop()",
    ):
        assert refusal(maps, text, description)[0].code == "entry-constant"
    apply(maps, "add macs dst:6 drop()\nadd acl 10 src:5 type:0x800 drop()", description)
    apply(maps, "remove all", description)
    assert [len(maps.held[name]) for name in ("macs", "routes")] == [1, 1]
    assert maps.held["ports"][host32(3)] != bytes(16)
    assert len(ternary_entries(maps, description.tables[3])) == 1


def test_where_the_smallest_wins_priorities_are_stored_turned_round() -> None:
    maps, description = started(smallest_first=True)
    apply(maps, "add acl src:1 drop()", description)
    stored = [
        struct.unpack_from("=I", entry, 16)[0]
        for entry in ternary_entries(maps, description.tables[3])
    ]
    assert stored == [2**32 - 1 - 8, 2**32 - 1 - 9, 0]
