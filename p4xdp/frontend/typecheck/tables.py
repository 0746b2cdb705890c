"""Tables: keys, actions, defaults and further properties (section 14.2)."""

from __future__ import annotations

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import Broken, Overloads, nearest
from p4xdp.frontend.typecheck import folding
from p4xdp.frontend.typecheck.action_calls import bind_default, bind_directions
from p4xdp.frontend.typecheck.annotations import annotated, has, local_name
from p4xdp.frontend.typecheck.context import Context, Place, Rejected
from p4xdp.frontend.typecheck.conversion import describe, is_known, type_error
from p4xdp.frontend.typecheck.entries import entries
from p4xdp.frontend.typecheck.expressions import expression
from p4xdp.frontend.typecheck.spelling import quote, spell
from p4xdp.frontend.typecheck.traits import is_numeric, strip
from p4xdp.frontend.types import (
    Basic,
    Bit,
    EnumType,
    Int,
    NewType,
    SerializableEnum,
    Type,
    Varbit,
)
from p4xdp.records import dataclass, field


@dataclass(slots=True)
class _Parts:
    """The properties of a table while it is checked."""

    keys: tuple[typed.TableKey, ...] = ()
    actions: list[typed.TableAction] = field(default_factory=list)
    written: dict[str, syntax.ActionRef] = field(default_factory=dict)
    default: typed.ActionChoice | None = None
    default_const: bool = False
    empty_group: typed.ActionChoice | None = None
    entries: tuple[typed.TableEntry, ...] = ()
    entries_const: bool = False
    size: typed.Expression | None = None
    properties: list[typed.Property] = field(default_factory=list)


def table(cx: Context, t: syntax.Table) -> typed.Table:
    """Check a table and bind its name, even when some property of it has an error."""
    parts = _Parts()
    seen: dict[str, Span] = {}
    for property in t.properties:
        if _in_order(cx, t, property, seen):
            _guarded(cx, parts, t, property)
    if "actions" not in seen:
        cx.diagnostics.error(
            "missing-actions", t.name.span, f"table `{t.name.text}` has no `actions` property"
        )
    if parts.default is None and "default_action" not in _names(t):
        _no_action(cx, parts, t)
    _check_ranks(cx, parts)
    made = typed.Table(
        t.name.text,
        parts.keys,
        tuple(parts.actions),
        parts.default,
        parts.default_const,
        parts.entries,
        parts.entries_const,
        parts.size,
        tuple(parts.properties),
        parts.empty_group,
        annotated(cx, t.annotations),
        t.span,
    )
    cx.declare(t.name, made)
    return made


def _check_ranks(cx: Context, parts: _Parts) -> None:
    """Report an entry whose priority, counted on from the entry before it, is below 0."""
    numbers = {
        p.name: p.value.value for p in parts.properties if isinstance(p.value, typed.Literal)
    }
    step = int(numbers.get("priority_delta", 1))
    if numbers.get("largest_priority_wins", True):
        step = -step
    rank = 0
    if not parts.entries or parts.entries[0].priority is None:
        return
    for entry in parts.entries:
        rank = rank + step if entry.priority is None else entry.priority
        if rank < 0:
            text = f"this entry has the priority {rank}; the smallest one possible is 0"
            help = "give the first entry a larger priority, or this one its own"
            cx.diagnostics.error("bad-entry", entry.span, text, help=help)
            return


def _names(t: syntax.Table) -> set[str]:
    return {p.name.text for p in t.properties if isinstance(p, syntax.OtherProperty)}


def _guarded(cx: Context, parts: _Parts, t: syntax.Table, property: syntax.TableProperty) -> None:
    try:
        match property:
            case syntax.KeyProperty():
                parts.keys = _keys(cx, property)
            case syntax.ActionsProperty():
                _actions(cx, parts, property)
            case syntax.EntriesProperty():
                parts.entries_const = property.const
                parts.entries = entries(
                    cx, property, t.name.text, parts.keys, tuple(parts.actions), parts.written
                )
            case syntax.OtherProperty():
                _other(cx, parts, t, property)
    except Rejected:
        pass


