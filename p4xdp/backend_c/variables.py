"""The variables of the entry point: their C names and types, and where they live.

Scalars are C variables on the first rung of the ladder of layouts, and members of a struct in a
per-CPU map on the second; pointers always are C variables, because the verifier loses what it
knows of a pointer that goes through a map.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from p4xdp.backend_c import access, apply, flow, layout, scalars, stack
from p4xdp.backend_c.cexpr import Env
from p4xdp.backend_c.cwriter import COLUMNS, filled
from p4xdp.backend_c.ladder import MOST_PATHS, SCRATCH, STACK
from p4xdp.backend_c.model import Layout, Local, Struct, Table
from p4xdp.backend_c.names import Names
from p4xdp.backend_c.shown import Shown
from p4xdp.diagnostics import Diagnostics, Note
from p4xdp.midend import ir
from p4xdp.midend.cut import ENTRY
from p4xdp.midend.rewrite import targets, variables, walk
from p4xdp.records import replace

KEPT = "kept"
"""The struct of variables that stay in memory on the first rung."""

MOST_MOVES = 300
"""Values that clang may set where paths meet; with more, what starts as zero is kept in memory."""

RESERVED = frozenset({"ctx", "data", "data_end", "event", "offset", KEPT, SCRATCH})
"""What the entry point calls its own variables."""

EVENT = "perf_event_output"

SCRATCH_LIMIT = 32 * 1024
"""Bytes of the largest value of a per-CPU map (PCPU_MIN_UNIT_SIZE)."""


def collect(
    program: ir.Program,
    tables: dict[str, Table],
    shown: Shown,
    names: Names,
    uncut: ir.Program | None = None,
) -> tuple[Local, ...]:
    """Return the variables in order of first use; `names` is the file scope.

    The body of a program that was cut holds its parts one behind the other; `uncut` is what it was.
    """
    zeroed = _zeroed(uncut or program, tables, shown)
    if uncut is not None:
        zeroed |= _used(program, shown) - _used(uncut, shown) - {ENTRY.name}
    taken = Names(names.taken | RESERVED)
    # what a lookup found is known only in the part where it stands
    direct = {} if uncut else _direct(program, tables, zeroed)
    found: dict[str, Local] = {}
    for stmt in walk(program.body):
        for var in _variables(stmt):
            if not shown.needs(var) or var.name in found:
                continue
            if var.name in direct:
                text, at = direct[var.name]
                found[var.name] = Local(var.name, "", "", 0, text=text, address=at)
                continue
            local = _scalar(var, taken.take(var.name))
            found[var.name] = replace(local, is_zeroed=var.name in zeroed)
        if isinstance(stmt, ir.SetPointer) and stmt.pointer not in ("data", *found):
            found[stmt.pointer] = _pointer(stmt.pointer, taken.take(stmt.pointer), "void *")
        if isinstance(stmt, ir.Apply):
            for local in _of_table(stmt, tables[stmt.table], shown, taken):
                found.setdefault(local.name, local)
    return (*_kept(program, tuple(found.values())), *_of_statements(program))


def _used(program: ir.Program, shown: Shown) -> frozenset[str]:
    found = (var for stmt in walk(program.body) for var in _variables(stmt))
    return frozenset(var.name for var in found if shown.needs(var))


def _direct(
    program: ir.Program, tables: dict[str, Table], zeroed: frozenset[str]
) -> dict[str, tuple[str, str]]:
    """Return the action data that are read in one place only: there, from the entry; what they
    are read by, and the address of their bytes.

    Read with the others in front of the action, they would have to live until then, perhaps
    across the move of the packet's head; where it does move, two places may read the same data.
    """
    every = tuple(walk(program.body))
    applied = Counter(stmt.table for stmt in every if isinstance(stmt, ir.Apply))
    reads = Counter(
        var.name for s in every for expr in flow.used_expressions(s) for var in variables(expr)
    )
    others = (stmt for stmt in every if not isinstance(stmt, ir.Apply))
    sets = Counter(var.name for stmt in others for var in targets(stmt))
    found: dict[str, tuple[str, str]] = {}
    for stmt in every:
        if not isinstance(stmt, ir.Apply) or applied[stmt.table] > 1:
            continue
        table = tables[stmt.table]
        if not table.has_map:
            continue
        for arm in _arms_of_entries(stmt, table):
            most = 2 if any(isinstance(s, ir.AdjustHead) for s in walk(arm.body)) else 1
            for name, text, at in _data_texts(arm, table):
                if 1 <= reads[name] <= most and not sets[name] and name not in zeroed:
                    found[name] = f"({text})" if " & " in text else text, at
    return found


def _arms_of_entries(stmt: ir.Apply, table: Table) -> Iterator[ir.ActionArm]:
    """Yield the arms whose data are always those of an entry: with a constant default, all but its
    own."""
    for arm in stmt.arms:
        if table.has_default or arm.index != table.table.default.index:
            yield arm


def _data_texts(arm: ir.ActionArm, table: Table) -> Iterator[tuple[str, str, str]]:
    action = table.actions[arm.index]
    struct = f"{table.c_name}_entry->u.{action.c_name}."
    texts = [text for scalar in action.data for text in scalars.loads(scalar, struct)]
    places = [at for scalar in action.data for at in scalars.addresses(scalar, struct)]
    yield from zip((var.name for var in arm.data), texts, places, strict=True)


def _kept(program: ir.Program, locals_: tuple[Local, ...]) -> tuple[Local, ...]:
    """Mark what is to stay in memory.

    Where paths meet, each sets every variable that another one has set; a parser of many states
    would set dozens to zero at dozens of places (measured: 58 instead of 12 ns for ten states).
    """
    zeroed = sum(local.is_zeroed and local.is_scalar for local in locals_)
    meetings = sum(isinstance(stmt, ir.Leave | ir.If | ir.Switch) for stmt in walk(program.body))
    if zeroed * meetings <= MOST_MOVES:
        return locals_
    return tuple(replace(local, is_kept=local.is_zeroed and local.is_scalar) for local in locals_)


def _scalar(var: ir.Var, c_name: str) -> Local:
    kind, size = layout.variable_type(var.width), layout.variable_size(var.width)
    return Local(var.name, c_name, kind, size)


def _pointer(name: str, c_name: str, kind: str) -> Local:
    return Local(name, c_name, kind, 8, is_scalar=False)


def _variables(stmt: ir.Stmt) -> Iterator[ir.Var]:
    yield from targets(stmt)
    for expr in flow.used_expressions(stmt):
        yield from variables(expr)
    if isinstance(stmt, ir.Apply):
        for arm in stmt.arms:
            yield from arm.data


def _zeroed(program: ir.Program, tables: dict[str, Table], shown: Shown) -> frozenset[str]:
    """Return the variables that hold their first 0 where they are read."""
    assigned = flow.Assigned(shown.needed)
    assigned.follow(program.body, assigned.start(list(ir.given(program))))
    for stmt in walk(program.body):
        if isinstance(stmt, ir.Apply) and apply.needs_choice(stmt, tables[stmt.table]):
            # set at the entries, read at the arms: only the action ties one to the other
            assigned.unset.update(var.name for arm in stmt.arms for var in arm.data)
    return frozenset(assigned.unset)


def _of_table(stmt: ir.Apply, table: Table, shown: Shown, taken: Names) -> Iterator[Local]:
    name = table.c_name
    from_entry = table.has_map or (table.has_default and apply.can_miss(stmt, table))
    if from_entry and shown.uses_entry(stmt):
        yield _pointer(f"{name}_entry", f"{name}_entry", f"struct {name}_value *")
    if apply.needs_choice(stmt, table):
        yield Local(f"{name}_action", f"{name}_action", f"enum {name}_actions", 4)
    for var in apply.hoisted_keys(stmt, table):
        yield _scalar(var, taken.take(var.name))


MENTION = re.compile(r"^\s*(\w+) = (?=[^=])|(?<!->)(?<!\.)\b([A-Za-z_]\w*)", re.MULTILINE)
"""A variable that is assigned, or one that is read: neither members nor what stands in comments."""


def read_in(
    body: str, locals_: tuple[Local, ...], rung: str
) -> tuple[tuple[Local, ...], frozenset[str]]:
    """Return the variables that the C needs, and the IR's names of those only assigned there."""
    text = re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", body)
    assigned, read = set[str | None](), set[str | None]()
    for match in MENTION.finditer(text):
        assigned.add(match[1])
        read.add(match[2])
    plain = [local for local in locals_ if _text(local, rung) == local.c_name]
    absent = {local.name for local in plain if local.c_name not in assigned | read}
    unread = (x.name for x in plain if x.is_scalar and x.c_name in assigned - read)
    return tuple(x for x in locals_ if x.name not in absent), frozenset(unread)


