"""How many bytes behind each packet pointer are known to be in the packet, at each place.

In: a linear body. The answer follows the paths of the program as the kernel's verifier does: a
passed `Check` covers bytes, `SetPointer` carries them over, `AdjustHead` forgets them, and where
paths meet the smallest number counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from p4xdp.midend.ir import (
    FALSE,
    TRUE,
    XDP_ABORTED,
    AdjustHead,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Check,
    Const,
    Expr,
    Finish,
    If,
    Leave,
    Load,
    Mux,
    Program,
    Scope,
    SetPointer,
    Stmt,
    Store,
    Var,
    width_of,
)
from p4xdp.midend.rewrite import (
    bodies,
    ends,
    expressions,
    map_expressions,
    map_operands,
    operands,
    same,
    targets,
    walk,
    walk_expression,
    with_bodies,
)
from p4xdp.records import dataclass, field, replace

Covered = dict[str, int]
"""Bytes in the packet behind a pointer; a pointer that is missing is not set."""

START: Covered = {"data": 0}

STILL = "$still"
"""Is covered, with 0 bytes, where the head has not moved on any path."""

UNKNOWN = -1
"""Stands for a pointer that may lie behind the packet's end."""


def follow(body: Body, keep: Callable[[Stmt, Covered], bool]) -> Body:
    """Call `keep` on each reachable statement with what is covered before it.

    Returns the body without the statements for which `keep` is False.
    """
    return _Flow(keep).body(body, dict(START))[0]


def map_covered(body: Body, change: Callable[[Stmt, Covered], Stmt]) -> Body:
    """Return the body with `change` made of each reachable statement, the bodies in which are
    changed behind it; it gets what is covered before the statement."""
    return _Change(lambda stmt, covered: True, change=change).body(body, dict(START))[0]


def meet(covers: Iterable[Covered | None]) -> Covered | None:
    """Return what is covered where paths meet; None stands for a path that does not arrive."""
    arriving = [cover for cover in covers if cover is not None]
    if not arriving:
        return None
    first, *rest = arriving
    common = [pointer for pointer in first if all(pointer in cover for cover in rest)]
    return {pointer: min(cover[pointer] for cover in arriving) for pointer in common}


def cover_loads(program: Program) -> Program:
    """Return a linear program with a check in front of each load that only the values of variables
    show to lie in the packet: the verifier does not follow those. Such a check never fails. Checks
    of what is covered anyway are left out."""
    body = cover(program.body, program)
    return program if body is program.body else replace(program, body=body)


def cover(body: Body, program: Program) -> Body:
    """Return a body, that of a linear program or a part of it, with a check in front of each access
    that none in the body covers; where only a condition leads to an access, behind that."""
    verdict = FALSE if program.model == "filter" else Const(XDP_ABORTED, program.verdict.width)
    taken = {var.name for stmt in walk(body) for var in targets(stmt)}
    every = (*walk(program.body), *walk(body))
    covering = _Cover(
        lambda stmt, covered: True, fail=(Finish(verdict),), taken=taken, checked=_checked(every)
    )
    whole = body is program.body or not any(isinstance(stmt, AdjustHead) for stmt in every)
    return covering.body(body, {**START, STILL: 0} if whole else dict(START))[0]


def _checked(stmts: tuple[Stmt, ...]) -> dict[str, list[int]]:
    """Return how many bytes behind each pointer may have been found to be in the packet, ascending:
    a superset of all that a path can have checked."""
    found: dict[str, set[int]] = {}
    moved: list[SetPointer] = []
    for stmt in stmts:
        if isinstance(stmt, Check):
            found.setdefault(stmt.pointer, set()).add(stmt.size)
        elif isinstance(stmt, SetPointer) and stmt.amount is None:
            moved.append(stmt)
    for stmt in moved:
        behind = {size - stmt.offset for size in found.get(stmt.base, ())}
        found.setdefault(stmt.pointer, set()).update(behind)
    return {pointer: sorted(sizes) for pointer, sizes in found.items()}


