"""Where a parser stands: what is still to be done, as the identity of a state of the IR graph.

A state of the program becomes a state of the graph for each way of being in it that differs in
what is settled at compile time: the sub-parsers it was called from, how often the loops around it
were taken that no stack ends, and the nextIndex of the stacks that matter from here on.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate.cycles import components, depth_first, endless_heads, loop_heads
from p4xdp.frontend.elaborate.traverse import nodes, static_tree
from p4xdp.frontend.elaborate.trees import StackTree, contains_stack, stacks_of
from p4xdp.frontend.elaborate.walk import CopyOut, Env
from p4xdp.records import dataclass, field

Counts = tuple[tuple[str, int], ...]
"""How often the loop of each head was repeated, outermost first, of those that are counted."""


@dataclass(slots=True, eq=False)
class Activation:
    """One call of a parser; `prefix` starts the names of its states in the graph.

    `counted` are the heads of the loops that do not end by themselves, at the end of a stack.
    """

    parser: typed.Parser
    env: Env
    prefix: str
    states: dict[str, typed.State] = field(init=False)
    graph: dict[str, list[str]] = field(init=False)
    heads: dict[str, tuple[str, ...]] = field(init=False)
    counted: frozenset[str] = field(init=False)
    longest_stack: int = field(init=False)
    _uses: dict[str, frozenset[str]] = field(default_factory=dict)
    _own_uses: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.states = {state.name: state for state in self.parser.states}
        self.graph = {name: self.successors(name) for name in self.states}
        self.heads = loop_heads(self.graph, "start")
        self.counted = endless_heads(self.graph, self.heads, self.advancing)
        self.longest_stack = _longest_stack(self.parser)

    def advancing(self, loop: list[str]) -> set[str]:
        """Return the states of a loop that always extract into the next header of a stack which
        nothing in the loop takes back."""
        inside = [self.states[name] for name in loop]
        body = tuple((state.statements, state.transition) for state in inside)
        taken_back = stacks_used(self.env, body, by_property=False)
        return {s.name for s in inside if filled(self.env, s.statements) - taken_back}

    def successors(self, name: str) -> list[str]:
        """Return the states that a state may go on to, without accept and reject."""
        transition = self.states[name].transition
        match transition:
            case typed.Goto(state=target):
                targets = [target]
            case typed.Select(cases=cases):
                targets = [case.state for case in cases]
        return [target for target in targets if target in self.states]

    def uses(self, name: str) -> frozenset[str]:
        """Return the stacks whose nextIndex matters in a state or in one that follows it."""
        if name not in self._uses:
            for component in components(self.graph, depth_first(self.graph, name)):
                following = {after for state in component for after in self.graph[state]}
                ahead = [self._uses[after] for after in following if after in self._uses]
                uses = frozenset().union(*map(self._uses_of, component), *ahead)
                self._uses.update(dict.fromkeys(component, uses))
        return self._uses[name]

    def _uses_of(self, name: str) -> frozenset[str]:
        """Return the stacks whose nextIndex matters in a state itself."""
        if name not in self._own_uses:
            state = self.states[name]
            self._own_uses[name] = stacks_used(self.env, (state.statements, state.transition))
        return self._own_uses[name]


def stacks_used(env: Env, body: object, by_property: bool = True) -> frozenset[str]:
    """Return the stacks of which a body reads or moves nextIndex: by next, last and lastIndex
    (`by_property`), push_front and pop_front, and wherever a stack is used as a whole."""
    inner: set[int] = set()
    names: set[str] = set()
    for node in nodes(body):
        match node:
            case typed.StackProperty(base=base):
                inner.add(id(base))
                used: typed.Expression | None = base if by_property else None
            case typed.BuiltinCallee(base=base):
                used = base
            case typed.Field(base=base) | typed.StackIndex(base=base) | typed.TupleIndex(base=base):
                inner.add(id(base))
                used = _whole_stack(node, inner)
            case typed.Ref():
                used = _whole_stack(node, inner)
            case _:
                used = None
        tree = None if used is None else static_tree(env, used)
        if tree is not None:
            names.update(stack.name for stack in stacks_of(tree))
    return frozenset(names)


def filled(env: Env, statements: Sequence[typed.Statement]) -> set[str]:
    """Return the stacks into whose next header the statements always extract."""
    names: set[str] = set()
    for statement in statements:
        match statement:
            case typed.Block(statements=inner):
                names |= filled(env, inner)
            case typed.Evaluate(
                call=typed.Call(
                    callee=typed.MethodCallee(method=typed.ExternFunction(name="extract")),
                    arguments=(typed.StackProperty(property="next", base=base), *_),
                )
            ):
                tree = static_tree(env, base)
                if isinstance(tree, StackTree):
                    names.add(tree.name)
            case _:
                pass
    return names


def _whole_stack(node: typed.Expression, inner: set[int]) -> typed.Expression | None:
    return node if id(node) not in inner and contains_stack(node.type) else None


def _longest_stack(parser: typed.Parser) -> int:
    """Return the size of the largest stack that the parser walks with next, last or lastIndex."""
    sizes = [0]
    for state in parser.states:
        for node in nodes((state.statements, state.transition)):
            if isinstance(node, typed.StackProperty) and isinstance(node.base.type, t.Stack):
                sizes.append(node.base.type.size)
    return max(sizes)


# Continuations, innermost first; None accepts the packet


@dataclass(frozen=True, slots=True, eq=False)
class Enter:
    """Run a state from its start."""

    activation: Activation
    state: typed.State
    counts: Counts
    after: Continuation

    @property
    def key(self) -> object:
        return ("enter", id(self.activation), self.state.name, self.counts, key_of(self.after))


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Run the statements from `index` on."""

    activation: Activation
    state: typed.State
    statements: Sequence[typed.Statement]
    index: int
    after: Continuation

    @property
    def key(self) -> object:
        place = (id(self.activation), id(self.statements), self.index)
        return ("steps", *place, key_of(self.after))


