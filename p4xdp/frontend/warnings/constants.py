"""`overflow` and `mismatch`: constants that do not fit what they meet."""

from __future__ import annotations

from collections.abc import Iterable

from p4xdp.diagnostics import Diagnostics
from p4xdp.frontend import typed
from p4xdp.frontend.types import Bit, Int


def check_constants(body: Iterable[object], diagnostics: Diagnostics) -> None:
    """Report shifts that leave nothing, comparisons that are decided, and empty ranges."""
    for node in body:
        match node:
            case typed.Binary(op="<<" | ">>", right=typed.Literal(value=count)):
                _shift(node, node.left, int(count), diagnostics)
            case typed.Assign(op="<<" | ">>", value=typed.Literal(value=count)):
                _shift(node, node.target, int(count), diagnostics)
            case typed.Binary(op="<" | ">=", right=typed.Literal(value=0)):
                _never_below(node, node.left, node.op == ">=", diagnostics)
            case typed.Binary(op=">" | "<=", left=typed.Literal(value=0)):
                _never_below(node, node.right, node.op == "<=", diagnostics)
            case typed.RangeKey(low=typed.Literal(value=low), high=typed.Literal(value=high)):
                if int(low) > int(high):
                    text = f"no value lies in this range: {low} is greater than {high}"
                    diagnostics.warning("mismatch", node.span, text)


def _shift(
    node: typed.Binary | typed.Assign,
    operand: typed.Expression,
    count: int,
    diagnostics: Diagnostics,
) -> None:
    if isinstance(operand.type, Bit | Int) and count >= operand.type.width:
        diagnostics.warning(
            "overflow",
            node.span,
            f"`{operand.type}` is shifted by {count} bits, which leaves nothing of its value",
        )


def _never_below(
    node: typed.Binary, operand: typed.Expression, result: bool, diagnostics: Diagnostics
) -> None:
    if isinstance(operand.type, Bit):
        answer = "true" if result else "false"
        text = f"this comparison is always {answer}: a `{operand.type}` is never below 0"
        diagnostics.warning("mismatch", node.span, text)
