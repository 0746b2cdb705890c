"""A small v1model program around the lines that a test is about, on the interpreter."""

from __future__ import annotations

import tempfile
from pathlib import Path

from interp_case import typed_program

from p4xdp.interp import load
from p4xdp.stf.entries_file import read_requests
from p4xdp.stf.interp import InterpPlace

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header H4 {{ bit<8> a; bit<8> b; bit<8> c; bit<8> d; }}
struct Hdr {{ H4 h; }}
struct M {{ }}
parser P(packet_in b, out Hdr hd, inout M m, inout standard_metadata_t s) {{
    state start {{ b.extract(hd.h); transition accept; }}
}}
control V(inout Hdr hd, inout M m) {{ apply {{ }} }}
control I(inout Hdr hd, inout M m, inout standard_metadata_t s) {{
    {decl}
    apply {{ {body} }}
}}
control E(inout Hdr hd, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out b, in Hdr hd) {{ apply {{ b.emit(hd.h); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


def place(decl: str, body: str) -> InterpPlace:
    return InterpPlace(load(typed_program(PROGRAM.format(decl=decl, body=body))))


def fill(at: InterpPlace, text: str, name: str = "commands.txt") -> None:
    """Carry out a file of entries."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text)
        at.control.apply(read_requests(path))


def left(at: InterpPlace, data: str) -> list[tuple[int, str]]:
    """Send a packet (hexadecimal digits) to port 0; return (port, digits) of those that leave."""
    outcome = at.send(0, bytes.fromhex(data))
    return [(port, packet.hex()) for port, packet in outcome.packets]
