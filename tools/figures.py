"""Writes docs/figures.md: every example, built by each clang here and loaded into this kernel."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from p4xdp.backend_c import Output
from p4xdp.deep import call_deep
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang
from p4xdp.runtime.clang import Clang
from p4xdp.runtime.libbpf import BpfObject
from p4xdp.runtime.objectfile import functions

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
STACK_LIMIT = 512


def compiled(program: Path) -> Output:
    return call_deep(lambda: compile(Session(program, Options())))


def row(program: Path, output: Output, compiler: Clang, directory: Path) -> str:
    """Return a row of the table; exits when a stack is beyond the limit."""
    source = directory / f"{program.stem}.c"
    source.write_text(output.c)
    built = clang.build(source, source.with_suffix(".o"), clang=compiler)
    [one] = [f for f in functions(built.object) if f.name == output.description.function]
    if one.stack > STACK_LIMIT:
        sys.exit(f"{program.stem}: {one.stack} bytes of stack")
    with BpfObject(built.object, program.stem) as loaded:
        loaded.load()
        info = loaded.program(output.description.function).info()
    tables = len(output.description.tables)
    name = program.relative_to(EXAMPLES).with_suffix("")
    return (
        f"| {name} | {compiler.version} | {tables} | {output.description.layout} "
        f"| {one.instructions} | {one.stack} | {info.jited_size} | {info.verified} |"
    )


def main() -> None:
    rows = []
    release = os.uname().release.split("-")[0]
    with tempfile.TemporaryDirectory() as directory:
        for program in sorted([*EXAMPLES.glob("*.p4"), *EXAMPLES.glob("v1model/*.p4")]):
            output = compiled(program)
            rows += [row(program, output, c, Path(directory)) for c in clang.installed()]
    lines = [
        "# Figures of the examples",
        "",
        "Made by `tools/figures.py` (as root): each example built with -O2 -mcpu=v3 by each clang,",
        f"and loaded into Linux {release} ({os.uname().machine}). The stack is what the program's",
        "frame reaches, of at most 512 bytes; machine code is in bytes; `verified` counts what",
        "instructions the verifier walked through.",
        "",
        "| program | clang | tables | layout | instructions | stack | machine code | verified |",
        "|---|---|--:|---|--:|--:|--:|--:|",
        *rows,
    ]
    (ROOT / "docs" / "figures.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
