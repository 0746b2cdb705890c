"""PSA programs on real devices."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandbox import ROOT, Namespace
from test_ports import far_ends, frames, packet, running

HEAD = "000000000001 000000000002 0800"
REST = "aa" * 50


@pytest.mark.kernel
def test_ports_groups_and_ways_through_ingress_again(namespace: Namespace, tmp_path: Path) -> None:
    program = ROOT / "tests" / "stf" / "psa" / "by_table.p4"
    test_file = program.with_suffix(".stf").read_text()
    requests = "".join(
        f"{line}\n" for line in test_file.splitlines() if line.startswith(("add", "mc_"))
    )
    with namespace, running(program, requests, namespace, tmp_path), far_ends() as far:
        for sent in ("01000000", "03000000", "09000000"):
            far[0].send(packet(f"{HEAD} {sent} {REST}"))
        arrived = frames({port: far[port] for port in (1, 2, 3)})
    assert arrived == {
        1: [packet(f"{HEAD} 03212111 {REST}")],
        2: [packet(f"{HEAD} 01010102 {REST}"), packet(f"{HEAD} 03212112 {REST}")],
        3: [packet(f"{HEAD} 03212123 {REST}"), packet(f"{HEAD} 01424203 {REST}")],
    }


@pytest.mark.kernel
def test_clones_by_both_ends(namespace: Namespace, tmp_path: Path) -> None:
    program = ROOT / "tests" / "stf" / "psa" / "clones.p4"
    session = "mirroring_add 9 3\n"
    with namespace, running(program, session, namespace, tmp_path), far_ends() as far:
        for sent in ("01000009", "02000009", "05000009"):
            far[0].send(packet(f"{HEAD} {sent} {REST}"))
        arrived = frames({port: far[port] for port in (1, 2, 3)})
    changed = "000000000001 000000000007 0800"
    assert arrived == {
        1: [],
        2: [packet(f"{HEAD} 010133c9 {REST}"), packet(f"{changed} 020133c9 {REST}")],
        3: [
            packet(f"{HEAD} 01001289 {REST}"),
            packet(f"{changed} 02017749 {REST}"),
            packet(f"{HEAD} 05001289 {REST}"),
        ],
    }
