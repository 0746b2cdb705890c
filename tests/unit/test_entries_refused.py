"""What is wrong with the lines of a file of entries: every place says the same, in their order."""

from __future__ import annotations

from pathlib import Path

import pytest
from dict_maps import DictMaps

from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, check, compile
from p4xdp.options import Options
from p4xdp.stf.entries_file import read_requests
from p4xdp.stf.interp import InterpControl, open_program
from p4xdp.stf.place import ControlPlane, MapControl

PROGRAM = """#include <core.p4>
#include <v1model.p4>
header E { bit<48> dst; }
struct H { E e; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.e); transition accept; }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) c;
    register<bit<32>>(4) r;
    meter(4, MeterType.bytes) mt;
    direct_counter(CounterType.packets) dc;
    action fwd(bit<9> port) { s.egress_spec = port; dc.count(); }
    action group(bit<16> g) { s.mcast_grp = g; dc.count(); }
    action none() { dc.count(); }
    table t {
        key = { h.e.dst: exact; }
        actions = { fwd; group; none; }
        default_action = none();
        size = 4;
        counters = dc;
        support_timeout = true;
    }
    apply {
        bit<32> v;
        bit<2> colour;
        c.count(1);
        r.read(v, 1);
        r.write(1, v + 1);
        mt.execute_meter(0, colour);
        t.apply();
        clone(CloneType.I2E, 5);
    }
}
control E1(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control C(inout H h, inout M m) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.e); } }
V1Switch(P(), V(), I(), E1(), C(), D()) main;
"""


@pytest.fixture(scope="module", params=["interp", "compiled"])
def control(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> ControlPlane:
    path = tmp_path_factory.mktemp("refused") / "t.p4"
    path.write_text(PROGRAM)
    session = Session(path, Options())
    if request.param == "interp":
        return InterpControl(open_program(check(session), "aborted"))
    description = compile(session).description
    return MapControl.of_fresh(description, DictMaps(description))


def refused(control: ControlPlane, text: str, tmp_path: Path) -> list[str]:
    """Return what is said of a file: line, column, code and text of each."""
    file = tmp_path / "entries.txt"
    file.write_text(text)
    with pytest.raises(CompileError) as caught:
        control.apply(read_requests(file))
    return [
        f"{one.span.line}:{one.span.column} {one.code} {one.text}"
        for one in caught.value.diagnostics
        if one.span
    ]


ADD = "table_add t fwd 1 => 1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tabel_add t fwd 1 => 1\n" + ADD, "1:1 entries-syntax `tabel_add` is no command"),
        ("# it\n\ntable_ad t fwd 1 => 1\n", "3:1 entries-syntax `table_ad` is no command"),
        ("ad t h.e.dst:1 fwd(port:1)\n", "1:1 stf-syntax `ad` does not start a statement"),
        (
            f"counter_write c 1 {2**64} 1\n",
            f"1:19 entry-value {2**64} does not fit the 64 bits of a counter",
        ),
        (
            f"counter_write c 1 1 {2**64}\n",
            f"1:21 entry-value {2**64} does not fit the 64 bits of a counter",
        ),
        (
            f"{ADD}table_set_timeout t 0 18446744073710\n",
            "2:23 entry-value 18446744073710 milliseconds are too many",
        ),
        ("table_add t fwd " + "1" * 5000 + " => 1\n", "1:17 entries-syntax expected a key's value"),
        ("add t h.e.dst:" + "1" * 5000 + " fwd(port:1)\n", "1:15 stf-syntax `1111"),
        ("counter_write dc 0 1 1\n", "1:1 entry-key table `I.t` has no entry 0"),
        (f"{ADD}counter_write dc 1 1 1\n", "2:1 entry-key table `I.t` has no entry 1"),
        ("register_write nn 1 1\n", "1:16 entry-object `nn` is no register"),
        ("register_write r 4 1\n", "1:18 entry-object register `I.r` has no cell 4"),
        ("meter_set_rates mt 4 1:1 1:1\n", "1:20 entry-object meter `I.mt` has no cell 4"),
        ("counter_write c 4 1 1\n", "1:17 entry-counter counter `I.c` has no cell 4"),
        ("mc_mgrp_create 65536\n", "1:16 entry-value 65536 is too great for a group (bit<16>)"),
        ("mirroring_add 5 512\n", "1:17 entry-value 512 is too great for a port (bit<9>)"),
        ("mirroring_add 65536 1\n", "1:15 entry-value 65536 is too great for a session (bit<16>)"),
        ("mirroring_add_mc 5 65536\n", "1:20 entry-value 65536 is too great for a group (bit<16>)"),
        ("port_add eth0 1\n", "1:1 entry-unsupported `port_add`: ports get their devices when"),
        ("table_indirect_create_group t\n", "1:29 entry-table `t` is no table with an action"),
    ],
)
def test_a_line_is_refused(control: ControlPlane, text: str, message: str, tmp_path: Path) -> None:
    (found,) = refused(control, text, tmp_path)
    assert found.startswith(message)
    control.apply(read_requests(_file(tmp_path, "table_clear t\n")))


def test_messages_come_in_the_order_of_lines(control: ControlPlane, tmp_path: Path) -> None:
    text = """table_add zz fwd 1 => 1
mc_node_create 0 600
register_write nn 1 1
mc_mgrp_create 1
mc_node_associate 1 0
mc_node_associate 1 1
counter_write qq 1 1 1
"""
    found = [one.split()[0] for one in refused(control, text, tmp_path)]
    assert found == ["1:11", "2:18", "3:16", "6:21", "7:15"]


def test_nothing_is_changed_where_one_line_is_wrong(control: ControlPlane, tmp_path: Path) -> None:
    refused(control, "mc_mgrp_create 7\nmirroring_add 3 600\n", tmp_path)
    (found,) = refused(control, "mc_mgrp_destroy 7\n", tmp_path)
    assert found.endswith("there is no multicast group 7")


def test_direct_counters_are_written_by_the_number_of_the_entry(
    control: ControlPlane, tmp_path: Path
) -> None:
    control.apply(read_requests(_file(tmp_path, f"{ADD}counter_write dc 0 7 0\n")))
    (entry,) = read_requests(_file(tmp_path, ADD))
    (named,) = read_requests(_file(tmp_path, "counter_read dc 0\n"))
    assert control.counter(named.name, entry) == 7  # type: ignore[union-attr, arg-type]
    control.apply(read_requests(_file(tmp_path, "table_clear t\n")))


def _file(directory: Path, text: str) -> Path:
    file = directory / "right.txt"
    file.write_text(text)
    return file
