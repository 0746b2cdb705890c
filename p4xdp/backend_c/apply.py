"""`table.apply()` in C: a lookup and a `switch` over its action, or plain tests where nothing
can change at run time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from p4xdp.backend_c import access, cexpr, flow, keys, scalars, terms
from p4xdp.backend_c.cwriter import CWriter, Write
from p4xdp.backend_c.layout import limbs
from p4xdp.backend_c.model import Action, Table
from p4xdp.midend import ir
from p4xdp.midend.matching import always

if TYPE_CHECKING:
    from p4xdp.backend_c.statements import Lowering

COPIES = 4
"""Statements of the largest action body that may stand in several places."""


def write(low: Lowering, w: CWriter, stmt: ir.Apply, table: Table) -> None:
    """Write the lookup, `hit` and `action_run`, and the arms."""
    low.mark(w, stmt.span, f"{table.table.name}.apply()")
    if table.kind == "constant":
        _Constant(low, stmt, table).write(w)
    else:
        _mapped(low, w, stmt, table)


# Tables with a map


def _mapped(low: Lowering, w: CWriter, stmt: ir.Apply, table: Table) -> None:
    entry = f"{table.c_name}_entry"
    found = _find(low, stmt, table)
    if not low.shown.uses_entry(stmt):
        if low.shown.needs(stmt.hit):
            assert stmt.hit is not None
            w.line(f"{low.variable(stmt.hit)} = {found} != NULL;")
        return
    w.line(f"{entry} = {found};")
    _trace(low, w, stmt, table)
    if low.shown.needs(stmt.hit):
        assert stmt.hit is not None
        w.line(f"{low.variable(stmt.hit)} = {entry} != NULL;")
    if table.has_default:
        w.chain([(f"if (!{entry})", lambda b: b.line(f"{entry} = {default_address(table)};"))])
        _switch(low, w, stmt, table)
    else:
        _switch_or_default(low, w, stmt, table)


def default_address(table: Table) -> str:
    """Return the address of the default in force."""
    default = f"{table.c_name}_default"
    function = f"p4xdp_in_force{table.offset_bits}" if table.has_slots else "p4xdp_in_force"
    return f"{function}(&{default})"


def _find(low: Lowering, stmt: ir.Apply, table: Table) -> str:
    low.looked_up.append(table.c_name)
    how = access.of(table)
    if how.by_words:
        arguments = keys.words(table, stmt.keys, low.env)
    else:
        arguments = [
            low.assigned(part.of(ir.limbs_of(key)), part.size * 8)
            for key, scalar in zip(stmt.keys, table.keys, strict=True)
            for part in scalars.parts(scalar)
        ]
    if low.in_scratch and how.keeps_key:
        arguments.insert(0, f"&scratch->{table.c_name}_key")
    return f"{table.c_name}_find({', '.join(arguments)})"


def _trace(low: Lowering, w: CWriter, stmt: ir.Apply, table: Table) -> None:
    if not low.options.trace:
        return
    entry, name = f"{table.c_name}_entry", table.table.name
    w.chain(
        [
            (
                f"if ({entry})",
                lambda b: b.line(f'bpf_printk("{name}: hit");'),
            ),
            ("else", lambda b: b.line(f'bpf_printk("{name}: miss");')),
        ]
    )


def _switch(
    low: Lowering, w: CWriter, stmt: ir.Apply, table: Table, label: tuple[int, str] | None = None
) -> None:
    """Run the arm of the entry; `label` names a place in front of an arm's body."""
    entry = f"{table.c_name}_entry"
    if low.shown.needs(stmt.action_run):
        assert stmt.action_run is not None
        w.line(f"{low.variable(stmt.action_run)} = {entry}->action;")
    if not low.shown.runs_arms(stmt):
        return
    bodies: list[tuple[Action, Write]] = []
    for arm in stmt.arms:
        action = table.actions[arm.index]
        if _is_of_entries(table, action):
            mark = label[1] if label and label[0] == arm.index else None
            bodies.append((action, partial(_loaded, low, arm, entry, table, mark)))
    _run(w, f"{entry}->action", table, bodies)


