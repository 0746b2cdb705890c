"""The command line as a user meets it: whole processes, their output and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
XDP1 = ROOT / "examples" / "xdp1.p4"


def p4xdp(
    *arguments: str | Path, cwd: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "p4xdp.cli", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        capture_output=True,
        text=True,
        timeout=120,
    )


def first_line(result: subprocess.CompletedProcess[str]) -> str:
    return result.stderr.splitlines()[0] if result.stderr else ""


def test_compile_writes_three_files_and_a_summary(tmp_path: Path) -> None:
    result = p4xdp("--target", "xdp", "-o", "out.c", XDP1, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.c", "out.h", "out.json"]
    assert result.stdout.startswith("xdp1: 0 tables, 0 maps, stack")
    assert json.loads((tmp_path / "out.json").read_text())["program"] == "xdp1"


@pytest.mark.parametrize("command", ["compile", pytest.param("build", marks=pytest.mark.clang)])
def test_a_pipe_is_written_to_and_stays(command: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.o"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        result = p4xdp(command, "-o", pipe, XDP1, cwd=tmp_path)
        assert (result.returncode, result.stderr) == (0, "")
        assert os.read(reader, 60000)
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_standard_output_gets_the_c_alone(tmp_path: Path) -> None:
    p4xdp("-o", "a.c", XDP1, cwd=tmp_path)
    result = p4xdp("-o", "-", XDP1, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, (tmp_path / "a.c").read_text())
    assert first_line(result).startswith("xdp1: 0 tables")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.c", "a.h", "a.json"]


def test_a_name_of_an_open_file_is_not_replaced(tmp_path: Path) -> None:
    """As root, a rename to what `/dev/stdout` is would take it from the whole machine."""
    name = tmp_path / "stdout"
    name.symlink_to("/proc/self/fd/1")
    with (tmp_path / "a.c").open("w") as file:
        file.write("/* before */\n")
        file.flush()
        command = [sys.executable, "-m", "p4xdp.cli", "-o", str(name), str(XDP1)]
        subprocess.run(command, cwd=ROOT, stdout=file, check=True, timeout=120)
    assert name.is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.c", "stdout"]
    text = (tmp_path / "a.c").read_text()
    assert text.startswith("/* before */\n")
    assert "SEC(" in text


def test_compile_is_the_same_twice(tmp_path: Path) -> None:
    for name in ("a.c", "b.c"):
        p4xdp("-o", name, XDP1, cwd=tmp_path, environment={"PYTHONHASHSEED": str(ord(name[0]))})
    a, b = ((tmp_path / n).read_text() for n in ("a.c", "b.c"))
    assert a == b


def test_a_bare_file_name_compiles_into_the_current_directory(tmp_path: Path) -> None:
    assert p4xdp(XDP1, cwd=tmp_path).returncode == 0
    assert (tmp_path / "xdp1.c").exists()


def test_compile_needs_neither_clang_nor_path(tmp_path: Path) -> None:
    result = p4xdp("-o", "out.c", XDP1, cwd=tmp_path, environment={"PATH": "/nonexistent"})
    assert result.returncode == 0


def test_check_prints_diagnostics_as_json(tmp_path: Path) -> None:
    (tmp_path / "bad.p4").write_text("const bit<8> a = b;\n")
    result = p4xdp("check", "--json", "bad.p4", cwd=tmp_path)
    assert result.returncode == 1
    [found] = json.loads(result.stdout)
    assert found["place"]["file"] == "bad.p4"
    assert (found["place"]["line"], found["place"]["column"]) == (1, 18)


@pytest.mark.parametrize(
    "arguments",
    [[], ["--no-such-option", "a.p4"], ["load", "a.p4"], ["-D", "1x=2", "a.p4"], ["run", "a.p4"]],
)
def test_wrong_usage_is_2_and_says_where_help_is(tmp_path: Path, arguments: list[str]) -> None:
    result = p4xdp(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert "--help" in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unknown_pass_lists_the_passes(tmp_path: Path) -> None:
    result = p4xdp("--dump-after", "nothing", XDP1, cwd=tmp_path)
    assert result.returncode == 2
    assert "simplify" in result.stderr


def test_dump_after_prints_the_program(tmp_path: Path) -> None:
    result = p4xdp("--dump-after", "simplify", XDP1, cwd=tmp_path)
    assert result.returncode == 0
    assert "// after simplify" in result.stdout


def test_help_has_examples_and_version_a_number(tmp_path: Path) -> None:
    assert "p4xdp --target xdp -o out.c prog.p4" in p4xdp("--help", cwd=tmp_path).stdout
    assert p4xdp("--version", cwd=tmp_path).stdout.startswith("p4xdp 0.")
    include = p4xdp("--include-dir", cwd=tmp_path).stdout.strip()
    assert (Path(include) / "p4xdp.h").exists()


def test_a_failed_compile_leaves_earlier_output_alone(tmp_path: Path) -> None:
    (tmp_path / "out.c").write_text("precious")
    (tmp_path / "bad.p4").write_text("const bit<8> a = b;\n")
    assert p4xdp("-o", "out.c", "bad.p4", cwd=tmp_path).returncode == 1
    assert (tmp_path / "out.c").read_text() == "precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.p4", "out.c"]


def test_output_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "out.h").mkdir()
    result = p4xdp("-o", "out.c", XDP1, cwd=tmp_path)
    assert result.returncode == 1
    assert "cannot write out.h" in first_line(result)
    assert [p.name for p in tmp_path.iterdir()] == ["out.h"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("-o", "a.txt", "a.txt"),
        ("-o", "a.c", "a.h"),
        ("build", "-o", "a.p4", "a.p4"),
        ("build", "-o", "b.c", "a.p4"),
        ("build", "-o", "a.txt", "a.txt"),
        ("run", "a.p4", XDP1.with_suffix(".pcap"), "-o", "a.p4"),
        ("run", "a.p4", "a.pcap", "-o", "a.pcap"),
        ("-o", "b/", "a.p4"),
        ("build", "-o", "b/", "a.p4"),
        ("run", "a.p4", "a.pcap", "-o", "b/"),
        ("-o", "b/a.c", "a.p4"),
        ("build", "-o", "b/a.o", "a.p4"),
        ("run", "a.p4", "a.pcap", "-o", "b/a.pcap"),
        ("-o", "", "a.p4"),
        ("-o", "/", "a.p4"),
        ("build", "-o", ".", "a.p4"),
        ("-o", "a" * 300, "a.p4"),
        ("build", "-o", "a" * 300, "a.p4"),
    ],
)
def test_no_program_is_overwritten_and_bad_names_are_told(
    tmp_path: Path, arguments: tuple[str | Path, ...]
) -> None:
    program, capture = XDP1.read_bytes(), XDP1.with_suffix(".pcap").read_bytes()
    before = {"a.h": program, "a.p4": program, "a.pcap": capture, "a.txt": program}
    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    result = p4xdp(*arguments, cwd=tmp_path)
    assert result.returncode == 1
    assert first_line(result).startswith("error[cannot-write]: ")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "way"),
    [
        (("-o", "b c/a.c", XDP1), "help: make its directory first: `mkdir -p 'b c'`"),
        (("-o", "b/", XDP1), "help: name a file in it: `-o b/NAME`"),
        (("build", "-o", "d", XDP1), "help: name a file in it: `-o d/NAME`"),
        (("-o", "/proc/a.c", XDP1), "help: name another file with `-o`"),
        (("-o", "a" * 300, XDP1), "help: name another file with `-o`"),
    ],
)
def test_an_output_that_cannot_be_written_says_what_to_do(
    tmp_path: Path, arguments: tuple[str | Path, ...], way: str
) -> None:
    (tmp_path / "d").mkdir()
    result = p4xdp(*arguments, cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == way


@pytest.mark.parametrize(
    "arguments",
    [
        ("load", XDP1, "--dev", "a", "--dev", "b"),
        ("unload", "--dev", "a", "--dev", "b"),
        ("status", "--dev", "a", "--dev", "b"),
        ("-o", "a", "-o", "b", XDP1),
        ("run", XDP1, "c", "--entries", "a", "--entries", "b"),
    ],
)
def test_what_means_one_thing_is_not_given_twice(
    tmp_path: Path, arguments: tuple[str | Path, ...]
) -> None:
    result = p4xdp(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert " is given twice: a and b" in first_line(result)


def test_a_missing_include_directory_is_named(tmp_path: Path) -> None:
    arguments = ("check", "-I", "nowhere", "-I", ".", "-I", XDP1, XDP1)
    result = p4xdp(*arguments, cwd=tmp_path)
    assert result.returncode == 0
    expected = f"warning[include-dir]: `-I` names what is no directory: `nowhere`, `{XDP1}`"
    assert first_line(result) == expected
    assert p4xdp(*arguments, "-Wno-include-dir", cwd=tmp_path).stderr == ""
    assert p4xdp(*arguments, "-Werror=include-dir", cwd=tmp_path).returncode == 1


@pytest.mark.veth
@pytest.mark.clang
def test_a_case_with_copies_is_skipped_over_veth(tmp_path: Path) -> None:
    program = ROOT / "examples" / "v1model" / "clone.p4"
    (tmp_path / "a.stf").write_text("mirroring_add 7 3\npacket 1 00\n")
    result = p4xdp("test", program, "a.stf", "--on", "veth", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout == (
        "veth: skipped: copies of packets are not sent over veth: `kernel` runs such cases\n"
    )


def test_an_empty_test_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.stf").write_text("# packet 0 01\n")
    result = p4xdp("test", XDP1, "a.stf", "--on", "interp", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "interp: passed\n")
    assert first_line(result) == "warning[empty-test]: a.stf holds no statement: nothing is tested"


@pytest.mark.parametrize("path", ["a" * 300, "/dev/null", "/"])
@pytest.mark.parametrize("command", [("run", XDP1), ("trace", XDP1), ("test", XDP1)])
def test_what_is_no_file_is_no_input(command: tuple[str | Path, ...], path: str) -> None:
    result = p4xdp(*command, path, cwd=ROOT)
    assert result.returncode == 1
    assert first_line(result).startswith("error[no-input]: ")


BAD_INPUT = {
    "missing": (None, "no-input", "cannot read `bad.p4`: there is no such file"),
    "empty": ("", "empty-input", "`bad.p4` is empty"),
    "no main": ("#include <core.p4>\n", "no-main", "the program has no `main`"),
    "missing include": (
        "#include <nothing.p4>\n",
        "missing-include",
        "the file `nothing.p4` is not found",
    ),
    "unknown name": ("const bit<8> alpha = 1;\nconst bit<8> b = alpa;\n", "undeclared", "`alpa`"),
    "type error": (
        "const bool a = 8w1;\n",
        "type-mismatch",
        "bool",
    ),
    "syntax": ("header {\n", "syntax", "expected"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_named(tmp_path: Path, case: str) -> None:
    text, code, words = BAD_INPUT[case]
    if text is not None:
        (tmp_path / "bad.p4").write_text(text)
    result = p4xdp("-o", "out.c", "bad.p4", cwd=tmp_path)
    assert result.returncode == 1
    assert f"[{code}" in first_line(result)
    assert words in first_line(result)
    assert "bad.p4" in first_line(result)
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out.c").exists()


def test_a_directory_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "bad.p4").mkdir()
    result = p4xdp("bad.p4", cwd=tmp_path)
    assert result.returncode == 1
    assert "directory" in first_line(result)


def test_deep_nesting_gives_no_traceback(tmp_path: Path) -> None:
    deep = 10_000
    (tmp_path / "deep.p4").write_text(f"const bit<8> a = {'(' * deep}1{')' * deep};\n")
    result = p4xdp("check", "deep.p4", cwd=tmp_path)
    assert result.returncode in (0, 1)
    assert "Traceback" not in result.stderr


def test_rejected_packets_may_be_dropped_quietly(tmp_path: Path) -> None:
    p4xdp("-o", "a.c", "--on-reject", "drop", XDP1, cwd=tmp_path)
    assert "XDP_ABORTED" not in (tmp_path / "a.c").read_text()


def test_a_trace_names_states_keys_and_actions(tmp_path: Path) -> None:
    mactable = ROOT / "examples" / "mactable.p4"
    assert p4xdp("-o", "a.c", "--trace", mactable, cwd=tmp_path).returncode == 0
    c = (tmp_path / "a.c").read_text()
    for text in ("state start", "hd.eth.dst = 0x%llx", "Switch.mactable: hit", "Drop_action"):
        assert f"{text}" in c
    assert c.count("bpf_printk(") >= 6


def test_ports_of_a_programs_own_are_for_xdp(tmp_path: Path) -> None:
    basic = ROOT / "examples" / "v1model" / "basic.p4"
    result = p4xdp("-o", "a.c", "--target", "tc", basic, cwd=tmp_path)
    assert result.returncode == 1
    assert first_line(result).startswith("error[unsupported]: basic has ports of its own")


def test_tc_says_where_a_program_shortens_packets(tmp_path: Path) -> None:
    decap = ROOT / "examples" / "vxlan_decap.p4"
    result = p4xdp("-o", "a.c", "--target", "tc", decap, cwd=tmp_path)
    assert result.returncode == 1
    line = decap.read_text().splitlines()[int(first_line(result).split(":")[1]) - 1]
    assert "emit" in line
    assert "the tc target cannot do" in first_line(result)
