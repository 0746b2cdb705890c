"""Generated headers in strict dialects of C and C++, and with odd names of files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from p4xdp.deep import call_deep
from p4xdp.driver import Session, compile
from p4xdp.options import Options

ROOT = Path(__file__).parent.parent.parent
DIALECTS = {
    "c11": ["gcc", "-std=c11"],
    "gnu17": ["gcc", "-std=gnu17"],
    "c++11": ["g++", "-x", "c++", "-std=c++11"],
    "c++20": ["g++", "-x", "c++", "-std=c++20"],
}
FLAGS = ["-Wall", "-Wextra", "-Wredundant-decls", "-Werror", "-pedantic", "-fsyntax-only"]


def header_of(program: Path, lpm: str = "trie") -> str:
    session = Session(program, Options(include_dirs=(ROOT / "examples",), lpm=lpm))
    return call_deep(lambda: compile(session)).header


def accepted(dialect: str, directory: Path) -> None:
    command = DIALECTS[dialect]
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} here")
    user = directory / "user.c"
    names = sorted(path.name for path in directory.glob("*.h"))
    user.write_text("".join(f'#include "{name}"\n' for name in [*names, *names]))
    done = subprocess.run([*command, *FLAGS, user], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("dialect", DIALECTS)
def test_headers_of_two_programs_go_together(dialect: str, tmp_path: Path) -> None:
    for name in ("acl", "mactable"):
        (tmp_path / f"{name}.h").write_text(header_of(ROOT / "examples" / f"{name}.p4"))
    (tmp_path / "router6.h").write_text(header_of(ROOT / "examples" / "router6.p4", "masks"))
    accepted(dialect, tmp_path)


@pytest.mark.parametrize("name", ['my "prog" \\q', "new\nline", "router.v2", "static", "1st"])
def test_a_file_may_have_any_name(name: str, tmp_path: Path) -> None:
    program = tmp_path / f"{name}.p4"
    shutil.copy(ROOT / "examples" / "mactable.p4", program)
    (tmp_path / "out.h").write_text(header_of(program))
    accepted("c11", tmp_path)


def test_the_pin_directory_has_no_dots(tmp_path: Path) -> None:
    program = tmp_path / "router.v2.p4"
    shutil.copy(ROOT / "examples" / "mactable.p4", program)
    assert '#define ROUTER_V2_PROGRAM "router_v2"\n' in header_of(program)


def test_only_ternary_tables_bring_their_functions() -> None:
    assert "p4xdp_ternary" not in header_of(ROOT / "examples" / "mactable.p4")
    assert "p4xdp_ternary" in header_of(ROOT / "examples" / "acl.p4")
