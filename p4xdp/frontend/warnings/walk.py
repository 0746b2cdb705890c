"""The parts of typed code: expressions, statements and keysets, without following names."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.frontend import typed
from p4xdp.frontend.typed_parts import PARTS

_DECLARATIONS = (
    typed.Parameter,
    typed.Variable,
    typed.Constant,
    typed.Instance,
    typed.Function,
    typed.Action,
    typed.ExternFunction,
    typed.Extern,
    typed.Package,
    typed.ValueSet,
    typed.State,
    typed.Parser,
    typed.Table,
    typed.Control,
)


def nodes(root: object) -> Iterator[object]:
    """Yield `root` and all that it is made of; a declaration is yielded but not entered.

    `root` itself is entered whatever it is.
    """
    yield root
    waiting = [getattr(root, name) for name in reversed(PARTS.get(type(root), ()))]
    if isinstance(root, tuple):
        waiting = list(reversed(root))
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting += reversed(node)
        elif names := PARTS.get(type(node)):
            yield node
            if not isinstance(node, _DECLARATIONS):
                waiting += [getattr(node, name) for name in reversed(names)]


def code(block: typed.Parser | typed.Control) -> Iterator[object]:
    """Yield everything inside a parser or control, its local declarations entered, too."""
    for local in block.locals:
        yield from _inside(local)
    if isinstance(block, typed.Control):
        yield from nodes(block.apply)
        return
    for state in block.states:
        yield from nodes(state)


def _inside(local: typed.LocalDeclaration) -> Iterator[object]:
    yield from nodes(local)
    if isinstance(local, typed.Instance):
        for method in local.methods:
            yield from nodes(method)
