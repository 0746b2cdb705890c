"""The generated C of every example, and of programs built by hand, as people see it.

A change here is a change of what users read: look at the difference, then accept it with
`pytest --update-golden tests/golden`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from p4xdp.backend_c.ladder import above
from p4xdp.driver import Session, compile
from p4xdp.options import Options

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "tests" / "unit"))

from backend_programs import PROGRAMS, compiled  # noqa: E402

EXAMPLES = sorted((ROOT / "examples").glob("*.p4"))
CUT = ROOT / "examples" / "nat.p4"
Golden = Callable[[str, str], None]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_c_of_an_example(path: Path, golden: Golden) -> None:
    golden(f"{path.stem}.c", compile(Session(path, Options())).c)


V1MODEL = (
    ROOT / "bench/programs/v1_forward.p4",
    ROOT / "tests/stf/v1model/clone_egress.p4",
    ROOT / "tests/stf/v1model/recirculate.p4",
    *sorted((ROOT / "examples" / "v1model").glob("*.p4")),
)


@pytest.mark.parametrize("path", V1MODEL, ids=lambda path: path.stem)
def test_the_c_of_a_v1model_program(path: Path, golden: Golden) -> None:
    golden(f"v1model_{path.stem.removeprefix('v1_')}.c", compile(Session(path, Options())).c)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_c_of_a_program_built_by_hand(name: str, golden: Golden) -> None:
    golden(f"by_hand_{name}.c", compiled(PROGRAMS[name]).c)


@pytest.mark.parametrize("layout", above("stack"))
def test_the_c_of_every_rung(layout: str, golden: Golden) -> None:
    golden(f"nat_{layout}.c", compile(Session(CUT, Options(layout=layout))).c)


def test_the_header_of_an_example(golden: Golden) -> None:
    path = ROOT / "examples" / "mactable.p4"
    golden("mactable.h", compile(Session(path, Options())).header)


def test_no_golden_file_is_left_over() -> None:
    expected = {f"{path.stem}.c" for path in EXAMPLES} | {f"by_hand_{n}.c" for n in PROGRAMS}
    expected |= {f"v1model_{path.stem.removeprefix('v1_')}.c" for path in V1MODEL}
    expected |= {f"nat_{layout}.c" for layout in above("stack")}
    assert {path.name for path in HERE.glob("*.[ch]")} == expected | {"mactable.h", "c_externs.c"}


def test_the_c_of_calls_of_functions_in_c(golden: Golden) -> None:
    path = ROOT / "tests" / "stf" / "c_externs" / "directions.p4"
    options = Options(externs=(path.with_suffix(".c"),))
    golden("c_externs.c", compile(Session(path, options)).c.replace(f"{ROOT}/", "/p4xdp/"))
