"""What is known of variables, and what is left of it where several paths meet."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.midend.ir import FALSE, Expr, Load
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Address:
    """Where a packet pointer points: `offset` bytes behind the pointer `base`."""

    base: str
    offset: int


Reads = tuple[tuple[str, int], ...]
"""Names, and the versions of them with which something holds."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a variable; `version` changes whenever it may have been set.

    `value` holds as long as the names in `reads` still have the versions noted there. `tested`: it
    is a constant because of a test, and the variable has it too.
    """

    version: int
    value: Expr | Address | None = None
    reads: Reads = ()
    tested: bool = False


Facts = dict[str, Fact]


@dataclass(frozen=True, slots=True)
class Guarded:
    """What a variable is wherever a truth value is true: a header's fields while it is valid."""

    value: Load
    reads: Reads


def _by_name(paths: list[Facts]) -> dict[str, dict[int, Fact]]:
    """Return for each name what the paths that changed it know of it, by the path's index."""
    found: dict[str, dict[int, Fact]] = {}
    for index, path in enumerate(paths):
        for name, fact in path.items():
            found.setdefault(name, {})[index] = fact
    return found


def shared_by(paths: list[Facts]) -> Facts:
    """Return the facts that all paths have changed alike, if they have changed as much."""
    shared = paths[0] if paths else {}
    for path in paths[1:]:
        if len(path) != len(paths[0]):
            return {}
        shared = {name: fact for name, fact in shared.items() if path.get(name) is fact}
    return shared


def without(path: Facts, shared: Facts) -> Facts:
    if len(shared) == len(path):
        return {}
    return {name: fact for name, fact in path.items() if name not in shared} if shared else path


class Joined:
    """Paths that meet: what each changed, and what was known `before` they parted."""

    def __init__(self, paths: list[Facts], before: Facts) -> None:
        self.paths = paths
        self.found = _by_name(paths)
        self.before = {name: before.get(name) for name in self.found}
        self.loaded_before = [
            name for name, fact in self.before.items() if fact and isinstance(fact.value, Load)
        ]
        self.loads: dict[str, dict[tuple[Load, Reads], tuple[Guarded, int]]] = {}

    def fact(self, name: str, path: int) -> Fact | None:
        """Return what is known of a changed variable at the end of a path."""
        return self.found[name].get(path, self.before[name])

    def not_false(self, flag: str) -> list[int]:
        """Return the paths on which a truth value may be true."""
        arrived = self.found[flag]
        if is_false(self.before[flag]):
            return [path for path, fact in arrived.items() if not is_false(fact)]
        return [p for p in range(len(self.paths)) if not is_false(self.fact(flag, p))]

    def parts(self, flag: str) -> bool:
        """Tell whether a truth value may be true on some paths and not on others."""
        return 0 < len(self.not_false(flag)) < len(self.paths)

    def loaded(self, path: int) -> list[str]:
        """Return the changed variables that may be loads at the end of a path."""
        changed = self.paths[path]
        here = [name for name, fact in changed.items() if isinstance(fact.value, Load)]
        return here + self.loaded_before

    def load(self, name: str, path: int) -> tuple[Guarded, int] | None:
        """Return the load that a changed variable is on a path, and the set of the paths on which
        it is the same one."""
        known = self.loads.get(name)
        if known is None:
            known = self.loads[name] = self.by_load(name)
        fact = self.fact(name, path)
        if fact is None or not isinstance(fact.value, Load):
            return None
        return known[fact.value, fact.reads]

    def by_load(self, name: str) -> dict[tuple[Load, Reads], tuple[Guarded, int]]:
        """Return for each load that a changed variable is the set of the paths on which it is."""
        arrived = self.found[name]
        sets: dict[tuple[Load, Reads], int] = {}
        elsewhere = (1 << len(self.paths)) - 1
        for path, fact in arrived.items():
            elsewhere ^= 1 << path
            if isinstance(fact.value, Load):
                key = fact.value, fact.reads
                sets[key] = sets.get(key, 0) | 1 << path
        old = self.before[name]
        if old is not None and isinstance(old.value, Load):
            key = old.value, old.reads
            sets[key] = sets.get(key, 0) | elsewhere
        return {key: (Guarded(*key), paths) for key, paths in sets.items()}


def in_mask(mask: int) -> Iterator[int]:
    """Yield the numbers in a set of numbers."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def is_false(fact: Fact | None) -> bool:
    return fact is None or fact.value == FALSE


def agreed(
    found: list[Fact | None],
) -> tuple[Expr | Address | None, Reads]:
    first = found[0]
    if first is None or first.value is None:
        return None, ()
    for fact in found:
        if fact is None or fact.value != first.value or fact.reads != first.reads:
            return None, ()
    return first.value, first.reads
