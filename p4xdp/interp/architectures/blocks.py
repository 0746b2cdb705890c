"""What architectures share: the blocks that `main` is made of, run at the top level."""

from __future__ import annotations

from collections.abc import Mapping

from p4xdp.diagnostics import InternalError
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
    """Return the blocks that `main` is made of; each goes by the name of its type."""
    run = Run(machine)
    return [_block(run, argument, main) for argument in main.arguments]


def _block(run: Run, argument: typed.Expression | None, main: typed.Instance) -> Block:
    match argument:
        case typed.Construct(target=target, arguments=arguments):
            pass
        case typed.Ref(declaration=typed.Instance(target=target, arguments=arguments)):
            pass
        case _:
            raise InternalError("interp", "an argument of main that is no block", main.span)
    if not isinstance(target, typed.Parser | typed.Control):
        raise InternalError("interp", "an argument of main that is no block", main.span)
    return instances.make_block(run, Frame(), target, arguments, target.name)


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
