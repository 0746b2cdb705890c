"""Each rule of the language, each known fault of compilers and each case has its test.

A number goes by its name: `rule07_*`, `fault12_*`, `case045_*` in tests/stf, which run on every
place. What is no program that runs is named here: an expected error, or the test of a property.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from p4xdp.driver import Session, compile
from p4xdp.options import Options

TESTS = Path(__file__).parent
STF = TESTS / "stf"

RULES = range(1, 26)
FAULTS = range(1, 22)
CASES = (1, 3, 5, 6, 8, 10, 11, 13, 15, 16, 18, 20, 21, 23, 25, 26, 28, 30, 31, 33, 35, 36, 38, 40)
CASES += (41, 43, 45, 46, 48, 50, 51, 53, 55, 56, 58, 60, 61, 63, 65, 66, 68, 70, 71, 73, 75, 76)
CASES += (78, 80, 81, 83, 85, 86, 88, 90, 91, 93, 95, 96, 98, 100, 101, 103, 105, 106, 108, 110)
CASES += (111, 113, 115, 116, 118, 120, 121, 123, 125, 126, 128, 130, 131, 133, 135, 136, 138, 140)
CASES += (141,)

ELSEWHERE = {
    "fault06": ("unit/test_interp_trace.py", "on_reject"),
    "fault15": ("stf/cases/case115_stack.stf", "packet"),
    "fault17": ("errors/elaborate/atomic.p4", "@atomic cannot be honoured"),
    "fault18": ("stf/v1model/clone_ingress.stf", "packet"),
    "case026": ("errors/types/places.p4", "action_run"),
    "case048": ("errors/types/lvalues.p4", "`last` of a header stack can only be read"),
    "case058": ("errors/elaborate/header_width.p4", "header `N` is 3 bits wide"),
    "case091": ("errors/types/assignments.p4", "cannot initialise `Z` (`int`) with `bit<2>`"),
    "case100": ("errors/types/tables.p4", "a table can have one lpm key, not two"),
    "case116": ("kernel/test_every_clang.py", "test_loads"),
    "case123": ("kernel/test_load.py", "vlan-offload"),
    "case125": ("errors/elaborate/home_made_package.p4", "this program is written for `Mine`"),
    "case128": ("errors/types/missing_core.p4", "add `#include <core.p4>`"),
    "case130": ("errors/syntax/undeclared_type.p4", "type `ipv4_h` is not declared"),
    "case131": ("test_errors.py", "d.span.line"),
}
"""By number: the file of the test, and words that stand in it."""

SHORT = "frames shorter than an Ethernet header"
"""Why a case does not run in the kernel, which takes no such frames."""

NUMBERS = [
    *(f"rule{n:02d}" for n in RULES),
    *(f"fault{n:02d}" for n in FAULTS),
    *(f"case{n:03d}" for n in CASES),
]


def files_of(number: str) -> list[Path]:
    return sorted(STF.glob(f"*/{number}_*.stf"))


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_has_its_test(number: str) -> None:
    if number in ELSEWHERE:
        file, words = ELSEWHERE[number]
        assert words in (TESTS / file).read_text()
        assert not files_of(number)
    else:
        assert files_of(number)


def test_the_numbered_cases_run_on_every_place() -> None:
    for path in STF.rglob("*.stf"):
        if re.match(r"(rule|fault|case)\d+_", path.name):
            places = re.findall(r"^# places: (.*)", path.read_text(), re.MULTILINE)
            assert all(SHORT in reason for reason in places), path


def test_a_dropped_packet_is_not_written_to() -> None:
    path = STF / "rules" / "fault04_dropped_unchanged.p4"
    text = compile(Session(path, Options())).c
    before, _, after = text.partition("return XDP_DROP;")
    assert "p4xdp_store" not in before
    assert after.count("p4xdp_store8(data") == 1
