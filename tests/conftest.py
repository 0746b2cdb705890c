"""Fixtures for all tests: places that may not be there, and where their builds are kept."""

from __future__ import annotations

import difflib
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from p4xdp.stf.places import CaseResult

GOLDEN = Path(__file__).parent / "golden"

for number, handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGTERM, signal.SIG_DFL),
):
    # `nohup`, and a shell that puts the run in the background, leave them ignored
    signal.signal(number, handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what the compiler gives now into tests/golden",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return a function that compares a text with a file of tests/golden, or writes the file."""
    update = request.config.getoption("--update-golden")

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if update:
            path.write_text(text)
        before = path.read_text() if path.exists() else ""
        lines = difflib.unified_diff(
            before.splitlines(), text.splitlines(), f"golden/{name}", "now", lineterm=""
        )
        if before != text:
            pytest.fail("\n".join([*lines, "pytest --update-golden accepts this"]), pytrace=False)

    return compare


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
