"""Copies of a packet meet the second half of the program: what they need to know rides in front.

In: the linear body in two halves, of which the first ends with the statement that replicates. Out:
one body, which starts behind the first half for a copy.

    scope egress {                       scope egress {
        <parser, first half>                 if (is_replica) {
        replicate(group);        ->              check data 3 ...; meta.x = data[0+:8]; ...
    }                                            adjust_head -3; leave egress;
    <second half>                            }
                                             <parser, first half>
                                             adjust_head 3; data[0+:8] = meta.x; ...
                                             finish replicate(group);
                                         }
                                         <second half>

What a variable holds when the first half ends is stored in front of the packet, which is otherwise
as it came.
"""

from __future__ import annotations

from itertools import count

from p4xdp.diagnostics import NO_SPAN, Span, fail
from p4xdp.midend.fold import fold
from p4xdp.midend.ir import (
    BOOL,
    XDP_ABORTED,
    AdjustHead,
    Apply,
    Assign,
    Body,
    Check,
    Const,
    Effect,
    Extend,
    Finish,
    If,
    Leave,
    Load,
    Program,
    Scope,
    SetPointer,
    Slice,
    Stmt,
    Store,
    Unary,
    UnaryOp,
    Var,
    stored_width,
)
from p4xdp.midend.passes.remove_dead import Liveness
from p4xdp.midend.rewrite import (
    expressions,
    map_statements,
    targets,
    variables,
    walk,
    walk_expression,
)

FAIL: Body = (Finish(Const(XDP_ABORTED, 32)),)

MOST_BYTES = 192
"""Bytes that fit in front of every packet."""


def with_replicas(program: Program, body: Body) -> Body:
    """Return the body of a program whose packets may be replicated; `body` holds both halves.

    Raises CompileError when copies would have to know more than can ride along.
    """
    replication = program.replication
    assert replication is not None
    last = max((i for i, stmt in enumerate(body) if _replicates(stmt)), default=None)
    if last is None:
        return body
    first, second = body[: last + 1], body[last + 1 :]
    _refuse_pointers(second)
    kept = _kept(first, (*replication.entered, *second), replication.is_replica)
    size = sum(_size(var) for var in kept)
    if size > MOST_BYTES:
        raise fail(
            "unsupported",
            _place(first),
            f"copies of a packet would have to know {size} bytes of headers and metadata; "
            f"{MOST_BYTES} can ride along",
            help="replicate before headers are changed, or keep less metadata for egress",
        )
    labels = {s.label for s in walk((*first, *second)) if isinstance(s, Scope)}
    label = next(f"egress{i or ''}" for i in count() if f"egress{i or ''}" not in labels)
    entered = (*_restored(kept, size), *replication.entered, Leave(label))
    saved = map_statements(first, lambda stmt: _replicated(program, stmt, kept, size))
    start = If(replication.is_replica, entered)
    return (Scope(label, (start, *saved)), *second)


def _replicates(stmt: Stmt) -> bool:
    return any(isinstance(s, Effect) and s.name == "replicate" for s in walk((stmt,)))


def _place(body: Body) -> Span:
    spans = (s.span for s in walk(body) if isinstance(s, Effect) and s.name == "replicate")
    return next(spans, NO_SPAN)


def _refuse_pointers(second: Body) -> None:
    made = {s.pointer for s in walk(second) if isinstance(s, SetPointer)} | {"data"}
    for stmt in walk(second):
        used = {
            node.pointer
            for expr in expressions(stmt)
            for node in walk_expression(expr)
            if isinstance(node, Load)
        }
        if used - made:
            raise fail(
                "unsupported",
                NO_SPAN,
                "copies of a packet whose headers have no fixed place are not supported",
            )


def _kept(first: Body, second: Body, is_replica: Var) -> list[Var]:
    """Return what the second half reads before it sets it, and the first half may set."""
    read = {v.name: v for s in walk(second) for e in expressions(s) for v in variables(e)}
    liveness = Liveness({})
    _, live = liveness.body(second, 0)
    read = {name: var for name, var in read.items() if live & liveness.bit(name)}
    assigned = {var.name for stmt in walk(first) for var in targets(stmt)}
    for stmt in walk(first):
        if isinstance(stmt, Apply):
            assigned.update(var.name for arm in stmt.arms for var in arm.data)
    names = sorted((read.keys() & assigned) - {is_replica.name})
    return [read[name] for name in names]


def _size(var: Var) -> int:
    return (stored_width(var.width) + 7) // 8


def _restored(kept: list[Var], size: int) -> Body:
    body: list[Stmt] = [Check("data", size, FAIL)] if size else []
    offset = 0
    for var in kept:
        width = stored_width(var.width)
        loaded = Load("data", offset, 8 * _size(var))
        value = fold(Slice(loaded, width - 1, 0))
        if var.width == BOOL:
            value = fold(Unary(UnaryOp.TO_BOOL, value))
        body.append(Assign(var, value))
        offset += 8 * _size(var)
    if size:
        body.append(AdjustHead(Const(-size % (1 << 32), 32), FAIL))
    return tuple(body)


def _replicated(program: Program, stmt: Stmt, kept: list[Var], size: int) -> Body:
    if not (isinstance(stmt, Effect) and stmt.name == "replicate"):
        return (stmt,)
    body: list[Stmt] = []
    if size:
        body += [AdjustHead(Const(size, 32), FAIL, stmt.span), Check("data", size, FAIL)]
    offset = 0
    for var in kept:
        width = 8 * _size(var)
        value = fold(Unary(UnaryOp.TO_BITS, var)) if var.width == BOOL else var
        if stored_width(var.width) < width:
            value = fold(Extend(value, width))
        body.append(Store("data", offset, width, value))
        offset += width
    sent = Var("replicated", program.verdict.width)
    body += [Effect("replicate", None, stmt.arguments, sent, stmt.span), Finish(sent)]
    return tuple(body)
