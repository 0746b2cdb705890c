"""The extern functions of psa.p4: which way a packet goes, as a deparser may ask."""

from __future__ import annotations

from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.externs.interface import Function, passed, value_of
from p4xdp.frontend.elaborate.trees import Tree, leaf, part_of
from p4xdp.frontend.elaborate.walk import Env, Walk
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


FUNCTIONS: dict[str, Function] = {
    "psa_clone_i2e": _clones,
    "psa_clone_e2e": _clones,
    "psa_resubmit": _resubmits,
    "psa_normal": _goes_on,
    "psa_recirculate": _recirculates,
}
