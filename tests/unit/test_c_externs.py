"""Extern functions in C: what is refused, and the C around them."""

from __future__ import annotations

from pathlib import Path

import pytest

from p4xdp.commands import _c_file
from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime.clang import Clang, _our_fault

CLANG = Clang(Path("clang"), "14.0.6")

PROGRAM = """#include <core.p4>
#include <ebpf_model.p4>
header H {{ bit<8> v; varbit<8> more; }}
header One {{ bit<8> v; bit<80> wide; }}
header_union U {{ One one; }}
struct Hdr {{ One h; One[2] st; U u; }}
{declaration}
parser P(packet_in p, out Hdr hd) {{ state start {{ p.extract(hd.h); transition accept; }} }}
control C(inout Hdr hd, out bool pass) {{
    H h;
    One one;
    bit<80> wide;
    apply {{
        pass = true;
        {call};
    }}
}}
ebpfFilter(P(), C()) main;
"""


def compiled(tmp_path: Path, declaration: str, call: str, c: str = "") -> str:
    program, extern = tmp_path / "a.p4", tmp_path / "some where" / "f.c"
    extern.parent.mkdir(exist_ok=True)
    extern.write_text(c)
    program.write_text(PROGRAM.format(declaration=declaration, call=call))
    options = Options(externs=(extern,), warnings=("no-all",))
    return call_deep(lambda: compile(Session(program, options))).c


@pytest.mark.parametrize(
    ("declaration", "call", "text"),
    [
        ("extern void f(in bit<80> n);", "f(wide)", "parameter `n` is of type `bit<80>`"),
        ("extern void f(in H n);", "f(h)", "`more` in parameter `n` is of type `varbit<8>`"),
        ("extern void f(in One n);", "f(one)", "`wide` in parameter `n` is of type `bit<80>`"),
        ("extern void f(inout One[2] n);", "f(hd.st)", "parameter `n` is of type"),
        ("extern void f(inout U n);", "f(hd.u)", "parameter `n` is of type"),
        ("extern bit<80> f();", "f()", "what it returns is of type `bit<80>`"),
        ("extern void f<T>(in T n);", "f(8w1)", "`f` has type parameters"),
        (
            "extern void f(in bit<8> n); extern void f(in bit<8> n, in bit<8> m);",
            "f(1); f(1, 2)",
            "two functions are called `f`",
        ),
    ],
)
def test_types_that_c_does_not_get(tmp_path: Path, declaration: str, call: str, text: str) -> None:
    with pytest.raises(CompileError) as raised:
        compiled(tmp_path, declaration, call)
    (found,) = raised.value.diagnostics
    assert found.code == "unsupported"
    assert found.text.startswith(text)
    assert found.help
    assert found.span is not None
    assert (found.span.line, found.span.column) >= (15, 9)


def test_a_file_in_another_directory_is_found_and_its_content_is_part_of_the_c(
    tmp_path: Path,
) -> None:
    declaration = "extern void f(in bit<8> n);"
    first = compiled(tmp_path, declaration, "f(1)", "static void f(__u8 n) { (void)n; }\n")
    assert f'#include "{tmp_path / "some where" / "f.c"}"' in first
    again = compiled(tmp_path, declaration, "f(1)", "static void f(__u8 n) { (void)!n; }\n")
    assert first != again


def test_a_call_without_a_file_names_the_option(tmp_path: Path) -> None:
    program = tmp_path / "a.p4"
    program.write_text(PROGRAM.format(declaration="extern void f();", call="f()"))
    with pytest.raises(CompileError) as raised:
        call_deep(lambda: compile(Session(program, Options(warnings=("no-all",)))))
    assert "--extern FILE.c" in str(raised.value.diagnostics[0].help)


def test_an_error_in_the_c_of_the_user_is_no_fault_of_ours(tmp_path: Path) -> None:
    command = ["clang", "-c", "/tmp/out.c"]
    found = _our_fault(CLANG, command, "/home/me/f.c:1:2: error: no `x`\n")
    assert found.diagnostics[0].help == "the first error is in /home/me/f.c: mend it there"
    missing = "/tmp/out.c:1:2: error: implicit declaration of function 'f' is invalid in C99\n"
    found = _our_fault(CLANG, command, missing)
    assert found.diagnostics[0].help == "write the function `f` in the file of `--extern`"
    found = _our_fault(CLANG, command, "/tmp/out.c:1:2: error: no `x`\n")
    assert "a fault of p4xdp" in str(found.diagnostics[0].help)


def test_a_path_that_c_cannot_name(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as raised:
        _c_file(tmp_path / 'a"b.c')
    assert raised.value.diagnostics[0].code == "no-input"