def _property_name(property: syntax.TableProperty) -> str:
    match property:
        case syntax.KeyProperty():
            return "key"
        case syntax.ActionsProperty():
            return "actions"
        case syntax.EntriesProperty():
            return "entries"
        case syntax.OtherProperty():
            return property.name.text


_NEEDED = {
    "default_action": ("actions",),
    "psa_empty_group_action": ("actions",),
    "entries": ("key", "actions"),
}
"""The properties in front of which others have to stand."""


def _in_order(
    cx: Context, t: syntax.Table, property: syntax.TableProperty, seen: dict[str, Span]
) -> bool:
    """Report a property that stands twice, or before one that it builds on."""
    name = _property_name(property)
    if name in seen:
        cx.diagnostics.error(
            "duplicate",
            property.span,
            f"table `{t.name.text}` has the property `{name}` twice",
            notes=(Note("the first one is here", seen[name]),),
        )
        return False
    seen[name] = property.span
    needed = _NEEDED.get(name, ())
    later = {_property_name(p) for p in t.properties} - seen.keys()
    for other in needed:
        if other in later:
            text = f"`{name}` must stand after `{other}`"
            cx.diagnostics.error("bad-order", property.span, text, help="move it down")
            return False
    return True


# Keys


def _keys(cx: Context, property: syntax.KeyProperty) -> tuple[typed.TableKey, ...]:
    keys: list[typed.TableKey] = []
    failed = False
    for element in property.elements:
        try:
            keys.append(_key(cx, element))
        except Rejected:
            failed = True
    _check_lpm(cx, property)
    if failed:
        raise Rejected
    return tuple(keys)


def _key(cx: Context, element: syntax.KeyElement) -> typed.TableKey:
    with cx.at(Place.KEY):
        value = expression(cx, element.expression)
    if value.type is Basic.INT:
        raise type_error(cx, value, "a number with a width", "a table key")
    kind = element.match_kind
    if kind.text not in cx.match_kinds:
        raise cx.reject(
            "undeclared",
            kind.span,
            f"match kind `{kind.text}` is not declared",
            help=_undeclared_kind_help(cx, kind.text),
        )
    if not _is_key(value.type, kind.text):
        raise cx.reject(
            "bad-key",
            value.span,
            f"a value of {describe(value.type)} cannot be a table key of kind `{kind.text}`",
        )
    found = annotated(cx, element.annotations)
    name = local_name(spell(element.expression), found)
    return typed.TableKey(value, kind.text, name, found, element.span)


def _undeclared_kind_help(cx: Context, kind: str) -> str | None:
    """Return a name that is near, an include, or how a program declares what its architecture
    does not."""
    if best := nearest(kind, iter(cx.match_kinds)):
        return f"did you mean `{best}`?"
    if not cx.match_kinds:
        return cx.suggest(kind)[0]
    declarable = kind in ("range", "optional")
    return f"declare it: `match_kind {{ {kind} }}`" if declarable else None


def _is_key(type: Type, kind: str) -> bool:
    plain = strip(type)
    if kind in ("lpm", "ternary", "range"):
        return isinstance(plain, Bit | Int) or (
            kind == "ternary"
            and (plain in (Basic.BOOL, Basic.ERROR) or isinstance(plain, EnumType))
        )
    if isinstance(plain, Bit | Int | EnumType | SerializableEnum | Varbit):
        return True
    return plain in (Basic.BOOL, Basic.ERROR) or isinstance(type, NewType)


def _check_lpm(cx: Context, property: syntax.KeyProperty) -> None:
    """At most one key may be a longest-prefix match: two prefixes have no common order."""
    found = [element for element in property.elements if element.match_kind.text == "lpm"]
    for extra in found[1:]:
        first = found[0]
        both = f"{quote(first.expression)} and {quote(extra.expression)}"
        cx.diagnostics.error(
            "two-lpm-keys",
            extra.match_kind.span,
            f"a table can have one lpm key, not two: {both}",
            notes=(Note("the first lpm key is here", first.match_kind.span),),
            help="make one of them `exact` or `ternary`, or match on"
            f" `{spell(first.expression)} ++ {spell(extra.expression)}`",
        )


