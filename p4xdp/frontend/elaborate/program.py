"""From `main` to the whole flat program: which architecture it is for."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.diagnostics import NO_SPAN, CompileError, Diagnostics, InternalError, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate.absent import LIBRARY, absent
from p4xdp.frontend.elaborate.architectures import ARCHITECTURES, Main
from p4xdp.frontend.elaborate.architectures.blocks import arguments
from p4xdp.frontend.elaborate.atomic import guarded
from p4xdp.frontend.elaborate.storage import Names, allocate
from p4xdp.frontend.elaborate.trees import HeaderTree, NoSuchPart
from p4xdp.frontend.elaborate.walk import Walk, named_leaves
from p4xdp.frontend.types import BlockType
from p4xdp.midend import ir
from p4xdp.options import HOST_PORT
from p4xdp.records import replace

_FOREIGN = {
    "PNA_NIC": "pna",
    "ubpf": "ubpf_model",
    "Switch": "tna",
    "Pipeline": "tna",
    "VSS": "very_simple_switch",
}
"""The packages of known architectures that are not compiled."""


def elaborate(
    program: typed.TypedProgram,
    diagnostics: Diagnostics,
    *,
    name: str,
    source: str,
    host_port: int = HOST_PORT,
    cpu_port: int | None = None,
    calls_c: bool = False,
) -> ir.Program:
    """Return the flat IR of a program; `name` and `source` are its own and its file's name,
    `host_port` is the port by which packets go to this machine, `cpu_port` that of a controller.
    With `calls_c` extern functions that are not known are the user's, in C.

    Raises CompileError with everything found when there is any error.
    """
    walk = Walk(program, diagnostics, calls_c=calls_c)
    try:
        main = Main(_main(program, source), name, source, host_port, cpu_port)
        result = _elaborate(walk, main)
    except CompileError as error:
        for diagnostic in error.diagnostics:
            diagnostics.add(diagnostic)
        diagnostics.stop_on_error()
        raise
    diagnostics.stop_on_error()
    return replace(result, controller_headers=tuple(_controller_headers(program)))


def _controller_headers(program: typed.TypedProgram) -> Iterator[ir.ControllerHeader]:
    for name, header in program.controller_headers:
        tree = allocate(Names(), header, header.name, NO_SPAN)
        parts = tree.fields if isinstance(tree, HeaderTree) else ()
        leaves = [one for label, part in parts for one in named_leaves(label, part)]
        fields = tuple((path, ir.stored_width(ir.width_of(leaf))) for path, leaf in leaves)
        yield ir.ControllerHeader(name, fields)


def _elaborate(walk: Walk, main: Main) -> ir.Program:
    package = _package(main.instance).name.split("<")[0]
    if package not in ARCHITECTURES:
        raise _wrong_architecture(package, main.instance.span)
    if _shape(main.instance) != ARCHITECTURES[package].shape:
        raise _another_package(package, main.instance.span)
    try:
        made = ARCHITECTURES[package].elaborate(walk, main)
    except NoSuchPart as missing:
        raise _another_package(package, main.instance.span) from missing
    return guarded(_with_what_was_met(walk, made))


def _with_what_was_met(walk: Walk, program: ir.Program) -> ir.Program:
    """Return the program with all that the walk came upon, whatever the architecture is; profiles
    have all of their tables, those that no packet reaches, too."""
    profiles = tuple(walk.profiles)
    met = replace(
        program,
        errors=walk.program.errors,
        headers=tuple(walk.headers.values()),
        tables=tuple(walk.tables.values()),
        counters=tuple(walk.counters.values()),
        registers=(*walk.registers.values(), *walk.own_registers),
        meters=tuple(walk.meters.values()),
        digests=tuple(walk.digests.values()),
        functions=tuple(walk.functions.values()),
    )
    others = absent(walk)
    return replace(met, profiles=tuple(walk.profiles[one] for one in profiles), absent=others)


def _shape(main: typed.Instance) -> tuple[int, ...]:
    """Return how many parameters each block has; none for what is no block."""
    given = arguments(main.arguments)
    types = [None if argument is None else argument.type for argument in given]
    return tuple(len(type.parameters) if isinstance(type, BlockType) else 0 for type in types)


def _another_package(package: str, span: Span) -> CompileError:
    model = ARCHITECTURES[package].model
    return fail(
        "wrong-architecture",
        span,
        f"the `{package}` of this program is not the one of {model}",
        help=f"take its declaration from our file: `#include <{model}.p4>`",
    )


def _main(program: typed.TypedProgram, source: str) -> typed.Instance:
    if program.main is None:
        own = [d.span for d in program.declarations if not d.span.file.startswith(LIBRARY)]
        raise fail(
            "no-main",
            own[-1] if own else Span(source, 1, 1, 1, 1),
            "the program has no `main`",
            help="end it with an instance of the architecture's package, as "
            "`xdp(MyParser(), MySwitch(), MyDeparser()) main;`",
        )
    return program.main


def _package(main: typed.Instance) -> typed.Package:
    if not isinstance(main.target, typed.Package):
        raise InternalError("elaborate", "`main` is no package", main.span)
    return main.target


def _wrong_architecture(package: str, span: Span) -> CompileError:
    known = f" of {_FOREIGN[package]}" if package in _FOREIGN else ""
    *known_ones, last = [f"{one.model} (`{name}`)" for name, one in ARCHITECTURES.items()]
    ours = f"{', '.join(known_ones)} and {last}"
    return fail(
        "wrong-architecture",
        span,
        f"this program is written for `{package}`{known}; p4xdp compiles {ours}",
        help="write the program for xdp_model: `#include <xdp_model.p4>`",
    )