def _is_of_entries(table: Table, action: Action) -> bool:
    """Tell whether an entry or the default that can be changed may have an action."""
    if not (table.table.default_const and action.default_only):
        return True
    return any(entry.choice.index == action.id for entry in table.table.entries)


def _run(w: CWriter, selector: str, table: Table, bodies: list[tuple[Action, Write]]) -> None:
    """Run the body of the action that `selector` says.

    Nobody enters another number than those of the actions. One of them stands for all others, so
    that no packet pays for a test: the default action if nothing is read for it, else the last one
    of which this is true.
    """
    plain = [action for action, _ in bodies if not action.data] or [a for a, _ in bodies]
    default = table.actions[table.table.default.index]
    other = default if default in plain else plain[-1]

    def cases(inner: CWriter) -> None:
        for action, body in bodies:
            labels = [f"case {action.enumerator}:", *(["default:"] if action is other else [])]
            inner.case(labels, body)

    w.switch(f"switch ({selector})", cases)


def _loaded(
    low: Lowering, arm: ir.ActionArm, entry: str, table: Table, label: str | None, w: CWriter
) -> None:
    """Write an arm whose data come from the entry."""
    action = table.actions[arm.index]
    variables = iter(arm.data)
    for scalar in action.data:
        struct = f"{entry}->u.{action.c_name}."
        addresses = scalars.addresses(scalar, struct)
        for text, at in zip(scalars.loads(scalar, struct), addresses, strict=True):
            var = next(variables)
            if var.name in low.env.moved:
                text = cexpr.taken(at, var.width).text
            if low.shown.needs(var) and var.name not in low.env.direct:
                w.line(f"{low.variable(var)} = {text};")
    if label:
        w.label(label)
    low.case_body(arm.body)(w)


def _switch_or_default(low: Lowering, w: CWriter, stmt: ir.Apply, table: Table) -> None:
    """Run the entry's arm, or the constant default's with its data as constants."""
    entry = f"{table.c_name}_entry"
    choice = table.table.default
    arm = stmt.arms[choice.index]
    shared = not _may_copy(arm.body) and not table.actions[arm.index].default_only
    label = low.new_labels.take(f"{table.c_name}_miss") if shared else None

    def miss(b: CWriter) -> None:
        _set_run(low, b, stmt, choice.index)
        _set_data(low, b, arm, table, choice.arguments)
        if label:
            b.line(f"goto {label};")
        else:
            low.body(b, arm.body)

    def hit(b: CWriter) -> None:
        _switch(low, b, stmt, table, (arm.index, label) if label else None)

    if label or not flow.falls_through(arm.body):
        w.chain([(f"if (!{entry})", miss)])
        hit(w)
    elif low.shown.uses_choice(stmt, arm):
        w.chain([(f"if (!{entry})", miss), ("else", hit)])
    else:
        w.chain([(f"if ({entry})", hit)])


def _may_copy(body: ir.Body) -> bool:
    simple = (ir.Assign, ir.Store, ir.Finish, ir.Leave, ir.Effect, ir.Trace)
    return len(body) <= COPIES and all(isinstance(stmt, simple) for stmt in body)


def _set_run(low: Lowering, w: CWriter, stmt: ir.Apply, index: int) -> None:
    if low.shown.needs(stmt.action_run):
        assert stmt.action_run is not None
        w.line(f"{low.variable(stmt.action_run)} = {index};")


def _set_data(
    low: Lowering, w: CWriter, arm: ir.ActionArm, table: Table, arguments: tuple[int, ...]
) -> None:
    """Write the data of an arm that the program itself chose."""
    variables = iter(arm.data)
    for scalar, value in zip(table.actions[arm.index].data, arguments, strict=True):
        for width, limb in limb_values(value, scalar.width):
            var = next(variables)
            if low.shown.needs(var):
                w.line(f"{low.variable(var)} = {low.value_for(var, ir.Const(limb, width))};")


