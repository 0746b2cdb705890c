"""Each code that the compiler can give is in the table, and has a test that gets it."""

from __future__ import annotations

import re
from pathlib import Path

from p4xdp.codes import CODES

ROOT = Path(__file__).parent.parent
USE = re.compile(r"""(?:\berror|\bwarning|\bfail|\bdiagnostic|\breject)\(\s*"([a-z0-9-]+)",""")


def used_codes() -> set[str]:
    return {
        code for path in (ROOT / "p4xdp").rglob("*.py") for code in USE.findall(path.read_text())
    }


def text_of_tests() -> str:
    tests = ROOT / "tests"
    files = [*tests.rglob("*.p4"), *(p for p in tests.rglob("*.py") if p != Path(__file__))]
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)


def test_every_code_that_is_used_is_in_the_table() -> None:
    assert used_codes() <= CODES.keys()


def test_every_code_in_the_table_has_a_test() -> None:
    text = text_of_tests()
    assert [code for code in CODES if not re.search(rf"\b{code}\b", text)] == []
