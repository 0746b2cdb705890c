"""The extern functions of xdp_model.p4."""

from __future__ import annotations

from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.externs.interface import Function, passed, scalar_of
from p4xdp.frontend.elaborate.trees import Tree
from p4xdp.frontend.elaborate.walk import Env, Walk
from p4xdp.midend import ir

CHECKSUM = 16


def _ktime(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    now = walk.fresh("now", 64)
    walk.emit(ir.Effect("ktime", None, (), now, expr.span))
    return fold.slice_of(now, 31, 0)


def _perf_event(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    status = walk.fresh("perf_event_status", 32)
    walk.emit(ir.Effect("perf_event_output", None, (), status, expr.span))
    return status


def _pure(name: str) -> Function:
    def call(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
        values = tuple(scalar_of(one) for one in passed(walk, env, function, expr))
        return ir.Pure(name, values, CHECKSUM)

    return call


FUNCTIONS: dict[str, Function] = {
    "BPF_KTIME_GET_NS": _ktime,
    "BPF_PERF_EVENT_OUTPUT": _perf_event,
    "ebpf_ipv4_checksum": _pure("ipv4_checksum"),
    "csum_replace2": _pure("csum_replace2"),
    "csum_replace4": _pure("csum_replace4"),
}
