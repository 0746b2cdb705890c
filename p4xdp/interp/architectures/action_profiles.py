"""Action profiles and selectors: entries that share actions, and groups to choose from."""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.interp.architectures.hashing import HASHES, Hash
from p4xdp.interp.machine import Construction, ExternObject, Run
from p4xdp.interp.tables import Choice, Profile
from p4xdp.interp.values import number, scalar


class ActionProfile(ExternObject, Profile):
    """`action_profile` and `ActionProfile`; members and groups by their numbers."""

    def __init__(self, made: Construction) -> None:
        ExternObject.__init__(self, made.path)
        Profile.__init__(self, number(made.values["size"]))

    def pick(self, run: Run, members: Sequence[Choice], selector: bytes) -> Choice | None:
        """A profile without a selector has no groups to choose from."""
        return None


class ActionSelector(ActionProfile):
    """`action_selector` and `ActionSelector`: the hash of the selector fields, of its width,
    chooses a member of a group."""

    has_groups = True

    def __init__(self, made: Construction) -> None:
        super().__init__(made)
        algorithm, _, width = made.values.values()
        self._algorithm: Hash = HASHES[str(scalar(algorithm).value).lower()]
        self._mask = (1 << number(width)) - 1

    def pick(self, run: Run, members: Sequence[Choice], selector: bytes) -> Choice | None:
        if not members:
            return None
        value = self._algorithm(run, selector) & self._mask
        return members[value % len(members)]


OBJECTS = {
    "action_profile": ActionProfile,
    "action_selector": ActionSelector,
    "ActionProfile": ActionProfile,
    "ActionSelector": ActionSelector,
}
