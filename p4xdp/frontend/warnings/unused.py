"""`unused`: local declarations that nothing names, and code of the main file that nothing runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from p4xdp.diagnostics import Diagnostics
from p4xdp.frontend import typed
from p4xdp.frontend.warnings.names import Finder

_NAMED = (
    typed.Variable,
    typed.Constant,
    typed.Instance,
    typed.Action,
    typed.Table,
    typed.ValueSet,
    typed.Function,
    typed.Parser,
    typed.Control,
)
Named = (
    typed.Variable
    | typed.Constant
    | typed.Instance
    | typed.Action
    | typed.Table
    | typed.ValueSet
    | typed.Function
    | typed.Parser
    | typed.Control
)


def used_in(body: Iterable[object]) -> Iterator[object]:
    """Yield the declarations that code uses; a variable that is only written is not used."""
    targets: set[int] = set()
    for node in body:
        match node:
            case typed.Assign(target=target, op=None):
                if root := _root(target):
                    targets.add(id(root))
            case typed.Ref(declaration=declaration):
                if id(node) not in targets:
                    yield declaration
            case typed.Declare() | typed.ForIn():
                continue
            case _:
                yield from _named_by(node)


def _named_by(node: object) -> Iterator[object]:
    match node:
        case typed.FunctionCallee(function=function):
            yield function
        case typed.ActionCallee(action=action) | typed.TableAction(action=action):
            yield action
        case typed.ActionChoice(action=action):
            yield action
        case typed.ActionCase(labels=labels):
            yield from labels
        case typed.TableApply(table=table):
            yield table
        case typed.SetKey(value_set=value_set):
            yield value_set
        case typed.Construct(target=target) | typed.Instance(target=target):
            yield target
        case typed.ApplyCallee(block=block):
            yield block


def _root(target: typed.Expression) -> typed.Ref | None:
    """Return the Ref at the root of a place that is written without an index being read."""
    while isinstance(target, typed.Field | typed.TupleIndex | typed.Slice):
        target = target.base
    return target if isinstance(target, typed.Ref) else None


def declared_in(body: Iterable[object]) -> Iterator[Named]:
    """Yield what code declares, in order."""
    for node in body:
        if isinstance(node, typed.Declare):
            yield node.declaration


def report(
    declared: Iterable[Named], used: set[object], find: Finder, diagnostics: Diagnostics
) -> None:
    for one in declared:
        if one in used or one.name.startswith("_") or one.name == "main":
            continue
        if isinstance(one, typed.Instance) and one.methods:
            continue  # its target calls them
        diagnostics.warning(
            "unused", find(one.span, one.name), f"the {_kind(one)} `{one.name}` is never used"
        )


def _kind(one: Named) -> str:
    match one:
        case typed.ValueSet():
            return "value set"
        case _:
            return type(one).__name__.lower()