def limb_values(value: int, width: int) -> list[tuple[int, int]]:
    """Return the width and the number of each limb of a constant, the highest first."""
    widths = limbs(width)
    shifts = [sum(widths[i + 1 :]) for i in range(len(widths))]
    return [(w, value >> s & ((1 << w) - 1)) for w, s in zip(widths, shifts, strict=True)]


# Tables without a map


class _Constant:
    """An application of a table whose entries are all in the program."""

    def __init__(self, low: Lowering, stmt: ir.Apply, table: Table) -> None:
        self.low, self.stmt, self.table = low, stmt, table
        self.keys: list[ir.Expr] = [limb for key in stmt.keys for limb in ir.limbs_of(key)]
        self.widths = [w for key in table.keys for w in limbs(key.width)]
        self.choices = [e.choice for e in table.table.entries]
        if not table.has_default:
            self.choices.append(table.table.default)
        self.inline = not needs_choice(stmt, table)

    def write(self, w: CWriter) -> None:
        if not self.table.table.entries:
            self.miss(w)
        elif is_switch(self.stmt, self.table):
            self._switch(w)
        else:
            self._tests(w)
        if self.table.table.entries and not self.inline:
            self._chosen(w)

    # Which entry

    def _switch(self, w: CWriter) -> None:
        def cases(inner: CWriter) -> None:
            seen: set[int] = set()
            for entry in self.table.table.entries:
                test = entry.tests[0]
                assert isinstance(test, ir.MaskTest)
                if test.value in seen:
                    continue
                seen.add(test.value)
                labels = [f"case {terms.literal(test.value)}:"]
                inner.case(labels, self._ended(entry.choice))
            inner.case(["default:"], self._ended(None))

        selector = cexpr.render(self.keys[0], self.low.env)
        w.switch(f"switch ({selector})", cases)

    def _ended(self, choice: ir.ActionChoice | None) -> Write:
        def write(w: CWriter) -> None:
            self._leaf(choice)(w)
            arm = None if choice is None else self.stmt.arms[choice.index]
            if arm is None or not self.inline or flow.falls_through(arm.body):
                w.line("break;")

        return write

    def _tests(self, w: CWriter) -> None:
        values = self._hoisted(w)
        parts: list[tuple[str, Write]] = []
        rest = self._leaf(None) if self._miss_shows() else None
        for entry in self.table.table.entries:
            word = "else if" if parts else "if"
            condition = cexpr.condition(entry_test(entry.tests, values, self.table), self.low.env)
            if condition == "0":
                continue
            if condition == "1" or _is_certain(self.stmt, entry):
                rest = self._leaf(entry.choice)
                break
            parts.append((f"{word} ({condition})", self._leaf(entry.choice)))
        if parts:
            w.chain([*parts, ("else", rest)] if rest else parts)
        elif rest:
            rest(w)

    def _hoisted(self, w: CWriter) -> list[ir.Expr]:
        """Compute keys once when several entries test them."""
        keys: list[ir.Expr] = []
        for i, (key, width) in enumerate(zip(self.keys, self.widths, strict=True)):
            name = f"{self.table.c_name}.key{i}"
            if name in self.low.env.variables and name not in self.low.shown.unread:
                target = ir.Var(name, ir.width_of(key))
                w.line(f"{self.low.variable(target)} = {self.low.assigned(key, width)};")
                keys.append(target)
            else:
                keys.append(key)
        return keys

    # What it does

    def _leaf(self, choice: ir.ActionChoice | None) -> Write:
        """Return what writes the entry's choice; None for a miss."""

        def write(w: CWriter) -> None:
            if choice is None:
                self.miss(w)
                return
            self._hit(w, 1)
            self._choose(w, choice)

        return write

    def miss(self, w: CWriter) -> None:
        self._hit(w, 0)
        if not self.table.has_default:
            self._choose(w, self.table.table.default)
            return
        if not self.low.shown.uses_entry(self.stmt):
            return
        w.line(f"{self.table.c_name}_entry = {default_address(self.table)};")
        if self.inline:
            _switch(self.low, w, self.stmt, self.table)
        else:
            self._choose_default(w)

    def _miss_shows(self) -> bool:
        arm = self.stmt.arms[self.table.table.default.index]
        chosen = (
            not self.inline or self.table.has_default or self.low.shown.uses_choice(self.stmt, arm)
        )
        return chosen or self.low.shown.needs(self.stmt.hit)

    def _hit(self, w: CWriter, value: int) -> None:
        if self.low.shown.needs(self.stmt.hit):
            assert self.stmt.hit is not None
            w.line(f"{self.low.variable(self.stmt.hit)} = {value};")

    def _choose(self, w: CWriter, choice: ir.ActionChoice) -> None:
        arm = self.stmt.arms[choice.index]
        _set_run(self.low, w, self.stmt, choice.index)
        _set_data(self.low, w, arm, self.table, choice.arguments)
        if self.inline:
            self.low.body(w, arm.body)
        else:
            enumerator = self.table.actions[choice.index].enumerator
            w.line(f"{chosen_action(self.low, self.table)} = {enumerator};")

    def _choose_default(self, w: CWriter) -> None:
        """Take action and data from the changeable default."""
        entry = f"{self.table.c_name}_entry"
        w.line(f"{chosen_action(self.low, self.table)} = {entry}->action;")
        if self.low.shown.needs(self.stmt.action_run):
            assert self.stmt.action_run is not None
            w.line(f"{self.low.variable(self.stmt.action_run)} = {entry}->action;")
        if not any(self.low.shown.needs(var) for arm in self.stmt.arms for var in arm.data):
            return
        bodies: list[tuple[Action, Write]] = []
        for arm in self.stmt.arms:
            bare = ir.ActionArm(arm.index, arm.data, ())
            load = partial(_loaded, self.low, bare, entry, self.table, None)
            bodies.append((self.table.actions[arm.index], load))
        _run(w, f"{entry}->action", self.table, bodies)

    def _chosen(self, w: CWriter) -> None:
        """Run the arm that was chosen."""
        bodies = [
            (self.table.actions[arm.index], self.low.case_body(arm.body)) for arm in self.stmt.arms
        ]
        _run(w, chosen_action(self.low, self.table), self.table, bodies)


