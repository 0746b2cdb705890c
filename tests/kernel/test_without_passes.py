"""Every pass that only makes a program better can be left out, and nothing else changes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from p4xdp.midend.pipeline import OPTIONAL, PASSES
from p4xdp.options import Options

BENCH = Path(__file__).parent.parent.parent / "bench"
sys.path.insert(0, str(BENCH))

from agree import check_case  # noqa: E402
from cases import CASES  # noqa: E402

NAMES = ("xdp7", "l2l3_acl", "vxlan_encap", "mpls", "big")


def test_the_names_are_those_of_passes() -> None:
    assert set(OPTIONAL) <= {step.__name__ for step in PASSES}


@pytest.mark.parametrize("without", [OPTIONAL, *((name,) for name in OPTIONAL)], ids="+".join)
@pytest.mark.parametrize("name", NAMES)
def test_what_happens_to_packets_stays_the_same(name: str, without: tuple[str, ...]) -> None:
    (case,) = (case for case in CASES if case.name == name)
    assert check_case(case, Options(without=frozenset(without))) > 0
