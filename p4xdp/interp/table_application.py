"""Applying a table: keys, lookup, the action (section 14.2.2)."""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.diagnostics import InternalError
from p4xdp.frontend import typed
from p4xdp.interp import calls, expressions, instances, keysets, shown
from p4xdp.interp.events import Applied
from p4xdp.interp.keysets import Key
from p4xdp.interp.machine import Run
from p4xdp.interp.packets import PacketOut
from p4xdp.interp.tables import SELECTOR, Choice, Entry, TableState
from p4xdp.interp.values import Frame, Scalar
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class ApplyResult:
    hit: bool
    action_run: typed.Action


def apply(run: Run, frame: Frame, call: typed.Call) -> ApplyResult:
    """Evaluate the keys in order, look them up and run what was found, or the default action."""
    if not isinstance(call.callee, typed.TableApply):
        raise InternalError("interp", f"{call.callee} is no table", call.span)
    table = call.callee.table
    block = instances.block_of(frame)
    if block is None:
        raise InternalError("interp", f"table {table.name} outside of a control", call.span)
    state = block.tables[table]
    control = calls.invocation_frame(frame)
    values = [expressions.evaluate_scalar(run, control, key.expression) for key in table.keys]
    all_keys = _keys(run, state, values)
    kinds = [key.match_kind for key in table.keys]
    keys = [k for k, kind in zip(all_keys, kinds, strict=True) if kind != SELECTOR]
    _observe(run, state, keys)
    entry = state.lookup(keys)
    choice = state.chosen(run, entry, _selector(all_keys, kinds))
    if run.trace:
        run.trace(_applied(state, values, entry, choice, call))
    for one in state.direct:
        one.hit(run, entry)
    try:
        calls.run_table_action(run, control, choice)
    finally:
        for one in state.direct:
            one.leave()
    return ApplyResult(entry is not None, choice.action.action)


def _keys(run: Run, state: TableState, values: Sequence[Scalar]) -> list[Key]:
    errors = run.machine.program.errors
    pairs = zip(state.table.keys, values, strict=True)
    return [keysets.key_of(value, key.expression.type, errors) for key, value in pairs]


def _selector(keys: Sequence[Key], kinds: Sequence[str]) -> bytes:
    """Return the bits of the selector fields, filled up with zeros to whole bytes."""
    packet = PacketOut()
    for key, kind in zip(keys, kinds, strict=True):
        if kind == SELECTOR:
            packet.append(key.pattern, key.width)
    return packet.data


def _observe(run: Run, state: TableState, keys: Sequence[Key]) -> None:
    """An undefined key decides something where it decides which entry wins (section 8.27)."""
    if any(key.undefined for key in keys) and state.hangs_on_undefined(keys):
        run.undefined_read = True


def _applied(
    state: TableState,
    values: Sequence[Scalar],
    entry: Entry | None,
    choice: Choice,
    call: typed.Call,
) -> Applied:
    action = choice.action
    name = state.action_names[state.actions.index(action)]
    parameters = action.action.parameters[len(action.arguments) :]
    return Applied(
        table=state.name,
        keys=tuple(
            (key.name, shown.value(value, key.expression.type))
            for key, value in zip(state.table.keys, values, strict=True)
        ),
        entry=None if entry is None else _where(entry),
        action=name,
        arguments=tuple(
            (p.name, shown.value(v, p.type)) for p, v in zip(parameters, choice.data, strict=True)
        ),
        span=call.span,
    )


def _where(entry: Entry) -> str:
    return f"{entry.span.file}:{entry.span.line}"
