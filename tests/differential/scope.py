"""What can be named at a place of a random program."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Type:
    """`bit<width>`, `int<width>`, `bool` (width 0), or one that the program declares: `enum` (with
    numbers of `width` bits), `name` (an enum without), `new`, `struct`, `header`."""

    kind: str
    width: int = 0
    name: str = ""

    @property
    def is_number(self) -> bool:
        return self.kind in ("bit", "int", "enum", "new")

    def __str__(self) -> str:
        if self.name:
            return self.name
        return "bool" if self.kind == "bool" else f"{self.kind}<{self.width}>"


BOOL = Type("bool")


def bits(width: int) -> Type:
    return Type("bit", width)


BYTE = bits(8)
HEADERS = Type("headers", 0, "Hdr")
"""The struct of all headers, which is always called `hd`."""


@dataclass(frozen=True, slots=True)
class Record:
    """A header or a struct."""

    type: Type
    fields: tuple[tuple[str, Type], ...]

    @property
    def size(self) -> int:
        """Return the bytes of a header."""
        return sum(kind.width or 1 for _, kind in self.fields) // 8

    def __str__(self) -> str:
        fields = " ".join(f"{kind} {name};" for name, kind in self.fields)
        return f"{self.type.kind} {self.type.name} {{ {fields} }}"


@dataclass(frozen=True, slots=True)
class Name:
    """Something that can be read, and written unless it is `read_only`.

    `place` is how it is written where that differs from how it is read.
    """

    text: str
    type: Type
    read_only: bool = False
    place: str | None = None

    @property
    def written(self) -> str:
        return self.text if self.place is None else self.place


@dataclass(frozen=True, slots=True)
class HeaderPlace:
    """A header; `within` is the test, ` && ` behind it, that an index is in range."""

    text: str
    type: Type
    is_sure: bool = False
    within: str = ""
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """`direction` is empty for what the control plane gives."""

    direction: str
    name: str
    type: Type
    default: str = ""

    def __str__(self) -> str:
        default = f" = {self.default}" if self.default else ""
        return f"{self.direction} {self.type} {self.name}{default}".strip()


@dataclass(frozen=True, slots=True)
class Callable_:
    """A function, or (with no result) an action, a control instance or the like; `call` is the
    text in front of its arguments. `can_name` says that arguments can be given by name."""

    call: str
    parameters: tuple[Parameter, ...]
    result: Type | None = None
    can_name: bool = True


@dataclass(frozen=True, slots=True)
class Applied:
    """A table and the actions that it may run."""

    text: str
    actions: tuple[str, ...]


@dataclass(slots=True)
class Scope:
    """What can be named at a place.

    `sources` are all headers, `headers` those that may become invalid. `stacks` come with their
    size, `unions` are names, `extras` whole statements. `own` are the names declared right here.
    """

    names: list[Name] = field(default_factory=list)
    functions: list[Callable_] = field(default_factory=list)
    actions: list[Callable_] = field(default_factory=list)
    headers: list[HeaderPlace] = field(default_factory=list)
    sources: list[HeaderPlace] = field(default_factory=list)
    unions: list[str] = field(default_factory=list)
    stacks: list[tuple[str, int]] = field(default_factory=list)
    tables: list[Applied] = field(default_factory=list)
    extras: list[str] = field(default_factory=list)
    own: set[str] = field(default_factory=set)

    def forget(self, variable: str) -> None:
        """Drop the names of a variable that another one hides."""
        before = (variable, f"{variable}.", f"{variable}[")
        self.names = [
            n for n in self.names if n.text != variable and not n.text.startswith(before[1:])
        ]

    def inner(self) -> Scope:
        """Return a scope in which more can be declared."""
        return Scope(
            list(self.names),
            list(self.functions),
            list(self.actions),
            list(self.headers),
            list(self.sources),
            list(self.unions),
            list(self.stacks),
            list(self.tables),
            list(self.extras),
        )
