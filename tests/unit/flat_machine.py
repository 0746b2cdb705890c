"""Runs flat IR on a packet, as the docstrings of `midend.ir` say that it behaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from p4xdp.midend import ir
from p4xdp.midend.fold import evaluate_binary, evaluate_unary, signed

Entries = dict[str, list[ir.Entry]]


@dataclass
class Outcome:
    """`error` is the parser's, None when it accepts; `verdict` and `port` as the control left
    them; `packet` as the deparser would send it."""

    error: int | None
    verdict: int = 0
    port: int = 0
    packet: bytes = b""
    counts: dict[tuple[str, int], int] = field(default_factory=dict)


class Left(Exception):
    def __init__(self, label: str) -> None:
        self.label = label


class Rejected(Exception):
    def __init__(self, error: int | None) -> None:
        self.error = error


def ones_complement(words: Sequence[int]) -> int:
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def pure(name: str, values: list[int]) -> int:
    if name == "csum_replace2":
        old_sum, old, new = values
        return 0xFFFF ^ ones_complement([0xFFFF ^ old_sum, 0xFFFF ^ old, new])
    if name == "csum_replace4":
        old_sum, old, new = values
        parts = [0xFFFF ^ (old >> 16), 0xFFFF ^ (old & 0xFFFF), new >> 16, new & 0xFFFF]
        return 0xFFFF ^ ones_complement([0xFFFF ^ old_sum, *parts])
    version, ihl, diffserv, length, ident, flags, offset, ttl, protocol, src, dst = values
    words = [version << 12 | ihl << 8 | diffserv, length, ident, flags << 13 | offset]
    words += [ttl << 8 | protocol, src >> 16, src & 0xFFFF, dst >> 16, dst & 0xFFFF]
    return 0xFFFF ^ ones_complement(words)


class Machine:
    def __init__(self, program: ir.Program, packet: bytes, entries: Entries, port: int) -> None:
        self.program = program
        self.tables = {table.name: table for table in program.tables}
        self.headers = {header.name: header for header in program.headers}
        self.entries = entries
        self.values: dict[str, int] = {}
        self.bits = int.from_bytes(packet, "big")
        self.length = len(packet) * 8
        self.cursor = 0
        self.emitted = 0
        self.emitted_bits = 0
        self.outcome = Outcome(None)
        if program.input_port is not None:
            self.values[program.input_port.name] = port

    def run(self) -> Outcome:
        program, outcome = self.program, self.outcome
        try:
            self.parse()
        except Rejected as rejected:
            outcome.error = rejected.error
            return outcome
        self.body(program.control)
        self.body(program.deparser)
        outcome.verdict = self.values.get(program.verdict.name, 0)
        outcome.port = self.values.get(program.port.name, 0) if program.port else 0
        rest = self.length - self.cursor
        whole = self.emitted << rest | self.bits & ((1 << rest) - 1)
        outcome.packet = whole.to_bytes((self.emitted_bits + rest + 7) // 8, "big")
        return outcome

    def parse(self) -> None:
        states = {state.name: state for state in self.program.parser}
        name = self.program.parser[0].name
        while name in states:
            state = states[name]
            self.body(state.body)
            name = self.choose(state.transition)
        if name == ir.REJECT:
            raise Rejected(0)

    def choose(self, transition: ir.Transition) -> str:
        keys = [self.value(key) for key in transition.keys]
        for case in transition.cases:
            if all(holds(test, key) for test, key in zip(case.tests, keys, strict=True)):
                return case.target
        raise Rejected(self.program.errors.index("NoMatch"))

    def take(self, offset: int, width: int) -> int:
        start = self.cursor + offset
        return self.bits >> (self.length - start - width) & ((1 << width) - 1)

    def need(self, width: int) -> None:
        if self.cursor + width > self.length:
            raise Rejected(self.program.errors.index("PacketTooShort"))

    # Expressions

    def value(self, expr: ir.Expr) -> int:
        match expr:
            case ir.Const(value=value):
                return value
            case ir.Var(name=name):
                return self.values.get(name, 0)
            case ir.Unary(op=op, operand=operand):
                return evaluate_unary(op, self.value(operand), ir.width_of(operand))
            case ir.Binary(op=op, left=left, right=right):
                width = ir.width_of(left)
                return evaluate_binary(op, self.value(left), self.value(right), width)
            case ir.Slice(base=base, high=high, low=low):
                return self.value(base) >> low & ((1 << (high - low + 1)) - 1)
            case ir.Concat(left=left, right=right):
                return self.value(left) << ir.width_of(right) | self.value(right)
            case ir.Extend(base=base, width=width, signed=sign):
                number = self.value(base)
                own = signed(number, ir.width_of(base)) if sign else number
                return own & ((1 << width) - 1)
            case ir.Mux(condition=condition, then=then, otherwise=otherwise):
                return self.value(then if self.value(condition) else otherwise)
            case ir.Pure(name=name, arguments=arguments):
                return pure(name, [self.value(argument) for argument in arguments])
        raise AssertionError(expr)

    # Statements

    def body(self, body: ir.Body) -> None:
        for statement in body:
            self.statement(statement)

    def set(self, var: ir.Var, value: int) -> None:
        assert 0 <= value < 1 << ir.stored_width(var.width)
        self.values[var.name] = value

    def statement(self, statement: ir.Stmt) -> None:
        match statement:
            case ir.Assign(target=target, value=value):
                assert target.width == ir.width_of(value)
                self.set(target, self.value(value))
            case ir.If(condition=condition, then=then, otherwise=otherwise):
                self.body(then if self.value(condition) else otherwise)
            case ir.Switch(selector=selector, cases=cases, default=default):
                number = self.value(selector)
                self.body(next((c.body for c in cases if number in c.values), default))
            case ir.Scope(label=label, body=body):
                try:
                    self.body(body)
                except Left as left:
                    if left.label != label:
                        raise
            case ir.Leave(label=label):
                raise Left(label)
            case ir.Apply():
                self.apply(statement)
            case ir.Effect():
                self.effect(statement)
            case _:
                self.packet_statement(statement)

    def apply(self, apply: ir.Apply) -> None:
        table = self.tables[apply.table]
        keys = [self.value(key) for key in apply.keys]
        assert [ir.width_of(key) for key in apply.keys] == [key.width for key in table.keys]
        entries = [*table.entries, *self.entries.get(table.name, [])]
        found = next((e for e in entries if keys and hits(e, keys)), None)
        choice = table.default if found is None else found.choice
        if apply.hit is not None:
            self.set(apply.hit, int(found is not None))
        if apply.action_run is not None:
            self.set(apply.action_run, choice.index)
        arm = apply.arms[choice.index]
        assert [arm.index for arm in apply.arms] == list(range(len(table.actions)))
        for var, number in zip(arm.data, choice.arguments, strict=True):
            self.set(var, number)
        self.body(arm.body)

    def effect(self, effect: ir.Effect) -> None:
        if effect.name == "count":
            index, amount = (self.value(argument) for argument in effect.arguments)
            assert effect.instance is not None
            cell = (effect.instance, index)
            self.outcome.counts[cell] = self.outcome.counts.get(cell, 0) + amount
        if effect.result is not None:
            self.set(effect.result, 0x123456789 if effect.name == "ktime" else 0)

    def packet_statement(self, statement: ir.Stmt) -> None:
        match statement:
            case ir.Extract(header=name):
                header = self.headers[name]
                self.need(header.width)
                for part in header.fields:
                    self.set(part.var, self.take(part.offset, ir.stored_width(part.var.width)))
                self.set(header.valid, 1)
                self.cursor += header.width
            case ir.Lookahead(width=width, peeks=peeks):
                self.need(width)
                for peek in peeks:
                    self.set(peek.target, self.take(peek.offset, peek.width))
            case ir.Advance(amount=amount):
                width = self.value(amount)
                self.need(width)
                self.cursor += width
            case ir.PacketLength(target=target):
                self.set(target, self.length // 8)
            case ir.Reject(error=error):
                raise Rejected(self.value(error))
            case ir.Emit(header=name):
                self.emit(self.headers[name])
            case _:
                raise AssertionError(statement)

    def emit(self, header: ir.Header) -> None:
        if not self.value(header.valid):
            return
        for part in header.fields:
            width = ir.stored_width(part.var.width)
            self.emitted = self.emitted << width | self.value(part.var)
        self.emitted_bits += header.width


def holds(test: ir.Test, key: int) -> bool:
    match test:
        case ir.AnyTest():
            return True
        case ir.MaskTest(value=value, mask=mask):
            return key & mask == value
        case ir.RangeTest(low=low, high=high):
            return low <= key <= high


def hits(entry: ir.Entry, keys: list[int]) -> bool:
    return all(holds(test, key) for test, key in zip(entry.tests, keys, strict=True))


def run(
    program: ir.Program, packet: bytes, entries: Entries | None = None, port: int = 0
) -> Outcome:
    """Return what a flat program does with a packet that arrives on `port`."""
    return Machine(program, packet, entries or {}, port).run()
