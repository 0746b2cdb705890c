"""Carry constants, copies and single uses forward to where they are read.

    x = hd.ipv4.ttl;                       hd.ipv4.ttl = hd.ipv4.ttl - 1;
    x = x - 1;                     ->
    hd.ipv4.ttl = x;

Follows the program in the order of execution: parser states in topological order, then control,
then deparser, or the linear body. Conditions that become constant disappear with the branches that
they exclude. A variable that is set once and read once moves to where it is read.
"""

from __future__ import annotations

from p4xdp.midend.facts import Facts
from p4xdp.midend.forward import Flow
from p4xdp.midend.ir import (
    ACCEPT,
    REJECT,
    Const,
    Expr,
    Extract,
    Pipeline,
    Program,
    SelectCase,
    State,
    Transition,
    given,
)
from p4xdp.midend.matching import always, passes
from p4xdp.midend.names import header_names
from p4xdp.midend.order import in_order
from p4xdp.midend.rewrite import AnyPipeline, targets, walk
from p4xdp.midend.uses import count_uses
from p4xdp.records import replace


def propagate(program: Program) -> Program:
    """Return the program with every known value in place of the variable that holds it."""
    flow = Flow(
        headers={header.name: header for header in program.headers},
        uses=count_uses(program),
        narrow=program.stage == "narrow",
    )
    for var in given(program):
        flow.forget(var.name)
    if program.stage != "flat":
        return replace(program, body=flow.body(program.body))
    first = _pipeline(flow, program)
    return replace(first, further=tuple(_pipeline(flow, one) for one in program.further))


def _pipeline(flow: Flow, one: AnyPipeline) -> AnyPipeline:
    parser, entry = _parser(flow, one)
    control = flow.body(one.control) if entry else ()
    flow.alive = True
    return replace(
        one,
        parser=parser,
        control=control,
        deparser=flow.body(one.deparser),
        departure=flow.body(one.departure),
    )


# The parser graph


def _parser(flow: Flow, one: Program | Pipeline) -> tuple[tuple[State, ...], bool]:
    """Walk the states; tell whether any path accepts, with its facts then in place."""
    if not one.parser:
        return (), True
    start = dict(flow.facts)
    arriving: dict[str, list[Facts]] = {one.parser[0].name: [dict(start)]}
    new: list[State] = []
    for state in in_order(one.parser):
        if state.name not in arriving:
            continue
        _enter(flow, arriving.pop(state.name))
        body = flow.body(state.body)
        transition = _transition(flow, state.transition) if flow.alive else _to_reject(state)
        new.append(replace(state, body=body, transition=transition))
        if flow.alive:
            for target in dict.fromkeys(case.target for case in transition.cases):
                arriving.setdefault(target, []).append(dict(flow.facts))
    accepts = ACCEPT in arriving
    _enter(flow, arriving.get(ACCEPT, [start]))
    if one.parser_error is not None:
        _forget_parser(flow, one)
        accepts = True
    return tuple(new), accepts


def _forget_parser(flow: Flow, one: Program | Pipeline) -> None:
    """Forget all that the parser sets: it may have been rejected anywhere."""
    assert one.parser_error is not None
    flow.forget(one.parser_error.name)
    for stmt in (stmt for state in one.parser for stmt in walk(state.body)):
        for var in targets(stmt):
            flow.forget(var.name)
        if isinstance(stmt, Extract):
            for name in header_names(flow.headers[stmt.header]):
                flow.forget(name)


def _to_reject(state: State) -> Transition:
    return Transition((), (SelectCase((), REJECT),), state.span)


def _enter(flow: Flow, arriving: list[Facts]) -> None:
    flow.alive = True
    flow.log.clear()
    flow.facts = arriving[0]
    if len(arriving) > 1:
        names = dict.fromkeys(name for facts in arriving for name in facts)
        flow.facts = {
            name: flow.met([facts.get(name) for facts in arriving], None) for name in names
        }


def _transition(flow: Flow, transition: Transition) -> Transition:
    keys = tuple(flow.resolve(key) for key in transition.keys)
    cases: list[SelectCase] = []
    for case in transition.cases:
        pairs = list(zip(keys, case.tests, strict=True))
        if any(isinstance(key, Const) and not passes(test, key.value) for key, test in pairs):
            continue
        cases.append(case)
        if all(always(key, test) for key, test in pairs):
            break
    return _without_constant_keys(keys, cases, transition)


def _without_constant_keys(
    keys: tuple[Expr, ...], cases: list[SelectCase], old: Transition
) -> Transition:
    if not cases:
        return Transition((), (), old.span)
    if len(cases) == 1 and all(map(always, keys, cases[0].tests)):
        return Transition((), (SelectCase((), cases[0].target, cases[0].span),), old.span)
    kept = [index for index, key in enumerate(keys) if not isinstance(key, Const)]
    if not kept:
        kept = list(range(len(keys)))
    new = tuple(replace(case, tests=tuple(case.tests[index] for index in kept)) for case in cases)
    return Transition(tuple(keys[index] for index in kept), new, old.span)