def _of_statements(program: ir.Program) -> Iterator[Local]:
    every = tuple(walk(program.body))
    if any(isinstance(s, ir.SetPointer) and s.amount is not None for s in every):
        yield Local("offset", "offset", "__u64", 8, is_scalar=False)
    if any(isinstance(s, ir.Effect) and s.name == EVENT for s in every):
        yield Local("event", "event", "struct p4xdp_event", 8, is_scalar=False)


# Where they live


def choose_layout(
    program: ir.Program,
    locals_: tuple[Local, ...],
    tables: tuple[Table, ...],
    needed: frozenset[str],
    asked: str | None,
    diagnostics: Diagnostics,
) -> Layout:
    """Return the first rung that holds the program, or the one that was asked for, and why it is
    not the first.

    Reports `stack-too-large` when not even the last one does.
    """
    keys = [key for _, key in _keyed(tables)]
    kept = [local for local in locals_ if local.is_kept]
    free = needed - {local.name for local in locals_ if local.is_kept or local.text is not None}
    fixed = _addressed(program, tables, with_keys=True) + _size(kept, [])
    used = stack.estimate(program, free, fixed)
    why = _too_much(program, locals_, used)
    if asked == STACK or (asked is None and not why):
        return Layout(STACK, used)
    members_of = [x for x in locals_ if x.is_scalar and x.text is None]
    numbers = sorted(members_of, key=lambda x: -x.size)
    members = [f"{local.type} {local.c_name};" for local in numbers]
    members += [f"struct {key.name} {key.name};" for key in keys]
    if not members:
        return Layout(STACK if asked in (None, SCRATCH) else asked, used)
    size = _size(numbers, keys)
    if size > SCRATCH_LIMIT:
        _report(program, numbers, size, diagnostics)
    rest = stack.estimate(program, frozenset(), _addressed(program, tables, with_keys=False))
    return Layout(asked or SCRATCH, rest, why, tuple(members), size)


