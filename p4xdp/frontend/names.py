"""Which names are types at the point where the parser stands.

P4's grammar needs to know a type's name from another one, so declarations are fed back here as they
are read. One dictionary holds what each name means now; leaving a scope restores what it hid.
"""

from __future__ import annotations

TYPE = "TYPE_IDENTIFIER"
OBJECT = "IDENTIFIER"


class Names:
    """The names in force, innermost first, and those of the top level."""

    __slots__ = ("_hidden", "_marks", "now", "top")

    def __init__(self) -> None:
        self.now: dict[str, str] = {}
        self.top: dict[str, str] = {}
        self._hidden: list[tuple[str, str | None]] = []
        self._marks: list[int] = []

    def declare_type(self, name: str) -> None:
        self._declare(name, TYPE)

    def declare_object(self, name: str) -> None:
        self._declare(name, OBJECT)

    def declare_missing_type(self, name: str) -> None:
        """Take a name for a type from here on, in every scope."""
        self.top[name] = self.now[name] = TYPE

    def _declare(self, name: str, kind: str) -> None:
        if self._marks:
            self._hidden.append((name, self.now.get(name)))
        else:
            self.top[name] = kind
        self.now[name] = kind

    def enter(self) -> None:
        """Open a scope."""
        self._marks.append(len(self._hidden))

    def leave(self) -> None:
        """Close the innermost scope; what it hid is in force again."""
        if not self._marks:
            return
        mark = self._marks.pop()
        while len(self._hidden) > mark:
            name, kind = self._hidden.pop()
            if kind is None:
                del self.now[name]
            else:
                self.now[name] = kind

    def leave_all(self) -> None:
        """Go back to the top level."""
        while self._marks:
            self.leave()
