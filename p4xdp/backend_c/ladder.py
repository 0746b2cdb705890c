"""The ladder of layouts: how much of a program stands in one piece, and where its variables live.

Each rung has more room than the one before it, and costs more: variables in registers and on the
stack; variables in a per-CPU map; parts of the program as global functions, which the verifier
looks at one at a time; parts as programs of their own, which tail-call each other.
"""

from __future__ import annotations

from p4xdp.midend import ir
from p4xdp.midend.cut import Weigh, cut
from p4xdp.midend.rewrite import expressions, walk, walk_expression
from p4xdp.records import dataclass

STACK = "stack"
SCRATCH = "scratch"
SUBPROGRAMS = "subprograms"
TAIL_CALLS = "tail-calls"
LADDER = (STACK, SCRATCH, SUBPROGRAMS, TAIL_CALLS)

MOST_PATHS = 6_000
"""Variables that start as zero times tests in the program. The verifier knows of each variable on
the stack on each path whether it is still zero, and walks through what follows again for each set
of those that are; it knows nothing of the contents of a map."""

MOST_MAPS = 64
"""Maps that one program may use (MAX_USED_MAPS of the kernel, to 6.18 at least)."""

OWN_MAPS = 8
"""Maps that a part may need beside those of its tables and counters."""

ONE_PIECE = 20_000
"""Instructions of a program that is not cut: jumps reach 32,767, and the estimate may be low."""

ONE_PROGRAM = 60_000
"""Instructions of a program in one object: the verifier, which walks through each many times, gives
up after a million."""

PART = 3_000
"""Instructions of a part."""

MOST_PARTS = 32
"""Parts of a chain of tail calls (MAX_TAIL_CALL_CNT of the kernel is 33)."""


def above(rung: str) -> tuple[str, ...]:
    """Return the rungs with more room, the next one first."""
    return LADDER[LADDER.index(rung) + 1 :]


@dataclass(frozen=True, slots=True)
class Choice:
    """A rung, and why that and not the one below; `parts` are the program's pieces, one if there
    is nothing to cut."""

    rung: str
    why: str
    parts: tuple[ir.Body, ...]


def choose(program: ir.Program, maps: dict[str, int], asked: str | None, why: str) -> Choice | None:
    """Return one of the two upper rungs if it is asked for or needed, else None.

    `maps` says how many a table has, `why` is the reason for what is asked.
    """
    objects = (program.counters, program.registers, program.meters)
    applied = {stmt.table for stmt in walk(program.body) if isinstance(stmt, ir.Apply)}
    total = sum(maps[table] for table in applied) + sum(map(len, objects))
    total += sum(profile.group_size > 0 for profile in program.profiles)
    size = sum(map(instructions, walk(program.body)))
    if asked is None:
        asked, why = _needed(total, size)
    if asked not in (SUBPROGRAMS, TAIL_CALLS):
        return None
    limit = min(max(PART, 2 * size // MOST_PARTS), max(1, size * 2 // 3))
    parts = cut(program, _weigh(maps if asked == TAIL_CALLS else {}, limit))
    return Choice(asked, why, parts) if len(parts) > 1 else Choice(SCRATCH, why, parts)


def _needed(maps: int, size: int) -> tuple[str | None, str]:
    if maps + OWN_MAPS > MOST_MAPS:
        return TAIL_CALLS, f"{maps} maps, {MOST_MAPS} fit in one program"
    if size > ONE_PROGRAM:
        return TAIL_CALLS, f"~{size} instructions, more than one program should have"
    if size > ONE_PIECE:
        return SUBPROGRAMS, f"~{size} instructions, more than one function should have"
    return None, ""


def _weigh(maps: dict[str, int], limit: int) -> Weigh:
    def weigh(stmt: ir.Stmt) -> float:
        own = instructions(stmt) / limit
        if maps and isinstance(stmt, ir.Apply):
            return max(own, maps[stmt.table] / (MOST_MAPS - OWN_MAPS))
        uses_map = isinstance(stmt, ir.Effect) and stmt.instance is not None
        return max(own, 1 / (MOST_MAPS - OWN_MAPS)) if maps and uses_map else own

    return weigh


# How many instructions clang writes, roughly


LOOKUP, ARM = 12, 3


def instructions(stmt: ir.Stmt) -> int:
    """Return an estimate for a statement itself, without its bodies."""
    own = sum(_of_expression(part) for expr in expressions(stmt) for part in walk_expression(expr))
    match stmt:
        case ir.Apply(keys=keys, arms=arms):
            data = sum(len(arm.data) for arm in arms)
            return own + LOOKUP + 2 * len(keys) + ARM * len(arms) + 2 * data
        case ir.Store(width=width):
            return own + _memory(width)
        case ir.Check():
            return 3
        case ir.SetPointer(amount=amount):
            return own + (1 if amount is None else 5)
        case ir.Effect() | ir.AdjustHead():
            return own + LOOKUP
        case ir.Switch(cases=cases):
            return own + sum(len(case.values) for case in cases) + 1
        case ir.Scope() | ir.Leave():
            return 0
        case _:
            return own + 1


def _of_expression(expr: ir.Expr) -> int:
    match expr:
        case ir.Load(width=width):
            return _memory(width)
        case ir.Pure():
            return 20
        case ir.Const():
            return 0
        case _:
            return 1


def _memory(width: int) -> int:
    """Return the instructions that move a number of bits in network order."""
    return 2 if width in (8, 16, 32, 64) else 6
