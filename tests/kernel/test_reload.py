"""Loads onto several devices, all or none of them, and what lives on in a program with ports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox import Namespace, attached_id, codes, only, pin_names

from p4xdp.description import Description
from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang, devices, load, pins, status
from p4xdp.runtime.entries import apply_requests
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.ports import Ports
from p4xdp.stf.simple_switch import parse_commands

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header E {{ bit<48> dst; bit<48> src; bit<16> type; }}
struct H {{ E e; }}
struct M {{ }}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {{
    state start {{ p.extract(h.e); transition accept; }}
}}
control C(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
    register<bit<32>>({size}) cells;
    meter(4, MeterType.packets) rates;
    apply {{
        bit<32> v;
        bit<2> colour;
        cells.read(v, 1);
        cells.write(1, v + 1);
        rates.execute_meter(0, colour);
        s.mcast_grp = (bit<16>) h.e.type;
        clone(CloneType.I2E, 5);
    }}
}}
control O(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h.e); }} }}
V1Switch(P(), C(), I(), O(), C(), D()) main;
"""
TWO: Ports = ((1, "va"), (2, "vb"))
SAID = """register_write cells 3 77
meter_set_rates rates 2 1:1 2:2
mc_mgrp_create 7
mc_node_create 1 1 2
mc_node_associate 7 0
mirroring_add_mc 4 7
mirroring_add 5 2
"""


class Made:
    def __init__(self, directory: Path, size: int) -> None:
        source, self.object = directory / "prog.p4", directory / f"{size}.o"
        source.write_text(PROGRAM.format(size=size))
        output = compile(Session(source, Options()))
        self.description: Description = output.description
        c = directory / "a.c"
        c.write_text(output.c)
        clang.build(c, self.object)

    def put(
        self, ports: Ports = TWO, commands: str | None = None, mode: str | None = None
    ) -> load.Loaded:
        groups = load.groups_before(self.description, ports[0][1], ports)

        def fill(maps: KernelMaps) -> None:
            requests = parse_commands(commands or "", "c.txt")
            apply_requests(self.description, maps, requests, groups)

        return load.load(
            self.object,
            self.description,
            ports[0][1],
            ports=ports,
            mode=mode,
            fill=fill,
            groups=groups,
        )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("reload"), 8)


@pytest.fixture
def inside(namespace: Namespace) -> Iterator[Namespace]:
    with namespace:
        yield namespace
        for device in ("va", "vb"):
            if attached_id(device):
                load.unload(device)


@pytest.mark.kernel
@pytest.mark.parametrize("reload", [False, True], ids=["first", "reload"])
@pytest.mark.parametrize(
    ("mode", "commands"),
    [("native", None), (None, "mirroring_add 5 1\n")],
    ids=["the last device refuses", "the mode is wrong for what is asked"],
)
def test_all_devices_or_none(
    made: Made, inside: Namespace, mode: str | None, commands: str | None, reload: bool
) -> None:
    """`bridge` has no native mode, and copies need it."""
    before = made.put().program_id if reload else None
    with pytest.raises(CompileError) as error:
        made.put((*TWO, (3, "bridge")), commands, mode)
    assert only(error).code == "no-native-xdp"
    assert [attached_id(one) for one in ("va", "vb", "bridge")] == [before, before, None]
    assert pin_names("bridge") == []
    for device in ("va", "vb"):
        installs = pins.of_device(device, None) if reload else ()
        assert (pin_names(device) == []) is not reload
        assert all(not one.is_staged() for one in installs)


@pytest.mark.kernel
def test_a_broken_off_swap_of_the_last_device_undoes_all(
    made: Made, inside: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = made.put()
    names = pin_names("va")
    swap = pins.swap_in

    def swapped(staged: Path, final: Path) -> None:
        if final.parent.name.startswith("vb"):
            raise OSError(28, "No space left on device")
        swap(staged, final)

    monkeypatch.setattr(pins, "swap_in", swapped)
    with pytest.raises(CompileError):
        made.put()
    assert [attached_id(one) for one in ("va", "vb")] == [before.program_id] * 2
    assert pin_names("va") == pin_names("vb") == names
    for device in ("va", "vb"):
        (one,) = pins.of_device(device, devices.find(device).index)
        with one.program() as pinned:
            assert pinned.info().id == before.program_id


def held(at: load.Loaded, name: str, cell: int) -> bytes:
    maps = KernelMaps.of_pins(at.path)
    value = maps.lookup(name, cell.to_bytes(4, "little"))
    maps.close()
    assert value is not None
    return value


@pytest.mark.kernel
def test_registers_meters_groups_and_sessions_live_on(made: Made, inside: Namespace) -> None:
    first = made.put(commands=SAID)
    copies = KernelMaps.of_pins(first.path)
    told = {key: copies.lookup("copies", key) for key in copies.keys("copies")}
    rates = held(first, "rates", 2)
    assert first.kept == ()
    again = made.put()
    assert codes(again) == []
    assert again.kept == (
        "I.cells",
        "I.rates",
        "multicast group 7",
        "clone session 4",
        "clone session 5",
    )
    assert int.from_bytes(held(again, "cells", 3), "big") == 77
    assert held(again, "rates", 2) == rates
    now = KernelMaps.of_pins(again.path)
    assert {key: now.lookup("copies", key) for key in now.keys("copies")} == told
    assert codes(made.put(commands=SAID)) == []
    gone = made.put(commands="mc_mgrp_destroy 7\nmirroring_delete 5\nmirroring_delete 4\n")
    assert not list(KernelMaps.of_pins(gone.path).keys("copies"))


@pytest.mark.kernel
def test_what_cannot_live_on_is_named(made: Made, inside: Namespace, tmp_path: Path) -> None:
    made.put(commands=SAID)
    loaded = Made(tmp_path, 16).put(((1, "va"),))
    assert [d.text for d in loaded.diagnostics if d.code == "entries-lost"] == [
        "register `I.cells` did not live on: its size or kind has changed",
        "multicast group 7 did not live on: port 2 has no device",
        "clone session 5 did not live on: port 2 has no device",
    ]
    assert "I.rates" in loaded.kept


@pytest.mark.kernel
def test_a_line_that_is_refused_says_what_stands_already(made: Made, inside: Namespace) -> None:
    made.put(commands=SAID)
    with pytest.raises(CompileError) as error:
        made.put(commands="register_write cells 1 1\nmc_node_associate 7 0\n")
    assert only(error).notes[0].text.startswith("the lines before this one are carried out")


@pytest.mark.kernel
def test_status_shows_what_was_said(made: Made, inside: Namespace) -> None:
    made.put(commands=SAID)
    lines = status.render(status.status("va")).splitlines()
    assert [line.strip() for line in lines[3:]] == [
        "register I.cells: [3] 77",
        "meter I.rates: 1 of 4 cells have rates",
        "multicast group 7: port 1 (instance 1), port 2 (instance 1)",
        "clone session 4: multicast group 7",
        "clone session 5: port 2",
    ]
