"""What v1model's field lists keep of the metadata when a packet goes through once more."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.frontend import types as t
from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.architectures import again
from p4xdp.frontend.elaborate.externs.v1model import standard
from p4xdp.frontend.elaborate.trees import Record, Tree, leaves, underlying
from p4xdp.frontend.elaborate.walk import Again, Cloning, Walk, storage_leaf
from p4xdp.midend import ir

RECIRCULATED, RESUBMITTED = 4, 6
"""What `instance_type` says of a packet that comes again."""


def kept(walk: Walk, asked: Again, kind: t.Type, metadata: Tree) -> list[again.Kept]:
    """Return what the lists in use keep of the metadata; the reasons are the numbers of lists.

    Headers that a call names are made anew by the parser.
    """
    assert walk.standard is not None
    known = {*leaves(metadata), *leaves(walk.standard)}
    lists = lists_of(walk, asked, kind, metadata)
    return again.kept((var, tuple(numbers)) for var, numbers in lists.items() if var in known)


def lists_of(
    walk: Walk, asked: Again | Cloning, kind: t.Type, metadata: Tree
) -> dict[ir.Var, list[int]]:
    """Return the scalars that lists in use keep, each with the numbers of these; what the
    architecture sets for each pass is not kept."""
    lists: dict[ir.Var, list[int]] = {}
    for var, found in listed(kind, metadata, tuple(sorted(asked.lists))):
        lists.setdefault(var, []).extend(found)
    for index, variables in asked.named.items():
        for var in variables:
            lists.setdefault(var, []).append(index)
    fixed = {standard(walk, name) for name in ("instance_type", "packet_length")}
    return {var: numbers for var, numbers in lists.items() if var not in fixed}


def listed(
    kind: t.Type, tree: Tree, lists: tuple[int, ...]
) -> Iterator[tuple[ir.Var, tuple[int, ...]]]:
    """Yield the scalars that some of `lists` keep, with those that do; a field inside of one that
    is kept is kept."""
    declared = underlying(kind)
    if not (isinstance(declared, t.Struct) and isinstance(tree, Record)):
        return
    for field, (_, part) in zip(declared.fields, tree.fields, strict=True):
        named = tuple(index for index in lists if field.in_field_list(index))
        if named:
            yield from ((storage_leaf(leaf), named) for leaf in leaves(part))
        yield from listed(field.type, part, tuple(i for i in lists if i not in named))


def restart(
    asked: Again, wanted: ir.Var, kind: int, found: list[again.Kept], cannot: ir.Expr
) -> ir.Stmt:
    """Return what ends the pass where `wanted`, the number of a list plus 1, is not 0; a packet
    that `cannot` come again is aborted."""

    def keeps(one: again.Kept) -> ir.Expr:
        result: ir.Expr = ir.FALSE
        for index in one.why:
            named = fold.equal(wanted, ir.Const(index + 1, wanted.width))
            result = fold.disjunction(result, named)
        return result

    any_list = fold.negation(fold.equal(wanted, ir.Const(0, wanted.width)))
    return again.restart(asked.passes, any_list, kind, found, keeps, cannot)
