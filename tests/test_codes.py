"""Each code that the compiler can give is in the table, and has a test that gets it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
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


CANNOT = ("unsupported", "loop-too-long", "parser-too-large", "stack-too-large", "table-too-large")
"""The codes of correct programs that cannot be carried."""


def refusals() -> Iterator[tuple[str, ast.Call]]:
    """Yield each place of the compiler that refuses a correct program."""
    for path in sorted((ROOT / "p4xdp").rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
                if call.args[0].value in CANNOT:
                    yield f"{path.relative_to(ROOT)}:{call.lineno}", call


def test_who_refuses_a_correct_program_says_what_to_write_instead() -> None:
    found = dict(refusals())
    assert len(found) > 40
    silent = [at for at, call in found.items() if "help" not in {k.arg for k in call.keywords}]
    assert silent == []
