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

LARGE = 1000
"""Statements from which on a round has to be worth its time."""

LEAST_GAIN = 100
"""The last round of a large program takes away no more than one statement in so many: threading
jumps copies what straightening then joins again, so that its body may never come to rest."""


def simplify(program: Program) -> Program:
    """Return an equivalent program, of any stage, with less in it.

    One round is enough for a flat program, which becomes linear and then comes here again.
    """
    if program.stage == "flat":
        return straighten(remove_dead(propagate(program)))
    if program.stage == "linear":
        # most fields that a parser sets are never read: what is known of them takes long to follow
        program = remove_dead(program)
    size = _size(program)
    for number in range(1, MOST_ROUNDS + 1):
        before, old = program, size
        program = hoist_checks(sink_stores(program))
        program = straighten(remove_dead(thread_jumps(program)))
        size = _size(program)
        if program.body == before.body:
            break
        small_gain = size > LARGE and (old - size) * LEAST_GAIN <= old
        if small_gain and number >= LEAST_ROUNDS:
            break
    return cover_loads(program)


def _size(program: Program) -> int:
    return sum(1 for _ in walk(program.body))
