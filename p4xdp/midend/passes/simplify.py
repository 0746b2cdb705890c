"""Propagate, thread jumps, remove what is dead and straighten, until nothing changes.

x = hd.ipv4.ttl;
if (true) {                      hd.ipv4.ttl = hd.ipv4.ttl - 1;
    x = x - 1;          ->
}
hd.ipv4.ttl = x;
"""

from __future__ import annotations

from p4xdp.midend.coverage import cover_loads
from p4xdp.midend.ir import Program
from p4xdp.midend.passes.hoist_checks import hoist_checks
from p4xdp.midend.passes.propagate import propagate
from p4xdp.midend.passes.remove_dead import remove_dead
from p4xdp.midend.passes.sink_stores import sink_stores
from p4xdp.midend.passes.straighten import straighten
from p4xdp.midend.passes.thread_jumps import thread_jumps
from p4xdp.midend.rewrite import walk

LEAST_ROUNDS, MOST_ROUNDS = 2, 6

MOST_STATEMENTS = 15_000
"""Statements to go through in all; what the rounds of a large program leave, clang finds."""


def simplify(program: Program) -> Program:
    """Return an equivalent program, of any stage, with less in it.

    One round is enough for a flat program, which becomes linear and then comes here again.
    """
    if program.stage == "flat":
        return straighten(remove_dead(propagate(program)))
    size = 1 + sum(1 for _ in walk(program.body))
    rounds = min(MOST_ROUNDS, max(LEAST_ROUNDS, MOST_STATEMENTS // size))
    for _ in range(rounds):
        before = program
        program = hoist_checks(sink_stores(program))
        program = straighten(remove_dead(thread_jumps(program)))
        if program.body == before.body:
            break
    return cover_loads(program)
