"""What every program between two passes must keep to; a breach is our own fault.

In: a program of any stage. `verify` returns nothing and raises InternalError with stage `verify`:
widths that disagree, a jump out of nowhere, a statement that does not belong to the stage, an
access to a byte that no check covers, a parser with a cycle.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import assert_never

from p4xdp.diagnostics import InternalError, Span
from p4xdp.midend.coverage import Covered, follow
from p4xdp.midend.ir import (
    ACCEPT,
    BOOL,
    COMPARISONS,
    LIMB,
    REJECT,
    AdjustHead,
    Advance,
    Apply,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Check,
    Concat,
    Const,
    Effect,
    Emit,
    Expr,
    Extend,
    Extract,
    Header,
    If,
    Leave,
    Load,
    Lookahead,
    Mux,
    PacketLength,
    Pipeline,
    Program,
    Pure,
    Reject,
    Scope,
    SetPointer,
    Slice,
    State,
    Stmt,
    Store,
    Switch,
    Table,
    Unary,
    UnaryOp,
    Var,
    limbs_of,
    pipelines,
    stored_width,
    width_of,
)
from p4xdp.midend.rewrite import (
    bodies,
    ends,
    expressions,
    operands,
    targets,
    walk_expression,
)
from p4xdp.records import dataclass, field

FLAT = (Extract, Lookahead, Advance, Reject, Emit)
LINEAR = (SetPointer, Check, Store, AdjustHead)
LOGICAL = frozenset({BinaryOp.LAND, BinaryOp.LOR})
SHIFTS = frozenset({BinaryOp.SHL, BinaryOp.LSHR, BinaryOp.ASHR})
LARGEST_CHECK = 0x7FFF


def verify(program: Program) -> None:
    """Raise InternalError if the program breaks an invariant of its stage."""
    checker = _Checker(program)
    checker.declarations()
    if program.stage == "flat":
        checker.flat()
    else:
        checker.linear()


@dataclass(slots=True)
class _Checker:
    program: Program
    widths: dict[str, int] = field(default_factory=dict)
    labels: set[str] = field(default_factory=set)
    tables: dict[str, Table] = field(default_factory=dict)
    instances: set[str] = field(default_factory=set)
    headers: set[str] = field(default_factory=set)
    span: Span | None = None

    def require(self, condition: bool, text: str) -> None:
        if not condition:
            raise InternalError("verify", text, self.span)

    # Declarations

    def declarations(self) -> None:
        program = self.program
        self.tables = {table.name: table for table in program.tables}
        self.instances = {counter.name for counter in program.counters}
        self.instances |= {register.name for register in program.registers}
        self.instances |= {meter.name for meter in program.meters}
        self.instances |= {digest.name for digest in program.digests}
        self.instances |= {function.name for function in program.functions}
        self.instances |= {profile.name for profile in program.profiles}
        self.headers = {header.name for header in program.headers}
        self.require(len(self.tables) == len(program.tables), "two tables of one name")
        self.require(len(self.headers) == len(program.headers), "two headers of one name")
        self.var(program.verdict)
        for var in (program.input_port, program.port):
            if var is not None:
                self.var(var)
        if program.model == "filter":
            self.require(program.verdict.width == BOOL, "the verdict of a filter is a truth value")
        if program.stage == "flat":
            for header in program.headers:
                self.header(header)

    def digest(self, name: str | None, arguments: tuple[Expr, ...]) -> None:
        found = [digest for digest in self.program.digests if digest.name == name]
        self.require(len(found) == 1, f"no digest {name}")
        widths = [32, *(w for field in found[0].fields for w in limb_widths(field.width))]
        self.require([width_of(one) for one in arguments] == widths, f"values of digest {name}")

    def header(self, header: Header) -> None:
        self.var(header.valid)
        self.require(header.valid.width == BOOL, f"validity of {header.name} has a width")
        self.require(header.width % 8 == 0, f"{header.name} does not fill its bytes")
        if header.size is not None:
            self.var(header.size)
            self.same(32, header.size, f"size of {header.name}")
        end = 0
        for item in header.fields:
            self.var(item.var)
            self.require(item.offset == end, f"{header.name}.{item.name} is out of place")
            end = item.offset + stored_width(item.var.width)
        self.require(end == header.width, f"the fields of {header.name} do not fill it")

    # Stages

    def flat(self) -> None:
        program = self.program
        self.require(not program.body, "a flat program has a body")
        for one in pipelines(program):
            self.pipeline(one)

    def pipeline(self, one: Program | Pipeline) -> None:
        if one.parser_error is not None:
            self.var(one.parser_error)
        names = {ACCEPT, REJECT, *(state.name for state in one.parser)}
        for state in one.parser:
            self.body(state.body, ())
            self.transition(state, names)
        self.body(one.control, ())
        self.body(one.deparser, ())
        self.body(one.departure, ())
        self.acyclic(one.parser)

    def transition(self, state: State, names: set[str]) -> None:
        self.span = state.span
        for key in state.transition.keys:
            self.expr(key)
        for case in state.transition.cases:
            count = len(state.transition.keys)
            self.require(len(case.tests) == count, f"{state.name}: tests do not fit the keys")
            self.require(case.target in names, f"{state.name}: no state {case.target}")

    def acyclic(self, parser: tuple[State, ...]) -> None:
        graph = {state.name: [case.target for case in state.transition.cases] for state in parser}
        self.require(len(graph) == len(parser), "two states of one name")
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            self.require(False, f"the parser has a cycle: {error.args[1]}")

    def linear(self) -> None:
        program = self.program
        every = pipelines(program)
        empty = not any(one.parser or one.control or one.deparser for one in every)
        self.require(empty, f"a {program.stage} program still has a parser, control or deparser")
        self.body(program.body, ())
        self.require(ends(program.body), "the program does not finish on every path")
        follow(program.body, self.covered)

    def covered(self, stmt: Stmt, covered: Covered) -> bool:
        for expr in expressions(stmt):
            for node in walk_expression(expr):
                if isinstance(node, Load):
                    self.access(node.pointer, node.offset + node.width, covered)
        match stmt:
            case Store(pointer=pointer, offset=offset, width=width):
                self.access(pointer, offset + width, covered)
            case Check(pointer=pointer) | SetPointer(base=pointer):
                self.require(pointer in covered, f"pointer {pointer} is not set")
            case _:
                pass
        return True

    def access(self, pointer: str, end: int, covered: Covered) -> None:
        self.require(pointer in covered, f"pointer {pointer} is not set")
        size = (end + 7) // 8
        self.require(size <= covered[pointer], f"{size} bytes of {pointer} are not checked")

    # Statements

    def body(self, body: Body, labels: tuple[str, ...]) -> None:
        for stmt in body:
            self.stmt(stmt, labels)

    def stmt(self, stmt: Stmt, labels: tuple[str, ...]) -> None:
        self.span = getattr(stmt, "span", self.span)
        self.belongs(stmt)
        for var in targets(stmt):
            self.var(var)
        for expr in expressions(stmt):
            if not isinstance(stmt, Apply):
                self.expr(expr)
        match stmt:
            case Scope(label=label, body=body):
                self.require(label not in self.labels, f"two scopes {label}")
                self.labels.add(label)
                self.body(body, (*labels, label))
            case Leave(label=label):
                self.require(label in labels, f"leave {label} outside of its scope")
            case Apply():
                self.apply(stmt)
        if not isinstance(stmt, Scope):
            for inner in bodies(stmt):
                self.body(inner, labels)
        self.parts(stmt)

    def belongs(self, stmt: Stmt) -> None:
        wrong = LINEAR if self.program.stage == "flat" else FLAT
        name = type(stmt).__name__
        self.require(not isinstance(stmt, wrong), f"{name} in a {self.program.stage} program")

    def parts(self, stmt: Stmt) -> None:
        match stmt:
            case Assign(target=target, value=value):
                self.same(target.width, value, f"assignment to {target.name}")
            case If(condition=condition):
                self.same(BOOL, condition, "condition")
            case Switch(selector=selector, cases=cases):
                self.values([value for case in cases for value in case.values], width_of(selector))
            case Effect(name="digest", instance=instance, arguments=arguments):
                self.digest(instance, arguments)
            case Effect(name=name, instance=instance):
                known = instance is None or instance in self.instances
                self.require(known, f"{name}: no instance {instance}")
            case Extract(header=header, size=size):
                self.require(header in self.headers, f"no header {header}")
                if size is not None:
                    self.same(32, size, f"size of {header}")
            case Emit(header=header):
                self.require(header in self.headers, f"no header {header}")
            case Lookahead():
                self.lookahead(stmt)
            case Advance(amount=amount):
                self.same(32, amount, "amount")
            case _:
                self.memory(stmt)

    def memory(self, stmt: Stmt) -> None:
        match stmt:
            case AdjustHead(growth=growth, fail=fail):
                self.same(32, growth, "growth")
                self.require(ends(fail), "a failed adjust_head goes on")
            case Check(size=size, fail=fail):
                self.require(0 <= size <= LARGEST_CHECK, f"a check of {size} bytes")
                self.require(ends(fail), "a failed check goes on")
            case PacketLength(target=target):
                self.require(target.width == 32, "packet length is 32 bits wide")
            case Store(offset=offset, width=width, value=value):
                self.same(width, value, "store")
                self.require(offset % 8 == 0 and width % 8 == 0, "store within a byte")
            case SetPointer():
                self.set_pointer(stmt)
            case _:
                pass

    def values(self, values: list[int], width: int) -> None:
        self.require(len(set(values)) == len(values), "a switch value stands twice")
        self.require(all(0 <= v < 1 << stored_width(width) for v in values), "switch value range")

    def lookahead(self, stmt: Lookahead) -> None:
        for peek in stmt.peeks:
            self.require(peek.width == stored_width(peek.target.width), f"peek {peek.target.name}")
            self.require(0 <= peek.offset <= stmt.width - peek.width, "peek behind the lookahead")

    def set_pointer(self, stmt: SetPointer) -> None:
        self.require(stmt.pointer != "data", "data is not movable")
        self.require(0 <= stmt.offset + stmt.limit <= LARGEST_CHECK, "pointer out of reach")
        self.require((stmt.amount is None) == (stmt.limit == 0), "amount without limit")

    def apply(self, stmt: Apply) -> None:
        table = self.tables.get(stmt.table)
        if table is None:
            raise InternalError("verify", f"no table {stmt.table}", self.span)
        self.require(len(stmt.keys) == len(table.keys), f"{stmt.table}: number of keys")
        for key, expr in zip(table.keys, stmt.keys, strict=True):
            self.require(key.width == stored_width(width_of(expr)), f"{stmt.table}: key {key.name}")
            self.key(expr)
        indices = [arm.index for arm in stmt.arms]
        self.require(indices == list(range(len(table.actions))), f"{stmt.table}: its arms")
        for arm, action in zip(stmt.arms, table.actions, strict=True):
            for var in arm.data:
                self.var(var)
            self.data(arm.data, [data.width for data in action.data], stmt.table)
        if stmt.hit is not None:
            self.require(stmt.hit.width == BOOL, "hit is a truth value")
        if stmt.action_run is not None:
            self.require(stmt.action_run.width == 32, "action_run is 32 bits wide")

    def key(self, key: Expr) -> None:
        if self.program.stage == "narrow":
            limbs = limbs_of(key)
            widths = [stored_width(width_of(limb)) for limb in limbs]
            self.require(widths == limb_widths(sum(widths)), f"limbs of {widths} bits")
            for limb in limbs:
                self.expr(limb)
        else:
            self.expr(key)

    def data(self, data: tuple[Var, ...], widths: list[int], table: str) -> None:
        if self.program.stage == "narrow":
            widths = [part for width in widths for part in limb_widths(width)]
        given = [stored_width(var.width) for var in data]
        self.require(given == widths, f"{table}: action data {given} for {widths}")

    # Expressions

    def var(self, var: Var) -> None:
        known = self.widths.setdefault(var.name, var.width)
        self.require(known == var.width, f"{var.name} has the widths {known} and {var.width}")

    def same(self, width: int, expr: Expr, where: str) -> None:
        actual = width_of(expr)
        self.require(actual == width, f"{where}: width {actual}, not {width}")

    def expr(self, expr: Expr) -> None:
        for inner in operands(expr):
            self.expr(inner)
        if self.program.stage == "narrow":
            self.require(width_of(expr) <= LIMB, f"an expression of {width_of(expr)} bits")
        match expr:
            case Const(value=value, width=width):
                self.require(0 <= value < 1 << stored_width(width), f"{width}w{value}")
            case Var():
                self.var(expr)
            case Unary(op=op, operand=operand):
                self.unary(op, width_of(operand))
            case Binary(op=op, left=left, right=right):
                self.binary(op, width_of(left), width_of(right))
            case Slice(base=base, high=high, low=low):
                self.require(0 <= low <= high < width_of(base), f"slice [{high}:{low}]")
            case Concat(left=left, right=right):
                self.require(width_of(left) > 0 and width_of(right) > 0, "++ of a truth value")
            case Extend(base=base, width=width):
                self.require(0 < width_of(base) < width, f"extension to {width}")
            case Mux(condition=condition, then=then, otherwise=otherwise):
                self.same(BOOL, condition, "condition")
                self.same(width_of(then), otherwise, "the arms of ?:")
            case Load(width=width):
                self.require(self.program.stage != "flat" and width > 0, "load")
            case Pure():
                pass
            case _:
                assert_never(expr)

    def unary(self, op: UnaryOp, width: int) -> None:
        match op:
            case UnaryOp.LNOT | UnaryOp.TO_BITS:
                self.require(width == BOOL, f"{op.value} of {width} bits")
            case UnaryOp.TO_BOOL:
                self.require(width == 1, f"bool of {width} bits")
            case UnaryOp.NOT | UnaryOp.NEG:
                self.require(width > 0, f"{op.value} of a truth value")

    def binary(self, op: BinaryOp, left: int, right: int) -> None:
        text = f"{left} {op.value} {right}"
        if op in SHIFTS:
            self.require(left > 0 and right > 0, text)
        else:
            self.require(left == right, text)
        if op in LOGICAL:
            self.require(left == BOOL, text)
        elif op not in (BinaryOp.EQ, BinaryOp.NE):
            self.require(left > 0, text)
        self.require(op in LOGICAL or op in COMPARISONS or left > 0, text)


def limb_widths(width: int) -> list[int]:
    """Return the widths of the limbs of a value, the highest first."""
    high, full = width % LIMB, width // LIMB
    return ([high] if high else []) + [LIMB] * full
