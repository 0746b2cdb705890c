"""Copies of packets on real devices: what arrives is captured and is exactly what it must be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from sandbox import ROOT, Namespace
from switch_ports import PORTS, far_ends, frames, packet, running

from p4xdp.diagnostics import CompileError
from p4xdp.runtime.libbpf import LIVE_FRAMES, BpfProgram

STF = ROOT / "tests" / "stf" / "v1model"
HEAD, REST = "000000000001 000000000002 0800", "aa" * 50
TURNS, BATCH = 256, 64
WHOLE_AND_CUT = pytest.mark.parametrize("layout", [None, "subprograms", "tail-calls"])


def exchanged(
    program: Path,
    requests: str,
    sent: list[str],
    namespace: Namespace,
    directory: Path,
    *,
    ports: tuple[int, ...] = PORTS,
    loop: bool = False,
    layout: str | None = None,
) -> dict[int, list[bytes]]:
    """Send packets in at the first port, and return what has left by each of the devices behind."""
    program_runs = running(
        program, requests, namespace, directory, ports=ports, loop=loop, layout=layout
    )
    with namespace, program_runs, far_ends() as far:
        for one in sent:
            far[0].send(packet(one))
        return frames({port: far[port] for port in (1, 2, 3)})


@pytest.mark.kernel
def test_a_group_of_three_ports(namespace: Namespace, tmp_path: Path) -> None:
    groups = (
        "mc_mgrp_create 5\nmc_node_create 17 1 2\nmc_node_create 18 3\n"
        "mc_node_associate 5 0\nmc_node_associate 5 1\n"
    )
    sent = [f"{HEAD} 05000000 {REST}"]
    assert exchanged(STF / "multicast.p4", groups, sent, namespace, tmp_path) == {
        1: [packet(f"{HEAD} 05511105 {REST}")],
        2: [packet(f"{HEAD} 05521105 {REST}")],
        3: [packet(f"{HEAD} 05531205 {REST}")],
    }


@pytest.mark.kernel
def test_a_clone_by_ingress(namespace: Namespace, tmp_path: Path) -> None:
    sent = [f"{HEAD} 01000000 {REST}", f"{HEAD} 02000000 {REST}", f"{HEAD} 04000000 {REST}"]
    left = exchanged(STF / "clone_ingress.p4", "mirroring_add 5 3\n", sent, namespace, tmp_path)
    assert left == {
        1: [packet(f"{HEAD} ee000000 {REST}"), packet(f"{HEAD} ee000000 {REST}")],
        2: [],
        3: [packet(f"{HEAD} 01112200 {REST}"), packet(f"{HEAD} 02002200 {REST}")],
    }


@pytest.mark.kernel
def test_a_clone_by_egress(namespace: Namespace, tmp_path: Path) -> None:
    sent = [f"{HEAD} 00000000 {REST}", f"{HEAD} 01000000 {REST}"]
    left = exchanged(STF / "clone_egress.p4", "mirroring_add 5 3\n", sent, namespace, tmp_path)
    assert left == {
        1: [packet(f"{HEAD} 00770000 {REST}")],
        2: [],
        3: [packet(f"{HEAD} 00771103 {REST}"), packet(f"{HEAD} 01771103 {REST}")],
    }


@pytest.mark.kernel
def test_several_copies_by_one_port(namespace: Namespace, tmp_path: Path) -> None:
    groups = (
        "mc_mgrp_create 5\nmc_node_create 17 1 2\nmc_node_create 18 2 3\n"
        "mc_node_associate 5 0\nmc_node_associate 5 1\nmirroring_add 7 2\n"
    )
    sent = [f"{HEAD} 05070000 {REST}", f"{HEAD} 00070000 {REST}"]
    left = exchanged(STF / "clone_group.p4", groups, sent, namespace, tmp_path)
    assert left == {
        1: [packet(f"{HEAD} 05071151 {REST}"), packet(f"{HEAD} 00070001 {REST}")],
        2: [
            packet(f"{HEAD} 05070012 {REST}"),
            packet(f"{HEAD} 05071152 {REST}"),
            packet(f"{HEAD} 05071252 {REST}"),
            packet(f"{HEAD} 00070012 {REST}"),
        ],
        3: [packet(f"{HEAD} 05071253 {REST}")],
    }


@WHOLE_AND_CUT
@pytest.mark.kernel
def test_copies_that_know_more_than_fits_in_front(
    namespace: Namespace, tmp_path: Path, layout: str | None
) -> None:
    """What each knows is its own packet's, in batches, too, and when the ring has gone round."""
    groups = (
        "mc_mgrp_create 5\nmc_node_create 17 1 2\nmc_node_create 18 3\n"
        "mc_node_associate 5 0\nmc_node_associate 5 1\n"
    )
    program = STF / "copies_know_much.p4"
    values = (0x35, 0x11, 0x00)
    program_runs = running(program, groups, namespace, tmp_path, layout=layout)
    with namespace, program_runs as loaded, far_ends() as far:
        with BpfProgram.pinned(loaded.path / "program") as entered:
            for value in values:
                data = packet(f"{HEAD} 05{value:02x}0000 {REST}")
                entered.test_run(data, repeat=TURNS, flags=LIVE_FRAMES, batch_size=BATCH)
        arrived = frames({port: far[port] for port in (1, 2, 3)})
    for port in (1, 2, 3):
        notes = [f"05350e1{port}", f"0511562{port}", f"0500002{port}"]
        assert Counter(arrived[port]) == {packet(f"{HEAD} {n} {REST}"): TURNS for n in notes}


