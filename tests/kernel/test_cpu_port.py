"""Packets to a controller and from one, by the CPU port of a loaded program."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sandbox import ROOT, Namespace, codes, only, send

from p4xdp.controller import ControlError, Packet, Switch
from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang, cpu_device, devices, load, planning
from p4xdp.runtime.groups import Groups
from p4xdp.stf.parser import parse_case

PROGRAM = ROOT / "tests" / "stf" / "v1model" / "controller_header.p4"
ARP = bytes.fromhex("ffffffffffff 020000000002 0806") + bytes(range(46))
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, object]:
    here = tmp_path_factory.mktemp("cpu_port")
    output = compile(Session(PROGRAM, Options(cpu_port=255)))
    (here / "a.c").write_text(output.c)
    clang.build(here / "a.c", here / "a.o")
    return here / "a.o", output.description


@pytest.fixture
def switch(namespace: Namespace, built: tuple[Path, object]) -> Iterator[Switch]:
    """The program on `va`, port 4; frames for `vb` get there."""
    namespace.run("ethtool", "-K", "vb", "gro", "on")
    object, description = built
    load.load(object, description, "va", ports=((4, "va"),))  # type: ignore[arg-type]
    with Switch.open("va") as opened:
        yield opened
    load.unload("va")


def raw_socket(device: str) -> socket.socket:
    """Return what has all frames of a device from now on, those sent there among them."""
    one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(3))
    one.bind((device, 3))
    one.settimeout(4)
    return one


def test_a_packet_comes_with_its_metadata(switch: Switch) -> None:
    switch.listen()
    send("vb", ARP)
    message = next(switch.messages(4))
    assert isinstance(message, Packet)
    assert message.data == ARP
    assert message.metadata == {"ingress_port": 4, "reason": 5}
    assert (message.port, message.left_by, message.length) == (4, 255, len(ARP))
    assert message.whole


def test_of_a_long_packet_as_much_comes_as_there_is_room(
    switch: Switch, namespace: Namespace
) -> None:
    for device in ("va", "vb"):
        namespace.ip("link", "set", device, "mtu", "3000")
    send("vb", ARP + bytes(2500))
    message = next(switch.messages(4))
    assert isinstance(message, Packet)
    assert (len(message.data), message.length) == (2046, len(ARP) + 2500)
    assert not message.whole


def test_a_controller_sends_by_a_port(switch: Switch) -> None:
    with raw_socket("vb") as far:
        switch.send(ARP, {"egress_port": 4})
        assert far.recv(4096) == ARP
    assert list(switch.messages(0)) == []


def test_what_cannot_be_sent_is_said(switch: Switch) -> None:
    with pytest.raises(ControlError, match="no field `port`; there is egress_port, padding"):
        switch.send(ARP, {"port": 4})
    with pytest.raises(ControlError, match="512 does not fit `egress_port`, a bit<9>"):
        switch.send(ARP, {"egress_port": 512})


def test_listen_prints_packets(switch: Switch) -> None:
    command = [sys.executable, "-m", "p4xdp.cli", "listen", "--dev", "va", "--count", "1", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stderr is not None
        process.stderr.readline()
        send("vb", ARP)
        told = json.loads(process.communicate(timeout=10)[0])
    assert (told["kind"], told["data"], told["port"]) == ("packet", ARP.hex(), 4)


LLDP = bytes.fromhex("0180c200000e 020000000002 88cc") + bytes(range(46))


def test_clones_reach_the_controller(namespace: Namespace, built: tuple[Path, object]) -> None:
    namespace.run("ethtool", "-K", "vb", "gro", "on")
    object, description = built
    groups = Groups.of(description)  # type: ignore[arg-type]
    requests = parse_case("mirroring_add 7 255\n", "requests").statements
    assert planning.plan(description, requests, groups) == []  # type: ignore[arg-type]
    on = ((2, "va"),)
    load.load(object, description, "va", ports=on, groups=groups)  # type: ignore[arg-type]
    device = f"p4xdp-cpu{devices.find('va').index}"
    assert device in namespace.ip("link")
    with Switch.open("va") as switch, raw_socket("vb") as far:
        switch.listen()
        send("vb", LLDP)
        message = next(switch.messages(4))
        assert isinstance(message, Packet)
        assert (message.data, message.port) == (LLDP, 2)
        assert message.metadata == {"ingress_port": 2, "reason": 9}
        assert [far.recv(4096), far.recv(4096)] == [LLDP, LLDP]  # as sent, and back from port 2
        assert list(switch.messages(0)) == []
    load.load(object, description, "va", ports=on)  # type: ignore[arg-type]
    assert device in namespace.ip("link"), "sessions live on"
    none = Groups.of(description)  # type: ignore[arg-type]
    load.load(object, description, "va", ports=on, groups=none)  # type: ignore[arg-type]
    assert device not in namespace.ip("link")
    load.load(object, description, "va", ports=on, groups=groups)  # type: ignore[arg-type]
    assert device in namespace.ip("link")
    load.unload("va")
    assert device not in namespace.ip("link")


def test_a_device_that_cannot_be_made_is_named(namespace: Namespace) -> None:
    with pytest.raises(CompileError) as error:
        cpu_device.make("much-too-long-a-name")
    assert only(error).code == "no-cpu-device"


def test_a_program_for_a_controller_is_told_that_it_has_none(
    namespace: Namespace, built: tuple[Path, object]
) -> None:
    object, description = built
    without = replace(description, cpu_port=None)  # type: ignore[type-var]
    loaded = load.load(object, without, "va", ports=((4, "va"),))  # type: ignore[arg-type]
    load.unload("va")
    assert "no-cpu-port" in codes(loaded)
