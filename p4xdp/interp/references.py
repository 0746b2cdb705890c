"""L-values: storage that can be read and written, resolved once (sections 6.7 and 6.8).

A reference keeps its way from a variable to the part meant, with every index evaluated, so that
it means the same place however the values change before it is written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from p4xdp.diagnostics import InternalError
from p4xdp.frontend import types as t
from p4xdp.interp import operators
from p4xdp.interp.values import (
    Array,
    HeaderValue,
    Record,
    Scalar,
    UnionValue,
    Value,
    nowhere,
    number,
    scalar,
    set_header,
)


class Reference(ABC):
    """`type` is that of the values in it; `text` names it for people."""

    def __init__(self, kind: t.Type, text: str) -> None:
        self.type = kind
        self.text = text

    @abstractmethod
    def read(self) -> Value:
        """Return the value that stands there, not a copy."""

    @abstractmethod
    def write(self, value: Value) -> None:
        """Store a value, which must be the caller's to give away."""

    @property
    def holds(self) -> bool:
        """Whether what is written can be read again: not in a field of an invalid header."""
        return True


class Variable(Reference):
    """A variable or parameter in the cells of its frame."""

    def __init__(
        self, cells: dict[object, Value], declaration: object, kind: t.Type, text: str
    ) -> None:
        super().__init__(kind, text)
        self._cells = cells
        self._declaration = declaration

    def read(self) -> Value:
        return self._cells[self._declaration]

    def write(self, value: Value) -> None:
        self._cells[self._declaration] = value


class Member(Reference):
    """A field of a struct, header or union, or an element of a tuple.

    Writing a field of an invalid header changes nothing (section 8.27).
    """

    def __init__(self, base: Reference, name: str, kind: t.Type) -> None:
        super().__init__(kind, f"{base.text}.{name}")
        self.base = base
        self.name = name

    def read(self) -> Value:
        match self.base.read():
            case Record(fields=fields) | HeaderValue(fields=fields):
                return fields[self.name]
            case UnionValue(headers=headers):
                return headers[self.name]
            case other:
                raise InternalError("interp", f"{other} has no fields")

    def write(self, value: Value) -> None:
        if not self.holds:
            return
        match self.base.read():
            case Record(fields=fields) | HeaderValue(fields=fields):
                fields[self.name] = value
            case UnionValue() as union:
                if not isinstance(value, HeaderValue):
                    raise InternalError("interp", f"{value} in a header union")
                set_header(union, self.name, value)

    @property
    def holds(self) -> bool:
        base = self.base.read()
        return self.base.holds and not (isinstance(base, HeaderValue) and not base.valid.value)


class Element(Reference):
    """An element of a stack or array; outside of its bounds, writes are lost (section 8.20).

    `is_next` marks one that came from `next`: to extract into it moves the stack on.
    """

    def __init__(self, base: Reference, index: int, kind: t.Type, is_next: bool = False) -> None:
        super().__init__(kind, f"{base.text}[{index}]")
        self.base = base
        self.index = index
        self.is_next = is_next

    @property
    def array(self) -> Array:
        found = self.base.read()
        if not isinstance(found, Array):
            raise InternalError("interp", f"{found} has no elements")
        return found

    @property
    def exists(self) -> bool:
        return 0 <= self.index < len(self.array.elements)

    def read(self) -> Value:
        return self.array.elements[self.index] if self.exists else nowhere(self.type)

    def write(self, value: Value) -> None:
        if self.holds:
            self.array.elements[self.index] = value

    @property
    def holds(self) -> bool:
        return self.base.holds and self.exists


class Slice(Reference):
    """`width` bits of a number from bit `low` on; all other bits stay (section 8.7)."""

    def __init__(self, base: Reference, low: int, width: int, kind: t.Type) -> None:
        super().__init__(kind, f"{base.text}[{low + width - 1}:{low}]")
        self._base = base
        self._low = low
        self._width = width

    def read(self) -> Value:
        whole = scalar(self._base.read())
        moved = operators.shift_right_pattern(whole, self._low, self._base.type)
        return Scalar(operators.pattern(moved, self._width), whole.undefined)

    def write(self, value: Value) -> None:
        number(value)
        whole = scalar(self._base.read())
        bits = scalar(value)
        kind = self._base.type
        self._base.write(operators.with_slice(whole, kind, self._low, self._width, bits))

    @property
    def holds(self) -> bool:
        return self._base.holds


class Discarded(Reference):
    """`_` as an argument: what is written is lost."""

    def read(self) -> Value:
        return nowhere(self.type)

    def write(self, value: Value) -> None:
        pass


def move_next(reference: Reference) -> None:
    """Count up nextIndex of the stack after an extraction into its `next` (section 13.8.1)."""
    match reference:
        case Element(is_next=True):
            reference.array.next_index += 1
        case Element(base=base) | Member(base=base):
            move_next(base)