@pytest.mark.kernel
def test_a_packet_that_recirculates(namespace: Namespace, tmp_path: Path) -> None:
    sent = [f"{HEAD} 03000000 {REST}", f"{HEAD} ff000000 {REST}"]
    left = exchanged(STF / "recirculate.p4", "", sent, namespace, tmp_path)
    assert left == {1: [packet(f"{HEAD} 0000030c {REST}")], 2: [], 3: []}


@pytest.mark.kernel
def test_copies_among_packets_that_are_none(namespace: Namespace, tmp_path: Path) -> None:
    """A device sends what a batch has for it as one, with one program for all."""
    requests = "mc_mgrp_create 1\nmc_node_create 7 1 2\nmc_node_associate 1 0\nmirroring_add 1 2\n"
    program = Path(__file__).with_name("mixed.p4")
    with namespace, running(program, requests, namespace, tmp_path) as loaded, far_ends() as far:
        data = packet(f"{HEAD} 00000000 {REST}")
        with BpfProgram.pinned(loaded.path / "program") as entered:
            entered.test_run(data, repeat=TURNS, flags=LIVE_FRAMES, batch_size=BATCH)
        arrived = frames({port: far[port] for port in (1, 2, 3)})
    times = TURNS // 4
    expected = {
        1: {"00050107": times, "02000100": times},
        2: {"00050207": times, "01000200": times, "02010200": times, "03000200": times},
        3: {},
    }
    for port, noted in expected.items():
        wanted = Counter({packet(f"{HEAD} {one} {REST}"): n for one, n in noted.items()})
        assert Counter(arrived[port]) == wanted


@WHOLE_AND_CUT
@pytest.mark.kernel
def test_copies_that_come_in_again(
    namespace: Namespace, tmp_path: Path, layout: str | None
) -> None:
    requests = (
        "mc_mgrp_create 5\nmc_node_create 17 1\nmc_node_create 18 2\n"
        "mc_node_associate 5 0\nmc_node_associate 5 1\nmirroring_add 5 1\nmirroring_add 6 3\n"
    )
    sent = [f"{HEAD} {one}000000 {REST}" for one in ("09", "19", "0a", "18", "07")]
    program = STF / "copies_again.p4"
    left = exchanged(program, requests, sent, namespace, tmp_path, loop=True, layout=layout)
    expected = {
        1: ["09005100", "0a000100", "0a001144", "07001144"],
        2: ["09005200", "19010200", "19010200", "18010200"],
        3: ["09002311", "09002312", "19002311", "19002312", "0a002300", "18002300", "07000366"],
    }
    assert {port: Counter(frames) for port, frames in left.items()} == {
        port: Counter(packet(f"{HEAD} {one} {REST}") for one in ones)
        for port, ones in expected.items()
    }


@pytest.mark.kernel
def test_without_a_loop_a_copy_ends_where_it_is(namespace: Namespace, tmp_path: Path) -> None:
    requests = "mc_mgrp_create 5\nmc_node_create 17 1\nmc_node_associate 5 0\nmirroring_add 6 3\n"
    sent = [f"{HEAD} {one}000000 {REST}" for one in ("09", "11", "18")]
    assert exchanged(STF / "copies_again.p4", requests, sent, namespace, tmp_path) == {
        1: [packet(f"{HEAD} 09005100 {REST}")],
        2: [packet(f"{HEAD} 18010200 {REST}")],
        3: [],
    }


@pytest.mark.kernel
def test_generic_mode_is_refused(namespace: Namespace, tmp_path: Path) -> None:
    program, requests = STF / "clone_egress.p4", "mirroring_add 5 3\n"
    with namespace, pytest.raises(CompileError, match="cannot do in generic mode"):
        with running(program, requests, namespace, tmp_path, mode="generic"):
            pass
    for device in ("p0", "p1", "p2", "p3"):
        assert "xdp" not in namespace.ip("link", "show", device)


@pytest.mark.kernel
def test_this_machine_behind_a_device(namespace: Namespace, tmp_path: Path) -> None:
    """A clone beside a packet for this machine, and a clone for it, by a device of its own."""
    sent = [f"{HEAD} 01000000 {REST}"]
    requests = "mirroring_add 5 510\n"
    left = exchanged(
        STF / "clone_ingress.p4", requests, sent, namespace, tmp_path, ports=(0, 1, 2, 510)
    )
    assert left == {
        1: [packet(f"{HEAD} ee000000 {REST}")],
        2: [],
        3: [packet(f"{HEAD} 01112200 {REST}")],
    }
