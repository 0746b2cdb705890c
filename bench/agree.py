"""Whether both sides of a case do the same to every packet of its test file."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from cases import Case
from sides import Pair, Side, open_pair

from p4xdp.options import Options
from p4xdp.runtime.requests import AddEntry
from p4xdp.runtime.table_maps import ONE_CELL
from p4xdp.stf.syntax import VERDICTS

SHORTEST = 14
"""Bytes of the shortest packet that the kernel takes for a test run."""


class Disagree(Exception):
    """The sides differ: the text says on which packet, and how."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a packet: `port` counts for redirects only, `data` for what leaves."""

    verdict: str
    port: int | None
    data: bytes | None

    def __str__(self) -> str:
        port = "" if self.port is None else f" to {self.port}"
        return f"{self.verdict}{port} {self.data.hex() if self.data else ''}"


def run(side: Side, packet: bytes, *, recording: bool) -> Result:
    done = side.program.test_run(packet)
    verdict = VERDICTS[done.verdict]
    port = None
    if recording and verdict == "redirect":
        port = int.from_bytes(side.maps.lookup("recorded_port", ONE_CELL) or b"", "little")
    return Result(verdict, port, None if verdict in ("drop", "aborted") else done.data)


def check(pair: Pair, *, recording: bool) -> int:
    """Fill both sides and compare them packet by packet; return how many packets there were.

    Raises Disagree.
    """
    count = 0
    waiting: list[AddEntry] = []
    for statement in pair.case.statements():
        if isinstance(statement, AddEntry):
            waiting.append(statement)
            continue
        pair.fill(waiting)
        waiting.clear()
        if len(statement.data) < SHORTEST:
            continue
        count += 1
        p4, twin = (run(s, statement.data, recording=recording) for s in (pair.p4, pair.twin))
        if p4 != twin:
            text = f"{pair.case.name}, packet {count} ({statement.data.hex()})"
            raise Disagree(f"{text}:\n  P4 {p4}\n  C  {twin}")
    return count


def check_case(case: Case, options: Options | None = None) -> int:
    """Build and load a case and compare its sides, ports included; raises Disagree."""
    with tempfile.TemporaryDirectory() as name:
        with open_pair(case, Path(name), options or Options(), recording=True) as pair:
            return check(pair, recording=True)
