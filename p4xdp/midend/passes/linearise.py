"""Lay out parser, control and deparser as one list of statements over the packet's bytes.

    state start {                            check data 14 else { finish 32w0; }
        extract(hd.eth);                     hd.eth.$valid = true;
        transition accept;           ->      hd.eth.type = data[96+:16];
    }                                        ...
    deparser { emit(hd.eth); }               finish out.verdict;

A state that one branch leads to stands in that branch, any other behind a scope that the branches
leave. The deparser becomes stores of what has changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.midend.deparse_plan import (
    TAIL,
    Plan,
    parsed_flag,
    parsed_size,
    place_of,
    plan,
    variables_read,
)
from p4xdp.midend.fold import fold, ones
from p4xdp.midend.ir import (
    ACCEPT,
    BOOL,
    FALSE,
    LIMB,
    REJECT,
    TRUE,
    Advance,
    AnyTest,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Check,
    Const,
    Effect,
    Expr,
    Extract,
    Finish,
    Header,
    If,
    Leave,
    Load,
    Lookahead,
    MaskTest,
    Pipeline,
    Program,
    Reject,
    Scope,
    SelectCase,
    SetPointer,
    Slice,
    Stmt,
    Switch,
    SwitchCase,
    Transition,
    Unary,
    UnaryOp,
    Var,
    stored_width,
    width_of,
)
from p4xdp.midend.matching import condition
from p4xdp.midend.parse_graph import (
    FURTHEST,
    OFFSET_WIDTH,
    Cursor,
    Node,
    Step,
    arrange,
    build,
)
from p4xdp.midend.replicas import replicates, with_replicas, without_replicas
from p4xdp.midend.rewrite import ends, map_statements, program_bodies, walk
from p4xdp.midend.variable_part import load_words
from p4xdp.midend.write_back import is_raw, write_back
from p4xdp.records import dataclass, field, replace

TOO_SHORT, NO_MATCH, INVALID = "PacketTooShort", "NoMatch", "ParserInvalidArgument"
"""The errors of core.p4 that the parser itself makes."""


def linearise(program: Program) -> Program:
    """Return the linear program with the meaning of a flat one."""
    labels = {s.label for b in program_bodies(program) for s in walk(b) if isinstance(s, Scope)}
    body = _pipeline(program, labels)
    for number in range(len(program.further)):
        start = Assign(TAIL, Const(0, TAIL.width))
        body = (*body, start, *_pipeline(_turned(program, number), labels))
    body = (*body, Finish(program.verdict, program.port))
    replication, registers = program.replication, program.registers
    if replication is not None and not replicates(body):
        body, replication = without_replicas(body), None
    if replication is not None:
        body, added = with_replicas(program, body)
        registers = (*registers, *added)
    return replace(
        program,
        parser=(),
        control=(),
        deparser=(),
        departure=(),
        further=(),
        registers=registers,
        replication=replication,
        body=body,
        stage="linear",
    )


def _turned(program: Program, number: int) -> Program:
    """Return the program with one of its further pipelines as the first."""
    one = program.further[number]
    first = Pipeline(
        program.parser,
        program.control,
        program.deparser,
        program.departure,
        program.parser_error,
    )
    others = (*program.further[:number], *program.further[number + 1 :])
    return replace(
        program,
        parser=one.parser,
        control=one.control,
        deparser=one.deparser,
        departure=one.departure,
        parser_error=one.parser_error,
        further=(first, *others),
    )


def _pipeline(program: Program, labels: set[str]) -> Body:
    """Return the code of the first pipeline of a program."""
    headers = {header.name: header for header in program.headers}
    nodes = build(program.parser, headers)
    if program.model == "xdp":
        planned = plan(program, nodes)
        deparser = (*planned.mark(planned.statements), *write_back(planned, program))
    else:
        planned = Plan(program.deparser, ())
        deparser = program.deparser
    read = variables_read(program, planned.statements)
    parser = _Layout(program, headers, planned, nodes, read, labels).parser() if nodes else ()
    control = (*_parsed(program, planned), *planned.mark(program.control))
    if _sums_payload(program):
        control = map_statements(control, _from_parsed)
        parser = (Assign(PARSED, Const(0, OFFSET_WIDTH)), *parser)
    return (*parser, *control, *deparser, *program.departure)


PARSED = Var("$parsed", OFFSET_WIDTH)
"""Bytes that the parser has passed, where somebody asks for the payload."""


def _sums_payload(program: Program) -> bool:
    return any(isinstance(s, Effect) and s.name == PAYLOAD_SUM for s in walk(program.control))


PAYLOAD_SUM = "payload_sum"


def _from_parsed(stmt: Stmt) -> Body:
    """Return a statement that says where the payload starts, if it asks for it."""
    if isinstance(stmt, Effect) and stmt.name == PAYLOAD_SUM:
        return (replace(stmt, arguments=(PARSED,)),)
    return (stmt,)


def _parsed(program: Program, planned: Plan) -> Body:
    """Return the assignments, before the control starts, of which headers the packet came with."""
    return tuple(
        Assign(parsed_flag(header), header.valid)
        for header in program.headers
        if header.name in planned.places and header.name not in planned.tampered
    )


@dataclass(slots=True)
class _Layout:
    """Turns nodes into nested statements; `behind` are the nodes that stand behind a scope."""

    program: Program
    headers: dict[str, Header]
    plan: Plan
    nodes: list[Node]
    read: set[str]
    labels: set[str]
    behind: dict[str, str] = field(default_factory=dict)
    children: dict[str, list[Node]] = field(default_factory=dict)
    accept: str = ""
    sums_payload: bool = False

    def parser(self) -> Body:
        self.accept = self.label(ACCEPT)
        self.sums_payload = _sums_payload(self.program)
        self.arrange()
        return (Scope(self.accept, self.node(self.nodes[0])),)

    def label(self, name: str) -> str:
        number, label = 1, name
        while label in self.labels:
            number += 1
            label = f"{name}.{number}"
        self.labels.add(label)
        return label

    def arrange(self) -> None:
        """Decide which nodes need a label, and inside which node's list they stand."""
        edges: dict[str, int] = {}
        for node in self.nodes:
            for target, count in _references(node.state.transition).items():
                if target in node.edges:
                    name = node.edges[target].name
                    edges[name] = edges.get(name, 0) + count
        self.children = arrange(self.nodes, edges)
        behind = {node.name for inside in self.children.values() for node in inside}
        for node in self.nodes:
            if node.name in behind:
                self.behind[node.name] = self.label(node.name)

    def node(self, node: Node) -> Body:
        body = self.code(node)
        for child in self.children.get(node.name, []):
            body = (Scope(self.behind[child.name], body), *self.node(child))
        return body

    def code(self, node: Node) -> Body:
        entry: list[Stmt] = []
        if node.join is not None and not node.steady:
            pointer = node.cursors[0].pointer
            entry.append(SetPointer(pointer, "data", 0, node.join, FURTHEST))
        for group in _together(node.steps):
            stmt, before, after = group[-1]
            if isinstance(stmt, Extract):
                entry += self.extract(group)
            else:
                entry += self.plan.mark(self.stmt(stmt, before, after, node))
            if self.sums_payload and isinstance(stmt, Extract | Advance):
                entry.append(Assign(PARSED, after.expression))
        if not ends(tuple(entry)):
            entry += self.transition(node)
        return tuple(entry)

    # Statements

    def reject(self, error: Expr | str | None = None) -> Body:
        """Return the end of the parser with an error, by name or code; None leaves it as it is."""
        if self.program.model == "filter":
            return (Finish(FALSE),)
        if self.program.parser_error is None:
            return (Finish(Const(self.program.reject_verdict, self.program.verdict.width)),)
        if isinstance(error, str):
            error = Const(self.program.errors.index(error), self.program.parser_error.width)
        if error is None:
            return (Leave(self.accept),)
        return (Assign(self.program.parser_error, error), Leave(self.accept))

    def stmt(self, stmt: Stmt, before: Cursor, after: Cursor, node: Node) -> Body:
        match stmt:
            case Advance(amount=Const(value=bits)):
                return self.skip(bits, before, after)
            case Advance(amount=amount):
                return self.advance(amount, before, after)
            case _:
                fresh = self.relabelled(stmt) if "." in node.name else stmt
                return map_statements((fresh,), lambda inner: self.simple(inner, before))

    def relabelled(self, stmt: Stmt) -> Stmt:
        """Give the scopes inside a copied state labels of their own."""
        old = [inner.label for inner in walk((stmt,)) if isinstance(inner, Scope)]
        if not old:
            return stmt
        new = {label: self.label(label) for label in old}

        def rename(inner: Stmt) -> Body:
            match inner:
                case Scope(label=label, body=body):
                    return (Scope(new[label], body),)
                case Leave(label=label, span=span) if label in new:
                    return (Leave(new[label], span),)
                case _:
                    return (inner,)

        return map_statements((stmt,), rename)[0]

    def simple(self, stmt: Stmt, cursor: Cursor) -> Body:
        match stmt:
            case Reject(error=error):
                return self.reject(error)
            case Lookahead():
                return self.lookahead(stmt, cursor)
            case _:
                return (stmt,)

    def check(self, cursor: Cursor, size: int) -> Check:
        return Check(cursor.pointer, cursor.offset + size, self.reject(TOO_SHORT))

    def lookahead(self, stmt: Lookahead, cursor: Cursor) -> Body:
        start = cursor.offset * 8
        check = self.check(cursor, (stmt.width + 7) // 8)
        peeks = [
            Assign(p.target, _loaded(p.target, cursor.pointer, start + p.offset), stmt.span)
            for p in stmt.peeks
        ]
        return (check, *peeks)

    def extract(self, parts: Sequence[Step]) -> Body:
        """Return the extraction of a header, of which nothing is set before all of it is there."""
        checks: list[Stmt] = []
        body: list[Stmt] = []
        for stmt, before, after in parts:
            assert isinstance(stmt, Extract)
            header = self.headers[stmt.header]
            if stmt.size is None:
                checks.append(self.check(before, header.width // 8))
                body += self.fields(header, before)
            else:
                checks += self.part_check(stmt.size, before, after)
                body += self.part_fields(header, stmt.size, before)
            if header.name in self.plan.places:
                body += self.noted(header, before, after)
        return (*checks, *body)

    def fields(self, header: Header, before: Cursor) -> Body:
        start = before.offset * 8
        body: list[Stmt] = [Assign(header.valid, TRUE)]
        for item in header.fields:
            if item.var.name not in self.plan.unread:
                value = _loaded(item.var, before.pointer, start + item.offset)
                body.append(Assign(item.var, value))
        return tuple(body)

    def part_check(self, size: Expr, before: Cursor, after: Cursor) -> Body:
        """Return the check that a part of variable length is there."""
        if after.base in (None, before.base):
            return (self.check(after, 0),)
        return self.to_offset(fold(Binary(BinaryOp.ADD, before.expression, size)), after)

    def part_fields(self, header: Header, size: Expr, before: Cursor) -> Body:
        """Return what is set for a part of variable length; its bytes are loaded only where
        somebody reads them."""
        assert header.size is not None
        body: Body = (Assign(header.size, size), Assign(header.valid, TRUE))
        if self.is_loaded(header):
            into = [item.var for item in header.fields]
            pointer, offset = before.pointer, before.offset
            fail = self.reject()
            body += load_words(header, into, header.size, pointer, offset, fail)
        return body

    def is_loaded(self, header: Header) -> bool:
        """Tell whether the words of an extracted part matter in variables."""
        names = {item.var.name for item in header.fields}
        emitted = any(emission.header is header for emission in self.plan.emissions)
        return not names.isdisjoint(self.read) or (emitted and not is_raw(header, self.plan))

    def noted(self, header: Header, before: Cursor, after: Cursor) -> Body:
        """Keep for the deparser where the header was found."""
        notes: list[Stmt] = []
        if header.name in self.plan.tampered:
            notes.append(Assign(parsed_flag(header), TRUE))
        if header.size and header.name in self.plan.resized:
            notes.append(Assign(parsed_size(header), header.size))
        if header.name in self.plan.varying:
            notes.append(Assign(place_of(header), before.expression))
        tail = {emission.header.name for emission in self.plan.emissions[self.plan.tail :]}
        if header.name not in tail:
            notes.append(Assign(TAIL, after.expression))
        return tuple(notes)

    def skip(self, bits: int, before: Cursor, after: Cursor) -> Body:
        if bits % 8:
            return self.reject(INVALID)
        if bits // 8 > FURTHEST:
            return self.reject(TOO_SHORT)
        return (self.check(before, bits // 8), *self.moved(after))

    def moved(self, after: Cursor) -> Body:
        return (Assign(TAIL, after.expression),) if self.program.model == "xdp" else ()

    def advance(self, amount: Expr, before: Cursor, after: Cursor) -> Body:
        base = after.base
        assert base is not None
        bits = Var(f"{base.name}.bits", OFFSET_WIDTH)
        part = Binary(BinaryOp.NE, Slice(bits, 2, 0), Const(0, 3))
        far = Binary(BinaryOp.LT, Const(FURTHEST * 8, OFFSET_WIDTH), bits)
        size = Binary(BinaryOp.LSHR, bits, Const(3, 8))
        sum_ = fold(Binary(BinaryOp.ADD, before.expression, size))
        return (
            Assign(bits, amount),
            *self.unless_whole(part, far),
            *self.to_offset(sum_, after),
            *self.moved(after),
        )

    def unless_whole(self, part: Expr, far: Expr) -> Body:
        """Reject an advance by part of a byte, or by more than a packet holds."""
        if self.program.parser_error is None:
            return (If(Binary(BinaryOp.LOR, part, far), self.reject()),)
        return If(part, self.reject(INVALID)), If(far, self.reject(TOO_SHORT))

    def to_offset(self, offset: Expr, after: Cursor) -> Body:
        """Move the cursor to a run-time number of bytes from the start of the packet."""
        assert after.base is not None
        too_far = Binary(BinaryOp.LT, Const(FURTHEST, OFFSET_WIDTH), after.base)
        return (
            Assign(after.base, offset),
            If(too_far, self.reject(TOO_SHORT)),
            SetPointer(after.pointer, "data", 0, after.base, FURTHEST),
            self.check(after, 0),
        )

    # Transitions

    def goto(self, node: Node, target: str) -> Body:
        if target == ACCEPT:
            return (Leave(self.accept),)
        if target == REJECT:
            return self.reject()
        following = node.edges[target]
        joined: Body = ()
        if following.join is not None:
            joined = (Assign(following.join, node.end.expression),)
        if following.steady:
            pointer = following.cursors[0].pointer
            joined = (*joined, SetPointer(pointer, "data", node.end.offset))
        if following.name in self.behind:
            return (*joined, Leave(self.behind[following.name]))
        return (*joined, *self.node(following))

    def transition(self, node: Node) -> Body:
        transition = node.state.transition
        keys: list[Expr] = []
        body: list[Stmt] = []
        for index, key in enumerate(transition.keys):
            var = Var(f"{node.name}.$key{index}", width_of(key))
            body.append(Assign(var, key, transition.span))
            keys.append(var)
        runs = _runs(transition)
        if _is_switch(transition):
            return (*body, self.switch(node, keys[0], runs))
        deciding = _deciding_key(transition)
        if deciding is not None:
            return (*body, *self.tuple_switch(node, keys, deciding))
        for target, cases in runs:
            passed = _any_case(keys, cases)
            if passed == TRUE:
                return (*body, *self.goto(node, target))
            body.append(If(passed, self.goto(node, target), (), transition.span))
        return (*body, *self.reject(NO_MATCH))

    def tuple_switch(self, node: Node, keys: list[Expr], index: int) -> Body:
        """Return the tests that all cases have in common, and behind them a switch over one key."""
        cases = node.state.transition.cases
        shared = [key for i, key in enumerate(keys) if i != index]
        tests = tuple(test for i, test in enumerate(cases[0].tests) if i != index)
        passed = _any_case(shared, [replace(cases[0], tests=tests)])
        switch = self.switch(node, keys[index], _runs(_of_key(node.state.transition, index)))
        otherwise = self.goto(node, cases[-1].target)
        return (If(passed, (switch,), otherwise, node.state.transition.span),)

    def switch(self, node: Node, key: Expr, runs: list[tuple[str, list[SelectCase]]]) -> Stmt:
        default = self.reject(NO_MATCH)
        cases: dict[str, list[int]] = {}
        known: set[int] = set()
        for target, members in runs:
            for test in (case.tests[0] for case in members):
                if not isinstance(test, MaskTest):
                    default = self.goto(node, target)
                elif test.value not in known:
                    known.add(test.value)
                    cases.setdefault(target, []).append(test.value)
        arms = tuple(SwitchCase(tuple(v), self.goto(node, t)) for t, v in cases.items())
        return Switch(key, arms, default, node.state.transition.span)


def _together(steps: Sequence[Step]) -> list[list[Step]]:
    """Return the steps, those that extract the parts of one header together."""
    groups: list[list[Step]] = []
    for step in steps:
        if groups and _is_next_part(groups[-1], step[0]):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def _is_next_part(group: list[Step], stmt: Stmt) -> bool:
    if not isinstance(stmt, Extract):
        return False
    ahead = [one.header for one, _, _ in group if isinstance(one, Extract)]
    return bool(ahead) and stmt.part_of == ahead[0]


def _references(transition: Transition) -> dict[str, int]:
    """Return how often the code of a transition mentions each target."""
    counts: dict[str, int] = {}
    if _is_switch(transition):
        last = transition.cases[-1]
        listed = {case.target for case in transition.cases if isinstance(case.tests[0], MaskTest)}
        counts = dict.fromkeys(listed, 1)
        if not isinstance(last.tests[0], MaskTest):
            counts[last.target] = counts.get(last.target, 0) + 1
        return counts
    index = _deciding_key(transition)
    if index is not None:
        counts = _references(_of_key(transition, index))
        counts[transition.cases[-1].target] += 1
        return counts
    for target, _ in _runs(transition):
        counts[target] = counts.get(target, 0) + 1
    return counts


def _deciding_key(transition: Transition) -> int | None:
    """Return the index of the one key by which several cases before a default differ, if each can
    be a case of a switch."""
    *cases, last = transition.cases or (None,)
    if last is None or len(cases) < 2 or not all(isinstance(t, AnyTest) for t in last.tests):
        return None
    columns = zip(*(case.tests for case in cases if case is not None), strict=True)
    differing = [i for i, tests in enumerate(columns) if len(set(tests)) > 1]
    if len(transition.keys) < 2 or len(differing) != 1:
        return None
    return differing[0] if _is_switch(_of_key(transition, differing[0])) else None


def _of_key(transition: Transition, index: int) -> Transition:
    """Return the transition as if it had only one of its keys."""
    cases = tuple(
        replace(case, tests=(case.tests[index] if case.tests else AnyTest(),))
        for case in transition.cases
    )
    return replace(transition, keys=(transition.keys[index],), cases=cases)


def _is_switch(transition: Transition) -> bool:
    """Tell whether there is one key, compared for equality only, with at most a default behind."""
    if len(transition.keys) != 1 or not transition.cases:
        return False
    width = width_of(transition.keys[0])
    if width == BOOL or width > LIMB:
        return False
    *first, last = [case.tests[0] for case in transition.cases]
    whole = [isinstance(t, MaskTest) and t.mask == ones(width) for t in first]
    return all(whole) and (
        isinstance(last, AnyTest) or (isinstance(last, MaskTest) and last.mask == ones(width))
    )


def _runs(transition: Transition) -> list[tuple[str, list[SelectCase]]]:
    """Return neighbouring cases of one target together."""
    runs: list[tuple[str, list[SelectCase]]] = []
    for case in transition.cases:
        if runs and runs[-1][0] == case.target:
            runs[-1][1].append(case)
        else:
            runs.append((case.target, [case]))
    return runs


def _any_case(keys: list[Expr], cases: list[SelectCase]) -> Expr:
    result: Expr = FALSE
    for case in cases:
        both: Expr = TRUE
        for key, test in zip(keys, case.tests, strict=True):
            both = fold(Binary(BinaryOp.LAND, both, condition(key, test)))
        result = fold(Binary(BinaryOp.LOR, result, both))
    return result


def _loaded(var: Var, pointer: str, offset: int) -> Expr:
    load = Load(pointer, offset, stored_width(var.width))
    return Unary(UnaryOp.TO_BOOL, load) if var.width == BOOL else load
