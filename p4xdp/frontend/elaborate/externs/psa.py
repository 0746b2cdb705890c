"""The externs of psa.p4 that no other architecture has in this form: which way a packet goes, as a
deparser may ask, random numbers and digests."""

from __future__ import annotations

from p4xdp.diagnostics import InternalError, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import calls, fold
from p4xdp.frontend.elaborate.externs import digests
from p4xdp.frontend.elaborate.externs.interface import (
    NOTHING,
    Function,
    Method,
    passed,
    random_number,
    value_of,
)
from p4xdp.frontend.elaborate.trees import Tree, leaf, part_of, scalar_width
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Walk
from p4xdp.midend import ir

RECIRCULATE_PORT = 0xFFFFFFFA
CPU_PORT = 0xFFFFFFFD


def _flag(decided: Tree, name: str) -> ir.Expr:
    return leaf(part_of(decided, name))


def _clones(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    (decided,) = passed(walk, env, function, expr)
    return _flag(value_of(decided), "clone")


def _resubmits(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    (decided,) = passed(walk, env, function, expr)
    kept = fold.negation(_flag(value_of(decided), "drop"))
    return fold.conjunction(kept, _flag(value_of(decided), "resubmit"))


def _goes_on(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    (decided,) = passed(walk, env, function, expr)
    ends = (_flag(value_of(decided), name) for name in ("drop", "resubmit"))
    return fold.negation(fold.disjunction(*ends))


def _recirculates(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    decided, egress = (value_of(one) for one in passed(walk, env, function, expr))
    port = leaf(part_of(egress, "egress_port"))
    again = fold.equal(port, ir.Const(RECIRCULATE_PORT, ir.width_of(port)))
    return fold.conjunction(fold.negation(_flag(decided, "drop")), again)


def _random(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    passed(walk, env, method, expr)
    low, high = (calls.known_number(one) for one in found.arguments)
    width = scalar_width(expr.type)
    if low is None or high is None or width is None or width > ir.LIMB:
        help = "put wider ones together: `a ++ b`"
        raise fail("unsupported", expr.span, "a random number has at most 64 bits", help=help)
    least, most = ir.Const(low, ir.LIMB), ir.Const(high, ir.LIMB)
    return walk.saved(fold.resize(random_number(walk, least, most, expr.span), width), expr.span)


def _pack(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    (data,) = passed(walk, env, method, expr)
    kind = found.type.arguments[0] if isinstance(found.type, t.ExternType) else None
    if kind is None:
        raise InternalError("elaborate", f"{found.path} has no type", found.span)
    digests.send(walk, found.path, kind, value_of(data), ir.Const(0, digests.RECEIVER), expr.span)
    return NOTHING


METHODS: dict[str, Method] = {"Random.read": _random, "Digest.pack": _pack}
FUNCTIONS: dict[str, Function] = {
    "psa_clone_i2e": _clones,
    "psa_clone_e2e": _clones,
    "psa_resubmit": _resubmits,
    "psa_normal": _goes_on,
    "psa_recirculate": _recirculates,
}
