"""Frozen records at a price that a command-line tool can pay.

`from p4xdp.records import dataclass` in place of the standard one. The type checker sees the
standard `dataclass` and forbids writes to frozen fields. At run time a class with `frozen=True,
slots=True`, and perhaps `eq=False`, costs a tenth to define and half to make objects of, because
its `__init__` is compiled when the first object is made and nothing guards the fields. Equality,
hash and text are those of a frozen dataclass; `fields`, `replace` and `match` work.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, **options):
        """Make a class a dataclass."""
        by_content = options.pop("eq", True)
        if options != {"frozen": True, "slots": True}:
            return dataclasses.dataclass(cls, eq=by_content, **options)
        return _record if by_content else _object


def _object(cls: type) -> type:
    """Make a record that equals only itself."""
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # otherwise dataclass works out a signature
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    if "__init__" not in vars(cls):
        made.__init__ = _first_init(made)
    if "__repr__" not in vars(cls):
        made.__repr__ = _repr
    result: type = made
    return result


def _record(cls: type) -> type:
    made: Any = _object(cls)
    if "__eq__" not in vars(cls):
        compared = _compared(made)
        made.__eq__, made.__hash__ = _equality(made, compared), _hash(compared)
    result: type = made
    return result


def _first_init(cls: Any) -> Any:
    """Return an `__init__` that puts the class's real one in its place and calls it."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        cls.__init__ = _compiled_init(cls)
        cls.__init__(self, *values, **named)

    return __init__


def _compiled_init(cls: Any) -> Any:
    parameters, lines = ["self"], []
    known: dict[str, Any] = {}
    taken = [f for f in dataclasses.fields(cls) if f.init]
    for f in sorted(taken, key=lambda f: bool(f.kw_only)):
        value = f.name
        default = f"_default_{f.name}"
        if f.default_factory is not dataclasses.MISSING:
            known[default], known["_absent"] = f.default_factory, _ABSENT
            value = f"{default}() if {f.name} is _absent else {f.name}"
            default = "_absent"
        else:
            known[default] = f.default
        if f.kw_only and "*" not in parameters:
            parameters.append("*")
        required = f.default is dataclasses.MISSING and default != "_absent"
        parameters.append(f.name if required else f"{f.name}={default}")
        lines.append(f"    self.{f.name} = {value}\n")
    if hasattr(cls, "__post_init__"):
        lines.append("    self.__post_init__()\n")
    exec(f"def __init__({', '.join(parameters)}):\n{''.join(lines) or '    pass'}", known)
    return known["__init__"]


_ABSENT = object()


def _repr(record: Any) -> str:
    shown = (f.name for f in dataclasses.fields(record) if f.repr)
    values = ", ".join(f"{name}={getattr(record, name)!r}" for name in shown)
    return f"{type(record).__qualname__}({values})"


def _compared(cls: Any) -> Any:
    """Return a function that gives what counts in comparisons of the class's records."""
    names = [f.name for f in dataclasses.fields(cls) if f.compare]
    return attrgetter(*names) if names else lambda record: ()


def _equality(cls: type, compared: Any) -> Any:
    def __eq__(self: Any, other: Any) -> bool:
        if other.__class__ is not cls:
            return NotImplemented
        return self is other or bool(compared(self) == compared(other))

    return __eq__


def _hash(compared: Any) -> Any:
    def __hash__(self: Any) -> int:
        return hash(compared(self))

    return __hash__
