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
