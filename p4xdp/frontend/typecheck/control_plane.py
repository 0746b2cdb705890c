"""Names that the control plane sees: each may stand for one thing only (section 19.3)."""

from __future__ import annotations

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import typed
from p4xdp.frontend.typecheck.annotations import local_name
from p4xdp.frontend.typecheck.context import Context


def check_names(cx: Context, parts: tuple[typed.LocalDeclaration, ...]) -> None:
    """Report tables, actions, instances and value sets of one block that share a name."""
    local: dict[str, Span] = {}
    for part in parts:
        if isinstance(part, typed.Variable | typed.Constant):
            continue
        if any(a.name == "hidden" for a in part.annotations):
            continue
        name = local_name(part.name, part.annotations)
        claim(cx, name, part.span, cx.control_plane_names if name.startswith(".") else local)


def claim(cx: Context, name: str, span: Span, names: dict[str, Span]) -> None:
    """Take a control-plane name, or report who has it."""
    earlier = names.setdefault(name, span)
    if earlier is not span:
        cx.diagnostics.error(
            "control-plane-name",
            span,
            f"two things have the control-plane name `{name.lstrip('.')}`",
            notes=(Note("the other one is here", earlier),),
            help='give one of them another name with `@name("...")`',
        )
