"""Walks code along its paths and keeps the facts that hold on every path to a place.

A fact is a tuple: a declaration and the names of fields under it. What a fact means, and what is
reported, is up to the classes that build on `Flow`. Actions are walked where they run, with the
facts of that place; functions and sub-controls only as far as their parameters go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import assert_never

from p4xdp.frontend import typed
from p4xdp.frontend.types import BlockType, ParameterType

Path = tuple[object, ...]
Facts = frozenset[Path] | None
"""None where no path leads."""


def meet(*many: Facts) -> Facts:
    """Return what holds whichever of the paths was taken."""
    reached = [facts for facts in many if facts is not None]
    return frozenset.intersection(*reached) if reached else None


def path_of(e: typed.Expression) -> Path | None:
    """Return the place that an expression names; an element of a stack stands for the stack."""
    match e:
        case typed.Ref(declaration=declaration):
            return (declaration,)
        case typed.Field(base=base, name=name):
            inner = path_of(base)
            return inner if inner is None or _in_stack(base) else (*inner, name)
        case typed.TupleIndex(base=base, index=index):
            inner = path_of(base)
            return inner if inner is None or _in_stack(base) else (*inner, index)
        case (
            typed.StackIndex(base=base)
            | typed.StackProperty(base=base)
            | typed.Slice(base=base)
            | typed.DynamicSlice(base=base)
        ):
            return path_of(base)
        case _:
            return None


def _in_stack(e: typed.Expression) -> bool:
    while isinstance(e, typed.Field | typed.TupleIndex):
        e = e.base
    return isinstance(e, typed.StackIndex | typed.StackProperty)


class Flow:
    """`facts` hold where the walk stands; while `muted` the walk only gathers facts."""

    def __init__(self) -> None:
        self.facts: Facts = frozenset()
        self.muted = 0
        self._returns: list[list[Facts]] = []
        self._breaks: list[list[Facts]] = []
        self._continues: list[list[Facts]] = []
        self._active: set[typed.Action] = set()
        self._known: dict[tuple[typed.Action, Facts], Facts] = {}

    # What a kind of fact is about

    def used(self, e: typed.Expression) -> None:
        """A place is read."""

    def declared(self, variable: typed.Variable) -> None:
        """A variable comes into being, with its initial value or none."""

    def assigned(self, target: typed.Expression, value: typed.Expression | None) -> None:
        """A place is written; `value` None when a callee wrote it."""

    def entered(self, parameters: Sequence[typed.Parameter]) -> None:
        """The walk goes into a body with these parameters."""

    def built_in(self, callee: typed.BuiltinCallee) -> None:
        """A built-in method has run."""

    def tested(self, header: typed.Expression) -> tuple[Facts, Facts]:
        """`header.isValid()` was asked: return the facts when it holds and when not."""
        return self.facts, self.facts

    # Bodies

    def control(self, control: typed.Control) -> None:
        self.facts = frozenset()
        self.entered(control.parameters)
        self._locals(control.locals)
        self._body(control.apply)

    def function(self, function: typed.Function) -> None:
        self.facts = frozenset()
        self.entered(function.parameters)
        self._body(function.body)

    def parser(self, parser: typed.Parser) -> None:
        self.facts = frozenset()
        self.entered(parser.parameters)
        self._locals(parser.locals)
        states = {state.name: state for state in parser.states}
        at: dict[str, Facts] = {"start": self.facts}
        waiting = ["start"] if "start" in states else []
        self.muted += 1
        while waiting:
            name = waiting.pop()
            self.facts = at[name]
            for target in self._state(states[name]):
                before = at.get(target)
                after = meet(before, self.facts)
                if target in states and (target not in at or after != before):
                    at[target] = after
                    waiting.append(target)
        self.muted -= 1
        for state in parser.states:
            self.facts = at.get(state.name)
            self._state(state)

    def _state(self, state: typed.State) -> list[str]:
        self._statements(state.statements)
        match state.transition:
            case typed.Goto(state=target):
                return [target]
            case typed.Select(keys=keys, cases=cases):
                for key in keys:
                    self.value(key)
                return [case.state for case in cases]

    def _locals(self, locals: Iterable[typed.LocalDeclaration]) -> None:
        for local in locals:
            if isinstance(local, typed.Variable):
                self._declare(local)

    def _body(self, body: typed.Block) -> None:
        self._returns.append([])
        self._statements(body.statements)
        self.facts = meet(self.facts, *self._returns.pop())

    # Statements

    def _statements(self, statements: Sequence[typed.Statement]) -> None:
        for statement in statements:
            if self.facts is None:
                return
            self._statement(statement)

    def _statement(self, s: typed.Statement) -> None:
        match s:
            case typed.Assign():
                self._assign(s)
            case typed.Declare(declaration=declaration):
                if isinstance(declaration, typed.Variable):
                    self._declare(declaration)
            case typed.Evaluate(call=call):
                self.value(call)
            case typed.Block():
                self._statements(s.statements)
            case typed.If():
                self._if(s)
            case typed.ActionSwitch():
                self._action_switch(s)
            case typed.ValueSwitch():
                self._value_switch(s)
            case _:
                self._jump(s)

    def _jump(
        self,
        s: typed.Exit | typed.Return | typed.For | typed.ForIn | typed.Break | typed.Continue,
    ) -> None:
        match s:
            case typed.Exit():
                self.facts = None
            case typed.Return():
                if s.value is not None:
                    self.value(s.value)
                self._leave(self._returns)
            case typed.Break():
                self._leave(self._breaks)
            case typed.Continue():
                self._leave(self._continues)
            case typed.For():
                self._for(s)
            case typed.ForIn():
                self._for_in(s)
            case _:
                assert_never(s)

    def _leave(self, exits: list[list[Facts]]) -> None:
        if exits:
            exits[-1].append(self.facts)
        self.facts = None

    def _assign(self, s: typed.Assign) -> None:
        if s.op is not None:
            self.value(s.target)
        self._indices(s.target)
        self.value(s.value)
        if self.facts is not None:
            self.assigned(s.target, s.value if s.op is None else None)

    def _declare(self, variable: typed.Variable) -> None:
        if variable.initial is not None:
            self.value(variable.initial)
        if self.facts is not None:
            self.declared(variable)

    def _if(self, s: typed.If) -> None:
        yes, no = self.condition(s.condition)
        self.facts = yes
        self._statements((s.then,))
        after, self.facts = self.facts, no
        if s.otherwise is not None:
            self._statements((s.otherwise,))
        self.facts = meet(after, self.facts)

    def _action_switch(self, s: typed.ActionSwitch) -> None:
        callee = s.apply.callee
        assert isinstance(callee, typed.TableApply)
        results, _ = self._apply(callee.table)
        ends: list[Facts] = []
        for case in s.cases:
            for label in case.labels:
                if label is not None:
                    ends.append(self._case(case.body, results.pop(label, None)))
        rest = meet(*results.values())
        bodies = [case.body for case in s.cases if None in case.labels]
        ends.append(self._case(bodies[0], rest) if bodies else rest)
        self.facts = meet(*ends)

    def _case(self, body: typed.Block | None, facts: Facts) -> Facts:
        self.facts = facts
        if body is not None:
            self._statements((body,))
        return self.facts

    def _value_switch(self, s: typed.ValueSwitch) -> None:
        self.value(s.selector)
        before = self.facts
        ends = [self._case(case.body, before) for case in s.cases]
        if not any(None in case.labels for case in s.cases):
            ends.append(before)
        self.facts = meet(*ends)

    # Loops

    def _for(self, s: typed.For) -> None:
        self._statements(s.init)

        def turn() -> Facts:
            yes, no = self.condition(s.condition)
            self.facts = yes
            broken = self._turn(s.body)
            self._statements(s.update)
            return meet(no, *broken)

        self._loop(turn)

    def _for_in(self, s: typed.ForIn) -> None:
        self.value(s.collection)
        if s.high is not None:
            self.value(s.high)

        def turn() -> Facts:
            before = self.facts
            if before is not None:
                self.assigned(typed.Ref(s.variable, s.variable.type, s.variable.span), None)
            return meet(before, *self._turn(s.body))

        self._loop(turn)

    def _turn(self, body: typed.Statement) -> list[Facts]:
        """Walk the body of a loop once; return the facts at each `break`."""
        self._breaks.append([])
        self._continues.append([])
        self._statements((body,))
        self.facts = meet(self.facts, *self._continues.pop())
        return self._breaks.pop()

    def _loop(self, turn: Callable[[], Facts]) -> None:
        """Walk a loop until the facts at its head stay the same, then once more aloud."""
        self.muted += 1
        while True:
            head = self.facts
            turn()
            self.facts = meet(head, self.facts)
            if self.facts == head:
                break
        self.muted -= 1
        self.facts = turn()

    # Expressions

    def value(self, e: typed.Expression) -> None:
        """Walk an expression whose value is read."""
        match e:
            case (
                typed.Ref()
                | typed.Field()
                | typed.TupleIndex()
                | typed.StackIndex()
                | typed.StackProperty()
                | typed.Slice()
                | typed.DynamicSlice()
            ):
                self._indices(e)
                if self.facts is not None:
                    self.used(e)
            case typed.Binary(op="&&" | "||") | typed.TableResult():
                self.facts = meet(*self.condition(e))
            case typed.Conditional():
                self._conditional(e)
            case typed.Call():
                self._call(e)
            case _:
                for part in _operands(e):
                    self.value(part)

    def _conditional(self, e: typed.Conditional) -> None:
        yes, no = self.condition(e.condition)
        self.facts = yes
        self.value(e.then)
        after, self.facts = self.facts, no
        self.value(e.otherwise)
        self.facts = meet(after, self.facts)

    def _indices(self, e: typed.Expression) -> None:
        """Walk what is computed on the way to a place."""
        match e:
            case typed.Ref():
                return
            case typed.StackIndex(base=base, index=index):
                self._indices(base)
                self.value(index)
            case typed.DynamicSlice(base=base, low=low):
                self._indices(base)
                self.value(low)
            case (
                typed.Field(base=base)
                | typed.TupleIndex(base=base)
                | typed.StackProperty(base=base)
                | typed.Slice(base=base)
            ):
                self._indices(base)
            case _:
                self.value(e)

    def condition(self, e: typed.Expression) -> tuple[Facts, Facts]:
        """Walk a condition; return the facts when it holds and when not."""
        match e:
            case typed.Unary(op="!", operand=operand):
                yes, no = self.condition(operand)
                return no, yes
            case typed.Binary(op="&&", left=left, right=right):
                yes, no = self.condition(left)
                self.facts = yes
                both, not_right = self.condition(right)
                return both, meet(no, not_right)
            case typed.Binary(op="||", left=left, right=right):
                yes, no = self.condition(left)
                self.facts = no
                right_only, neither = self.condition(right)
                return meet(yes, right_only), neither
            case typed.TableResult(apply=typed.Call(callee=typed.TableApply(table=table))):
                results, miss = self._apply(table)
                hit = meet(*[results[a.action] for a in table.actions if not a.default_only])
                hit = hit if table.keys else None
                return (hit, miss) if e.property == "hit" else (miss, hit)
            case typed.Call(callee=typed.BuiltinCallee(base=base, name="isValid")):
                self._indices(base)
                return self.tested(base)
            case _:
                self.value(e)
                return self.facts, self.facts

    # Calls

    def _call(self, e: typed.Call) -> None:
        match e.callee:
            case typed.ActionCallee(action=action):
                self._arguments(action.parameters, e.arguments)
                self._action(action)
                self._written(action.parameters, e.arguments)
            case typed.FunctionCallee(function=typed.Function(parameters=parameters)):
                self._outer_call(parameters, e.arguments)
            case typed.ExternFunctionCallee(function=function):
                self._outer_call(function.parameters, e.arguments)
            case typed.MethodCallee(method=method):
                self._outer_call(method.parameters, e.arguments)
            case typed.ApplyCallee(block=block, instance=instance):
                self._outer_call(_block_parameters(block, instance), e.arguments)
            case typed.TableApply(table=table):
                results, miss = self._apply(table)
                self.facts = meet(miss, *(results.values() if table.keys else ()))
            case typed.BuiltinCallee() as callee:
                self._indices(callee.base)
                for argument in e.arguments:
                    if argument is not None:
                        self.value(argument)
                if self.facts is not None:
                    self.built_in(callee)

    def _outer_call(
        self,
        parameters: Sequence[typed.Parameter | ParameterType],
        arguments: Sequence[typed.Expression | None],
    ) -> None:
        self._arguments(parameters, arguments)
        self._written(parameters, arguments)

    def _arguments(
        self,
        parameters: Sequence[typed.Parameter | ParameterType],
        arguments: Sequence[typed.Expression | None],
    ) -> None:
        for parameter, argument in zip(parameters, arguments, strict=False):
            if argument is None:
                continue
            if parameter.direction == "out":
                self._indices(argument)
            else:
                self.value(argument)

    def _written(
        self,
        parameters: Sequence[typed.Parameter | ParameterType],
        arguments: Sequence[typed.Expression | None],
    ) -> None:
        for parameter, argument in zip(parameters, arguments, strict=False):
            if argument is not None and parameter.direction in ("out", "inout"):
                if self.facts is not None:
                    self.assigned(argument, None)

    def _action(self, action: typed.Action) -> None:
        """Walk an action's body with the facts of here; what it gave before is not worked out."""
        if self.facts is None or action in self._active:
            return
        before = self.facts
        if (action, before) in self._known:
            self.facts = self._known[action, before]
            return
        self._active.add(action)
        self.entered(action.parameters)
        self._body(action.body)
        self._active.discard(action)
        if not self.muted:
            self._known[action, before] = self.facts

    def _apply(self, table: typed.Table) -> tuple[dict[typed.Action, Facts], Facts]:
        """Walk a table's keys and actions: the facts after each action, and after a miss."""
        for key in table.keys:
            self.value(key.expression)
        before, results = self.facts, dict[typed.Action, Facts]()
        for listed in table.actions:
            self.facts = before
            self._arguments(listed.action.parameters, listed.arguments)
            self._action(listed.action)
            self._written(listed.action.parameters, listed.arguments)
            results[listed.action] = self.facts
        miss = before
        if table.default is not None:
            self.facts = before
            action = table.default.action
            if action not in results:
                self._action(action)
                results[action] = self.facts
            miss = results[action]
        self.facts = before
        return results, miss


def _block_parameters(
    block: typed.Parser | typed.Control | None, instance: typed.Expression
) -> Sequence[typed.Parameter | ParameterType]:
    if block is not None:
        return block.parameters
    return instance.type.parameters if isinstance(instance.type, BlockType) else ()


def _operands(e: typed.Expression) -> tuple[typed.Expression, ...]:
    match e:
        case typed.Unary(operand=operand) | typed.Cast(operand=operand):
            return (operand,)
        case typed.Binary():
            return e.left, e.right
        case typed.StructLiteral():
            return tuple([part for _, part in e.fields])
        case typed.TupleLiteral():
            return e.elements
        case typed.Construct():
            return tuple([a for a in e.arguments if a is not None])
        case _:
            return ()