def _too_much(program: ir.Program, locals_: tuple[Local, ...], used: int) -> str:
    """Return why the first rung does not hold a program, if so."""
    if used > stack.SAFE:
        return f"the stack of 512 bytes may not hold ~{used}"
    zeroed = sum(local.is_zeroed and local.is_scalar for local in locals_)
    tests = sum(isinstance(stmt, ir.If | ir.Switch) for stmt in walk(program.body))
    if zeroed * tests > MOST_PATHS:
        return f"the verifier would follow {zeroed} variables through {tests} tests"
    return ""


INDEX = 8
"""Bytes of stack for an array index, or for a counter's index or amount."""


def _addressed(program: ir.Program, tables: tuple[Table, ...], *, with_keys: bool) -> int:
    """Return bytes of what helpers get by its address: keys and indexes, one at a time."""
    sizes = [key.size for _, key in _keyed(tables)] if with_keys else [INDEX]
    own = [access.of(table).own_stack(table) for table in tables if table.has_map]
    sizes = [size + max([0, *own]) for size in [0, *sizes]]
    if program.counters:
        sizes.append(2 * INDEX if any(c.sparse for c in program.counters) else INDEX)
    event = any(isinstance(s, ir.Effect) and s.name == EVENT for s in walk(program.body))
    return max([0, *sizes]) + (INDEX if event else 0)


