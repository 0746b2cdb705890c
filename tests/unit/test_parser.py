"""The parser: trees, places and messages."""

from __future__ import annotations

from pathlib import Path

from p4xdp.diagnostics import Diagnostics
from p4xdp.frontend import syntax as s
from p4xdp.frontend.parser import parse
from p4xdp.frontend.preprocess import preprocess


def read(tmp_path: Path, text: str) -> s.P4Program:
    path = tmp_path / "prog.p4"
    path.write_text(text)
    diagnostics = Diagnostics()
    source = preprocess(path, (), {}, diagnostics)
    program = parse(source, diagnostics)
    assert diagnostics.found == []
    return program


def test_a_constant(tmp_path: Path) -> None:
    program = read(tmp_path, "const bit<8> a = 1 + 2 * 3;")
    one, two, three = (s.IntLiteral(n) for n in (1, 2, 3))
    value = s.Binary("+", one, s.Binary("*", two, three))
    assert program.declarations == (
        s.Constant(s.BitType("bit", s.IntLiteral(8)), s.Name("a"), value),
    )


def test_the_xdp_model(tmp_path: Path) -> None:
    program = read(tmp_path, "#include <xdp_model.p4>\n")
    names = [d.name.text for d in program.declarations if isinstance(d, s.ArchitectureType)]
    assert names == [
        "parse",
        "filter",
        "ebpfFilter",
        "xdp_parse",
        "xdp_switch",
        "xdp_deparse",
        "xdp",
    ]