@dataclass(frozen=True, slots=True, eq=False)
class Choose:
    """Leave a state by its transition."""

    activation: Activation
    state: typed.State
    counts: Counts
    after: Continuation

    @property
    def key(self) -> object:
        return ("choose", id(self.activation), self.state.name, self.counts, key_of(self.after))


@dataclass(frozen=True, slots=True, eq=False)
class Finish:
    """A sub-parser has accepted: copy out and go on in its caller."""

    copies: tuple[CopyOut, ...]
    after: Steps

    @property
    def key(self) -> object:
        return ("finish", id(self.copies), key_of(self.after))


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """The branches of a split `if` meet here."""

    after: Steps

    @property
    def key(self) -> object:
        return ("join", key_of(self.after))


Continuation = Enter | Steps | Choose | Finish | Join | None


def key_of(continuation: Continuation) -> object:
    return None if continuation is None else continuation.key


def name_of(continuation: Enter | Steps | Choose | Finish | Join) -> str:
    """Return a name for the state of the graph that goes on here."""
    match continuation:
        case Finish(after=after) | Join(after=after):
            return name_of(after)
        case Enter() | Steps() | Choose():
            return continuation.activation.prefix + continuation.state.name


def settled(continuation: Continuation) -> Continuation:
    """Return what is to be done first, past all that is nothing to do."""
    match continuation:
        case Steps(statements=statements, index=index, after=after) if index == len(statements):
            return settled(after)
        case Join(after=after):
            return settled(after)
        case _:
            return continuation


def stacks_ahead(continuation: Continuation) -> frozenset[str]:
    """Return the stacks whose nextIndex still matters."""
    match continuation:
        case None:
            return frozenset()
        case Enter(activation=activation, state=state, after=after):
            return activation.uses(state.name) | stacks_ahead(after)
        case Steps(activation=activation, statements=statements, index=index, after=after):
            return stacks_used(activation.env, tuple(statements[index:])) | stacks_ahead(after)
        case Choose(activation=activation, state=state, after=after):
            own = stacks_used(activation.env, state.transition)
            following = [activation.uses(name) for name in activation.graph[state.name]]
            return own.union(*following) | stacks_ahead(after)
        case Finish(copies=copies, after=after):
            names = {s.name for copy in copies for s in stacks_of(copy.parameter)}
            return frozenset(names) | stacks_ahead(after)
        case Join(after=after):
            return stacks_ahead(after)


def counts_after(activation: Activation, source: str, target: str, counts: Counts) -> Counts:
    """Return the loop counts in `target` when it is entered from `source`."""
    before = dict(counts)
    result = []
    for head in activation.heads[target]:
        if head not in activation.counted:
            continue
        count = before.get(head, 0)
        result.append((head, count + 1 if head == target and head in before else count))
    return tuple(result)
