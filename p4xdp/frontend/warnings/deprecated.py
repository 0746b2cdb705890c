"""`deprecated`: uses of what is marked `@deprecated("reason")`."""

from __future__ import annotations

from collections.abc import Iterable

from p4xdp.diagnostics import Diagnostics, Note, Span
from p4xdp.frontend import typed

Marked = (
    typed.ExternFunction
    | typed.Extern
    | typed.Action
    | typed.Function
    | typed.Parser
    | typed.Control
)


def check_deprecated(body: Iterable[object], diagnostics: Diagnostics) -> None:
    for node in body:
        match node:
            case typed.Call(callee=typed.ExternFunctionCallee(function=function)):
                _use(function, node.span, diagnostics)
            case typed.Call(callee=typed.FunctionCallee(function=function)):
                _use(function, node.span, diagnostics)
            case typed.Call(callee=typed.MethodCallee(method=method)):
                _use(method, node.span, diagnostics)
            case typed.Call(callee=typed.ActionCallee(action=action)):
                _use(action, node.span, diagnostics)
            case typed.TableAction(action=action):
                _use(action, node.span, diagnostics)
            case typed.Instance(target=target) | typed.Construct(target=target):
                if not isinstance(target, typed.Package):
                    _use(target, node.span, diagnostics)


def _use(marked: Marked, span: Span, diagnostics: Diagnostics) -> None:
    for annotation in marked.annotations:
        if annotation.name == "deprecated":
            reason = f": {annotation.text}" if annotation.text else ""
            diagnostics.warning(
                "deprecated",
                span,
                f"`{marked.name}` is deprecated{reason}",
                notes=(Note("it is declared here", marked.span),),
            )
