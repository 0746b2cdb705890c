"""How often a `for` loop runs at most, wherever its variable starts.

A variable that steps towards a constant, by a constant, and that nothing else changes, comes to it
after a number of turns that its width bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate.traverse import nodes
from p4xdp.frontend.elaborate.trees import underlying

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def most_turns(condition: typed.Expression, update: Sequence[typed.Statement]) -> int | None:
    """Return a bound for a loop whose body does not change the condition's variable, None where
    none is found."""
    found = [_turns(part, update) for part in _conjuncts(condition)]
    return min((turns for turns in found if turns is not None), default=None)


def stepping(condition: typed.Expression) -> Iterator[typed.Variable]:
    """Yield the variables that a condition compares with a constant."""
    for part in _conjuncts(condition):
        compared = _compared(part)
        if compared is not None:
            yield compared[0]


def _conjuncts(condition: typed.Expression) -> Iterator[typed.Expression]:
    match condition:
        case typed.Binary(op="&&", left=left, right=right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case _:
            yield condition


def _compared(part: typed.Expression) -> tuple[typed.Variable, str, int] | None:
    """Return the variable, the operator and the constant of a comparison."""
    match part:
        case typed.Binary(
            op="<" | "<=" | ">" | ">=" as op,
            left=typed.Ref(declaration=typed.Variable() as variable),
            right=typed.Literal(value=int(bound)),
        ):
            return variable, op, bound
        case typed.Binary(
            op="<" | "<=" | ">" | ">=" as op,
            left=typed.Literal(value=int(bound)),
            right=typed.Ref(declaration=typed.Variable() as variable),
        ):
            return variable, _TURNED[op], bound
        case _:
            return None


def _turns(part: typed.Expression, update: Sequence[typed.Statement]) -> int | None:
    compared = _compared(part)
    if compared is None:
        return None
    variable, op, bound = compared
    step = _step(variable, update)
    match underlying(variable.type):
        case t.Bit(width=width) if step is not None:
            pass
        case _:
            return None
    end = 1 << width
    if op in ("<", "<=") and step > 0:
        first_out = bound + (op == "<=")
        return -(-first_out // step) if first_out - 1 + step < end else None
    if op in (">", ">=") and step < 0:
        last_in = bound + (op == ">")
        return -(-(end - last_in) // -step) if last_in >= -step else None
    return None


def _step(variable: typed.Variable, update: Sequence[typed.Statement]) -> int | None:
    """Return what one turn adds to the variable, None where that is no constant."""
    steps = [one for one in update if _changes(one, variable)]
    match steps:
        case [typed.Assign(op="+" | "-" as op, value=typed.Literal(value=int(step)))]:
            pass
        case [
            typed.Assign(
                op=None,
                value=typed.Binary(
                    op="+" | "-" as op,
                    left=typed.Ref(declaration=left),
                    right=typed.Literal(value=int(step)),
                ),
            )
        ] if left is variable:
            pass
        case _:
            return None
    return step if op == "+" else -step


def _changes(statement: typed.Statement, variable: typed.Variable) -> bool:
    """Whether an update may change the variable; only an assignment to another one may not."""
    match statement:
        case typed.Assign(target=typed.Ref(declaration=target), value=value):
            return target is variable or _has_call(value)
        case _:
            return True


def _has_call(value: typed.Expression) -> bool:
    return any(isinstance(node, typed.Call) for node in nodes(value))
