"""What the architectures' extern functions and objects do, in terms of the IR."""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.diagnostics import CompileError, InternalError, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, expressions, fold, packets
from p4xdp.frontend.elaborate.trees import Record, Tree, leaf
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Packet, Walk
from p4xdp.midend import ir

_PURE = {
    "ebpf_ipv4_checksum": ("ipv4_checksum", 16),
    "csum_replace2": ("csum_replace2", 16),
    "csum_replace4": ("csum_replace4", 16),
}
"""Extern functions without effect: their names in the IR and the widths of their results."""


def call_function(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    """Emit the call of an extern function; return its value."""
    match function.name:
        case "verify":
            _verify(walk, env, function, expr)
            return Record(())
        case "static_assert":
            return ir.TRUE
        case "BPF_KTIME_GET_NS":
            now = walk.fresh("now", 64)
            walk.emit(ir.Effect("ktime", None, (), now, expr.span))
            return fold.slice_of(now, 31, 0)
        case "BPF_PERF_EVENT_OUTPUT":
            status = walk.fresh("perf_event_status", 32)
            walk.emit(ir.Effect("perf_event_output", None, (), status, expr.span))
            return status
        case name if name in _PURE:
            target, width = _PURE[name]
            values = _values(walk, env, function.parameters, expr)
            return ir.Pure(target, tuple(values), width)
        case name:
            raise unknown(f"extern function `{name}`", expr.span)


def unknown(what: str, span: Span) -> CompileError:
    return fail(
        "unsupported",
        span,
        f"{what} is not known to this target",
        help="use the externs of xdp_model.p4 and ebpf_model.p4",
    )


def _values(
    walk: Walk, env: Env, parameters: Sequence[typed.Parameter], expr: typed.Call
) -> list[ir.Expr]:
    """Evaluate the arguments as they stand in the call; return their values by parameter."""
    given = [(p, a) for p, a in expr.passed(parameters) if a is not None]
    values = expressions.evaluate_all(walk, env, [a for _, a in given], expr.span)
    found = {p: leaf(value) for (p, _), value in zip(given, values, strict=True)}
    return [found[p] for p in parameters if p in found]


def _verify(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> None:
    condition, code = _values(walk, env, function.parameters, expr)
    reject = ir.Reject(code, expr.span)
    match fold.negation(condition):
        case ir.Const(value=0):
            return
        case ir.Const():
            walk.emit(reject)
        case failed:
            walk.emit(ir.If(failed, (reject,), (), expr.span))


def call_method(walk: Walk, env: Env, callee: typed.MethodCallee, expr: typed.Call) -> Tree:
    """Emit the call of a method of an extern object; return its value."""
    found = expressions.instance(walk, env, callee.instance, "")
    match found:
        case Packet():
            return packets.call_method(walk, env, callee, expr)
        case ExternObject(methods=methods) if callee.method.name in methods:
            method = methods[callee.method.name]
            return calls.call_function(walk, env, method, expr, found.env)
        case ExternObject() if found.declaration.name == "CounterArray":
            _count(walk, env, found, callee.method, expr)
            return Record(())
        case ExternObject():
            name = f"{found.declaration.name}.{callee.method.name}"
            raise unknown(f"extern method `{name}`", expr.span)
        case _:
            raise InternalError("elaborate", f"{found} has no methods", expr.span)


def _count(
    walk: Walk, env: Env, counter: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> None:
    declared = _counter(walk, counter)
    values = _values(walk, env, method.parameters, expr)
    if method.name == "increment":
        values.append(ir.Const(1, 32))
    walk.emit(ir.Effect("count", declared.name, tuple(values), None, expr.span))


def _counter(walk: Walk, counter: ExternObject) -> ir.Counter:
    if counter not in walk.counters:
        walk.take_name(counter.path, counter, counter.span)
        size, sparse = counter.arguments
        number = calls.known_number(size)
        if number is None or not isinstance(sparse, ir.Const):
            raise InternalError("elaborate", "a size that is not known", counter.span)
        declared = ir.Counter(counter.path, number, bool(sparse.value), counter.span)
        walk.counters[counter] = declared
    return walk.counters[counter]
