"""Names that the control plane sees: each may stand for one thing only (section 19.3)."""

from __future__ import annotations

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import typed
from p4xdp.frontend.typecheck.annotations import local_name
from p4xdp.frontend.typecheck.context import Context


def check_names(cx: Context, parts: tuple[typed.LocalDeclaration, ...]) -> None:
    """Report tables, actions, instances and value sets of one block that share a name."""
    local: dict[tuple[str, str], Span] = {}
    for part in parts:
        if isinstance(part, typed.Variable | typed.Constant):
            continue
        if any(a.name == "hidden" for a in part.annotations):
            continue
        name = local_name(part.name, part.annotations)
        names = cx.control_plane_names if name.startswith(".") else local
        claim(cx, name, part, names)


def claim(
    cx: Context,
    name: str,
    part: typed.Table | typed.Action | typed.Instance | typed.ValueSet,
    names: dict[tuple[str, str], Span],
) -> None:
    """Take a control-plane name, or report who has it; a table and an action do not clash."""
    span = part.span
    earlier = names.setdefault((type(part).__name__, name), span)
    if earlier is not span:
        cx.diagnostics.error(
            "control-plane-name",
            span,
            f"two {_plural(part)} have the control-plane name `{name.lstrip('.')}`",
            notes=(Note("the other one is here", earlier),),
            help='give one of them another name with `@name("...")`',
        )


def _plural(part: typed.Table | typed.Action | typed.Instance | typed.ValueSet) -> str:
    match part:
        case typed.Table():
            return "tables"
        case typed.Action():
            return "actions"
        case typed.Instance():
            return "instances"
        case typed.ValueSet():
            return "value sets"
