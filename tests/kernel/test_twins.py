"""The benchmark's P4 programs and their hand-written twins do the same to every packet."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parent.parent.parent / "bench"
sys.path.insert(0, str(BENCH))

from agree import Disagree, check_case  # noqa: E402
from cases import CASES, Case  # noqa: E402


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_both_sides_agree(case: Case) -> None:
    assert check_case(case) > 0


def test_a_difference_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twin = tmp_path / "xdp1.c"
    text = (BENCH / "twins" / "xdp1.c").read_text()
    twin.write_text(text.replace("return XDP_PASS", "return XDP_TX"))
    monkeypatch.setattr(Case, "twin", property(lambda _: twin))
    (case,) = (case for case in CASES if case.name == "xdp1")
    with pytest.raises(Disagree, match="P4 pass"):
        check_case(case)
