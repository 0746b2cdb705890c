"""Fixtures for all tests: places that may not be there, and where their builds are kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from p4xdp.stf.places import CaseResult


def _require(place: str, result: CaseResult) -> None:
    if result.skipped is None:
        return
    if place in os.environ.get("P4XDP_REQUIRE", "").split(","):
        pytest.fail(f"P4XDP_REQUIRE names {place}: {result.skipped}")
    pytest.skip(result.skipped)


@pytest.fixture
def require_place() -> Callable[[str, CaseResult], None]:
    """Return a function that skips with the result's reason.

    It fails instead when $P4XDP_REQUIRE (`native,kernel`) names the place.
    """
    return _require


@pytest.fixture(scope="session")
def build_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of builds that the tests of one run share."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    path = shared / "builds"
    path.mkdir(exist_ok=True)
    return path