def chosen_action(low: Lowering, table: Table) -> str:
    """Return the variable that holds the action that a constant table chose."""
    return low.env.variables[f"{table.c_name}_action"]


def needs_choice(stmt: ir.Apply, table: Table) -> bool:
    """Tell whether a constant table first chooses an action and then runs it, because the body
    of an action is too large to stand at each entry."""
    if table.kind != "constant" or not table.table.entries:
        return False
    uses = [entry.choice.index for entry in table.table.entries]
    uses += range(len(stmt.arms)) if table.has_default else [table.table.default.index]
    return any(uses.count(arm.index) > 1 and not _may_copy(arm.body) for arm in stmt.arms)


def is_switch(stmt: ir.Apply, table: Table) -> bool:
    """Tell whether a constant table is a C `switch` over its key."""
    entries = table.table.entries
    if len(table.keys) != 1 or len(entries) < 3 or table.keys[0].width > ir.LIMB:
        return False
    full = (1 << table.keys[0].width) - 1
    tests = [test for entry in entries for test in entry.tests]
    exact = all(isinstance(test, ir.MaskTest) and test.mask == full for test in tests)
    return exact and ir.width_of(stmt.keys[0]) != ir.BOOL and can_miss(stmt, table)


def can_miss(stmt: ir.Apply, table: Table) -> bool:
    """Tell whether a lookup may find no entry: a constant table may have one for all keys."""
    entries = table.table.entries
    return table.has_map or not any(_is_certain(stmt, entry) for entry in entries)


