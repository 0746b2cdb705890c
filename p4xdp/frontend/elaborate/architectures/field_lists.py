"""What v1model's field lists keep of the metadata when a packet goes through once more."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.frontend import types as t
from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.architectures import again
from p4xdp.frontend.elaborate.trees import Record, Tree, leaves, underlying
from p4xdp.frontend.elaborate.walk import Again, storage_leaf
from p4xdp.midend import ir

RECIRCULATED, RESUBMITTED = 4, 6
"""What `instance_type` says of a packet that comes again."""


def kept(asked: Again, kind: t.Type, metadata: Tree) -> list[again.Kept]:
    """Return what the lists in use keep of the metadata; the reasons are the numbers of lists."""
    return again.kept(listed(kind, metadata, tuple(sorted(asked.lists))))


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
