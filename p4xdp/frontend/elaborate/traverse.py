"""Looking through typed trees: what a body contains, without evaluating anything."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.frontend import typed
from p4xdp.frontend.elaborate.trees import (
    StackTree,
    Tree,
    headers_of,
    leaves,
    part_of,
)
from p4xdp.frontend.elaborate.walk import Block, Env, ExternObject, Packet
from p4xdp.frontend.typed_parts import PARTS
from p4xdp.midend import ir

_DECLARATIONS = (
    typed.Parameter,
    typed.Constant,
    typed.Function,
    typed.Action,
    typed.ExternFunction,
    typed.Extern,
    typed.Package,
    typed.ValueSet,
    typed.State,
    typed.Parser,
    typed.Control,
    typed.Table,
)


def nodes(node: object) -> Iterator[object]:
    """Yield the node and all typed nodes inside it, outer ones first; references are not
    followed."""
    if isinstance(node, tuple):
        for part in node:
            yield from nodes(part)
        return
    names = PARTS.get(type(node))
    if names is None:
        return
    yield node
    if isinstance(node, typed.Ref):
        return
    for name in names:
        value = getattr(node, name)
        if not isinstance(value, _DECLARATIONS):
            yield from nodes(value)


def reached(body: object) -> Iterator[object]:
    """Yield the nodes of a body, of all actions and functions that it calls, of the tables that it
    applies and of their actions."""
    seen: set[object] = set()
    pending = [body]
    while pending:
        for node in nodes(pending.pop()):
            yield node
            followed = _followed(node)
            if followed is not None and followed[0] not in seen:
                seen.add(followed[0])
                pending.append(followed[1])


def _followed(node: object) -> tuple[object, object] | None:
    """Return what a node refers to and has carried out, and the parts of that."""
    match node:
        case typed.FunctionCallee(function=function):
            return function, function.body
        case typed.ActionCallee(action=action) | typed.TableAction(action=action):
            return action, action.body
        case typed.TableApply(table=table):
            return table, (table.keys, table.actions)
        case _:
            return None


def touched(env: Env, body: object) -> set[str]:
    """Return the variables of `env` that a body, and what it calls, may read or set."""
    names: set[str] = set()
    for node in _paths(body):
        tree = static_tree(env, node)
        if tree is not None:
            names.update(var.name for var in leaves(tree) if isinstance(var, ir.Var))
            names.update(v.name for header in headers_of(tree) for v in header.siblings)
    return names


def _paths(body: object) -> Iterator[typed.Expression]:
    """Yield the longest field paths in a body and in the actions that it calls."""
    inner: set[int] = set()
    for node in reached(body):
        match node:
            case typed.Field(base=base):
                inner.add(id(base))
                if id(node) not in inner:
                    yield node
            case typed.Ref() if id(node) not in inner:
                yield node


def static_tree(env: Env, expr: typed.Expression) -> Tree | None:
    """Return the storage that a path names, all of a stack for an element; None for anything
    else."""
    match expr:
        case typed.Ref(declaration=declaration):
            found = env.find(declaration)
            return None if isinstance(found, Packet | Block | ExternObject) else found
        case typed.Field(base=base, name=name):
            tree = static_tree(env, base)
            return None if tree is None else _part(tree, name)
        case typed.TupleIndex(base=base, index=index):
            tree = static_tree(env, base)
            return None if tree is None else _part(tree, str(index))
        case typed.StackIndex(base=base):
            return static_tree(env, base)
        case _:
            return None


def _part(tree: Tree, name: str) -> Tree:
    return tree if isinstance(tree, StackTree) else part_of(tree, name)
