"""Statements (section 12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from p4xdp.diagnostics import InternalError
from p4xdp.frontend import typed
from p4xdp.interp import expressions, instances, operators, shown, table_application
from p4xdp.interp.events import Assigned, Branched, Exited
from p4xdp.interp.machine import Break, Continue, Exit, Return, Run
from p4xdp.interp.references import Reference, Variable
from p4xdp.interp.values import (
    Array,
    Frame,
    Record,
    Scalar,
    Value,
    copy,
    equal,
    number,
    scalar,
    uninitialised,
)


def execute(run: Run, frame: Frame, statement: typed.Statement) -> None:
    """Run a statement; raises Exit, Return, Break, Continue and, in parsers, Reject."""
    run.step(statement.span)
    match statement:
        case typed.Assign():
            _assign(run, frame, statement)
        case typed.Declare(declaration=declaration):
            declare(run, frame, declaration)
        case typed.Evaluate(call=call):
            expressions.evaluate(run, frame, call)
        case typed.Block(statements=inner):
            execute_all(run, frame, inner)
        case typed.If():
            _if(run, frame, statement)
        case typed.ActionSwitch():
            _action_switch(run, frame, statement)
        case typed.ValueSwitch():
            _value_switch(run, frame, statement)
        case typed.Exit(span=span):
            if run.trace:
                run.trace(Exited(span))
            raise Exit
        case typed.Return(value=value):
            raise Return(None if value is None else expressions.evaluate(run, frame, value))
        case typed.For():
            _for(run, frame, statement)
        case typed.ForIn():
            _for_in(run, frame, statement)
        case typed.Break():
            raise Break
        case typed.Continue():
            raise Continue
        case _:
            assert_never(statement)


def execute_all(run: Run, frame: Frame, statements: Sequence[typed.Statement]) -> None:
    for statement in statements:
        execute(run, frame, statement)


# Declarations (section 11)


def declare(
    run: Run,
    frame: Frame,
    declaration: typed.Variable | typed.Constant | typed.Instance,
) -> None:
    """Let a variable begin anew, or make a constant or instance known."""
    match declaration:
        case typed.Variable(initial=None, type=kind):
            frame.cells[declaration] = uninitialised(kind)
        case typed.Variable(initial=initial) if initial is not None:
            value = expressions.evaluate(run, frame, initial)
            frame.cells[declaration] = value
            _tell(
                run,
                Variable(frame.cells, declaration, declaration.type, declaration.name),
                declaration,
            )
        case typed.Constant(value=value_expr):
            frame.cells[declaration] = expressions.evaluate(run, frame, value_expr)
        case typed.Instance():
            block = instances.block_of(frame)
            if block is not None and declaration not in block.frame.cells:
                made = instances.instantiate(run, frame, declaration, block.path)
                block.frame.cells[declaration] = made


# Assignment (section 12.1)


def _assign(run: Run, frame: Frame, statement: typed.Assign) -> None:
    """Resolve the left side, evaluate the right side, copy."""
    target = expressions.resolve(run, frame, statement.target)
    if statement.op is None:
        value = expressions.evaluate(run, frame, statement.value)
    else:
        value = _combined(run, frame, target, statement.op, statement)
    target.write(value)
    _tell(run, target, statement)


def _combined(run: Run, frame: Frame, target: Reference, op: str, statement: typed.Assign) -> Value:
    old = scalar(target.read())
    right = expressions.evaluate_scalar(run, frame, statement.value)
    return operators.binary(op, old, right, target.type, statement.value.type)


def _tell(run: Run, target: Reference, source: typed.Assign | typed.Variable) -> None:
    if run.trace:
        text = shown.value(target.read(), target.type)
        lost = "" if target.holds else " (lost: there is no such element, or its header is invalid)"
        run.trace(Assigned(target.text, text + lost, source.span))


# Choices (sections 12.6 and 12.7)


def _if(run: Run, frame: Frame, statement: typed.If) -> None:
    condition = run.decide(expressions.evaluate(run, frame, statement.condition))
    if run.trace:
        run.trace(Branched(condition, statement.condition.span))
    chosen = statement.then if condition else statement.otherwise
    if chosen is not None:
        execute(run, frame, chosen)


def _action_switch(run: Run, frame: Frame, statement: typed.ActionSwitch) -> None:
    """`default` means any other action, on a hit as on a miss (section 12.7.1)."""
    action = table_application.apply(run, frame, statement.apply).action_run
    for case in statement.cases:
        if any(label is None or label is action for label in case.labels):
            if case.body is not None:
                execute(run, frame, case.body)
            return


def _value_switch(run: Run, frame: Frame, statement: typed.ValueSwitch) -> None:
    """`default` stands last, so the first label that fits is the only one (section 12.7.2)."""
    value = expressions.evaluate_scalar(run, frame, statement.selector)
    run.observe(value)
    for case in statement.cases:
        if any(_is_label(run, frame, value, label) for label in case.labels):
            if case.body is not None:
                execute(run, frame, case.body)
            return


def _is_label(run: Run, frame: Frame, value: Scalar, label: typed.Expression | None) -> bool:
    if label is None:
        return True
    return bool(equal(value, expressions.evaluate(run, frame, label)).value)


# Loops (section 12.8)


def _for(run: Run, frame: Frame, statement: typed.For) -> None:
    execute_all(run, frame, statement.init)
    while run.decide(expressions.evaluate(run, frame, statement.condition)):
        if not _iteration(run, frame, statement.body):
            return
        execute_all(run, frame, statement.update)


def _iteration(run: Run, frame: Frame, body: typed.Statement) -> bool:
    """Run a loop's body once; return whether the loop goes on."""
    try:
        execute(run, frame, body)
    except Continue:
        return True
    except Break:
        return False
    return True


def _for_in(run: Run, frame: Frame, statement: typed.ForIn) -> None:
    """Evaluate the collection or range once, before the first iteration."""
    variable = statement.variable
    cells = frame.cells_of(variable) or frame.cells
    for value in list(_collection(run, frame, statement)):
        cells[variable] = copy(value)
        if not _iteration(run, frame, statement.body):
            return


def _collection(run: Run, frame: Frame, statement: typed.ForIn) -> Iterator[Value]:
    collection = expressions.evaluate(run, frame, statement.collection)
    if statement.high is not None:
        high = expressions.evaluate_scalar(run, frame, statement.high)
        run.observe(scalar(collection))
        run.observe(high)
        for value in range(number(collection), number(high) + 1):
            run.step(statement.span)
            yield Scalar(value)
        return
    match collection:
        case Array(elements=elements):
            yield from elements
        case Record(fields=fields):
            yield from fields.values()
        case _:
            raise InternalError("interp", f"a loop over {collection}", statement.span)
