"""What architectures share: the blocks that `main` is made of, run at the top level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from p4xdp.diagnostics import InternalError, Span
from p4xdp.frontend import typed
from p4xdp.interp import calls, core, instances
from p4xdp.interp.events import Rejected
from p4xdp.interp.machine import (
    Block,
    Constructor,
    Exit,
    ExternFunction,
    Library,
    Machine,
    Reject,
    Return,
    Run,
)
from p4xdp.interp.values import NO_ERROR, Frame, Value, uninitialised


def new_machine(
    program: typed.TypedProgram,
    functions: Mapping[str, ExternFunction],
    objects: Mapping[str, Constructor],
) -> Machine:
    """Return a machine that knows the externs of core.p4 and those given."""
    return Machine(program, Library({**core.FUNCTIONS, **functions}, objects))


def blocks(machine: Machine, main: typed.Instance) -> list[Block]:
    """Return the blocks that `main` is made of, those of packages inside it in their place; each
    goes by the name of its type. Engines, which have no content, are left out."""
    return list(_blocks(Run(machine), main.arguments, main.span))


def _blocks(run: Run, arguments: Sequence[typed.Expression | None], span: Span) -> Iterator[Block]:
    for argument in arguments:
        match argument:
            case typed.Construct(target=target, arguments=inner):
                yield from _made(run, target, inner, argument.span)
            case typed.Ref(declaration=typed.Instance(target=target, arguments=inner)):
                yield from _made(run, target, inner, argument.span)
            case _:
                raise InternalError("interp", "an argument of main that is no block", span)


def _made(
    run: Run,
    target: typed.Constructible,
    arguments: Sequence[typed.Expression | None],
    span: Span,
) -> Iterator[Block]:
    match target:
        case typed.Package():
            yield from _blocks(run, arguments, span)
        case typed.Parser() | typed.Control():
            yield instances.make_block(run, Frame(), target, arguments, target.name)
        case typed.Extern():
            pass


def parameters(block: Block) -> tuple[typed.Parameter, ...]:
    return block.declaration.parameters


def start(block: Block, given: Mapping[typed.Parameter, Value]) -> Frame:
    """Return the frame of a top-level invocation: what is not given is uninitialised."""
    frame = Frame(outer=block.frame)
    for parameter in parameters(block):
        value = given.get(parameter)
        frame.cells[parameter] = uninitialised(parameter.type) if value is None else value
    return frame


def parse(run: Run, block: Block, frame: Frame) -> str | None:
    """Run a parser; return the error of `reject` (which may be NoError), None for `accept`."""
    try:
        calls.run_block(run, block, frame)
    except Reject as reject:
        if run.trace:
            run.trace(Rejected(reject.error, reject.span))
        return reject.error
    return None


def control(run: Run, block: Block, frame: Frame) -> None:
    """Run a control; `exit` and `return` end it and nothing more."""
    try:
        calls.run_block(run, block, frame)
    except (Exit, Return):
        pass


def error_of(rejected: str | None) -> str:
    return NO_ERROR if rejected is None else rejected
