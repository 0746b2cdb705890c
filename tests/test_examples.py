"""What holds for every example: an ordinary user without clang compiles it, the same each time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from p4xdp.commands import include_dir
from p4xdp.runtime import clang
from p4xdp.runtime.objectfile import functions

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted([*ROOT.glob("examples/*.p4"), *ROOT.glob("examples/v1model/*.p4")])
NOBODY = 65534
WARNINGS = ("-Wall", "-Wextra", "-Werror")
COMPILE_ALL = """
import os, sys
os.environ["PATH"] = "/nonexistent"
from p4xdp.cli import main
examples, here, codes = sys.argv[1], os.getcwd(), []
for path in sys.argv[2:]:
    os.makedirs(os.path.join(here, os.path.dirname(path)), exist_ok=True)
    os.chdir(os.path.join(here, os.path.dirname(path)))
    codes.append(main([os.path.join(examples, path)]))
sys.exit(max(codes))
"""


def compile_as_nobody(directory: Path, seed: int) -> dict[str, bytes]:
    """Return what compiling all examples writes, by its path in their directory."""
    directory.mkdir()
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(directory, NOBODY, NOBODY)
    drop = ["setpriv", "--reuid", str(NOBODY), "--clear-groups"] if is_root else []
    names = [str(path.relative_to(ROOT / "examples")) for path in EXAMPLES]
    result = subprocess.run(
        [*drop, sys.executable, "-c", COMPILE_ALL, str(ROOT / "examples"), *names],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stderr) == (0, "")
    written = [path for path in directory.rglob("*") if path.is_file()]
    return {str(path.relative_to(directory)): path.read_bytes() for path in written}


@pytest.fixture(scope="module")
def compiled() -> Iterator[dict[str, bytes]]:
    # not below pytest's own directory, which only its user can enter
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        first = compile_as_nobody(directory / "first", 1)
        assert first == compile_as_nobody(directory / "second", 2)
        yield first


def test_an_ordinary_user_compiles_every_example_the_same_each_time(
    compiled: dict[str, bytes],
) -> None:
    stems = [path.relative_to(ROOT / "examples").with_suffix("") for path in EXAMPLES]
    assert compiled.keys() == {f"{stem}{end}" for stem in stems for end in (".c", ".h", ".json")}


@pytest.mark.clang
@pytest.mark.parametrize("compiler", list(clang.installed()), ids=lambda c: c.version)
def test_no_clang_warns_of_the_c(
    compiled: dict[str, bytes], compiler: clang.Clang, tmp_path: Path
) -> None:
    sources = []
    for name in compiled:
        if name.endswith(".c"):
            sources.append(tmp_path / name.replace("/", "_"))
            sources[-1].write_bytes(compiled[name])
    includes = [f"-I{path}" for path in (include_dir(), *clang.system_include_dirs())]
    command = [compiler.path, "-O2", "-target", "bpf", *WARNINGS, *includes, "-c", *sources]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("language", ["c", "c++"])
def test_the_headers_are_free_of_warnings(
    compiled: dict[str, bytes], language: str, tmp_path: Path
) -> None:
    headers = sorted(name for name in compiled if name.endswith(".h"))
    for name in headers:
        header = tmp_path / name.replace("/", "_")
        header.write_bytes(compiled[name])
        text = f'#include "{header.name}"\nint main(void) {{ return 0; }}\n'
        source = header.with_suffix(".c" if language == "c" else ".cpp")
        source.write_text(text)
        command = ["c++" if language == "c++" else "cc", *WARNINGS, "-fsyntax-only", source]
        result = subprocess.run(command, capture_output=True, text=True)
        assert (result.returncode, result.stderr) == (0, "")


def test_the_c_of_xdp1_is_what_a_person_would_write(compiled: dict[str, bytes]) -> None:
    c = compiled["xdp1.c"].decode()
    assert not re.search(r"SEC\(\"\.maps\"\)|store|adjust_head", c)
    assert c.count("> data_end)") == 2  # one check for each header


def test_nothing_of_the_machine_is_in_the_output(compiled: dict[str, bytes]) -> None:
    for name, content in compiled.items():
        assert str(ROOT).encode() not in content, name


@pytest.mark.clang
@pytest.mark.parametrize("compiler", list(clang.installed()), ids=lambda c: c.version)
def test_xdp1_is_as_small_as_by_hand(
    compiled: dict[str, bytes], compiler: clang.Clang, tmp_path: Path
) -> None:
    ours = tmp_path / "xdp1.c"
    ours.write_bytes(compiled["xdp1.c"])
    twin = ROOT / "bench" / "twins" / "xdp1.c"
    sizes = []
    for source in (ours, twin):
        built = clang.build(source, tmp_path / "a.o", clang=compiler)
        [function] = functions(built.object)
        sizes.append(function.instructions)
        assert function.stack == 0
    assert sizes[0] <= 1.3 * sizes[1]