def _is_certain(stmt: ir.Apply, entry: ir.Entry) -> bool:
    return all(always(key, test) for key, test in zip(stmt.keys, entry.tests, strict=True))


def hoisted_keys(stmt: ir.Apply, table: Table) -> list[ir.Var]:
    """Return the variables that hold keys of a constant table which several entries test."""
    if table.kind != "constant" or len(table.table.entries) < 2 or is_switch(stmt, table):
        return []
    keys = [limb for key in stmt.keys for limb in ir.limbs_of(key)]
    return [
        ir.Var(f"{table.c_name}.key{i}", ir.width_of(key))
        for i, key in enumerate(keys)
        if not isinstance(key, ir.Var | ir.Const)
    ]


def entry_test(tests: tuple[ir.Test, ...], keys: list[ir.Expr], table: Table) -> ir.Expr:
    """Return the condition under which an entry's tests all hold."""
    result: ir.Expr = ir.Const(1, ir.BOOL)
    position = 0
    for test, scalar in zip(tests, table.keys, strict=True):
        count = len(limbs(scalar.width))
        one = key_test(test, keys[position : position + count], scalar.width)
        result = ir.Binary(ir.BinaryOp.LAND, result, one)
        position += count
    return result


def key_test(test: ir.Test, keys: list[ir.Expr], width: int) -> ir.Expr:
    """Return the condition that one key, given in limbs, passes `test`."""
    match test:
        case ir.AnyTest():
            return ir.Const(1, ir.BOOL)
        case ir.MaskTest(value=value, mask=mask):
            result: ir.Expr = ir.Const(1, ir.BOOL)
            parts = zip(keys, limb_values(value, width), limb_values(mask, width), strict=True)
            for key, (bits, want), (_, care) in parts:
                if care:
                    one = _masked_test(key, bits, want, care)
                    result = ir.Binary(ir.BinaryOp.LAND, result, one)
            return result
        case ir.RangeTest(low=least, high=most):
            upper = _at_most(keys, limb_values(most, width))
            return ir.Binary(ir.BinaryOp.LAND, _at_least(keys, limb_values(least, width)), upper)


def _bits(key: ir.Expr) -> ir.Expr:
    return ir.Unary(ir.UnaryOp.TO_BITS, key) if ir.width_of(key) == ir.BOOL else key


def _masked_test(key: ir.Expr, width: int, want: int, care: int) -> ir.Expr:
    key = _bits(key)
    if care != (1 << width) - 1:
        key = ir.Binary(ir.BinaryOp.AND, key, ir.Const(care, width))
    return ir.Binary(ir.BinaryOp.EQ, key, ir.Const(want, width))


def _at_least(keys: list[ir.Expr], limits: list[tuple[int, int]]) -> ir.Expr:
    return _ordered(ir.BinaryOp.LE, keys, limits, key_first=False)


def _at_most(keys: list[ir.Expr], limits: list[tuple[int, int]]) -> ir.Expr:
    return _ordered(ir.BinaryOp.LE, keys, limits, key_first=True)


def _ordered(
    op: ir.BinaryOp, keys: list[ir.Expr], limits: list[tuple[int, int]], *, key_first: bool
) -> ir.Expr:
    """Compare limb by limb, the highest first: above decides, equal leaves it to the rest."""
    key, (width, limit) = _bits(keys[0]), limits[0]
    sides = (key, ir.Const(limit, width))
    left, right = sides if key_first else sides[::-1]
    if len(keys) == 1:
        return ir.Binary(op, left, right)
    rest = _ordered(op, keys[1:], limits[1:], key_first=key_first)
    equal = ir.Binary(ir.BinaryOp.EQ, left, right)
    strict = ir.Binary(ir.BinaryOp.LT, left, right)
    both = ir.Binary(ir.BinaryOp.LAND, equal, rest)
    return ir.Binary(ir.BinaryOp.LOR, strict, both)
