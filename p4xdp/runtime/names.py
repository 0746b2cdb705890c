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
    (found,) = resolve_in_each(name, [things], name_of, code, what)
    assert found is not None
    return found


def resolve_in_each(
    name: Name,
    lists: Sequence[Sequence[Thing]],
    name_of: Callable[[Thing], str],
    code: str,
    what: str,
) -> list[Thing | None]:
    """Return the one thing of each list that `name` fits, None where there is none; raises
    CompileError if there is none in any. A name that is whole in one list means no end in another.
    """
    wanted = _normal(name.text)
    for fit in WAYS:
        found = [[one for one in things if fit(wanted, _normal(name_of(one)))] for things in lists]
        for several in found:
            if len(several) > 1:
                raise _ambiguous(name, [name_of(thing) for thing in several], code, what)
        if any(found):
            return [one[0] if one else None for one in found]
    names = dict.fromkeys(name_of(thing) for things in lists for thing in things)
    raise _unknown(name, list(names), code, what)


def fits(name: Name, full: str) -> bool:
    """Tell whether `name` may mean the thing whose control-plane name is `full`."""
    text, wanted = _normal(name.text), _normal(full)
    return any(one(text, wanted) for one in WAYS)


def same(one: str, other: str) -> bool:
    """Tell whether two names may mean one thing: one of them is an end of the other."""
    return fits(Name(one), other) or fits(Name(other), one)


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


WAYS = (_is_full, _is_end, _is_c_name, _is_c_end)
"""How a name may fit, the closest first."""


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