def accesses(stmt: Stmt) -> Iterator[tuple[str, int]]:
    """Yield for each load and store of a statement itself its pointer and how many bytes behind
    that it reaches."""
    if isinstance(stmt, Store):
        yield stmt.pointer, (stmt.offset + stmt.width + 7) // 8
    for expr in expressions(stmt):
        for part in walk_expression(expr):
            if isinstance(part, Load):
                yield part.pointer, _end(part)


@dataclass(slots=True)
class _Flow:
    keep: Callable[[Stmt, Covered], bool]
    leaving: dict[str, list[Covered | None]] = field(default_factory=dict)

    def body(self, body: Body, covered: Covered | None) -> tuple[Body, Covered | None]:
        new: list[Stmt] = []
        for stmt in body:
            if covered is None:
                new.append(stmt)
            elif self.keep(stmt, covered):
                kept, covered = self.stmt(stmt, covered)
                new.append(kept)
        return (body if same(new, body) else tuple(new)), covered

    def stmt(self, stmt: Stmt, covered: Covered) -> tuple[Stmt, Covered | None]:
        match stmt:
            case Leave(label=label):
                self.leaving[label].append(covered)
                return stmt, None
            case Scope(label=label):
                self.leaving[label] = []
                new, out = self.inside(stmt, covered)
                return new, meet([out, *self.leaving.pop(label)])
            case Check(pointer=pointer, size=size):
                new, _ = self.inside(stmt, covered)
                return new, {**covered, pointer: max(covered.get(pointer, 0), size)}
            case AdjustHead():
                new, _ = self.inside(stmt, covered)
                return new, dict(START)
            case SetPointer():
                return stmt, {**covered, stmt.pointer: _moved(stmt, covered)}
            case _ if bodies(stmt):
                return self.inside(stmt, covered)
            case _:
                return stmt, None if ends((stmt,)) else covered

    def inside(self, stmt: Stmt, covered: Covered) -> tuple[Stmt, Covered | None]:
        results = [self.body(body, covered) for body in bodies(stmt)]
        return with_bodies(stmt, tuple(body for body, _ in results)), meet(
            out for _, out in results
        )


def _unchanged(stmt: Stmt, covered: Covered) -> Stmt:
    return stmt


@dataclass(slots=True)
class _Change(_Flow):
    """Changes statements where it comes to them."""

    change: Callable[[Stmt, Covered], Stmt] = _unchanged

    def stmt(self, stmt: Stmt, covered: Covered) -> tuple[Stmt, Covered | None]:
        return _Flow.stmt(self, self.change(stmt, covered), covered)


def _moved(stmt: SetPointer, covered: Covered) -> int:
    if stmt.amount is not None:
        return UNKNOWN
    return max(UNKNOWN, covered.get(stmt.base, UNKNOWN) - stmt.offset)


SHORT = 2
"""Statements that may stand behind each of two conditions."""


