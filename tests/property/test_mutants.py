"""A fixed number of mutants of programs: a message may follow, never a traceback or a hang."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).parent.parent.parent / "tools" / "mutate.py"
MANY_OVERFLOWS = "".join(f"const bit<8> N{n} = 8w256;\n" for n in range(40))
FOUND = {
    "many_bad_numbers": "8t<" * 30,
    "many_warnings": MANY_OVERFLOWS,
    "macro_parameters": "#define M(,)\nM()",
    "long_include": f"#include <{'x' * 5000}.p4>",
    "nul_in_include": "#include <x\0y>",
}


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutate", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutate"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", FOUND)
def test_mutants_that_failed_once(mutate: ModuleType, name: str) -> None:
    result = mutate.try_one(0, FOUND[name])
    assert result.verdict == "refused", result.report


def test_mutants(mutate: ModuleType) -> None:
    texts = mutate.programs()
    for number in range(300):
        result = mutate.try_one(number, mutate.mutant(0, number, texts))
        assert result.verdict in ("accepted", "refused"), f"{result.report}\n{result.text}"


def test_a_seed_names_a_mutant(mutate: ModuleType) -> None:
    texts = mutate.programs()
    assert mutate.mutant(3, 7, texts) == mutate.mutant(3, 7, texts)
    assert mutate.mutant(3, 7, texts) != mutate.mutant(3, 8, texts)
