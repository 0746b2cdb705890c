"""Parser value sets: tables in which a select looks its keys up (section 13.6).

A value set becomes a table with one action, `member`, that does nothing: its keys are the fields of
the set's type, or `value` for a type without fields, and a hit means that they are in the set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p4xdp.diagnostics import InternalError, Span, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import calls, expressions
from p4xdp.frontend.elaborate.instances import join, local_name
from p4xdp.frontend.elaborate.trees import scalar_width, underlying
from p4xdp.frontend.elaborate.walk import Env, Walk
from p4xdp.midend import ir

MEMBER = ir.TableAction("member", ())


def contains(
    walk: Walk, env: Env, value_set: typed.ValueSet, keys: Sequence[ir.Expr], span: Span
) -> ir.Expr:
    """Look keys up, given as bit patterns; return whether they are in the set."""
    table = declare(walk, env.root, value_set)
    hit = walk.fresh(f"{value_set.name}_hit", ir.BOOL)
    walk.emit(ir.Apply(table.name, tuple(keys), (ir.ActionArm(0, (), ()),), hit, None, span))
    return hit


def declare(walk: Walk, env: Env, value_set: typed.ValueSet) -> ir.Table:
    """Return the table of a value set in a parser instance, made at its first use."""
    block = env.block
    if block and not any(value_set is other for other in block.declaration.locals):
        block = None
    if (block, value_set) not in walk.tables:
        path = block.path if block else ""
        name = join(path, local_name(value_set.name, value_set.annotations))
        walk.take_name(name, (path, value_set), value_set.span)
        size = calls.known_number(expressions.evaluate(walk, env, value_set.size))
        if size is None:
            raise InternalError("elaborate", "a size that is not known", value_set.size.span)
        walk.tables[block, value_set] = ir.Table(
            name=name,
            keys=tuple(_keys(value_set.type, "", "exact", value_set.span)),
            actions=(MEMBER,),
            default=ir.ActionChoice(0, ()),
            default_const=True,
            entries=(),
            const_entries=False,
            size=max(size, 1),
            span=value_set.span,
        )
    return walk.tables[block, value_set]


def _keys(kind: t.Type, name: str, match: str, span: Span) -> Iterator[ir.Key]:
    match underlying(kind):
        case t.Struct(fields=fields):
            for field in fields:
                label = f"{name}.{field.name}" if name else field.name
                yield from _keys(field.type, label, _match_kind(field, match), span)
        case t.Tuple(elements=elements):
            for i, element in enumerate(elements):
                yield from _keys(element, f"{name}.{i}" if name else f"element{i}", match, span)
        case _:
            yield _key(kind, name or "value", match, span)


def _key(kind: t.Type, name: str, match: str, span: Span) -> ir.Key:
    width = scalar_width(kind)
    if width is None:
        raise InternalError("elaborate", f"a value set of {kind}", span)
    match match:
        case "exact" | "lpm" | "ternary" | "optional" | "range" as known:
            return ir.Key(name, ir.stored_width(width), known, span)
        case _:
            help = "value sets have exact, lpm, ternary, optional and range"
            raise fail("unsupported", span, f"the match kind `{match}` is not supported", help=help)


def _match_kind(field: t.FieldType, otherwise: str) -> str:
    """Return the kind in a field's `@match(kind)`."""
    for annotation in field.annotations:
        if annotation.startswith("match("):
            return annotation[len("match(") : -1]
    return otherwise
