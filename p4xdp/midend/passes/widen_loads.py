"""Load parts of keys that are not 2, 4 or 8 bytes with what stands behind them, and leave that out.

    stations.apply(data[0+:48])          ->          stations.apply(data[0+:64][63:16])

One load and a mask take the place of two loads that have to be put together. Only what is surely
in the packet is loaded in addition.
"""

from __future__ import annotations

from functools import reduce

from p4xdp.midend.coverage import UNKNOWN, Covered, map_covered
from p4xdp.midend.ir import Apply, Concat, Expr, Load, Program, Slice, Stmt, limbs_of
from p4xdp.midend.rewrite import same
from p4xdp.records import replace

WIDER = {24: 32, 40: 64, 48: 64, 56: 64}
"""By the bits that two loads or more would take those that one load takes."""


def widen_loads(program: Program) -> Program:
    """Return the narrow program with fewer loads for its keys."""
    return replace(program, body=map_covered(program.body, _widened))


def _widened(stmt: Stmt, covered: Covered) -> Stmt:
    if not isinstance(stmt, Apply):
        return stmt
    keys = tuple(_wide_key(key, covered) for key in stmt.keys)
    return stmt if same(keys, stmt.keys) else replace(stmt, keys=keys)


def _wide_key(key: Expr, covered: Covered) -> Expr:
    limbs = limbs_of(key)
    wide = tuple(_wide(limb, covered) for limb in limbs)
    return key if same(wide, limbs) else reduce(Concat, wide)


def _wide(limb: Expr, covered: Covered) -> Expr:
    match limb:
        case Load(pointer=pointer, offset=offset, width=width) if width in WIDER:
            whole = WIDER[width]
            if offset % 8 or covered.get(pointer, UNKNOWN) * 8 < offset + whole:
                return limb
            return Slice(Load(pointer, offset, whole), whole - 1, whole - width)
        case _:
            return limb
