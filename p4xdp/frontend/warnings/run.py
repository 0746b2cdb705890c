"""Runs every kind of warning over the declarations that the user owns."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.diagnostics import Diagnostic, Diagnostics
from p4xdp.frontend import typed
from p4xdp.frontend.source import Source
from p4xdp.frontend.warnings.constants import check_constants
from p4xdp.frontend.warnings.deprecated import check_deprecated
from p4xdp.frontend.warnings.invalid_header import InvalidHeader
from p4xdp.frontend.warnings.names import Finder, finder
from p4xdp.frontend.warnings.uninitialized import Uninitialized
from p4xdp.frontend.warnings.unreachable import check_statements, check_states
from p4xdp.frontend.warnings.unused import declared_in, report, used_in
from p4xdp.frontend.warnings.walk import code, nodes

Body = list[object]


def warn(program: typed.TypedProgram, source: Source, diagnostics: Diagnostics) -> None:
    """Add the warnings about a program without errors, in the order of its text."""
    found = Diagnostics()
    find = finder(source.files)
    owned = [d for d in program.declarations if d.span.file not in source.libraries]
    bodies = {id(d): list(_body(d)) for d in owned}
    for declaration in owned:
        _follow(declaration, found)
        _look(bodies[id(declaration)], found)
        if isinstance(declaration, typed.Parser):
            check_states(declaration, find, found)
    _unused(program, owned, bodies, source, find, found)
    for one in sorted(found.found, key=_place):
        diagnostics.add(one)


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = diagnostic.span
    return (span.file, span.line, span.column) if span else ("", 0, 0)


def _body(d: typed.Declaration) -> Iterator[object]:
    match d:
        case typed.Parser() | typed.Control():
            yield from code(d)
        case typed.Function() | typed.Action():
            yield from nodes(d)
        case typed.Instance():
            yield from nodes(d)
            for method in d.methods:
                yield from nodes(method)
        case typed.Constant(value=value):
            yield from nodes(value)
        case _:
            return


def _follow(d: typed.Declaration, diagnostics: Diagnostics) -> None:
    match d:
        case typed.Parser():
            Uninitialized(diagnostics).parser(d)
            InvalidHeader(diagnostics).parser(d)
        case typed.Control():
            Uninitialized(diagnostics).control(d)
            InvalidHeader(diagnostics).control(d)
        case typed.Function():
            Uninitialized(diagnostics).function(d)
            InvalidHeader(diagnostics).function(d)
        case _:
            return


def _look(body: Body, diagnostics: Diagnostics) -> None:
    check_statements(body, diagnostics)
    check_constants(body, diagnostics)
    check_deprecated(body, diagnostics)


def _unused(
    program: typed.TypedProgram,
    owned: list[typed.Declaration],
    bodies: dict[int, Body],
    source: Source,
    find: Finder,
    diagnostics: Diagnostics,
) -> None:
    """Report inside each block, and at the top level of the main file of a whole program."""
    everywhere: set[object] = set()
    for declaration in owned:
        body = bodies[id(declaration)]
        used = set(used_in(body))
        everywhere |= used
        report(declared_in(body), used, find, diagnostics)
        if isinstance(declaration, typed.Parser | typed.Control):
            report(declaration.locals, used, find, diagnostics)
    if program.main is None:
        return
    for declaration in owned:
        if declaration.span.file == source.end.file:
            match declaration:
                case typed.Function() | typed.Action() | typed.Parser() | typed.Control():
                    report([declaration], everywhere, find, diagnostics)
                case _:
                    continue
