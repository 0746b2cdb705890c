"""Parsers become the IR's parser graph, which has no cycle: loops are unrolled.

Sub-parsers are inlined, `extract(stack.next)` has a constant index in each state of the graph, and
an `if` around an extraction splits its state.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from p4xdp.diagnostics import InternalError, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import atomic, calls, expressions, fold, statements
from p4xdp.frontend.elaborate.continuations import (
    Activation,
    Choose,
    Continuation,
    Counts,
    Enter,
    Finish,
    Join,
    Steps,
    counts_after,
    key_of,
    name_of,
    settled,
    stacks_ahead,
)
from p4xdp.frontend.elaborate.effects import bodies_of, ends
from p4xdp.frontend.elaborate.selects import goto, transition
from p4xdp.frontend.elaborate.storage import Names
from p4xdp.frontend.elaborate.traverse import nodes
from p4xdp.frontend.elaborate.trees import contains_stack
from p4xdp.frontend.elaborate.walk import Block, Bound, Call, Env, Walk
from p4xdp.midend import ir

MAX_LOOP = 16
"""How often a parser loop is run at most, unless a longer stack bounds it; then the packet is
rejected with ParserTimeout."""

MAX_STATES = 4096
"""How many states the graph of one parser may have."""


def parser_graph(walk: Walk, block: Block, bindings: dict[object, Bound]) -> tuple[ir.State, ...]:
    """Return the graph of a top-level parser, its first state first."""
    if not isinstance(block.declaration, typed.Parser):
        raise InternalError("elaborate", f"{block.path} is no parser")
    graph = _Graph(walk, block.declaration)
    walk.in_parser = True
    walk.calls.append(Call(label=""))
    states = graph.build(block, bindings)
    walk.calls.pop()
    walk.in_parser = False
    return states


class _Graph:
    def __init__(self, walk: Walk, parser: typed.Parser) -> None:
        self.walk = walk
        self.parser = parser
        self.names = Names()
        self.reached: dict[object, str] = {}
        self.pending: deque[tuple[str, Continuation, dict[str, int]]] = deque()
        self.done: list[ir.State] = []
        self.timeout: str | None = None
        # Keys hold identities, so what they identify must stay alive.
        self.kept: list[Continuation] = []

    def build(self, block: Block, bindings: dict[object, Bound]) -> tuple[ir.State, ...]:
        for reserved in (ir.ACCEPT, ir.REJECT):
            self.names.unique(reserved)
        self._fill_first(block, bindings)
        while self.pending:
            name, continuation, indices = self.pending.popleft()
            self.walk.next_index = dict(indices)
            self._fill(name, continuation)
        return tuple(self.done)

    def _fill_first(self, block: Block, bindings: dict[object, Bound]) -> None:
        name = self.names.unique("start")
        self.walk.next_index = {}
        with self.walk.collect() as body:
            start = self._activate(block, self.parser, bindings, "", None)
            transition = self._advance(start)
        self._add(name, body, transition)

    def _fill(self, name: str, continuation: Continuation) -> None:
        with self.walk.collect() as body:
            transition = self._advance(continuation)
        self._add(name, body, transition)

    def _add(self, name: str, body: Sequence[ir.Stmt], transition: ir.Transition) -> None:
        if len(self.done) >= MAX_STATES:
            raise fail(
                "parser-too-large",
                self.parser.span,
                f"parser `{self.parser.name}` needs more than {MAX_STATES} states when its "
                "loops are unrolled",
                help="use smaller stacks, or fewer loops inside one another",
            )
        self.done.append(ir.State(name, tuple(body), transition, transition.span))

    # Targets

    def _target(self, continuation: Continuation) -> str:
        """Return the state of the graph that goes on with `continuation`."""
        first = settled(continuation)
        if first is None:
            return ir.ACCEPT
        ahead = stacks_ahead(first)
        indices = {name: i for name, i in self.walk.next_index.items() if name in ahead and i}
        key = (key_of(first), frozenset(indices.items()))
        if key not in self.reached:
            self.reached[key] = self.names.unique(name_of(first))
            self.pending.append((self.reached[key], first, indices))
            self.kept.append(first)
        return self.reached[key]

    def _state_target(self, source: Choose, name: str, span: Span) -> str:
        if name == "accept":
            return self._target(source.after)
        if name == "reject":
            return ir.REJECT
        activation = source.activation
        counts = counts_after(activation, source.state.name, name, source.counts)
        if self._is_too_long(activation, counts):
            return self._timeout_state(span)
        return self._target(Enter(activation, activation.states[name], counts, source.after))

    def _is_too_long(self, activation: Activation, counts: Counts) -> bool:
        most = max(MAX_LOOP, activation.longest_stack + 1)
        return any(count >= most for _, count in counts)

    def _timeout_state(self, span: Span) -> str:
        if self.timeout is None:
            self.timeout = self.names.unique("loop_too_long")
            reject = ir.Reject(expressions.error_code(self.walk, "ParserTimeout", span), span)
            self._add(self.timeout, [reject], goto(ir.REJECT, span))
        return self.timeout

    # Walking

    def _advance(self, continuation: Continuation) -> ir.Transition:
        """Emit what is to be done up to the end of this state of the graph."""
        span = self.parser.span
        while not ends(self.walk.body):
            match continuation:
                case None:
                    return goto(ir.ACCEPT, span)
                case Enter(activation=activation, state=state, counts=counts, after=after):
                    choose = Choose(activation, state, counts, after)
                    continuation = Steps(activation, state, state.statements, 0, choose)
                    span = state.span
                case Steps(statements=all_, index=index) if index == len(all_):
                    continuation = continuation.after
                case Steps():
                    next_ = self._guarded_step(continuation)
                    if isinstance(next_, ir.Transition):
                        return next_
                    continuation = next_
                case Choose():
                    return self._guarded_choice(continuation)
                case Finish(copies=copies, after=after):
                    calls.copy_out(self.walk, Call("", copy_out=list(copies)))
                    continuation = after
                case Join(after=after):
                    return goto(self._target(after), span)
        return goto(ir.REJECT, span)

    def _guarded_step(self, steps: Steps) -> Continuation | ir.Transition:
        with self.walk.noting():
            return self._step(steps)
        return self._rest(steps)

    def _guarded_choice(self, choose: Choose) -> ir.Transition:
        with self.walk.noting():
            return self._choose(choose)
        return goto(ir.REJECT, choose.state.span)

    def _rest(self, steps: Steps) -> Steps:
        return Steps(steps.activation, steps.state, steps.statements, steps.index + 1, steps.after)

    def _step(self, steps: Steps) -> Continuation | ir.Transition:
        statement = steps.statements[steps.index]
        env = steps.activation.env
        match statement:
            case typed.Evaluate(call=typed.Call(callee=typed.ApplyCallee()) as call):
                return self._enter_sub_parser(steps, call)
            case typed.If() if moves(statement):
                return self._split(steps, statement)
            case typed.Block(statements=inner) if moves(statement):
                atomic.refuse_block(statement)
                rest = self._rest(steps)
                return Steps(steps.activation, steps.state, inner, 0, rest)
            case _:
                start = len(self.walk.body)
                statements.run(self.walk, env, statement)
                refuse_nested_moves(self.walk.body[start:])
                return self._rest(steps)

    def _split(self, steps: Steps, statement: typed.If) -> Continuation | ir.Transition:
        """End the state of the graph at an `if` that extracts; the branches are states."""
        env, rest = steps.activation.env, self._rest(steps)
        condition = expressions.scalar(self.walk, env, statement.condition)
        branches = [
            Steps(steps.activation, steps.state, _as_block(branch), 0, Join(rest))
            for branch in (statement.then, statement.otherwise)
        ]
        if isinstance(condition, ir.Const):
            return branches[0 if condition.value else 1]
        then, otherwise = (self._target(branch) for branch in branches)
        span = statement.span
        return ir.Transition(
            (fold.to_bits(condition),),
            (
                ir.SelectCase((ir.MaskTest(1, 1),), then, span),
                ir.SelectCase((ir.AnyTest(),), otherwise, span),
            ),
            span,
        )

    # Sub-parsers

    def _enter_sub_parser(self, steps: Steps, call: typed.Call) -> Continuation:
        if not isinstance(call.callee, typed.ApplyCallee):
            raise InternalError("elaborate", "a call that applies nothing", call.span)
        env = steps.activation.env
        block = calls.applied_block(self.walk, env, call.callee.instance, call.span)
        parser = block.declaration
        if not isinstance(parser, typed.Parser):
            raise InternalError("elaborate", "a parser that applies a control", call.span)
        arguments = calls.arguments_of(call, parser.parameters)
        bindings, copies = calls.bind(self.walk, env, arguments, set(), call.span)
        finish = Finish(tuple(copies), self._rest(steps))
        name = block.path.rsplit(".", 1)[-1]
        prefix = f"{steps.activation.prefix}{name}_"
        return self._activate(block, parser, bindings, prefix, finish)

    def _activate(
        self,
        block: Block,
        parser: typed.Parser,
        bindings: dict[object, Bound],
        prefix: str,
        after: Continuation,
    ) -> Enter:
        env = Env(block=block, bindings={**block.arguments, **block.children, **bindings})
        for declaration in parser.locals:
            if isinstance(declaration, typed.Variable | typed.Constant):
                statements.guarded(self.walk, env, typed.Declare(declaration, declaration.span))
        activation = Activation(parser, env, prefix)
        atomic.refuse_in_parser(self.walk, parser, any(activation.heads.values()))
        heads = activation.heads["start"]
        counts = tuple((head, 0) for head in heads if head in activation.counted)
        return Enter(activation, activation.states["start"], counts, after)

    # Transitions

    def _choose(self, choose: Choose) -> ir.Transition:
        match choose.state.transition:
            case typed.Goto(state=name, span=span):
                return goto(self._state_target(choose, name, span), span)
            case typed.Select() as select:
                return transition(
                    self.walk,
                    choose.activation.env,
                    select,
                    lambda case: self._state_target(choose, case.state, case.span),
                )


# What moves the cursor or a stack


def moves(statement: typed.Statement) -> bool:
    """Whether a statement holds something that only a state as a whole can do."""
    for node in nodes(statement):
        match node:
            case typed.ApplyCallee():
                return True
            case typed.MethodCallee(method=method) if method.name in ("extract", "advance"):
                return True
            case typed.BuiltinCallee(name="push_front" | "pop_front"):
                return True
            case typed.Assign(target=target) if contains_stack(target.type):
                return True
    return False


def _as_block(statement: typed.Statement | None) -> tuple[typed.Statement, ...]:
    match statement:
        case None:
            return ()
        case typed.Block(statements=inner, annotations=()):
            return inner
        case _:
            return (statement,)


def refuse_nested_moves(body: Sequence[ir.Stmt]) -> None:
    """Refuse to move the cursor under a condition that does not split the state."""
    for statement in body:
        for inner in bodies_of(statement):
            for nested in inner:
                if isinstance(nested, ir.Extract | ir.Advance):
                    raise fail(
                        "unsupported",
                        nested.span,
                        "the packet is read under a condition inside a loop or switch",
                        help="read it in a state of its own: `transition select(CONDITION) "
                        "{ true: read_it; default: go_on; }`; a state may lead back to itself",
                    )
            refuse_nested_moves(inner)
