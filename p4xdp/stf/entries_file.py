"""Files of entries, in any of three forms: STF, simple_switch_CLI commands, P4Runtime-style JSON.

The text says which: a file that starts with `{` is JSON, one whose first line is a command of
simple_switch_CLI holds commands, all others are STF. First lines that are neither, mistyped
perhaps, do not count.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from p4xdp.diagnostics import fail
from p4xdp.runtime.requests import Request
from p4xdp.stf.p4runtime import parse_runtime_json
from p4xdp.stf.parser import STATEMENTS, is_statement, parse_case, read_text
from p4xdp.stf.simple_switch import EVERY, is_command, parse_commands


def read_requests(path: Path) -> tuple[Request, ...]:
    """Read a file of entries; raises CompileError (`stf-file`, `stf-syntax`, `entries-syntax`)."""
    text = read_text(path).replace("\r\n", "\n")
    if text.lstrip().startswith(("{", "[")):
        return parse_runtime_json(text, str(path))
    if _holds_commands(text):
        return parse_commands(text, str(path))
    return _from_case(text, str(path))


def _holds_commands(text: str) -> bool:
    rows = (row.split(None, 1) for row in text.split("\n"))
    words = [row[0] for row in rows if row and not row[0].startswith(("#", "//"))]
    for word in words:
        if is_command(word):
            return True
        if is_statement(word):
            return False
    every = (*STATEMENTS, *EVERY)
    near = [n for word in words for n in difflib.get_close_matches(word.lower(), every, 1)]
    return bool(near) and is_command(near[0])


def _from_case(text: str, file: str) -> tuple[Request, ...]:
    requests: list[Request] = []
    for statement in parse_case(text, file).statements:
        if not isinstance(statement, Request):
            text = "only what a control plane asks for can stand in a file of entries"
            raise fail("stf-syntax", statement.span, text)
        requests.append(statement)
    return tuple(requests)
