"""The parts of typed nodes: for each class, the fields that may hold further nodes."""

from __future__ import annotations

from p4xdp.frontend import typed, typed_expressions
from p4xdp.records import fields, is_dataclass

_LEFT_OUT = ("type", "span", "annotations", "name")
_MODULES = (typed.__name__, typed_expressions.__name__)

PARTS: dict[type, tuple[str, ...]] = {
    kind: tuple([field.name for field in fields(kind) if field.name not in _LEFT_OUT])
    for kind in (*vars(typed).values(), *vars(typed_expressions).values())
    if isinstance(kind, type) and kind.__module__ in _MODULES and is_dataclass(kind)
}
"""What else there is says what a node is, and holds none."""
