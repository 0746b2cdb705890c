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


PSA_CASE = """
mirroring_add 1 255
packet 1 000000000001 000000000002 0800 00000000 aa
expect 255 000000000001 000000000002 0800 00000007 aa $
packet 255 000000000001 000000000002 0800 01000000
expect 2 000000000001 000000000002 0800 01010000 $
packet 1 000000000001 000000000002 0800 02000000
expect 2 000000000001 000000000002 0800 02000000 $
expect 255 000000000001 000000000002 0800 02001100 $
"""


@pytest.mark.parametrize(
    "place", ["interp", "native", pytest.param("kernel", marks=pytest.mark.kernel)]
)
def test_the_port_that_psa_has_for_the_cpu(place: str, build_dir: Path, tmp_path: Path) -> None:
    program, case = CASES.with_name("psa") / "cpu.p4", tmp_path / "cpu.stf"
    case.write_text(PSA_CASE)
    compiled = Options(include_dirs=(program.parent,), cpu_port=255)
    result = run_case(program, case, place, PlaceOptions(compiled, build_dir))
    assert not result.skipped
    assert result.failures == ()
