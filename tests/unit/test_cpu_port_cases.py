"""Programs that are compiled with a CPU port do what they do without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from p4xdp.options import Options
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.runner import run_case

CASES = Path(__file__).parents[1] / "stf" / "v1model"


@pytest.mark.parametrize(
    "place", ["interp", "native", pytest.param("kernel", marks=pytest.mark.kernel)]
)
@pytest.mark.parametrize(
    ("case", "port"), [("controller_header", 255), ("truncate", 1), ("multicast", 2)]
)
def test_packets_leave_by_the_cpu_port(case: str, port: int, place: str, build_dir: Path) -> None:
    options = PlaceOptions(Options(cpu_port=port), build_dir)
    program = CASES / f"{case}.p4"
    result = run_case(program, program.with_suffix(".stf"), place, options)
    if result.skipped:
        pytest.skip(result.skipped)
    assert result.failures == ()
