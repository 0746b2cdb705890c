"""The extern functions of core.p4 (appendix D)."""

from __future__ import annotations

from p4xdp.interp.machine import Invocation, Reject, Run
from p4xdp.interp.values import NOTHING, TRUE, Value


def verify(run: Run, invocation: Invocation) -> Value:
    """Reject the packet with an error unless a condition holds (section 13.7)."""
    parameters = list(invocation.values)
    if not run.decide(invocation.argument(parameters[0])):
        raise Reject(str(invocation.argument(parameters[1]).value), invocation.span)
    return NOTHING


def static_assert(run: Run, invocation: Invocation) -> Value:
    """The checker has found it to hold (section 19)."""
    return TRUE


FUNCTIONS = {"verify": verify, "static_assert": static_assert}
