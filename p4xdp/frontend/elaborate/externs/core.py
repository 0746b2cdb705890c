"""The extern functions of core.p4."""

from __future__ import annotations

from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.externs.interface import NOTHING, Function, passed, scalar_of
from p4xdp.frontend.elaborate.trees import Tree
from p4xdp.frontend.elaborate.walk import Env, Walk
from p4xdp.midend import ir


def _verify(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    condition, code = (scalar_of(one) for one in passed(walk, env, function, expr))
    reject = ir.Reject(code, expr.span)
    match fold.negation(condition):
        case ir.Const(value=0):
            pass
        case ir.Const():
            walk.emit(reject)
        case failed:
            walk.emit(ir.If(failed, (reject,), (), expr.span))
    return NOTHING


def _static_assert(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    return ir.TRUE


FUNCTIONS: dict[str, Function] = {"verify": _verify, "static_assert": _static_assert}
