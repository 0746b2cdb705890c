"""From `main` to the whole flat program: which architecture it is for, and what its blocks do."""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.diagnostics import CompileError, Diagnostics, InternalError, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, instances
from p4xdp.frontend.elaborate.parsers import parser_graph
from p4xdp.frontend.elaborate.storage import allocate
from p4xdp.frontend.elaborate.trees import Tree, leaf, part_of
from p4xdp.frontend.elaborate.walk import (
    Block,
    Bound,
    Call,
    Env,
    Packet,
    Walk,
    storage_leaf,
)
from p4xdp.midend import ir

ARCHITECTURES = {
    "xdp": "xdp_model",
    "ebpfFilter": "ebpf_model",
}
"""The packages that are compiled, and the models that declare them."""

_FOREIGN = {
    "V1Switch": "v1model",
    "PSA_Switch": "psa",
    "PNA_NIC": "pna",
    "ubpf": "ubpf_model",
    "Switch": "tna",
    "Pipeline": "tna",
    "VSS": "very_simple_switch",
}
"""The packages of known architectures that are not compiled."""


def elaborate(
    program: typed.TypedProgram, diagnostics: Diagnostics, *, name: str, source: str
) -> ir.Program:
    """Return the flat IR of a program; `name` and `source` are its own and its file's name.

    Raises CompileError with everything found when there is any error.
    """
    walk = Walk(program, diagnostics)
    try:
        result = _elaborate(walk, name, source)
    except CompileError as error:
        for diagnostic in error.diagnostics:
            diagnostics.add(diagnostic)
        diagnostics.stop_on_error()
        raise
    diagnostics.stop_on_error()
    return result


LIBRARY = "<p4xdp>/"
"""What the names of our own architecture files start with, in spans."""


def _elaborate(walk: Walk, name: str, source: str) -> ir.Program:
    main = _main(walk.program, source)
    match _package(main).name.split("<")[0]:
        case "xdp":
            return _xdp(walk, main, name, source)
        case "ebpfFilter":
            return _filter(walk, main, name, source)
        case package:
            raise _wrong_architecture(package, main.span)


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
    ours = " and ".join(f"{model} (`{name}`)" for name, model in ARCHITECTURES.items())
    return fail(
        "wrong-architecture",
        span,
        f"this program is written for `{package}`{known}; p4xdp compiles {ours}",
        help="write the program for xdp_model: `#include <xdp_model.p4>`",
    )


# xdp_model


def _xdp(walk: Walk, main: typed.Instance, name: str, source: str) -> ir.Program:
    parser, switch, deparser = _blocks(walk, main, 3)
    control = _control(switch)
    headers_parameter, input_parameter, output_parameter = control.parameters
    headers = _storage(walk, headers_parameter)
    arrival = _storage(walk, input_parameter)
    decision = _storage(walk, output_parameter)
    graph = _parse(walk, parser, headers)
    verdict = storage_leaf(leaf(part_of(decision, "output_action")))
    port = storage_leaf(leaf(part_of(decision, "output_port")))
    body = _run(walk, switch, [headers, arrival, decision], preset=(verdict, port))
    emitted = _run(walk, deparser, [headers, Packet()])
    input_port = storage_leaf(leaf(part_of(arrival, "input_port")))
    return ir.Program(
        name=name,
        source=source,
        model="xdp",
        headers=tuple(walk.headers.values()),
        tables=tuple(walk.tables.values()),
        counters=tuple(walk.counters.values()),
        errors=walk.program.errors,
        input_port=input_port,
        verdict=verdict,
        port=port,
        parser=graph,
        control=body,
        deparser=emitted,
        devmap_size=_devmap_size(main),
    )


def _devmap_size(main: typed.Instance) -> int | None:
    """Return N of `@devmap(N)` on main: redirects go through a device map of N ports."""
    for annotation in main.annotations:
        if annotation.name == "devmap":
            text = annotation.text or ""
            if not text.isdigit() or int(text) == 0:
                raise fail(
                    "devmap-size",
                    annotation.span,
                    "@devmap needs the number of ports",
                    help="write @devmap(64)",
                )
            return int(text)
    return None


# ebpf_model


def _filter(walk: Walk, main: typed.Instance, name: str, source: str) -> ir.Program:
    parser, filter_ = _blocks(walk, main, 2)
    control = _control(filter_)
    headers = _storage(walk, control.parameters[0])
    accept = _storage(walk, control.parameters[1])
    graph = _parse(walk, parser, headers)
    verdict = storage_leaf(leaf(accept))
    body = _run(walk, filter_, [headers, accept], preset=(verdict,))
    return ir.Program(
        name=name,
        source=source,
        model="filter",
        headers=tuple(walk.headers.values()),
        tables=tuple(walk.tables.values()),
        counters=tuple(walk.counters.values()),
        errors=walk.program.errors,
        input_port=None,
        verdict=verdict,
        port=None,
        parser=graph,
        control=body,
        deparser=(),
    )


# Blocks


def _blocks(walk: Walk, main: typed.Instance, count: int) -> list[Block]:
    """Return the instances that main is made of; their names are those of their types."""
    if len(main.arguments) != count:
        raise InternalError("elaborate", f"main has {len(main.arguments)} arguments", main.span)
    return [_block(walk, argument, main.span) for argument in main.arguments]


def _block(walk: Walk, argument: typed.Expression | None, span: Span) -> Block:
    match argument:
        case typed.Construct(target=typed.Parser() | typed.Control() as target):
            return instances.make_block(walk, Env(), target, argument.arguments, target.name)
        case typed.Ref(declaration=typed.Instance() as declared):
            if isinstance(declared.target, typed.Parser | typed.Control):
                arguments = declared.arguments
                block = instances.make_block(
                    walk, Env(), declared.target, arguments, declared.target.name
                )
                walk.globals[declared] = block
                return block
    raise InternalError("elaborate", f"{argument} is no parser or control", span)


def _control(block: Block) -> typed.Control:
    if not isinstance(block.declaration, typed.Control):
        raise InternalError("elaborate", f"{block.path} is no control")
    return block.declaration


def _storage(walk: Walk, parameter: typed.Parameter) -> Tree:
    return allocate(walk.names, parameter.type, parameter.name, parameter.span)


def _parse(walk: Walk, block: Block, headers: Tree) -> tuple[ir.State, ...]:
    packet, parsed = block.declaration.parameters
    return parser_graph(walk, block, {packet: Packet(), parsed: headers})


def _run(
    walk: Walk, block: Block, values: Sequence[Bound], preset: Sequence[ir.Var] = ()
) -> ir.Body:
    """Return the code of a top-level control; `preset` variables start as 0."""
    control = _control(block)
    bindings: dict[object, Bound] = dict(zip(control.parameters, values, strict=True))
    label = walk.labels.unique(f"after_{control.name}")
    with walk.collect() as body:
        for var in preset:
            walk.emit(ir.Assign(var, ir.Const(0, var.width), control.span))
        calls.run_control(walk, block, control, bindings, Call(label))
    return tuple(body)
