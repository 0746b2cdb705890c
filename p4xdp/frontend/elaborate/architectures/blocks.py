"""What every architecture does with the blocks of its package: make them, give them storage, run
them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from p4xdp.diagnostics import InternalError, Span
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, instances
from p4xdp.frontend.elaborate.parsers import parser_graph
from p4xdp.frontend.elaborate.storage import allocate
from p4xdp.frontend.elaborate.trees import Tree
from p4xdp.frontend.elaborate.walk import Block, Bound, Call, Env, Walk
from p4xdp.midend import ir
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Main:
    """The package of a program: `instance` is its `main`, `name` and `source` are what the
    program and its file are called, `host_port` is the port that stands for this machine,
    `cpu_port`, if there is one, that of a controller."""

    instance: typed.Instance
    name: str
    source: str
    host_port: int
    cpu_port: int | None = None


@dataclass(frozen=True, slots=True)
class Architecture:
    """`model` is the file that declares the package; `shape` says how many parameters each of
    its blocks has; `elaborate` makes the flat program."""

    model: str
    shape: tuple[int, ...]
    elaborate: Callable[[Walk, Main], ir.Program]


def blocks(walk: Walk, main: typed.Instance, count: int) -> list[Block]:
    """Return the instances that main is made of; their names are those of their types."""
    given = arguments(main.arguments)
    if len(given) != count:
        raise InternalError("elaborate", f"main has {len(given)} blocks", main.span)
    return [_block(walk, argument, main.span) for argument in given]


def arguments(given: Sequence[typed.Expression | None]) -> list[typed.Expression | None]:
    """Return the arguments of a package, with those of packages among them in their place.

    Externs, which are engines without content, are left out.
    """
    found: list[typed.Expression | None] = []
    for one in given:
        match one:
            case (
                typed.Construct(target=typed.Package(), arguments=inner)
                | typed.Ref(declaration=typed.Instance(target=typed.Package(), arguments=inner))
            ):
                found += arguments(inner)
            case (
                typed.Construct(target=typed.Extern())
                | typed.Ref(declaration=typed.Instance(target=typed.Extern()))
            ):
                pass
            case _:
                found.append(one)
    return found


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


def control(block: Block) -> typed.Control:
    """Return the declaration of a block that is a control."""
    if not isinstance(block.declaration, typed.Control):
        raise InternalError("elaborate", f"{block.path} is no control")
    return block.declaration


def storage(walk: Walk, parameter: typed.Parameter) -> Tree:
    """Return storage for what a block's parameter stands for."""
    return allocate(walk.names, parameter.type, parameter.name, parameter.span)


def parse(walk: Walk, block: Block, values: Sequence[Bound]) -> tuple[ir.State, ...]:
    """Return the graph of a top-level parser; `values` are what its parameters stand for."""
    return parser_graph(walk, block, dict(zip(block.declaration.parameters, values, strict=True)))


def run(
    walk: Walk, block: Block, values: Sequence[Bound], preset: Sequence[ir.Var] = ()
) -> ir.Body:
    """Return the code of a top-level control; `preset` variables start as 0."""
    declared = control(block)
    bindings: dict[object, Bound] = dict(zip(declared.parameters, values, strict=True))
    label = walk.labels.unique(f"after_{declared.name}")
    with walk.collect() as body:
        for var in preset:
            walk.emit(ir.Assign(var, ir.Const(0, var.width), declared.span))
        calls.run_control(walk, block, declared, bindings, Call(label))
    return tuple(body)
