"""Select expressions become the transitions of the parser graph (section 13.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from p4xdp.diagnostics import Span
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import expressions, fold, keysets, value_sets
from p4xdp.frontend.elaborate.effects import ends
from p4xdp.frontend.elaborate.walk import Env, Walk
from p4xdp.midend import ir


def goto(target: str, span: Span) -> ir.Transition:
    return ir.Transition((), (ir.SelectCase((), target, span),), span)


def transition(
    walk: Walk, env: Env, select: typed.Select, target: Callable[[typed.SelectCase], str]
) -> ir.Transition:
    """Return the transition of a select; `target` names the state that a case leads to.

    A keyset with a run-time value becomes a condition, which is one more key. What is known at
    compile time is decided here.
    """
    values = expressions.evaluate_all(walk, env, select.keys, select.span)
    if ends(walk.body):
        return goto(ir.REJECT, select.span)
    keys = [keysets.key_bits(value) for value in values]
    conditions: list[ir.Expr] = []
    cases: list[ir.SelectCase] = []
    for case, tests, condition in _cases(walk, env, select, keys):
        fate = _fate(keys, tests)
        if fate is False or condition == ir.FALSE:
            continue
        is_last = fate is True and condition == ir.TRUE
        to = target(case)
        if is_last and not cases:
            return goto(to, select.span)
        more: tuple[ir.Test, ...] = (ir.AnyTest(),) * len(conditions)
        if condition != ir.TRUE:
            conditions.append(fold.to_bits(condition))
            more = (*more, ir.MaskTest(1, 1))
        cases.append(ir.SelectCase((*tests, *more), to, case.span))
        if is_last:
            break
    if not cases:
        code = expressions.error_code(walk, "NoMatch", select.span)
        walk.emit(ir.Reject(code, select.span))
        return goto(ir.REJECT, select.span)
    all_keys = (*keys, *conditions)
    padded = tuple(_padded(case, len(all_keys)) for case in cases)
    return ir.Transition(all_keys, padded, select.span)


def _padded(case: ir.SelectCase, count: int) -> ir.SelectCase:
    more = (ir.AnyTest(),) * (count - len(case.tests))
    return ir.SelectCase((*case.tests, *more), case.target, case.span)


def _cases(
    walk: Walk, env: Env, select: typed.Select, keys: Sequence[ir.Expr]
) -> Iterator[tuple[typed.SelectCase, tuple[ir.Test, ...], ir.Expr]]:
    """Yield the cases in order, each with a test for each key and a further condition; one with
    a range of signed numbers may come twice."""
    for case in select.cases:
        chosen = case.keysets
        if len(chosen) == 1 and isinstance(chosen[0], typed.AnyKey):
            chosen = chosen * len(keys)
        if len(chosen) == 1 and isinstance(chosen[0], typed.SetKey):
            whole = value_sets.contains(walk, env, chosen[0].value_set, keys, chosen[0].span)
            yield case, (ir.AnyTest(),) * len(keys), whole
            continue
        each = [
            keysets.alternatives(walk, env, keyset, key, source.type)
            for keyset, key, source in zip(chosen, keys, select.keys, strict=False)
        ]
        for choice in product(*each):
            condition: ir.Expr = ir.TRUE
            tests: list[ir.Test] = []
            for part in choice:
                if isinstance(part, ir.AnyTest | ir.MaskTest | ir.RangeTest):
                    tests.append(part)
                else:
                    tests.append(ir.AnyTest())
                    condition = fold.conjunction(condition, part)
            yield case, tuple(tests), condition


def _fate(keys: Sequence[ir.Expr], tests: Sequence[ir.Test]) -> bool | None:
    """Return whether the tests hold for sure, for sure not, or (None) depend on the packet."""
    fates = [_test_fate(key, test) for key, test in zip(keys, tests, strict=True)]
    if False in fates:
        return False
    return None if None in fates else True


def _test_fate(key: ir.Expr, test: ir.Test) -> bool | None:
    match key, test:
        case (_, ir.AnyTest()) | (_, ir.MaskTest(mask=0)):
            return True
        case ir.Const(value=number), ir.MaskTest(value=value, mask=mask):
            return number & mask == value
        case ir.Const(value=number), ir.RangeTest(low=low, high=high):
            return low <= number <= high
        case _:
            return None
