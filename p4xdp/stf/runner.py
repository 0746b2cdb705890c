"""A program and its test file, compiled and run in a place."""

from __future__ import annotations

from pathlib import Path

from p4xdp.deep import call_deep
from p4xdp.driver import Session, check, compile
from p4xdp.frontend.typed import TypedProgram
from p4xdp.options import Options
from p4xdp.records import dataclass, replace
from p4xdp.stf.entries_file import read_requests
from p4xdp.stf.parser import read_case
from p4xdp.stf.place import Compiled, PlaceOptions
from p4xdp.stf.places import CaseResult, run_statements


def run_case(
    program: Path, stf: Path, place: str, options: PlaceOptions, entries: Path | None = None
) -> CaseResult:
    """Compile a program and run its test file in a place, behind a file of entries.

    Raises CompileError when program or test file is wrong; what happens afterwards is in the
    result.
    """
    case = read_case(stf)
    if entries:
        case = replace(case, statements=(*read_requests(entries), *case.statements))
    return run_statements(case, compiler(program, options), place, options)


def compiler(program: Path, options: PlaceOptions) -> Source:
    """Return how to bring `program` to a place."""
    return Source(program, options.compile)


@dataclass(frozen=True, slots=True)
class Source:
    """A program's file, compiled as a place wants it."""

    program: Path
    options: Options

    def __call__(self, target: str, layout: str | None) -> Compiled:
        chosen = self.options.layout or layout
        wanted = replace(self.options, target=target, layout=chosen)
        output = call_deep(lambda: compile(Session(self.program, wanted)))
        return Compiled(output.c, output.description)

    def check(self) -> TypedProgram:
        return call_deep(lambda: check(Session(self.program, self.options)))
