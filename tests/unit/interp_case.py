"""A small program around the lines that a test is about, run by the reference interpreter."""

from __future__ import annotations

import tempfile
from pathlib import Path

from p4_case import ETH, SKELETON

from p4xdp.driver import Session, check
from p4xdp.frontend.typed import TypedProgram
from p4xdp.interp import Architecture, Outcome, load, run_packet
from p4xdp.interp.events import Event
from p4xdp.options import Options

PARTS = ("types", "fields", "functions", "parser_locals", "parse", "decl", "emit")
PORT = 3


def typed_program(text: str) -> TypedProgram:
    """Return the typed program of a text; raises CompileError."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prog.p4"
        path.write_text(text)
        return check(Session(path, Options()))


def skeleton(body: str = "", decl: str = "", **parts: str) -> str:
    filled = {name: parts.pop(name, "") for name in PARTS if name != "decl"}
    assert not parts
    return SKELETON.format(body=body, decl=decl, **filled)


def program(body: str = "", decl: str = "", **parts: str) -> Architecture:
    return load(typed_program(skeleton(body, decl, **parts)))


def send(machine: Architecture, payload: str, events: list[Event] | None = None) -> Outcome:
    """Run a packet of an Ethernet header and `payload` (hexadecimal digits)."""
    data = ETH + bytes.fromhex(payload)
    return run_packet(machine, PORT, data, None if events is None else events.append)


def payload(outcome: Outcome) -> str:
    """Return what left behind the Ethernet header, as hexadecimal digits."""
    assert outcome.data is not None
    assert outcome.data[: len(ETH)] == ETH
    return outcome.data[len(ETH) :].hex()


def run(body: str, sent: str = "00000000", decl: str = "", **parts: str) -> str:
    """Run `body` on a packet; nothing undefined may have a part in what leaves."""
    outcome = send(program(body, decl, **parts), sent)
    assert not outcome.undefined_read
    return payload(outcome)


def error(parse: str, sent: str = "00000000", **parts: str) -> str:
    """Return the parser error of a packet that `parse` behind the first headers rejects."""
    outcome = send(program(parse=parse, **parts), sent)
    assert (outcome.verdict, outcome.data) == ("aborted", None)
    return outcome.error