def _keyed(tables: tuple[Table, ...]) -> list[tuple[Table, Struct]]:
    """Return the tables whose key is a struct, with it."""
    return [(t, t.key) for t in tables if t.has_map and access.of(t).keeps_key]


def _size(scalars: list[Local], keys: list[Struct]) -> int:
    """Return the size of a struct of scalars, the greatest first, and then keys."""
    size = sum(local.size for local in scalars)
    for key in keys:
        size = layout.round_up(size, key.align) + key.size
    return layout.round_up(size, max([1, *(x.size for x in scalars), *(k.align for k in keys)]))


def _report(program: ir.Program, scalars: list[Local], size: int, diagnostics: Diagnostics) -> None:
    diagnostics.error(
        "stack-too-large",
        None,
        f"the variables of {program.name} take {size} bytes; "
        f"at most {SCRATCH_LIMIT} fit, in a per-CPU map",
        notes=tuple(Note(f"{total} bytes: {name}") for name, total in _largest(scalars)),
        help="keep fewer values, or smaller header stacks",
    )


def _largest(scalars: list[Local]) -> list[tuple[str, int]]:
    """Return the five top-level names that take most, with their bytes; what the compiler keeps
    between two steps of a computation counts as one."""
    totals: dict[str, int] = {}
    for local in scalars:
        name = local.name.split(".")[0]
        top = "intermediate values" if "$" in name else f"`{name}`"
        totals[top] = totals.get(top, 0) + local.size
    return sorted(totals.items(), key=lambda item: (-item[1], item[0]))[:5]


def environment(locals_: tuple[Local, ...], rung: str) -> Env:
    """Return what the variables and pointers are called in C expressions."""
    names = {local.name: _text(local, rung) for local in locals_}
    pointers = {x.name: x.c_name for x in locals_ if x.type == "void *"}
    direct = {local.name: local.address for local in locals_ if local.address is not None}
    return Env(names, {**pointers, "data": "data"}, direct)


def _text(local: Local, rung: str) -> str:
    if local.text is not None:
        return local.text
    if local.is_scalar and rung != STACK:
        return f"{SCRATCH}->{local.c_name}"
    return f"{KEPT}.{local.c_name}" if local.is_kept else local.c_name


def declarations(locals_: tuple[Local, ...], rung: str) -> tuple[str, ...]:
    """Return declarations of the C variables, one for each type, in order of first use."""
    by_type: dict[str, list[str]] = {}
    for local in locals_:
        if local.text is not None or local.is_kept or (local.is_scalar and rung != STACK):
            continue
        kind = local.type.rstrip(" *")
        stars = "*" if local.type.endswith("*") else ""
        text = f"{stars}{local.c_name}{' = 0' if local.is_zeroed else ''}"
        by_type.setdefault(f"{kind} {stars}".rstrip(" "), []).append(text)
    return _kept_struct(locals_, rung) + tuple(
        filled(f"{kind.rstrip(' *')} ", items, ";", "\t\t", COLUMNS - 8)
        for kind, items in by_type.items()
    )


def _kept_struct(locals_: tuple[Local, ...], rung: str) -> tuple[str, ...]:
    kept = sorted((x for x in locals_ if x.is_kept), key=lambda x: -x.size)
    if not kept or rung != STACK:
        return ()
    types = dict.fromkeys(x.type for x in kept)
    members = [
        filled(f"\t{kind} ", [x.c_name for x in kept if x.type == kind], ";", "\t\t\t", COLUMNS - 8)
        for kind in types
    ]
    return ("struct {", *members, f"}} {KEPT} = {{ 0 }};")


def zeroing(locals_: tuple[Local, ...], rung: str) -> list[str]:
    """Return statements that set what has no initializer: members of the scratch struct."""
    if rung == STACK:
        return [f"p4xdp_in_memory({KEPT});"] if any(x.is_kept for x in locals_) else []
    return [f"{SCRATCH}->{x.c_name} = 0;" for x in locals_ if x.is_scalar and x.is_zeroed]
