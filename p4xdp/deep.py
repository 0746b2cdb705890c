"""Calls that recurse as deep as the user's program nests.

The stages follow the nesting of expressions and statements; Python's default limits are far
below what a generated program may hold.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from p4xdp.diagnostics import fail

STACK_SIZE = 512 << 20
"""Bytes of address space for the thread's stack; only what is used becomes memory."""

RECURSION_LIMIT = 400_000

Result = TypeVar("Result")


def call_deep(function: Callable[[], Result]) -> Result:
    """Return what `function` returns; raises what it raises.

    Raises CompileError (`nested-too-deep`) where even this stack does not reach.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function())
        except BaseException as error:  # carried over to the caller's thread
            errors.append(error)

    before_size = threading.stack_size(STACK_SIZE)
    before_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(RECURSION_LIMIT)
    try:
        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        worker.join()
    finally:
        threading.stack_size(before_size)
        sys.setrecursionlimit(before_limit)
    if errors:
        if isinstance(errors[0], RecursionError):
            raise fail("nested-too-deep", None, "the program is nested too deeply to compile")
        raise errors[0]
    return results[0]
