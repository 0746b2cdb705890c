"""Who runs an action: tables, `apply` blocks, other actions."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.frontend import typed
from p4xdp.frontend.warnings.walk import nodes
from p4xdp.records import dataclass, field


def controls(program: typed.TypedProgram) -> Iterator[typed.Control]:
    for declaration in program.declarations:
        if isinstance(declaration, typed.Control):
            yield declaration


def tables(control: typed.Control) -> list[typed.Table]:
    return [local for local in control.locals if isinstance(local, typed.Table)]


def calls(code: object) -> Iterator[typed.Call]:
    """Yield the calls in code, without those of what it calls."""
    for node in nodes(code):
        if isinstance(node, typed.Call):
            yield node


@dataclass(slots=True)
class Runners:
    """For each action of a control, the tables that run it, itself or by way of other actions.

    `called` are the actions that the `apply` block runs itself.
    """

    control: typed.Control
    called: set[typed.Action] = field(default_factory=set)
    _tables: dict[typed.Action, list[typed.Table]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for table in tables(self.control):
            chosen = [listed.action for listed in table.actions]
            if table.default is not None:
                chosen.append(table.default.action)
            for action in chosen:
                self._note(action, table)
        for call in calls(self.control.apply):
            if isinstance(call.callee, typed.ActionCallee):
                self._note(call.callee.action, None)

    def _note(self, action: typed.Action, table: typed.Table | None) -> None:
        if table is None:
            self.called.add(action)
        elif table not in self._tables.setdefault(action, []):
            self._tables[action].append(table)
        for call in calls(action.body):
            if isinstance(call.callee, typed.ActionCallee):
                self._note(call.callee.action, table)

    @property
    def actions(self) -> list[typed.Action]:
        """The actions of the control that something runs."""
        local = [one for one in self.control.locals if isinstance(one, typed.Action)]
        return [one for one in local if one in self._tables or one in self.called]

    def tables_of(self, action: typed.Action) -> list[typed.Table]:
        return self._tables.get(action, [])


def is_set(table: typed.Table, *names: str) -> bool:
    """Whether one of these properties of a table is `true`."""
    return any(
        prop.name in names and isinstance(prop.value, typed.Literal) and prop.value.value is True
        for prop in table.properties
    )
