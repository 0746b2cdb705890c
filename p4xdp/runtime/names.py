"""Finding what a person means by a name of a table, action, key field or counter.

A name is the full control-plane name (`Ingress.nat.fwd`), any end of it that fits one thing only
(`fwd`, `nat.fwd`), or either of these with `_` for each `.`, as C and older tools write it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from p4xdp.diagnostics import CompileError, fail
from p4xdp.runtime.requests import Name

Thing = TypeVar("Thing")
MOST_LISTED = 10


def resolve(
    name: Name, things: Sequence[Thing], name_of: Callable[[Thing], str], code: str, what: str
) -> Thing:
    """Return the one thing that `name` fits; raises CompileError with the names to choose from.

    `what` says what it is and of whom: "table", "action of table `t`".
    """
    for fits in (_is_full, _is_end, _is_c_name, _is_c_end):
        found = [thing for thing in things if fits(_normal(name.text), _normal(name_of(thing)))]
        if len(found) == 1:
            return found[0]
        if found:
            raise _ambiguous(name, [name_of(thing) for thing in found], code, what)
    raise _unknown(name, [name_of(thing) for thing in things], code, what)


def fits(name: Name, full: str) -> bool:
    """Tell whether `name` may mean the thing whose control-plane name is `full`."""
    text, wanted = _normal(name.text), _normal(full)
    return any(one(text, wanted) for one in (_is_full, _is_end, _is_c_name, _is_c_end))


def _normal(name: str) -> str:
    """Bring the ways to write a stack's element and a validity test to one."""
    plain = re.sub(r"\$(\d+)", r"[\1]", name.removeprefix("."))
    return re.sub(r"\.(isValid\(\)|\$valid\$|\$valid|valid)$", ".$valid$", plain)


def _is_full(name: str, full: str) -> bool:
    return name == full


def _is_end(name: str, full: str) -> bool:
    return full.endswith(f".{name}")


def _c_name(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_")


def _is_c_name(name: str, full: str) -> bool:
    return _c_name(name) == _c_name(full)


def _is_c_end(name: str, full: str) -> bool:
    return _c_name(full).endswith(f"_{_c_name(name)}")


def _ambiguous(name: Name, found: list[str], code: str, what: str) -> CompileError:
    return fail(
        code,
        name.span,
        f"`{name.text}` fits more than one {what}",
        help=f"say which: {_listed(found)}",
    )


def _unknown(name: Name, names: list[str], code: str, what: str) -> CompileError:
    nearest = sorted(names, key=lambda other: -_likeness(name.text, other))
    help = f"there is {_listed(nearest)}" if names else "there is none"
    return fail(code, name.span, f"`{name.text}` is no {what}", help=help)


def _likeness(name: str, other: str) -> float:
    ends = (other, other.rsplit(".", 1)[-1])
    return max(difflib.SequenceMatcher(None, name, end).ratio() for end in ends)


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:MOST_LISTED])
    more = len(names) - MOST_LISTED
    return f"{shown} and {more} more" if more > 0 else shown