# Actions


def _actions(cx: Context, parts: _Parts, property: syntax.ActionsProperty) -> None:
    seen: dict[str, Span] = {}
    for ref in property.actions:
        name = ref.name.text
        if name in seen:
            cx.diagnostics.error(
                "duplicate",
                ref.span,
                f"action `{name}` stands twice in the list",
                notes=(Note("the first one is here", seen[name]),),
            )
            continue
        seen[name] = ref.span
        try:
            action = find_action(cx, ref.name)
            bound = bind_directions(cx, action, ref)
        except Rejected:
            continue
        found = annotated(cx, ref.annotations)
        parts.written[name] = ref
        parts.actions.append(
            typed.TableAction(
                action,
                bound,
                has(ref.annotations, "tableonly"),
                has(ref.annotations, "defaultonly"),
                found,
                ref.span,
            )
        )


def find_action(cx: Context, name: syntax.Name) -> typed.Action:
    """Return the action of a name; anything else is an error."""
    symbol = cx.lookup(name, "action")
    entity = symbol.entity
    if isinstance(entity, Overloads) and isinstance(entity.functions[0], typed.Action):
        return entity.functions[0]
    raise cx.reject(
        "not-an-action",
        name.span,
        f"`{name.text}` is not an action",
        notes=(Note("it is declared here", symbol.span),),
    )


def _no_action(cx: Context, parts: _Parts, t: syntax.Table) -> None:
    """Give a table without a default action the `NoAction` of core.p4."""
    symbol = cx.top.find("NoAction")
    if symbol is None or isinstance(symbol.entity, Broken):
        return
    action = symbol.entity.functions[0] if isinstance(symbol.entity, Overloads) else None
    if not isinstance(action, typed.Action) or action.parameters:
        raise cx.reject(
            "not-an-action", symbol.span, "`NoAction` must be an action without parameters"
        )
    parts.default = typed.ActionChoice(action, (), t.span)


# Other properties


def _other(cx: Context, parts: _Parts, t: syntax.Table, property: syntax.OtherProperty) -> None:
    match property.name.text:
        case "default_action":
            parts.default_const = property.const
            parts.default = bind_default(
                cx, t.name.text, tuple(parts.actions), parts.written, property.value
            )
        case "psa_empty_group_action":
            what = "the action for empty groups"
            actions = tuple(parts.actions)
            parts.empty_group = bind_default(
                cx, t.name.text, actions, parts.written, property.value, what
            )
        case "size":
            parts.size = _size(cx, property)
        case "largest_priority_wins":
            value = expression(cx, property.value)
            if value.type is not Basic.BOOL:
                raise type_error(cx, value, "`bool`", "`largest_priority_wins`")
            _constant(cx, value, "largest_priority_wins")
            parts.properties.append(
                typed.Property("largest_priority_wins", value, span=property.span)
            )
        case "priority_delta":
            value = expression(cx, property.value)
            number = folding.int_value(value)
            if number is None or number < 1:
                raise type_error(cx, value, "a positive constant", "`priority_delta`")
            parts.properties.append(typed.Property("priority_delta", value, span=property.span))
        case name:
            value = expression(cx, property.value)
            given = local_name("", annotated(cx, property.annotations)).removeprefix(".") or None
            parts.properties.append(typed.Property(name, value, given, property.span))


def _size(cx: Context, property: syntax.OtherProperty) -> typed.Expression:
    value = expression(cx, property.value)
    if not is_numeric(value.type):
        raise type_error(cx, value, "a number", "the size of a table")
    _constant(cx, value, "size")
    number = folding.int_value(value)
    if number is not None and number < 0:
        raise cx.reject("bad-size", value.span, f"the size of a table is negative: {number}")
    return value


def _constant(cx: Context, value: typed.Expression, what: str) -> None:
    if not is_known(cx, value):
        raise cx.reject("not-constant", value.span, f"`{what}` must be known at compile time")
