"""P4 text in, the typed program or its diagnostics out; no file is read but core.p4."""

from __future__ import annotations

import tempfile
from pathlib import Path

from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError, Diagnostic, Diagnostics
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.parser import parse
from p4xdp.frontend.preprocess import preprocess
from p4xdp.frontend.typecheck import check


def parse_text(text: str, diagnostics: Diagnostics | None = None) -> syntax.P4Program:
    """Return the syntax tree; raises CompileError."""
    diagnostics = diagnostics or Diagnostics()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prog.p4"
        path.write_text(text)
        return parse(preprocess(path, (), {}, diagnostics), diagnostics)


def check_text(text: str) -> typed.TypedProgram:
    """Return the typed program; raises CompileError."""
    diagnostics = Diagnostics()
    return call_deep(lambda: check(parse_text(text, diagnostics), diagnostics))


def errors_of(text: str) -> tuple[Diagnostic, ...]:
    """Return what the checker says against a program, nothing for a right one."""
    try:
        check_text(text)
    except CompileError as error:
        return error.diagnostics
    return ()


def declaration(program: typed.TypedProgram, name: str) -> typed.Declaration:
    (found,) = (d for d in program.declarations if d.name == name)
    return found


def constant(text: str, prelude: str = "") -> typed.Expression:
    """Return the value of `const <text>;`, the last declaration behind `prelude`."""
    last = check_text(f"#include <core.p4>\n{prelude}\nconst {text};").declarations[-1]
    assert isinstance(last, typed.Constant)
    return last.value


def control(body: str, local: str = "", prelude: str = "", parameters: str = "") -> typed.Control:
    """Return a control with these parts; `h` is a header parameter of type H."""
    text = f"""
#include <core.p4>
header H {{ bit<8> a; bit<8> b; bit<16> c; int<8> s; bool f; }}
{prelude}
control C(inout H h{parameters}) {{ {local} apply {{ {body} }} }}
"""
    last = check_text(text).declarations[-1]
    assert isinstance(last, typed.Control)
    return last


def statement(body: str, local: str = "", prelude: str = "") -> typed.Statement:
    """Return the last statement of an apply block."""
    return control(body, local, prelude).apply.statements[-1]


def value(expression: str, type: str = "bit<8>", prelude: str = "") -> typed.Expression:
    """Return the expression that initialises a variable."""
    declared = statement(f"{type} x = {expression};", prelude=prelude)
    assert isinstance(declared, typed.Declare)
    assert isinstance(declared.declaration, typed.Variable)
    assert declared.declaration.initial is not None
    return declared.declaration.initial