@dataclass(slots=True)
class _Cover(_Flow):
    """Puts checks in front of what is not covered, and leaves those out that are behind others;
    `taken` are the names of variables, `checked` the sizes that earlier checks have by pointer."""

    fail: Body = ()
    taken: set[str] = field(default_factory=set)
    checked: dict[str, list[int]] = field(default_factory=dict)

    def body(self, body: Body, covered: Covered | None) -> tuple[Body, Covered | None]:
        new: list[Stmt] = []
        coming = list(reversed(body))
        while coming:
            stmt = coming.pop()
            if covered is None:
                new.append(stmt)
                continue
            if isinstance(stmt, Check) and covered.get(stmt.pointer, UNKNOWN) >= stmt.size:
                continue
            apart = self.apart(stmt, covered)
            if apart:
                coming += reversed(apart)
                continue
            for pointer, size in _demanded(stmt).items():
                if covered.get(pointer, UNKNOWN) < size:
                    if STILL in covered:
                        size = self.known(pointer, size)
                    new.append(Check(pointer, size, self.fail))
                    covered = {**covered, pointer: size}
            kept, covered = self.stmt(stmt, covered)
            new.append(kept)
        return (body if same(new, body) else tuple(new)), covered

    def known(self, pointer: str, size: int) -> int:
        """Return the least that can have been checked on a path on which `size` bytes are there: so
        much is there too, and one check does for a whole header."""
        return next((known for known in self.checked.get(pointer, ()) if known >= size), size)

    def apart(self, stmt: Stmt, covered: Covered) -> Body:
        """Return what the statement comes to when its conditions become branches, so that a check
        can stand in one; nothing if it can stay."""
        if not _is_short_of(expressions(stmt), covered):
            return ()
        demanded = _demanded(stmt)
        with_own = {**covered, **{p: max(n, covered.get(p, 0)) for p, n in demanded.items()}}
        if not any(_is_short_of(_sometimes(e), with_own) for e in expressions(stmt)):
            return ()
        match stmt:
            case If(condition=Binary(op=BinaryOp.LAND, left=left, right=right), otherwise=()):
                return (replace(stmt, condition=left, then=(replace(stmt, condition=right),)),)
            case If(condition=Binary(op=BinaryOp.LOR, left=left, right=right)) if (
                ends(stmt.then) and len(stmt.then) <= SHORT
            ):
                first = replace(stmt, condition=left, otherwise=())
                return first, replace(stmt, condition=right)
        choices: list[Stmt] = []
        chosen = map_expressions(stmt, lambda expr: self.chosen(expr, with_own, choices))
        return (*choices, chosen)

    def chosen(self, expr: Expr, covered: Covered, choices: list[Stmt]) -> Expr:
        """Return `expr` with variables for what is not covered; `choices` get what sets them."""
        if not _is_short_of(_branches(expr), covered):
            return map_operands(expr, lambda inner: self.chosen(inner, covered, choices))
        var = self.fresh(width_of(expr))
        match expr:
            case Binary(op=op, left=left, right=right):
                decided = Assign(var, FALSE if op is BinaryOp.LAND else TRUE)
                open_ = Assign(var, right)
                then, otherwise = (open_, decided) if op is BinaryOp.LAND else (decided, open_)
                choices.append(If(left, (then,), (otherwise,)))
            case Mux(condition=condition, then=one, otherwise=other):
                choices.append(If(condition, (Assign(var, one),), (Assign(var, other),)))
        return var

    def fresh(self, width: int) -> Var:
        number = 1
        while (name := f"$chosen{width}.{number}") in self.taken:
            number += 1
        self.taken.add(name)
        return Var(name, width)


def _demanded(stmt: Stmt) -> Covered:
    """Return for each pointer how many bytes behind it a statement itself loads or stores on every
    path through its expressions."""
    sizes: Covered = {}
    if isinstance(stmt, Store):
        sizes[stmt.pointer] = (stmt.offset + stmt.width + 7) // 8
    for load in _always(stmt):
        sizes[load.pointer] = max(_end(load), sizes.get(load.pointer, 0))
    return sizes


def _end(load: Load) -> int:
    return (load.offset + load.width + 7) // 8


def _always(stmt: Stmt) -> Iterator[Load]:
    """Yield what the statement loads on every path through its expressions."""
    coming = list(expressions(stmt))
    while coming:
        expr = coming.pop()
        if isinstance(expr, Load):
            yield expr
        branches = _branches(expr)
        coming += [inner for inner in operands(expr) if not any(inner is b for b in branches)]


def _sometimes(expr: Expr) -> Iterator[Expr]:
    """Yield the parts of an expression that only a condition in it leads to."""
    for part in walk_expression(expr):
        yield from _branches(part)


def _branches(expr: Expr) -> tuple[Expr, ...]:
    """Return the operands that count on one outcome of another only."""
    match expr:
        case Binary(op=BinaryOp.LAND | BinaryOp.LOR, right=right):
            return (right,)
        case Mux(then=then, otherwise=otherwise):
            return then, otherwise
        case _:
            return ()


def _is_short_of(exprs: Iterable[Expr], covered: Covered) -> bool:
    """Tell whether any of the expressions loads what is not covered."""
    return any(
        covered.get(part.pointer, UNKNOWN) < _end(part)
        for expr in exprs
        for part in walk_expression(expr)
        if isinstance(part, Load)
    )
