"""A program and its test file, compiled and run in a place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from p4xdp.deep import call_deep
from p4xdp.driver import Session, compile
from p4xdp.stf.parser import read_case
from p4xdp.stf.place import Compile, Compiled, PlaceOptions
from p4xdp.stf.places import CaseResult, run_statements


def run_case(program: Path, stf: Path, place: str, options: PlaceOptions) -> CaseResult:
    """Compile a program and run its test file in a place.

    Raises CompileError when program or test file is wrong; what happens afterwards is in the
    result.
    """
    return run_statements(read_case(stf), compiler(program, options), place, options)


def compiler(program: Path, options: PlaceOptions) -> Compile:
    """Return how to compile `program` for a place."""

    def compile_for(target: str, layout: str | None) -> Compiled:
        chosen = options.compile.layout or layout
        wanted = replace(options.compile, target=target, layout=chosen)
        output = call_deep(lambda: compile(Session(program, wanted)))
        return Compiled(output.c, output.description)

    return compile_for
