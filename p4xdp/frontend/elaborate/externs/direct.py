"""Direct counters and meters, and times of last hits: a cell for each entry of the table that
names them.

Which cell is an entry's own is an action datum beside those of the program, last in each action;
a miss has none. A `direct_counter` of v1model counts each hit and a `direct_meter` meters it; those
of PSA do where the action says so.
"""

from __future__ import annotations

from p4xdp.diagnostics import InternalError, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import expressions
from p4xdp.frontend.elaborate.externs.counters import UNITS, packet_length, size_of
from p4xdp.frontend.elaborate.externs.interface import NOTHING, Method
from p4xdp.frontend.elaborate.externs.meters import colour_of_entry
from p4xdp.frontend.elaborate.instances import join
from p4xdp.frontend.elaborate.trees import Tree
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Walk
from p4xdp.midend import ir
from p4xdp.records import replace

PROPERTIES = {
    "counters": "direct_counter",
    "meters": "direct_meter",
    "psa_direct_counter": "DirectCounter",
    "psa_direct_meter": "DirectMeter",
}
"""The properties of a table that name its direct objects."""


TIMEOUTS = ("support_timeout", "psa_idle_timeout")
"""The properties by which a table has idle timeouts, unless their value is false or the first of
its enum."""


def has_timeout(walk: Walk, control: Env, table: typed.Table) -> bool:
    values = [
        expressions.evaluate(walk, control, prop.value)
        for prop in table.properties
        if prop.name in TIMEOUTS
    ]
    return any(isinstance(value, ir.Const) and value.value for value in values)


def is_direct(prop: typed.Property) -> bool:
    """Whether a property names an object; another value has no meaning."""
    return prop.name in PROPERTIES and isinstance(prop.value.type, t.ExternType)


def objects(walk: Walk, control: Env, table: typed.Table, name: str) -> list[ExternObject]:
    """Return the direct counters and meters of the table with the control-plane name `name`;
    raises CompileError for other things."""
    found = []
    for prop in table.properties:
        if is_direct(prop):
            path = prop.given or join(name, prop.name)
            one = expressions.instance(walk, control, prop.value, path)
            kind = PROPERTIES[prop.name]
            if not isinstance(one, ExternObject) or _kind(one) != kind:
                help = f"instantiate one in the control: `{kind}(…) name;`"
                text = f"`{prop.name}` needs a {kind}"
                raise fail("unsupported", prop.span, text, help=help)
            found.append(one)
    if has_timeout(walk, control, table):
        found.append(_last_hit(control, table, name))
    return found


LAST_HIT = typed.Extern("last_hit", (), (), ())
"""What a table with idle timeouts has: the time of each entry's last hit."""


def _last_hit(control: Env, table: typed.Table, name: str) -> ExternObject:
    """Return the object that stands for a table's times, the same each time."""
    block = control.block
    if block is None:
        raise InternalError("elaborate", f"table {table.name} outside of any control")
    made = ExternObject(LAST_HIT, f"{name}_last_hit", (), t.ExternType("last_hit"), table.span)
    found = block.children.setdefault((LAST_HIT, table), made)
    assert isinstance(found, ExternObject)
    return found


def declare(walk: Walk, found: list[ExternObject], table: str, size: int) -> None:
    """Make the arrays of cells; raises CompileError for an object that two tables share."""
    for one in found:
        if one in walk.counters or one in walk.meters:
            help = "instantiate one for each table"
            raise fail("unsupported", one.span, f"two tables share `{one.path}`", help=help)
        walk.take_name(one.path, one, one.span)
        if one.declaration is LAST_HIT:
            walk.counters[one] = ir.Counter(one.path, size, False, "last_hit", table, one.span)
            continue
        unit = UNITS[size_of(one, 0)]
        if _kind(one) in ("direct_counter", "DirectCounter"):
            walk.counters[one] = ir.Counter(one.path, size, False, unit, table, one.span)
        else:
            walk.meters[one] = ir.Meter(one.path, size, unit, table, one.span)


def enter(walk: Walk, found: list[ExternObject], cell: ir.Var, call: typed.Call) -> None:
    """Emit what a hit does before the action runs: those of v1model count and meter it."""
    walk.cells.update((one, cell) for one in found)
    for one in found:
        if _kind(one) == "direct_counter":
            _count_in(walk, one, cell, call)
        elif _kind(one) == "direct_meter":
            walk.colours[one] = colour_of_entry(walk, one, call.span)
        elif one.declaration is LAST_HIT:
            now = walk.fresh("now", 64)
            walk.emit(ir.Effect("ktime", None, (), now, call.span))
            name = walk.counters[one].name
            walk.emit(ir.Effect("count_packet", name, (cell, now), None, call.span))


def _count_in(walk: Walk, found: ExternObject, cell: ir.Var, call: typed.Call) -> None:
    counter = walk.counters[found]
    arguments = (cell, packet_length(walk, counter.unit, call))
    walk.emit(ir.Effect("count_packet", counter.name, arguments, None, call.span))


def leave(walk: Walk, found: list[ExternObject]) -> None:
    for one in found:
        del walk.cells[one]
        walk.colours.pop(one, None)


def with_cell(choice: ir.ActionChoice, cell: int) -> ir.ActionChoice:
    """Return a choice that says which cell is its own."""
    return replace(choice, arguments=(*choice.arguments, cell))


def _kind(found: ExternObject) -> str:
    return found.declaration.name.split("<")[0]


def _count_where_called(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    cell = walk.cells.get(found)
    if cell is not None:
        _count_in(walk, found, cell, expr)
    return NOTHING


def _count(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    """Nothing is left to do: each hit counts, whether the action says so or not."""
    return NOTHING


METHODS: dict[str, Method] = {
    "direct_counter.count": _count,
    "DirectCounter.count": _count_where_called,
}
