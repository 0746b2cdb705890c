"""The grammar has no hidden conflicts, and its cache can be missing, broken or forbidden."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest
from lark import logger

from p4xdp.frontend import cache, grammar
from p4xdp.frontend.lexer import KEYWORDS
from p4xdp.frontend.parser import BUILDERS

TEXT = Path(grammar.__file__).with_name("p4.lark").read_text()


@pytest.fixture(autouse=True)
def cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("P4XDP_CACHE_DIR", str(tmp_path / "cache"))
    grammar.tables.cache_clear()
    return tmp_path / "cache"


def test_only_the_dangling_else_is_ambiguous(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger=logger.name):
        grammar.load_grammar(TEXT)
    conflicts = [r.getMessage() for r in caplog.records if "conflict" in r.getMessage()]
    assert conflicts == ["Shift/Reduce conflict for terminal ELSE: (resolving as shift)"]


def test_every_keyword_of_the_lexer_is_in_the_grammar_and_the_reverse() -> None:
    words = {t for t in grammar.tables(BUILDERS).terminals if t.islower() or t == "_"}
    assert words == KEYWORDS


def test_every_builder_has_a_rule() -> None:
    assert {rule[3] for rule in grammar.tables(BUILDERS).rules} - {""} == BUILDERS


def test_the_cache_gives_what_was_built(cache_directory: Path) -> None:
    built = grammar.tables(BUILDERS)
    (file,) = cache_directory.iterdir()
    grammar.tables.cache_clear()
    assert grammar.tables(BUILDERS) == built
    file.unlink()
    grammar.tables.cache_clear()
    assert grammar.tables(BUILDERS) == built


def test_a_broken_cache_is_not_believed(cache_directory: Path) -> None:
    cache.store("kind", "key", (1, "a"))
    (file,) = cache_directory.iterdir()
    content = file.read_bytes()
    flipped = bytes([*content[:-1], content[-1] ^ 1])
    for damaged in (b"", b"nonsense", content[:-1], content + b"0", flipped):
        file.write_bytes(damaged)
        assert cache.load("kind", "key") is None
    file.write_bytes(content)
    assert cache.load("kind", "key") == (1, "a")


def test_the_cache_may_be_off(cache_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("P4XDP_CACHE_DIR", "")
    assert grammar.tables(BUILDERS).actions
    assert not cache_directory.exists()


def test_the_cache_may_be_no_directory(cache_directory: Path) -> None:
    cache_directory.write_text("a file stands here")
    cache.store("kind", "key", (1, "a"))
    assert cache.load("kind", "key") is None
    assert cache_directory.read_text() == "a file stands here"


def test_the_cache_may_be_where_nobody_can_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("P4XDP_CACHE_DIR", "/proc/self/p4xdp")  # refused for root, too
    cache.store("kind", "key", (1, "a"))
    assert cache.load("kind", "key") is None


def test_a_cached_grammar_needs_no_lark(cache_directory: Path) -> None:
    grammar.tables(BUILDERS)
    code = (
        "import sys; from p4xdp.frontend.parser import BUILDERS, grammar; "
        "grammar.tables(BUILDERS); sys.exit('lark' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
