"""From a P4 program to an object: compile, build, and climb the ladder of layouts when needed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from p4xdp.backend_c import Output
from p4xdp.backend_c.ladder import above
from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError, Diagnostic, fail
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.output import temporary_directory
from p4xdp.records import dataclass, replace
from p4xdp.runtime import clang, load


@dataclass(frozen=True, slots=True)
class BuiltProgram:
    """What came out; `object` is the ELF file's content, `warnings` those of the compiler."""

    output: Output
    object: bytes
    warnings: tuple[Diagnostic, ...]


def build_program(
    path: Path, options: Options, *, cpu: str = "v3", verify: bool = False
) -> BuiltProgram:
    """Compile and build; a layout that clang finds too small gives way to the next.

    With `verify` the kernel's verifier is asked too. Where the user asks for a layout, there is
    no other. Raises CompileError: what compile(),
    clang.build() and load.verify() raise, and `program-too-large`.
    """
    session = Session(path, options)
    output = call_deep(partial(compile, session))
    higher = iter(() if options.layout else above(output.description.layout))
    while True:
        try:
            content = build_object(output.c, path.stem, cpu)
            if verify:
                load.verify(content, path.stem, source=path, c=output.c)
            return BuiltProgram(output, content, tuple(session.diagnostics.found))
        except clang.TooBig as error:
            rung = next(higher, None)
            if rung is None:
                raise _too_large(path, output.description.layout, error) from error
            reason = f"{output.description.layout}: {error}"
        session = Session(path, replace(options, layout=rung, layout_reason=reason))
        output = call_deep(partial(compile, session))


def _too_large(path: Path, rung: str, error: clang.TooBig) -> CompileError:
    return fail(
        "program-too-large",
        None,
        f"{path}: {error}, also with layout `{rung}`",
        help="split the program, or keep fewer values alive at once",
    )


def build_object(c: str, stem: str, cpu: str) -> bytes:
    """Return the content of the object that clang builds from the text `c`."""
    with temporary_directory("p4xdp-") as directory:
        source = directory / f"{stem}.c"
        source.write_text(c)
        return clang.build(source, source.with_suffix(".o"), cpu=cpu).object.read_bytes()
