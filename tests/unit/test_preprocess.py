"""The preprocessor: what is included, what macros become, and where everything stands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from p4xdp.diagnostics import CompileError, Diagnostic, Diagnostics
from p4xdp.frontend.lexer import END, Token, tokenize
from p4xdp.frontend.preprocess import Source, preprocess

NO_MACROS: Mapping[str, str] = {}


def source_of(tmp_path: Path, text: str, defines: Mapping[str, str] = NO_MACROS) -> Source:
    path = tmp_path / "main.p4"
    path.write_text(text)
    diagnostics = Diagnostics()
    source = preprocess(path, (), defines, diagnostics)
    assert diagnostics.found == []
    return source


def tokens_of(source: Source) -> list[Token]:
    diagnostics = Diagnostics()
    tokens = tokenize(source, diagnostics)
    assert diagnostics.found == []
    return [token for token in tokens if token.kind != END]


def words(tmp_path: Path, text: str, defines: Mapping[str, str] = NO_MACROS) -> str:
    return " ".join(token.text for token in tokens_of(source_of(tmp_path, text, defines)))


def places(source: Source) -> list[tuple[str, str, int, int]]:
    return [(t.text, Path(t.span.file).name, t.span.line, t.span.column) for t in tokens_of(source)]


def errors_of(path: Path, *include_dirs: Path) -> tuple[Diagnostic, ...]:
    with pytest.raises(CompileError) as caught:
        preprocess(path, include_dirs, {}, Diagnostics())
    return caught.value.diagnostics


def test_text_without_directives_keeps_its_places(tmp_path: Path) -> None:
    source = source_of(tmp_path, "a\n  b /* c\n */ d // e\n\tf")
    assert places(source) == [
        ("a", "main.p4", 1, 1),
        ("b", "main.p4", 2, 3),
        ("d", "main.p4", 3, 5),
        ("f", "main.p4", 4, 2),
    ]


def test_included_text_stands_in_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "part.p4").write_text("x\n y\n")
    source = source_of(tmp_path, 'a\n#include "part.p4"\n b\n')
    assert places(source) == [
        ("a", "main.p4", 1, 1),
        ("x", "part.p4", 1, 1),
        ("y", "part.p4", 2, 2),
        ("b", "main.p4", 3, 2),
    ]
    part = str(tmp_path / "part.p4")
    assert source.files[part] == "x\n y\n"
    assert source.included_at[part].line == 2


def test_macro_text_stands_where_the_macro_is_used(tmp_path: Path) -> None:
    source = source_of(tmp_path, "#define TWO(x) x + y\n#define ONE 8w1\n  ONE TWO(7);\n")
    assert places(source) == [
        ("8w1", "main.p4", 3, 3),
        ("7", "main.p4", 3, 7),
        ("+", "main.p4", 3, 7),
        ("y", "main.p4", 3, 7),
        (";", "main.p4", 3, 13),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define A 1\nA AB", "1 AB"),
        ("#define A B\n#define B 2\nA", "2"),
        ("#define A A B\n#define B A\nA", "A A"),
        ("#define F(a, b) b a\nF(1, (2, 3))", "( 2 , 3 ) 1"),
        ("#define F(a) a\nF F(F(3))", "F 3"),
        ("#define F(a) a\nF\n(\n4 /* ) */\n)", "4"),
        ("#define CAT(a, b) a##b\nCAT(ab, cd)", "abcd"),
        ("#define STR(a) #a\nSTR(x y)", '"x y"'),
        ("#define ALL(...) f(__VA_ARGS__)\nALL(1, 2)", "f ( 1 , 2 )"),
        ("#define P +1\n+P", "+ + 1"),
        ("#define LONG 1 + \\\n  2\nLONG", "1 + 2"),
        ("#define A 1 // one\nA", "1"),
        ("#define A 1\n#undef A\nA", "A"),
        ('#define A 1\n"A" // A\n/* A */ A', '"A" 1'),
        ("#define EMPTY\na EMPTY b", "a b"),
    ],
)
def test_macros(tmp_path: Path, text: str, expected: str) -> None:
    assert words(tmp_path, text) == expected


def test_a_number_is_no_place_for_a_macro(tmp_path: Path) -> None:
    assert source_of(tmp_path, "#define W 1\n8W W").text.split() == ["8W", "1"]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("1", True),
        ("0", False),
        ("defined(A)", True),
        ("defined B", False),
        ("!defined(B) && defined(A)", True),
        ("A == 3", True),
        ("A >= 4 || B", False),
        ("(A << 2) == 12", True),
        ("A ? 0 : 1", False),
        ("A < 20180101", True),
        ("UNKNOWN == 0", True),
    ],
)
def test_conditions(tmp_path: Path, condition: str, holds: bool) -> None:
    text = f"#if {condition}\nyes\n#else\nno\n#endif\n"
    assert words(tmp_path, text, {"A": "3"}) == ("yes" if holds else "no")


def test_only_one_branch_counts(tmp_path: Path) -> None:
    text = "#ifdef A\na\n#elif defined(B)\nb\n#elif 1\nc\n#else\nd\n#endif\n"
    assert words(tmp_path, text, {"A": ""}) == "a"
    assert words(tmp_path, text, {"B": ""}) == "b"
    assert words(tmp_path, text) == "c"


def test_what_is_left_out_need_not_make_sense(tmp_path: Path) -> None:
    text = '#if 0\nit\'s "open\n#if nonsense(\n#else\n#endif\n#error no\n#include "none"\n#endif\na'
    assert words(tmp_path, text) == "a"


def test_directives_in_comments_do_nothing(tmp_path: Path) -> None:
    assert words(tmp_path, "/*\n#define A 1\n#if 0\n*/ A // \\\n#if 0\nA") == "A A"


def test_line_directives_move_places(tmp_path: Path) -> None:
    source = source_of(tmp_path, '#line 40 "other.p4"\na\n# 7 "third.p4" 2\n b\n#line 3\nc')
    assert places(source) == [
        ("a", "other.p4", 40, 1),
        ("b", "third.p4", 7, 2),
        ("c", "third.p4", 3, 1),
    ]


def test_file_and_line_macros(tmp_path: Path) -> None:
    source = source_of(tmp_path, "\n__LINE__ __FILE__")
    assert [t.text for t in tokens_of(source)] == ["2", f'"{tmp_path / "main.p4"}"']


def test_pragmas_of_the_preprocessor_are_left_out(tmp_path: Path) -> None:
    assert words(tmp_path, "#pragma once\na") == "a"


def test_line_ends_and_byte_order_marks(tmp_path: Path) -> None:
    path = tmp_path / "main.p4"
    path.write_bytes(b"\xef\xbb\xbfa\r\n#define B 1\r\n B\r\n")
    source = preprocess(path, (), {}, Diagnostics())
    assert places(source) == [("a", "main.p4", 1, 1), ("1", "main.p4", 3, 2)]


def test_search_order(tmp_path: Path) -> None:
    beside, first, second = (tmp_path / name for name in ("beside", "first", "second"))
    for directory in (beside, first, second):
        directory.mkdir()
        (directory / "part.p4").write_text(directory.name)
    (second / "only.p4").write_text("only")
    main = beside / "main.p4"
    main.write_text('#include "part.p4"\n#include <part.p4>\n#include "only.p4"\n')
    source = preprocess(main, (first, second), {}, Diagnostics())
    assert [t.text for t in tokens_of(source)] == ["beside", "first", "only"]


def test_a_program_may_bring_its_own_core(tmp_path: Path) -> None:
    (tmp_path / "core.p4").write_text("mine")
    assert words(tmp_path, '#include "core.p4"\n') == "mine"
    assert "packet_in" in words(tmp_path, "#include <core.p4>\n").split()


@pytest.mark.parametrize("name", ["core.p4", "ebpf_model.p4", "xdp_model.p4"])
def test_our_files_may_be_included_twice(tmp_path: Path, name: str) -> None:
    once = words(tmp_path, f"#include <{name}>\n")
    assert words(tmp_path, f"#include <{name}>\n#include <core.p4>\n#include <{name}>\n") == once


def test_an_included_file_may_be_named_by_a_macro(tmp_path: Path) -> None:
    (tmp_path / "part.p4").write_text("x")
    assert words(tmp_path, '#define FILE "part.p4"\n#include FILE\n') == "x"


def test_a_missing_include_says_where_it_was_looked_for(tmp_path: Path) -> None:
    main = tmp_path / "main.p4"
    main.write_text('a\n  #include "gone.p4"\n')
    warning, error = errors_of(main, Path("/some/where"))
    assert warning.code == "include-dir"
    assert (error.code, error.span and (error.span.line, error.span.column)) == (
        "missing-include",
        (2, 3),
    )
    assert error.help is not None
    assert str(tmp_path) in error.help
    assert "/some/where" in error.help


def test_an_error_in_an_included_file_says_who_included_it(tmp_path: Path) -> None:
    (tmp_path / "part.p4").write_text("#error wrong\n")
    main = tmp_path / "main.p4"
    main.write_text('\n#include "part.p4"\n')
    (error,) = errors_of(main)
    assert error.span is not None
    assert Path(error.span.file).name == "part.p4"
    assert [note.span and note.span.line for note in error.notes] == [2]


def test_an_include_of_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    main = tmp_path / "main.p4"
    main.write_text(f'#include "{"a" * 300}"\n#include <{"b" * 300}>\n')
    assert [error.code for error in errors_of(main)] == ["missing-include", "missing-include"]


def test_what_is_no_text_is_told_once(tmp_path: Path) -> None:
    main = tmp_path / "main.p4"
    main.write_bytes(b"const bit<8> a = 1;\nconst \0\0 bit<8>\0 b = 1;\n")
    (error,) = errors_of(main)
    assert (error.code, error.span and error.span.line, error.span and error.span.column) == (
        "illegal-character",
        2,
        7,
    )
    assert error.help is not None
    assert "UTF-8" in error.help


def test_files_that_include_each_other(tmp_path: Path) -> None:
    main = tmp_path / "main.p4"
    main.write_text('#include "main.p4"\n')
    errors = errors_of(main)
    assert {error.code for error in errors} == {"include-cycle"}
    assert all("`#ifndef NAME`" in (error.help or "") for error in errors)


def test_no_input(tmp_path: Path) -> None:
    (error,) = errors_of(tmp_path / "gone.p4")
    assert (error.code, error.text.split(": ")[-1]) == ("no-input", "there is no such file")
    (error,) = errors_of(tmp_path)
    assert (error.code, error.text.split(": ")[-1]) == ("no-input", "it is a directory")


@pytest.mark.parametrize("text", ["", "\n \t\n"])
def test_empty_input(tmp_path: Path, text: str) -> None:
    main = tmp_path / "main.p4"
    main.write_text(text)
    assert [error.code for error in errors_of(main)] == ["empty-input"]


def test_comments_are_a_program(tmp_path: Path) -> None:
    main = tmp_path / "main.p4"
    main.write_text("/* nothing **/\n// nothing\n")
    diagnostics = Diagnostics()
    preprocess(main, (), {}, diagnostics)
    assert diagnostics.found == []


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    main = tmp_path / "main.p4"
    main.write_bytes("// fine é\nab \xff\xfe cd".encode("latin-1").replace(b"\xe9", b"\xc3\xa9"))
    (error,) = errors_of(main)
    assert error.code == "not-utf8"
    assert error.span is not None
    assert (error.span.line, error.span.column) == (2, 4)
    assert "0xFF" in error.text


def test_a_bad_macro_on_the_command_line(tmp_path: Path) -> None:
    main = tmp_path / "main.p4"
    main.write_text("a")
    with pytest.raises(CompileError) as caught:
        preprocess(main, (), {"1X": "2"}, Diagnostics())
    assert [error.code for error in caught.value.diagnostics] == ["bad-directive"]
