"""Finding clang and building with it: what a user sees when something is not there."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from p4xdp.diagnostics import CompileError, Diagnostic
from p4xdp.runtime import clang, objectfile

LICENSE = 'char _license[] __attribute__((section("license"), used)) = "GPL";\n'
PASS = '__attribute__((section("xdp"), used)) int pass(void *ctx) { return 2; }\n' + LICENSE
WIDE = (
    '__attribute__((section("xdp"), used)) int wide(int *ctx) {\n'
    "    volatile char b[600];\n"
    "    for (int i = 0; i < 600; i++) b[i] = i;\n"
    "    return b[*ctx & 511];\n"
    "}\n"
)
needs_clang = pytest.mark.skipif(not any(clang.installed()), reason="no clang on PATH")


def only(error: pytest.ExceptionInfo[CompileError]) -> Diagnostic:
    (diagnostic,) = error.value.diagnostics
    return diagnostic


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "a.c").write_text(PASS)
    return tmp_path / "a.c"


def test_no_clang_says_how_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("P4XDP_CLANG", raising=False)
    with pytest.raises(CompileError) as error:
        clang.find()
    assert only(error).code == "clang-missing"
    assert only(error).text == "clang is not on PATH (looked for clang and clang-11 to clang-21)"
    assert "apt install clang" in (only(error).help or "")


def test_clang_without_bpf_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = script(tmp_path / "clang", '[ "$1" = --version ] && echo clang version 1.0 || exit 1')
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("P4XDP_CLANG", raising=False)
    with pytest.raises(CompileError) as error:
        clang.find()
    assert only(error).code == "clang-missing"
    assert only(error).text == f"no clang with the bpf target: {path} cannot build BPF"


def test_wanted_clang_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("P4XDP_CLANG", "/no/such/clang")
    with pytest.raises(CompileError) as error:
        clang.find()
    assert only(error).code == "clang-missing"
    assert only(error).text == "P4XDP_CLANG names `/no/such/clang`, which is not there"


def test_wanted_clang_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = script(tmp_path / "mine", "echo clang version 99.1.2")
    monkeypatch.setenv("P4XDP_CLANG", str(path))
    assert clang.find() == clang.Clang(path, "99.1.2")


@needs_clang
@pytest.mark.clang
def test_build_writes_one_object(source: Path) -> None:
    built = clang.build(source, source.with_suffix(".o"))
    assert built.object.read_bytes()[:4] == b"\x7fELF"
    assert built.warnings == ""
    assert sorted(p.name for p in source.parent.iterdir()) == ["a.c", "a.o"]


@needs_clang
@pytest.mark.clang
def test_wrong_c_is_our_fault_and_leaves_nothing(source: Path) -> None:
    source.write_text("int f(void) { return x; }\n")
    with pytest.raises(CompileError) as error:
        clang.build(source, source.with_suffix(".o"))
    assert only(error).code == "clang-failed"
    assert "use of undeclared identifier 'x'" in only(error).text
    assert "fault of p4xdp" in (only(error).help or "")
    assert [p.name for p in source.parent.iterdir()] == ["a.c"]


@needs_clang
@pytest.mark.clang
def test_missing_header_says_how_to_install(source: Path) -> None:
    source.write_text("#include <bpf/no_such_header.h>\n")
    with pytest.raises(CompileError) as error:
        clang.build(source, source.with_suffix(".o"))
    assert only(error).code == "clang-headers"
    assert only(error).text == "clang does not find the header `bpf/no_such_header.h`"
    assert "libbpf-dev" in (only(error).help or "")


@needs_clang
@pytest.mark.clang
@pytest.mark.parametrize("one", list(clang.installed()), ids=lambda c: c.version)
def test_too_much_stack_can_be_told_apart(source: Path, one: clang.Clang) -> None:
    source.write_text(WIDE)
    with pytest.raises(clang.TooBig) as error:
        clang.build(source, source.with_suffix(".o"), clang=one)
    assert error.value.reason == "stack"
    assert [p.name for p in source.parent.iterdir()] == ["a.c"]


def test_output_in_no_directory_is_named(source: Path, tmp_path: Path) -> None:
    fake = clang.Clang(Path("/bin/true"), "1")
    with pytest.raises(CompileError) as error:
        clang.build(source, tmp_path / "no" / "a.o", clang=fake)
    assert only(error).code == "cannot-write"
    assert only(error).text == f"cannot write {tmp_path}/no/a.o: No such file or directory"


@needs_clang
@pytest.mark.clang
@pytest.mark.parametrize("one", list(clang.installed()), ids=lambda c: c.version)
def test_object_tells_instructions_and_stack(source: Path, one: clang.Clang) -> None:
    source.write_text(WIDE.replace("600", "400").replace("511", "255") + PASS)
    built = clang.build(source, source.with_suffix(".o"), clang=one)
    found = {f.name: f for f in objectfile.functions(built.object)}
    assert found["pass"] == objectfile.Function("pass", "xdp", 2, 0)
    assert found["wide"].stack == 400


def test_something_else_is_no_object(tmp_path: Path) -> None:
    (tmp_path / "a.o").write_text("hello")
    with pytest.raises(CompileError) as error:
        objectfile.functions(tmp_path / "a.o")
    assert only(error).code == "bad-object"
