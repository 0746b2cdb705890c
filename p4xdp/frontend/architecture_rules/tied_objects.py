"""Objects that a table property ties to the table: direct counters and meters, implementations.

A direct object has a cell for each entry of the one table that it belongs to, so that only actions
of this table can use it. Those of v1model work at each hit of their table whether an action says
so or not, and can be called elsewhere, for nothing; but a meter without a table is an error, as
in p4c.
"""

from __future__ import annotations

from collections.abc import Mapping

from p4xdp.diagnostics import Diagnostics, Note
from p4xdp.frontend import typed
from p4xdp.frontend.architecture_rules.uses import Runners, calls, controls, tables
from p4xdp.records import dataclass

DIRECT = ("direct_counter", "direct_meter", "DirectCounter", "DirectMeter")
READ = ("direct_meter",)
"""Direct objects that a table has for nothing when none of its actions calls them."""

COUNTER, METER = "direct_counter", "direct_meter"

Tie = tuple[typed.Table, typed.Property]


def extern_of(value: typed.Expression) -> str | None:
    """Return the name of the extern that an expression is an instance of."""
    match value:
        case typed.Construct(target=typed.Extern(name=name)):
            return name.partition("<")[0]
        case typed.Ref(declaration=typed.Instance(target=typed.Extern(name=name))):
            return name.partition("<")[0]
        case _:
            return None


@dataclass(frozen=True, slots=True)
class TiedObjects:
    """`kinds` are the externs that each property takes an instance of."""

    kinds: Mapping[str, tuple[str, ...]]

    def __call__(self, program: typed.TypedProgram, diagnostics: Diagnostics) -> None:
        for control in controls(program):
            owners = self._owners(control, diagnostics)
            _check_calls(control, owners, diagnostics)

    def _owners(
        self, control: typed.Control, diagnostics: Diagnostics
    ) -> dict[typed.Instance, Tie]:
        """Return the table that each direct object belongs to."""
        owners: dict[typed.Instance, Tie] = {}
        for table in tables(control):
            for prop in table.properties:
                wanted = self.kinds.get(prop.name)
                if wanted is not None and extern_of(prop.value) not in wanted:
                    _refuse_kind(table, prop, wanted, diagnostics)
                elif wanted is not None and wanted[0] in DIRECT:
                    _claim(owners, table, prop, diagnostics)
        return owners


def _refuse_kind(
    table: typed.Table, prop: typed.Property, wanted: tuple[str, ...], diagnostics: Diagnostics
) -> None:
    names = " or ".join(f"`{name}`" for name in wanted)
    diagnostics.error(
        "bad-tie",
        prop.span,
        f"property `{prop.name}` of table `{table.name}` takes one instance: {names}",
    )


def _claim(
    owners: dict[typed.Instance, Tie],
    table: typed.Table,
    prop: typed.Property,
    diagnostics: Diagnostics,
) -> None:
    if not (
        isinstance(prop.value, typed.Ref) and isinstance(prop.value.declaration, typed.Instance)
    ):
        return
    found = prop.value.declaration
    other, earlier = owners.setdefault(found, (table, prop))
    if other is not table:
        diagnostics.error(
            "bad-tie",
            prop.span,
            f"`{found.name}` belongs to table `{other.name}` already",
            notes=(Note("it is tied to that table here", earlier.span),),
            help="give each table an object of its own",
        )


def _check_calls(
    control: typed.Control, owners: dict[typed.Instance, Tie], diagnostics: Diagnostics
) -> None:
    runners = Runners(control)
    used: set[typed.Instance] = set()
    for call in calls(control.apply):
        found = _direct(call)
        if found is not None:
            used.add(found)
            _report(call, found, "outside of the actions of a table", owners, diagnostics)
    for action in runners.actions:
        for call in calls(action.body):
            found = _direct(call)
            if found is not None:
                used.add(found)
                _check_action(runners, action, call, found, owners, diagnostics)
    for found, (table, prop) in owners.items():
        if extern_of(prop.value) in READ and found not in used:
            diagnostics.error(
                "bad-tie",
                prop.span,
                f"no action of table `{table.name}` reads `{found.name}`",
                help=f"call `{found.name}.read(...)` in its actions, or leave the property out",
            )


def _direct(call: typed.Call) -> typed.Instance | None:
    """Return the direct object of which a call is a method."""
    match call.callee:
        case typed.MethodCallee(
            instance=typed.Ref(declaration=typed.Instance() as found) as instance
        ) if extern_of(instance) in DIRECT:
            return found
        case _:
            return None


def _check_action(
    runners: Runners,
    action: typed.Action,
    call: typed.Call,
    found: typed.Instance,
    owners: dict[typed.Instance, Tie],
    diagnostics: Diagnostics,
) -> None:
    owner = owners[found][0] if found in owners else None
    others = [table.name for table in runners.tables_of(action) if table is not owner]
    if action in runners.called:
        where = f"in action `{action.name}`, which is called outside of any table"
    elif others:
        where = f"in action `{action.name}`, which table `{others[0]}` runs"
    else:
        return
    _report(call, found, where, owners, diagnostics)


def _report(
    call: typed.Call,
    found: typed.Instance,
    where: str,
    owners: dict[typed.Instance, Tie],
    diagnostics: Diagnostics,
) -> None:
    notes: tuple[Note, ...] = ()
    belongs = "belongs to no table"
    if found in owners:
        table, prop = owners[found]
        belongs = f"belongs to table `{table.name}`"
        notes = (Note("it is tied to its table here", prop.span),)
    kind = found.target.name.partition("<")[0]
    if kind == COUNTER or (kind == METER and found in owners):
        text = f"`{found.name}` {belongs}, and is used for nothing {where}"
        help = "leave the call out: it has a meaning in actions of the object's own table only"
        diagnostics.warning("no-effect", call.span, text, notes=notes, help=help)
    else:
        text = f"`{found.name}` is used {where}, but it {belongs}"
        help = "use a direct object in actions of its own table only"
        diagnostics.error("bad-tie", call.span, text, notes=notes, help=help)


PROFILES = ("action_profile", "action_selector")
V1MODEL = TiedObjects(
    {
        "counters": ("direct_counter",),
        "meters": ("direct_meter",),
        "implementation": PROFILES,
    }
)


def _portable(prefix: str) -> TiedObjects:
    return TiedObjects(
        {
            f"{prefix}_direct_counter": ("DirectCounter",),
            f"{prefix}_direct_meter": ("DirectMeter",),
            f"{prefix}_implementation": ("ActionProfile", "ActionSelector"),
        }
    )


PSA = _portable("psa")
PNA = _portable("pna")
