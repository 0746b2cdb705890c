"""The grammar has no hidden conflicts, and its cache can be missing, broken or forbidden."""

from __future__ import annotations

import logging
import os
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


def stored_file(directory: Path) -> Path:
    [file] = directory.iterdir()
    return file


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_read(cache_directory: Path, mode: int) -> None:
    cache.store("kind", "key", (1, "a"))
    stored_file(cache_directory).chmod(mode)
    assert cache.load("kind", "key") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_is_not_read(cache_directory: Path) -> None:
    cache.store("kind", "key", (1, "a"))
    os.chown(stored_file(cache_directory), 65534, 65534)
    assert cache.load("kind", "key") is None
    cache.store("kind", "key", (2, "b"))
    assert cache.load("kind", "key") == (2, "b")


def test_a_link_and_a_pipe_are_not_read(cache_directory: Path, tmp_path: Path) -> None:
    cache.store("kind", "key", (1, "a"))
    file = stored_file(cache_directory)
    elsewhere = file.rename(tmp_path / "elsewhere")
    file.symlink_to(elsewhere)
    assert cache.load("kind", "key") is None
    file.unlink()
    os.mkfifo(file, 0o600)
    assert cache.load("kind", "key") is None


def test_what_is_stored_is_for_the_user_alone(cache_directory: Path) -> None:
    cache.store("kind", "key", (1, "a"))
    assert stored_file(cache_directory).stat().st_mode & 0o077 == 0
    assert cache_directory.stat().st_mode & 0o077 == 0


def test_a_cached_grammar_needs_no_lark(cache_directory: Path) -> None:
    grammar.tables(BUILDERS)
    code = (
        "import sys; from p4xdp.frontend.parser import BUILDERS, grammar; "
        "grammar.tables(BUILDERS); sys.exit('lark' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
