"""Records at a price that a command-line tool can pay.

`from p4xdp.records import dataclass, field, fields, replace` in place of `dataclasses`. The type
checker sees the standard ones. At run time a class costs a tenth to define, because its `__init__`
is compiled when the first object is made, and half to make objects of, because nothing guards the
fields of a frozen one; and `dataclasses`, which imports `inspect`, is not imported. Equality, hash
and text are the standard ones, `match` works, and so do the functions of `dataclasses` itself.
"""

from __future__ import annotations

import sys
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import (
        asdict as asdict,
        dataclass as dataclass,
        field as field,
        fields as fields,
        is_dataclass as is_dataclass,
        replace as replace,
    )
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, slots=False):
        """Make a class a record; without `slots`, its objects have a dictionary."""
        if cls is not None:
            return _record(cls, frozen, eq, slots)
        return lambda cls: _record(cls, frozen, eq, slots)

    def field(**options):
        """Say of a field what its annotation does not; the options are those of `Field`."""
        return Field(**options)

    def fields(record, /):
        """Return the fields of a record or of a class of records."""
        return tuple(record.__record_fields__.values())

    def is_dataclass(thing, /):
        """Tell whether this is a record or a class of records."""
        return hasattr(thing, "__record_fields__") or hasattr(thing, "__dataclass_fields__")

    def replace(record, /, **changes):
        """Return a record with other values in some fields."""
        cls = record.__class__
        for name in cls.__record_taken__:
            if name not in changes:
                changes[name] = getattr(record, name)
        return cls(**changes)

    def asdict(record, /):
        """Return the fields as a dict, with the records inside them as dicts too."""
        return {name: _plain(getattr(record, name)) for name in record.__record_fields__}


_MISSING: Any = object()


class Field:
    """A field of a record: its name, and what `field` said of it."""

    __slots__ = ("compare", "default", "default_factory", "init", "kw_only", "name", "repr", "type")

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,
        compare: bool = True,
        kw_only: bool = False,
    ) -> None:
        self.name = ""
        self.type = ""
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare
        self.kw_only = kw_only


def _record(cls: Any, frozen: bool, eq: bool, slots: bool) -> Any:
    inherited: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited.update(base.__dict__.get("__record_fields__", {}))
    own = _own_fields(cls)
    made = _with_slots(cls, [name for name in own if name not in inherited]) if slots else cls
    if not slots:
        _set_defaults(cls, own)
    every = inherited | own
    made.__record_fields__ = every
    made.__record_taken__ = tuple([f.name for f in every.values() if f.init])
    made.__dataclass_fields__ = _STANDARD_FIELDS
    known = made.__dict__
    if "__match_args__" not in known:
        by_place = [f.name for f in every.values() if f.init and not f.kw_only]
        type.__setattr__(made, "__match_args__", tuple(by_place))
    if "__init__" not in known:
        made.__init__ = _first_init(made)
    if "__repr__" not in known:
        made.__repr__ = _repr
    if eq and known.get("__eq__") is None:
        compared = _compared(every)
        made.__eq__ = _equality(made, compared)
        if known.get("__hash__") is None:
            made.__hash__ = _hash(compared) if frozen else None
    return made


def _own_fields(cls: Any) -> dict[str, Field]:
    own: dict[str, Field] = {}
    for name, kind in cls.__annotations__.items():
        if str(kind).startswith("ClassVar"):
            continue
        given = cls.__dict__.get(name, _MISSING)
        own[name] = one = given if isinstance(given, Field) else _field_of(given)
        one.name, one.type = name, kind
    return own


def _field_of(given: Any) -> Field:
    """Return the field for the value that stands behind an annotation."""
    standard = sys.modules.get("dataclasses")
    if standard is None or not isinstance(given, standard.Field):
        return Field(default=given)
    return Field(
        default=_MISSING if given.default is standard.MISSING else given.default,
        default_factory=(
            _MISSING if given.default_factory is standard.MISSING else given.default_factory
        ),
        init=given.init,
        repr=given.repr,
        compare=given.compare,
        kw_only=given.kw_only is True,
    )


def _with_slots(cls: Any, names: list[str]) -> Any:
    """Return the class made anew, since slots cannot be added to one that is there."""
    content = {k: v for k, v in cls.__dict__.items() if k not in ("__dict__", "__weakref__")}
    for name in cls.__annotations__:
        content.pop(name, None)
    content["__slots__"] = tuple(names)
    made = type(cls)(cls.__name__, cls.__bases__, content)
    made.__qualname__ = cls.__qualname__
    return made


