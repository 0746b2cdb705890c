"""Names that the control plane sees: each may stand for one thing only (section 19.3)."""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.diagnostics import Note
from p4xdp.frontend import typed
from p4xdp.frontend.typecheck.annotations import local_name
from p4xdp.frontend.typecheck.context import Context

Named = typed.Table | typed.Action | typed.Instance | typed.ValueSet


def check_names(
    cx: Context, path: str, parts: Sequence[typed.LocalDeclaration | typed.Declaration]
) -> None:
    """Report tables, actions, instances and value sets that share a full name.

    `path` is the name of the block that they stand in, empty at the top level.
    """
    for part in parts:
        if isinstance(part, Named) and not any(a.name == "hidden" for a in part.annotations):
            name = local_name(part.name, part.annotations)
            if path and not name.startswith("."):
                name = f"{path}.{name}"
            if name.lstrip(".") != "NoAction":  # compilers give every control its own copy
                _claim(cx, name.lstrip("."), part)


def _claim(cx: Context, name: str, part: Named) -> None:
    """Take a control-plane name, or report who has it; a table and an action do not clash."""
    span = part.span
    earlier = cx.control_plane_names.setdefault((type(part).__name__, name), span)
    if earlier is not span:
        cx.diagnostics.error(
            "control-plane-name",
            span,
            f"two {_plural(part)} have the control-plane name `{name}`",
            notes=(Note("the other one is here", earlier),),
            help='give one of them another name with `@name("...")`',
        )


def _plural(part: Named) -> str:
    match part:
        case typed.Table():
            return "tables"
        case typed.Action():
            return "actions"
        case typed.Instance():
            return "instances"
        case typed.ValueSet():
            return "value sets"
