"""What each command does with its arguments; every function returns an exit code."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from importlib import metadata, resources
from pathlib import Path

from p4xdp import description
from p4xdp.backend_c import Output
from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError, fail, to_json
from p4xdp.driver import Session, check, compile
from p4xdp.midend.ir import Program
from p4xdp.options import Options
from p4xdp.output import write_files
from p4xdp.report import print_diagnostics


def version() -> str:
    return f"p4xdp {metadata.version('p4xdp')}"


def include_dir() -> str:
    """Return the directory that holds p4xdp.h."""
    return str(resources.files("p4xdp") / "runtime_headers")


def options_of(arguments: argparse.Namespace) -> Options:
    return Options(
        target=getattr(arguments, "target", "xdp"),
        include_dirs=tuple(arguments.include_dirs),
        defines=dict(arguments.defines),
        debug_lines=arguments.debug_lines,
        trace=arguments.trace,
        layout=arguments.layout,
        on_reject=arguments.on_reject,
    )


def compile_command(arguments: argparse.Namespace) -> int:
    session = Session(arguments.program, options_of(arguments))
    dump = _dumper(arguments.dump_after)
    output = call_deep(lambda: compile(session, dump))
    path = arguments.output or Path(f"{arguments.program.stem}.c")
    write_output(output, path)
    print_diagnostics(session.diagnostics.found)
    print(output.summary)
    return 0


def write_output(output: Output, path: Path) -> None:
    """Write the C to `path`, header and description beside it, all or none."""
    if path.suffix in (".h", ".json", ".p4"):
        raise fail("cannot-write", None, f"`{path}` would be overwritten: name a .c file with -o")
    write_files(
        {
            path: output.c,
            path.with_suffix(".h"): output.header,
            path.with_suffix(".json"): description.to_json(output.description),
        }
    )


def _dumper(wanted: str | None) -> Callable[[str, Program], None] | None:
    if wanted is None:
        return None
    from p4xdp.midend.pipeline import PASSES
    from p4xdp.midend.printer import print_program

    names = [p.__name__ for p in PASSES]
    if wanted not in (*names, "all"):
        sys.stderr.write(f"p4xdp: no pass `{wanted}`; passes: {' '.join(names)} (or all)\n")
        raise SystemExit(2)

    def dump(name: str, program: Program) -> None:
        if wanted in (name, "all"):
            print(f"// after {name}\n{print_program(program)}")

    return dump


def check_command(arguments: argparse.Namespace) -> int:
    session = Session(arguments.program, options_of(arguments))
    try:
        call_deep(lambda: check(session))
        found, code = session.diagnostics.found, 0
    except CompileError as error:
        found, code = list(error.diagnostics), 1
    if arguments.json:
        print(json.dumps([to_json(d) for d in found], indent=2))
    else:
        print_diagnostics(found)
    return code
