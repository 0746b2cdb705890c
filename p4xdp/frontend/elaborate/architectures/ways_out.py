"""How packets leave a program whose ports are numbers of its own: the verdict that a port comes to,
and the time at which they pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.architectures.blocks import Main
from p4xdp.frontend.elaborate.walk import Walk
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp
from p4xdp.midend.rewrite import expressions, targets, variables, walk as statements

PORTS = 512
"""How many port numbers there are."""

DROPPED: ir.Stmt = ir.Finish(ir.Const(ir.XDP_DROP, 32))


def time(walk: Walk, stamp: ir.Var) -> Iterator[ir.Stmt]:
    """Yield what sets a timestamp, in microseconds."""
    now = walk.fresh("now", 64)
    yield ir.Effect("ktime", None, (), now)
    micro = fold.binary(BinaryOp.DIV, now, ir.Const(1000, 64))
    yield ir.Assign(stamp, fold.resize(micro, stamp.width))


def is_host(main: Main, port: ir.Var) -> ir.Expr:
    """Return whether a port is the one that stands for this machine."""
    return fold.equal(port, ir.Const(main.host_port % PORTS, port.width))


def to_controller(main: Main, port: ir.Var, arrival: ir.Var, own: int | None = None) -> ir.Body:
    """Return what tells user space a packet that leaves by the CPU port, with the port by which it
    came; `own` is what the architecture calls that port, too."""
    if main.cpu_port is None:
        return ()
    cpu, leaves = ir.Const(main.cpu_port, 32), fold.resize(port, 32)
    told = ir.Effect("packet_message", None, (cpu, fold.resize(arrival, 32)))
    asked = fold.equal(leaves, cpu)
    if own is not None:
        asked = fold.disjunction(asked, fold.equal(leaves, ir.Const(own, 32)))
    return (ir.If(asked, (told, DROPPED)),)


def verdict(here: ir.Expr, port: ir.Var, arrival: ir.Var | None) -> ir.Expr:
    """Return the verdict on a packet that goes to `port`, or to this machine where `here` holds.

    Where the program knows by which port the packet came, which is `arrival` then, the way back is
    XDP_TX, which costs less than a redirect.
    """
    away: ir.Expr = ir.Const(ir.XDP_REDIRECT, 32)
    if arrival is not None:
        away = fold.mux(fold.equal(port, arrival), ir.Const(ir.XDP_TX, 32), away)
    return fold.mux(here, ir.Const(ir.XDP_PASS, 32), away)


def names_read(bodies: Sequence[ir.Body]) -> set[str]:
    """Return the variables that code reads."""
    read = (expr for body in bodies for stmt in statements(body) for expr in expressions(stmt))
    return {var.name for expr in read for var in variables(expr)}


def names_set(bodies: Sequence[ir.Body]) -> set[str]:
    """Return the variables that code sets."""
    return {var.name for body in bodies for stmt in statements(body) for var in targets(stmt)}


def may_set(bodies: Sequence[ir.Body], var: ir.Var) -> Iterator[ir.Assign]:
    """Yield what sets a variable to anything but 0 or a copy of itself that a call made."""
    last = var.name.rpartition(".")[2]
    for body in bodies:
        for stmt in statements(body):
            match stmt:
                case ir.Assign(target=target, value=value) if target == var:
                    is_copy = isinstance(value, ir.Var) and value.name.endswith(f".{last}")
                    if not is_copy and value != ir.Const(0, var.width):
                        yield stmt
                case _:
                    pass
