"""The parser of a random program."""

from __future__ import annotations

from choices import Choices
from declarations import ETHERNET, METADATA, Declarations
from expressions import Expressions
from scope import BOOL, BYTE, Callable_, HeaderPlace, Name, Parameter, Scope, Type, bits
from statements import Around, Statements

LOCALS = Around(is_state=True)


class Parsers:
    """Makes the parser and the parser that it may call.

    `requests` fill its value set. A state reads the fields of those headers that every way to it
    has extracted.
    """

    def __init__(
        self, choices: Choices, types: Declarations, statements: Statements, base: Scope
    ) -> None:
        self.choices = choices
        self.types = types
        self.expressions: Expressions = types.expressions
        self.statements = statements
        self._base = base
        self.requests: list[str] = []
        self._extracted: dict[str, set[str]] = {}
        self._sub: Callable_ | None = None
        self._sets: list[tuple[str, Type]] = []

    def text(self) -> str:
        sub = self._sub_parser() if self.choices.chance(25) else ""
        if not self.types.is_psa and self.choices.chance(15):
            self._sets = [("vs", bits(self.choices.of((8, 16))))]
        steps = self._steps()
        order = ["start", *(f"s{i}" for i in range(len(steps)))]
        states = [self._start(order)]
        for index, step in enumerate(steps, 1):
            states.append(self._state(order, index, step))
        if self.types.stack:
            states.append(self._loop(self.types.stack[0]))
        if any(" vs: " in state for state in states):
            self._fill()
        sets = " ".join(f"value_set<{kind}>(4) {name};" for name, kind in self._sets)
        instance = "SubP() subp; " if self._sub else ""
        more = ", inout M md, inout standard_metadata_t sm" if self.types.is_v1 else ""
        return (
            f"{sub}\nparser P(packet_in p, out Hdr hd{more}) {{ {sets} {instance}"
            f"bit<8> n; bit<16> m; {' '.join(states)} }}"
        )

    def _fill(self) -> None:
        numbers = {self.choices.of((0, 1, 2, 5, 255)) for _ in range(self.choices.below(4))}
        self.requests += [f"add P.vs value:{number} member()" for number in sorted(numbers)]

    def _steps(self) -> list[str]:
        """Return the names of the headers that are extracted one after the other."""
        steps = [name for name, _ in self.types.members]
        for union in self._next_unions():
            steps.append(f"{union}.{self.choices.of(self.types.options)[0]}")
        if self.types.stack and self.choices.chance(30):
            steps.insert(self.choices.below(len(steps) + 1), "st.next")
        if self.types.has_varbit:
            steps.insert(self.choices.below(len(steps) + 1), "hv")
        return steps

    def _next_unions(self) -> list[str]:
        names = [name for name in self.types.unions if "[" not in name]
        if self.types.has_union_stack:
            names += ["us.next"] * (1 + self.choices.below(2))
        return names

    def _kind_of(self, step: str) -> Type:
        if step == "st.next" and self.types.stack:
            return self.types.stack[0]
        known = dict(self.types.members)
        known |= {
            f"{u}.{name}": kind
            for u in (*self.types.unions, "us.next")
            for name, kind in self.types.options
        }
        return known[step]

    def _scope(self, state: str) -> Scope:
        scope = self._base.inner()
        scope.names = [Name("n", BYTE), Name("m", bits(16))]
        if self.types.is_v1:
            scope.names += [Name(text, kind) for text, kind in METADATA]
        scope.names += self.expressions.fields(HeaderPlace("hd.eth", ETHERNET.type, True))
        for step in sorted(self._extracted.get(state, ())):
            if step == "hv":
                scope.names.append(Name("hd.hv.len", BYTE))
            if step == "hv" or ".next" in step:
                continue
            place = HeaderPlace(f"hd.{step}", self._kind_of(step), True)
            scope.names += self.expressions.fields(place)
            scope.sources.append(place)
        return scope

    def _start(self, order: list[str]) -> str:
        self._extracted["start"] = set()
        scope = self._scope("start")
        body = f"p.extract(hd.eth); n = 0; m = {self.expressions.literal(bits(16))};"
        if self.types.is_v1:
            body += "".join(f" {t} = {self.expressions.literal(k)};" for t, k in METADATA)
        body += self._statements(scope)
        return f"state start {{ {body} {self._transition(scope, 'start', order[1:])} }}"

    def _state(self, order: list[str], index: int, step: str) -> str:
        state = order[index]
        scope = self._scope(state)
        body = self._extract(scope, step)
        self._extracted.setdefault(state, set()).add(step)
        scope = self._scope(state)
        body += self._statements(scope)
        targets = order[index + 1 :]
        if self.types.stack and index == len(order) - 1:
            targets = ["more", *targets]
        return f"state {state} {{ {body} {self._transition(scope, state, targets)} }}"

    def _extract(self, scope: Scope, step: str) -> str:
        if step == "hv":
            size = self.expressions.expression(scope, BYTE, 1)
            if self.choices.chance(60):
                size = "p.lookahead<bit<8>>()"
            return f"n = {size} & 7; p.extract(hd.hv, ((bit<32>) n) << 3);"
        kind = self._kind_of(step)
        if self._sub and self._sub.parameters[0].type == kind and self.choices.chance(60):
            rest = [
                self.expressions.argument(scope, p.direction, p.type, 1)
                for p in self._sub.parameters[1:]
            ]
            if None not in rest:
                given = ", ".join(["p", f"hd.{step}", *(text for text in rest if text)])
                return f"subp.apply({given});"
        return f"p.extract(hd.{step});"

    def _statements(self, scope: Scope) -> str:
        texts = []
        for _ in range(self.choices.below(3)):
            texts.append(self._statement(scope))
        return " " + " ".join(texts)

    def _statement(self, scope: Scope) -> str:
        match self.choices.below(10):
            case 0:
                return "p.advance(8);"
            case 1:
                return "n = p.lookahead<bit<8>>();"
            case 2:
                name = self.statements.new_name()
                kind = self.choices.of(self.types.named.headers)
                place = HeaderPlace(name, kind, True)
                scope.names += self.expressions.fields(place)
                scope.sources.append(place)
                return f"{kind} {name} = p.lookahead<{kind}>();"
            case 3:
                return "p.advance(((bit<32>) (n & 3)) << 3);"
            case 4:
                test = self.expressions.expression(scope, BOOL, 1)
                return f"verify({test} || n != 7, error.NoMatch);"
            case _:
                return self.statements.statement(scope, 2, LOCALS)

    def _transition(self, scope: Scope, state: str, targets: list[str]) -> str:
        known = self._extracted[state]
        ends = [*targets, "accept"]
        if not self.choices.chance(60):
            self._reach(ends[0], known)
            return f"transition {ends[0]};"
        keys = [self.expressions.scalar_type() for _ in range(1 + self.choices.below(2))]
        if self._sets and self.choices.chance(30):
            keys = [self._sets[0][1]]
        values = [self.expressions.leaf(scope, kind) for kind in keys]
        cases = []
        for _ in range(self.choices.below(4)):
            sets = ", ".join(self._keyset(kind, len(keys) == 1) for kind in keys)
            target = self.choices.of([*ends, "reject"])
            self._reach(target, known)
            cases.append(f"{f'({sets})' if len(keys) > 1 else sets}: {target};")
        if not cases or not self.choices.chance(15):
            self._reach(ends[0], known)
            cases.append(f"{self.choices.of(('default', '_'))}: {ends[0]};")
        return f"transition select({', '.join(values)}) {{ {' '.join(cases)} }}"

    def _reach(self, state: str, known: set[str]) -> None:
        before = self._extracted.get(state)
        self._extracted[state] = set(known) if before is None else before & known

    def _keyset(self, kind: Type, alone: bool) -> str:
        literal = self.expressions.literal(kind)
        if alone and self._sets and kind == self._sets[0][1] and self.choices.chance(30):
            return self._sets[0][0]
        what = self.choices.below(6) if kind.kind == "bit" else self.choices.below(2)
        match what:
            case 0 | 2:
                return literal
            case 1:
                return "_"
            case 3 | 4:
                return f"{literal} &&& {self.expressions.literal(kind)}"
            case _:
                return f"{literal} .. {self.expressions.literal(kind)}"

    def _loop(self, kind: Type) -> str:
        field, of = self.types.named.records[kind.name].fields[0]
        label = self.expressions.literal(of)
        count = self.choices.of(("", "", "n = n + 1; ", "m = (bit<16>) hd.st.lastIndex; "))
        return (
            f"state more {{ p.extract(hd.st.next); {count}"
            f"transition select(hd.st.last.{field}) {{ {label}: more; default: accept; }} }}"
        )

    def _sub_parser(self) -> str:
        kind = self.choices.of(self.types.named.headers)
        parameters = (
            Parameter("out", "h", kind),
            *(
                Parameter(
                    self.choices.of(("in", "inout", "out")), f"q{i}", self.expressions.number_type()
                )
                for i in range(self.choices.below(3))
            ),
        )
        self._sub = Callable_("subp.apply", parameters)
        scope = self._base.inner()
        for one in parameters[1:]:
            scope.names += self.expressions.variable(
                one.name, one.type, read_only=one.direction == "in"
            )
        start = " ".join(
            f"{one.name} = {self.expressions.literal(one.type)};"
            for one in parameters[1:]
            if one.direction == "out"
        )
        place = HeaderPlace("h", kind, True)
        scope.names += self.expressions.fields(place)
        scope.sources.append(place)
        inner = scope.inner()
        body = " ".join(self.statements.statement(inner, 2, LOCALS) for _ in range(2))
        test = self.expressions.expression(inner, BOOL, 2)
        declared = ", ".join(map(str, ("packet_in p", *parameters)))
        return (
            f"parser SubP({declared}) {{ state start {{ {start} p.extract(h); {body} "
            f"transition select({test}) {{ true: accept; default: next; }} }} "
            f"state next {{ {self.statements.statement(scope, 2, LOCALS)} transition accept; }} }}"
        )
