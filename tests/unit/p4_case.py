"""A small xdp_model program around the lines that a test is about, compiled to flat IR."""

from __future__ import annotations

import tempfile
from pathlib import Path

from flat_machine import Entries, Outcome, run

from p4xdp.diagnostics import CompileError, Diagnostics
from p4xdp.frontend.elaborate import elaborate
from p4xdp.frontend.parser import parse
from p4xdp.frontend.preprocess import preprocess
from p4xdp.frontend.typecheck import check
from p4xdp.midend import ir
from p4xdp.midend.verify import verify

MODEL = "#include <core.p4>\n#include <xdp_model.p4>\n"

SKELETON = """
#include <core.p4>
#include <xdp_model.p4>
header Eth {{ bit<48> dst; bit<48> src; bit<16> type; }}
header H4 {{ bit<8> a; bit<8> b; bit<8> c; bit<8> d; }}
{types}
struct Hdr {{ Eth eth; H4 h; H4 g; {fields} }}
{functions}
parser P(packet_in p, out Hdr hd) {{
    {parser_locals}
    state start {{ p.extract(hd.eth); p.extract(hd.h); {parse} transition accept; }}
}}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {{
    {decl}
    apply {{ o.output_port = 0; o.output_action = xdp_action.XDP_TX;
    {body}
    }}
}}
control D(in Hdr hd, packet_out p) {{
    apply {{ p.emit(hd.eth); p.emit(hd.h); p.emit(hd.g); {emit} }}
}}
xdp(P(), C(), D()) main;
"""

ETH = bytes(range(12)) + b"\x08\x00"


def compile_text(text: str) -> ir.Program:
    """Return the flat IR of a program; raises CompileError."""
    diagnostics = Diagnostics()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prog.p4"
        path.write_text(text)
        typed = check(parse(preprocess(path, (), {}, diagnostics), diagnostics), diagnostics)
    program = elaborate(typed, diagnostics, name="prog", source="prog.p4")
    verify(program)
    return program


def program(body: str = "", decl: str = "", **parts: str) -> ir.Program:
    """Return the skeleton's program with `decl` and `body` in its control."""
    holes = dict.fromkeys(("types", "fields", "functions", "parser_locals", "parse", "emit"), "")
    return compile_text(SKELETON.format(**{**holes, "decl": decl, "body": body, **parts}))


def fields_of(text: str) -> bytes:
    """Return the bytes of h for text like `a=05 c=0F`, its other fields 0."""
    values = dict.fromkeys("abcd", 0)
    for part in text.split():
        name, value = part.split("=")
        values[name] = int(value, 16)
    return bytes(values.values())


def sent(
    given: str, body: str = "", decl: str = "", entries: Entries | None = None, **parts: str
) -> Outcome:
    """Return what becomes of a packet with the bytes of h as `given`."""
    return run(program(body, decl, **parts), ETH + fields_of(given) + b"tail", entries)


def check_bytes(
    given: str,
    wanted: str,
    body: str = "",
    decl: str = "",
    entries: Entries | None = None,
    **parts: str,
) -> None:
    """Check that h leaves as `wanted`: fields that it does not name are as `given`."""
    outcome = sent(given, body, decl, entries, **parts)
    expected = fields_of(f"{given} {wanted}")
    assert outcome.error is None
    assert outcome.packet[14:].hex() == (expected + b"tail").hex()
    assert outcome.packet[:14] == ETH


def errors_of(text: str) -> list[tuple[str, int, str]]:
    """Return code, line and text of what is wrong with a whole program."""
    try:
        compile_text(text)
    except CompileError as error:
        return [(d.code, d.span.line if d.span else 0, d.text) for d in error.diagnostics]
    return []
