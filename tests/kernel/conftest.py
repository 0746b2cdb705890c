"""Objects built once and namespaces for one test; everything here needs root."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from p4xdp.runtime import clang, machine

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "unit")]

from sandbox import BPFFS, PASS, Made, Namespace, attached_id  # noqa: E402

TINY = """
#include <p4xdp.h>
SEC("{section}") int {name}(void *ctx) {{ return {verdict}; }}
char _license[] SEC("license") = "GPL";
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    may_load = machine.may_load()
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.kernel)
            if not may_load:
                item.add_marker(pytest.mark.skip(reason="needs root"))


@pytest.fixture(scope="session")
def by_hand() -> ModuleType:
    return importlib.import_module("by_hand")


@pytest.fixture(scope="session")
def make(tmp_path_factory: pytest.TempPathFactory, by_hand: ModuleType) -> Callable[..., Made]:
    """Build C text, by default that of by_hand.c, with parts of it replaced."""
    cache: dict[Any, Made] = {}

    def of(*changes: tuple[str, str], c: str = by_hand.SOURCE.read_text(), **fields: Any) -> Made:
        for before, after in changes:
            assert before in c
            c = c.replace(before, after)
        key = (c, tuple(fields.items()))
        if key not in cache:
            path = tmp_path_factory.mktemp("object") / "by_hand.o"
            path.with_suffix(".c").write_text(c)
            clang.build(path.with_suffix(".c"), path)
            cache[key] = Made(path, replace(by_hand.DESCRIPTION, **fields))
        return cache[key]

    return of


@pytest.fixture(scope="session")
def tiny(make: Callable[..., Made]) -> Callable[..., Made]:
    """Build a program that only returns a verdict."""

    def of(name: str = "tiny", verdict: int = PASS, target: str = "xdp") -> Made:
        return make(
            c=TINY.format(section=target, name=name, verdict=verdict),
            program=name,
            function=name,
            section=target,
            target=target,
            maps=(),
            tables=(),
            counters=(),
        )

    return of


@pytest.fixture
def new_namespace() -> Iterator[Callable[[], Namespace]]:
    made: list[Namespace] = []

    def new() -> Namespace:
        made.append(Namespace())
        return made[-1]

    yield new
    for one in made:
        one.remove()


@pytest.fixture
def namespace(new_namespace: Callable[[], Namespace]) -> Iterator[Namespace]:
    """A namespace that the test itself is in."""
    with new_namespace() as one:
        yield one


@pytest.fixture
def foreign_id(tiny: Callable[..., Made], namespace: Namespace) -> int:
    """Attach somebody else's program to `va`; return its id."""
    path = BPFFS / namespace.name
    subprocess.run(["bpftool", "prog", "load", tiny("somebody").object, path], check=True)
    try:
        command = ["bpftool", "net", "attach", "xdp", "pinned", path, "dev", "va"]
        subprocess.run(command, check=True)
    finally:
        os.unlink(path)
    id = attached_id()
    assert id
    return id
