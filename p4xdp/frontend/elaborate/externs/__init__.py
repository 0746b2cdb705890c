"""What extern functions and objects do, in terms of the IR; each architecture's in a module of its
own."""

from __future__ import annotations

from p4xdp.diagnostics import CompileError, InternalError, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, expressions, packets
from p4xdp.frontend.elaborate.externs import (
    checksums,
    core,
    counters,
    digests,
    direct,
    hashes,
    meters,
    psa,
    psa_hashes,
    registers,
    v1model,
    xdp_model,
)
from p4xdp.frontend.elaborate.externs.interface import Function, Method
from p4xdp.frontend.elaborate.trees import Tree
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Packet, Walk

FUNCTIONS: dict[str, Function] = (
    core.FUNCTIONS
    | xdp_model.FUNCTIONS
    | v1model.FUNCTIONS
    | psa.FUNCTIONS
    | checksums.FUNCTIONS
    | digests.FUNCTIONS
    | hashes.FUNCTIONS
)
METHODS: dict[str, Method] = (
    counters.METHODS
    | direct.METHODS
    | meters.METHODS
    | registers.METHODS
    | checksums.METHODS
    | psa.METHODS
    | psa_hashes.METHODS
)
"""By `Extern.method`."""


def call_function(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    """Emit the call of an extern function; return its value."""
    found = FUNCTIONS.get(function.name)
    if found is None:
        raise _unknown(f"extern function `{function.name}`", expr.span)
    return found(walk, env, function, expr)


def call_method(walk: Walk, env: Env, callee: typed.MethodCallee, expr: typed.Call) -> Tree:
    """Emit the call of a method of an extern object; return its value."""
    found = expressions.instance(walk, env, callee.instance, "")
    match found:
        case Packet():
            return packets.call_method(walk, env, callee, expr)
        case ExternObject(methods=methods) if callee.method in methods:
            method = methods[callee.method]
            return calls.call_own_method(walk, env, found, method, expr)
        case ExternObject():
            name = f"{found.declaration.name.split('<')[0]}.{callee.method.name}"
            if name not in METHODS:
                raise _unknown(f"extern method `{name}`", expr.span)
            return METHODS[name](walk, env, found, callee.method, expr)
        case _:
            raise InternalError("elaborate", f"{found} has no methods", expr.span)


def _unknown(what: str, span: Span) -> CompileError:
    return fail(
        "unsupported",
        span,
        f"{what} is not known to this target",
        help="use the externs of our architecture files: `p4xdp --include-dir` says where they are",
    )
