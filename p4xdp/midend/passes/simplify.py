"""Propagate, thread jumps, remove what is dead and straighten, until nothing changes.

x = hd.ipv4.ttl;
if (true) {                      hd.ipv4.ttl = hd.ipv4.ttl - 1;
    x = x - 1;          ->
}
hd.ipv4.ttl = x;
"""

from __future__ import annotations

from p4xdp.midend.ir import Program
from p4xdp.midend.passes.propagate import propagate
from p4xdp.midend.passes.remove_dead import remove_dead
from p4xdp.midend.passes.straighten import straighten
from p4xdp.midend.passes.thread_jumps import thread_jumps

MOST_ROUNDS = 6


def simplify(program: Program) -> Program:
    """Return an equivalent program, of any stage, with less in it."""
    for _ in range(MOST_ROUNDS):
        before = program
        forward = propagate if program.stage == "flat" else thread_jumps
        program = straighten(remove_dead(forward(program)))
        if program == before:
            break
    return program