def _set_defaults(cls: Any, own: dict[str, Field]) -> None:
    for one in own.values():
        if one.default is not _MISSING:
            setattr(cls, one.name, one.default)
        elif one.name in cls.__dict__:
            delattr(cls, one.name)


def _first_init(cls: Any) -> Any:
    """Return an `__init__` that puts the class's real one in its place and calls it."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        cls.__init__ = _compiled_init(cls)
        cls.__init__(self, *values, **named)

    return __init__


def _compiled_init(cls: Any) -> Any:
    every = sorted(cls.__record_fields__.values(), key=lambda f: f.kw_only)
    if hasattr(cls, "__post_init__") or not all(
        f.init and f.default_factory is _MISSING for f in every
    ):
        return _own_init(cls, every)
    return _storing_init(every)


def _storing_init(every: list[Field]) -> Any:
    """Return an `__init__` that stores its arguments and does nothing more.

    It is that of any class with as many fields under other names: to compile one takes ten times
    as long.
    """
    by_place = [f for f in every if not f.kw_only]
    names = tuple([f.name for f in every])
    shape = _storing_shape(len(by_place), len(every) - len(by_place))
    code = shape.replace(co_varnames=("self", *names), co_names=names)
    made = FunctionType(code, {}, "__init__")
    made.__defaults__ = tuple([f.default for f in by_place if f.default is not _MISSING])
    made.__kwdefaults__ = {
        f.name: f.default for f in every if f.kw_only and f.default is not _MISSING
    }
    return made


@cache
def _storing_shape(by_place: int, by_name: int) -> CodeType:
    names = [f"field{number}" for number in range(by_place + by_name)]
    parameters = ["self", *names[:by_place], *(["*"] if by_name else []), *names[by_place:]]
    lines = [f"    self.{name} = {name}\n" for name in names]
    known: dict[str, Any] = {}
    exec(f"def __init__({', '.join(parameters)}):\n{''.join(lines) or '    pass'}", known)
    code: CodeType = known["__init__"].__code__
    return code


def _own_init(cls: Any, every: list[Field]) -> Any:
    """Return an `__init__` for a class that computes what it stores."""
    parameters, lines = ["self"], []
    known: dict[str, Any] = {"_absent": _MISSING}
    for f in every:
        value, default = f.name, ""
        if f.default_factory is not _MISSING:
            known[f"_default_{f.name}"] = f.default_factory
            value, default = f"_default_{f.name}()", "_absent"
            if f.init:
                value = f"{value} if {f.name} is _absent else {f.name}"
        elif f.default is not _MISSING:
            value = default = f"_default_{f.name}"
            known[default] = f.default
            value = f.name if f.init else default
        if f.init:
            if f.kw_only and "*" not in parameters:
                parameters.append("*")
            parameters.append(f"{f.name}={default}" if default else f.name)
        if f.init or default:
            lines.append(f"    self.{f.name} = {value}\n")
    if hasattr(cls, "__post_init__"):
        lines.append("    self.__post_init__()\n")
    exec(f"def __init__({', '.join(parameters)}):\n{''.join(lines) or '    pass'}", known)
    return known["__init__"]


def _repr(record: Any) -> str:
    shown = (f.name for f in record.__record_fields__.values() if f.repr)
    values = ", ".join(f"{name}={getattr(record, name)!r}" for name in shown)
    return f"{type(record).__qualname__}({values})"


def _compared(every: dict[str, Field]) -> Any:
    """Return a function that gives what counts in comparisons of records with these fields."""
    names = [f.name for f in every.values() if f.compare]
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


def _plain(value: Any) -> Any:
    if hasattr(value, "__record_fields__"):
        return asdict(value)
    if isinstance(value, tuple | list):
        return type(value)([_plain(one) for one in value])
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return value


class _StandardFields:
    """What `dataclasses` looks for in a class, made when it looks."""

    def __get__(self, record: Any, cls: Any) -> Any:
        import dataclasses

        described = [(one.name, one.type, _standard(one)) for one in cls.__record_fields__.values()]
        made: Any = dataclasses.make_dataclass(cls.__name__, described)
        cls.__dataclass_fields__ = made.__dataclass_fields__
        return made.__dataclass_fields__


def _standard(one: Field) -> Any:
    import dataclasses

    options: dict[str, Any] = {}
    if one.default_factory is not _MISSING:
        options["default_factory"] = one.default_factory
    elif one.default is not _MISSING:
        # A standard field is asked for its name and for what it says here; its default may be
        # of a kind that `dataclasses` refuses.
        options["default_factory"] = lambda: one.default
    return dataclasses.field(
        init=one.init, repr=one.repr, compare=one.compare, kw_only=one.kw_only, **options
    )


_STANDARD_FIELDS = _StandardFields()
