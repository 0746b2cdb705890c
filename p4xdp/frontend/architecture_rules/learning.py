"""PNA's tables that learn: `add_entry` on a miss, and timers of entries."""

from __future__ import annotations

from p4xdp.diagnostics import Diagnostics
from p4xdp.frontend import typed
from p4xdp.frontend.architecture_rules.uses import Runners, calls, controls, is_set, tables

ADD = ("add_entry", "add_entry_if")
TIMERS = ("set_entry_expire_time", "restart_expire_timer")
TIMED = ("idle_timeout", "idle_timeout_with_auto_delete")


def check(program: typed.TypedProgram, diagnostics: Diagnostics) -> None:
    for control in controls(program):
        for table in tables(control):
            _check_keys(table, diagnostics)
        runners = Runners(control)
        for action in runners.actions:
            for call in calls(action.body):
                _check_call(runners, action, call, diagnostics)


def _check_keys(table: typed.Table, diagnostics: Diagnostics) -> None:
    """An entry that a packet adds has the values of the packet's keys."""
    others = [key for key in table.keys if key.match_kind != "exact"]
    if is_set(table, "add_on_miss") and others:
        diagnostics.error(
            "bad-key",
            others[0].span,
            f"table `{table.name}` adds entries on a miss, so its keys must all be `exact`",
        )


def _check_call(
    runners: Runners, action: typed.Action, call: typed.Call, diagnostics: Diagnostics
) -> None:
    match call.callee:
        case typed.ExternFunctionCallee(function=function) if function.name in ADD:
            for table in runners.tables_of(action):
                _check_added(table, action, call, diagnostics)
        case typed.ExternFunctionCallee(function=function) if function.name in TIMERS:
            for table in runners.tables_of(action):
                if not is_set(table, *TIMED):
                    _refuse(
                        call,
                        f"`{function.name}` in an action of table `{table.name}`, whose entries"
                        " have no timers",
                        f"give the table the property `{TIMED[1]} = true`",
                        diagnostics,
                    )


def _check_added(
    table: typed.Table, action: typed.Action, call: typed.Call, diagnostics: Diagnostics
) -> None:
    default = table.default.action if table.default else None
    if not is_set(table, "add_on_miss"):
        why = f"`{_name(call)}` in an action of table `{table.name}`, which adds no entries"
        _refuse(call, why, "give the table the property `add_on_miss = true`", diagnostics)
    elif default is not action:
        why = f"`{_name(call)}` in `{action.name}`, which is not the default action of its table"
        _refuse(call, why, "add entries where a packet misses: in the default action", diagnostics)
    else:
        _check_named(table, action, call, diagnostics)


def _check_named(
    table: typed.Table, action: typed.Action, call: typed.Call, diagnostics: Diagnostics
) -> None:
    name = next((a.value for a in call.arguments if isinstance(a, typed.Literal)), None)
    listed = [one.action.name for one in table.actions]
    if name == action.name:
        why = f"`{name}` runs on a miss and cannot be the action of an added entry"
    elif name not in listed:
        why = f"table `{table.name}` has no action `{name}` for an added entry"
    else:
        return
    _refuse(call, why, "name an action of the table that hits run", diagnostics)


def _name(call: typed.Call) -> str:
    match call.callee:
        case typed.ExternFunctionCallee(function=function):
            return function.name
        case _:
            return ""


def _refuse(call: typed.Call, text: str, help: str, diagnostics: Diagnostics) -> None:
    diagnostics.error("not-allowed-here", call.span, text, help=help)
