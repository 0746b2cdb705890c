"""What extern functions and objects do, in terms of the IR; each architecture's in a module of its
own."""

from __future__ import annotations

from p4xdp.diagnostics import CompileError, InternalError, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, expressions, packets
from p4xdp.frontend.elaborate.externs import (
    c_functions,
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

PARAMETERS: dict[str, tuple[str, ...]] = {
    "CounterArray.increment": ("in",),
    "CounterArray.add": ("in in",),
    "counter.count": ("in",),
    "Counter.count": ("in",),
    "direct_counter.count": ("",),
    "DirectCounter.count": ("",),
    "meter.execute_meter": ("in out",),
    "direct_meter.read": ("out",),
    "Meter.execute": ("in", "in in"),
    "DirectMeter.execute": ("", "in"),
    "register.read": ("out in",),
    "register.write": ("in in",),
    "Register.read": ("in",),
    "Register.write": ("in in",),
    "Checksum16.get": ("in",),
    "Hash.get_hash": ("in", "in in in"),
    "Checksum.clear": ("",),
    "Checksum.update": ("in",),
    "Checksum.get": ("",),
    "InternetChecksum.clear": ("",),
    "InternetChecksum.add": ("in",),
    "InternetChecksum.subtract": ("in",),
    "InternetChecksum.get": ("",),
    "InternetChecksum.get_state": ("",),
    "InternetChecksum.set_state": ("in",),
    "Random.read": ("",),
    "Digest.pack": ("in",),
}
"""The directions of the parameters that the methods have in our architecture files: an extern that
a program declares under the same name may be another one."""


def call_function(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    """Emit the call of an extern function; return its value."""
    found = FUNCTIONS.get(function.name)
    if found is None and walk.calls_c:
        return c_functions.call(walk, env, function, expr)
    if found is None:
        raise _unknown(
            f"extern function `{function.name}`",
            expr.span,
            help="write it in C and give the file with `--extern FILE.c`, or use the externs of "
            "xdp_model.p4, ebpf_model.p4, v1model.p4 and psa.p4",
        )
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
            directions = " ".join(p.direction or "" for p in callee.method.parameters)
            if name not in METHODS or directions not in PARAMETERS[name]:
                raise _unknown(f"extern method `{name}`", expr.span)
            return METHODS[name](walk, env, found, callee.method, expr)
        case _:
            raise InternalError("elaborate", f"{found} has no methods", expr.span)


OUR_EXTERNS = "use the externs of xdp_model.p4, ebpf_model.p4, v1model.p4 and psa.p4"


def _unknown(what: str, span: Span, help: str = OUR_EXTERNS) -> CompileError:
    return fail("unsupported", span, f"{what} is not known to this target", help=help)
