"""The passes in their order: a flat program in, a narrow one out."""

from __future__ import annotations

from collections.abc import Callable

from p4xdp.midend.ir import Program
from p4xdp.midend.passes.join_tests import join_tests
from p4xdp.midend.passes.keep_in_place import keep_in_place
from p4xdp.midend.passes.linearise import linearise
from p4xdp.midend.passes.lower_constant_tables import lower_constant_tables
from p4xdp.midend.passes.merge_checks import merge_checks
from p4xdp.midend.passes.merge_stores import merge_stores
from p4xdp.midend.passes.pack_headers import pack_headers
from p4xdp.midend.passes.simplify import simplify
from p4xdp.midend.passes.split_wide import split_wide
from p4xdp.midend.passes.widen_loads import widen_loads
from p4xdp.midend.verify import verify

Pass = Callable[[Program], Program]

PASSES: tuple[Pass, ...] = (
    lower_constant_tables,
    keep_in_place,
    pack_headers,
    simplify,
    linearise,
    simplify,
    merge_checks,
    split_wide,
    simplify,
    merge_stores,
    join_tests,
    widen_loads,
)

OPTIONAL = (
    "lower_constant_tables",
    "keep_in_place",
    "pack_headers",
    "simplify",
    "merge_checks",
    "merge_stores",
    "join_tests",
    "widen_loads",
)
"""Passes that only make a program better: each can be left out."""


def run(
    program: Program,
    *,
    without: frozenset[str] = frozenset(),
    after_each: Callable[[str, Program], None] | None = None,
    verify_each: bool = False,
) -> Program:
    """Return the program after all passes but those in `without`.

    `after_each` gets each pass's name and result.

    Raises InternalError when `verify_each` is set and an invariant is broken.
    """
    if verify_each:
        verify(program)
    for step in PASSES:
        if step.__name__ in without:
            continue
        program = step(program)
        if verify_each:
            verify(program)
        if after_each is not None:
            after_each(step.__name__, program)
    return program
