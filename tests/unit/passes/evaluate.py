"""Run IR of any stage on a packet: the meaning that every pass must keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from p4xdp.midend.fold import ones
from p4xdp.midend.ir import (
    ACCEPT,
    REJECT,
    ActionChoice,
    AdjustHead,
    Advance,
    AnyTest,
    Apply,
    Assign,
    Binary,
    Body,
    Check,
    Concat,
    Const,
    Effect,
    Emit,
    Expr,
    Extend,
    Extract,
    Finish,
    If,
    Leave,
    Load,
    Lookahead,
    MaskTest,
    Mux,
    PacketLength,
    Program,
    Pure,
    RangeTest,
    Reject,
    Scope,
    SetPointer,
    Slice,
    State,
    Stmt,
    Store,
    Switch,
    Test,
    Trace,
    Unary,
    UnaryOp,
    limbs_of,
    width_of,
)
from p4xdp.midend.verify import limb_widths

Lookup = Callable[[str, tuple[int, ...]], tuple[bool, ActionChoice]]


@dataclass(frozen=True)
class Outcome:
    """`packet` is what leaves; for a discarded packet, what lies in memory at the end."""

    verdict: int
    port: int | None
    packet: bytes
    seen: tuple[object, ...]


class Finished(Exception):
    def __init__(self, verdict: int, port: int | None = None) -> None:
        self.verdict = verdict
        self.port = port


class Left(Exception):
    def __init__(self, label: str) -> None:
        self.label = label


class Rejected(Exception):
    pass


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value & (1 << (width - 1)) else value


def arithmetic(op: str, a: int, b: int, w: int) -> int:
    """An operator written out a second time, not by way of fold."""
    sa, sb = (signed(a, w), signed(b, w)) if w else (a, b)
    low, high, most = -(1 << w >> 1), (1 << w >> 1) - 1, (1 << w) - 1
    table: dict[str, Callable[[], int]] = {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "/": lambda: 0 if b == 0 else a // b,
        "%": lambda: 0 if b == 0 else a % b,
        "&": lambda: a & b,
        "|": lambda: a | b,
        "^": lambda: a ^ b,
        "<<": lambda: 0 if b >= w else a << b,
        ">>": lambda: 0 if b >= w else a >> b,
        ">>s": lambda: sa >> (w if b >= w else b),
        "|+|": lambda: most if a + b > most else a + b,
        "|-|": lambda: 0 if a < b else a - b,
        "|+|s": lambda: max(low, min(high, sa + sb)),
        "|-|s": lambda: max(low, min(high, sa - sb)),
        "==": lambda: int(a == b),
        "!=": lambda: int(a != b),
        "<": lambda: int(a < b),
        "<=": lambda: int(a <= b),
        "<s": lambda: int(sa < sb),
        "<=s": lambda: int(sa <= sb),
        "&&": lambda: a & b,
        "||": lambda: a | b,
    }
    return table[op]() & (1 if op in ("==", "!=", "<", "<=", "<s", "<=s", "&&", "||") else most)


def bits(data: bytes, offset: int, width: int) -> int:
    end = offset + width
    assert 0 <= offset < end <= 8 * len(data), "read outside of the packet"
    return int.from_bytes(data, "big") >> (8 * len(data) - end) & ones(width)


def test_passes(test: Test, value: int) -> bool:
    match test:
        case AnyTest():
            return True
        case MaskTest(value=wanted, mask=mask):
            return value & mask == wanted
        case RangeTest(low=low, high=high):
            return low <= value <= high


test_passes.__test__ = False  # type: ignore[attr-defined]


@dataclass
class Machine:
    program: Program
    packet: bytes
    lookup: Lookup
    variables: dict[str, int] = field(default_factory=dict)
    pointers: dict[str, int] = field(default_factory=lambda: {"data": 0})
    cursor: int = 0
    out: bytes = b""
    seen: list[object] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.headers = {header.name: header for header in self.program.headers}
        if self.program.input_port is not None:
            self.variables[self.program.input_port.name] = 7

    def outcome(self) -> Outcome:
        try:
            if self.program.stage == "flat":
                self.flat()
            else:
                self.body(self.program.body)
            raise AssertionError("the program does not finish")
        except Finished as end:
            return Outcome(end.verdict, end.port, self.packet, tuple(self.seen))

    # Flat

    def flat(self) -> None:
        program = self.program
        original = self.packet
        reject = Finished(0 if program.model == "filter" else program.reject_verdict)
        try:
            if program.parser:
                self.parse(program.parser)
        except Rejected:
            raise reject from None
        self.body(program.control)
        self.body(program.deparser)
        verdict = self.value(program.verdict)
        port = None if program.port is None else self.value(program.port)
        if program.model == "xdp" and verdict > 1:
            self.packet = self.out + original[self.cursor // 8 :]
        raise Finished(verdict, port)

    def parse(self, parser: tuple[State, ...]) -> None:
        states = {state.name: state for state in parser}
        state = parser[0]
        while True:
            self.body(state.body)
            target = self.target(state)
            if target == ACCEPT:
                return
            if target == REJECT:
                raise Rejected
            state = states[target]

    def target(self, state: State) -> str:
        keys = [self.value(key) for key in state.transition.keys]
        for case in state.transition.cases:
            if all(test_passes(t, k) for t, k in zip(case.tests, keys, strict=True)):
                return case.target
        raise Rejected

    def need(self, width: int) -> None:
        if self.cursor + width > 8 * len(self.packet):
            raise Rejected

    # Statements

    def body(self, body: Body) -> None:
        for stmt in body:
            self.stmt(stmt)

    def set(self, name: str, value: int) -> None:
        self.variables[name] = value

    def stmt(self, stmt: Stmt) -> None:
        match stmt:
            case Assign(target=target, value=value):
                assert width_of(value) == target.width
                self.set(target.name, self.value(value))
            case If(condition=condition, then=then, otherwise=otherwise):
                self.body(then if self.value(condition) else otherwise)
            case Switch(selector=selector, cases=cases, default=default):
                value = self.value(selector)
                self.body(next((c.body for c in cases if value in c.values), default))
            case Scope(label=label, body=body):
                try:
                    self.body(body)
                except Left as left:
                    if left.label != label:
                        raise
            case Leave(label=label):
                raise Left(label)
            case Apply():
                self.apply(stmt)
            case Effect(name=name, instance=instance, arguments=arguments, result=result):
                self.seen.append((name, instance, tuple(map(self.value, arguments))))
                if result is not None:
                    self.set(result.name, 12345 & ones(result.width))
            case Trace(format=format, values=values):
                self.seen.append((format, tuple(map(self.value, values))))
            case PacketLength(target=target):
                self.set(target.name, len(self.packet))
            case Finish(verdict=verdict, port=port):
                raise Finished(self.value(verdict), None if port is None else self.value(port))
            case _:
                self.packet_stmt(stmt)

    def packet_stmt(self, stmt: Stmt) -> None:
        match stmt:
            case Extract(header=name, size=size):
                self.extract(name, size)
            case Lookahead(width=width, peeks=peeks):
                self.need(width)
                for p in peeks:
                    self.set(p.target.name, bits(self.packet, self.cursor + p.offset, p.width))
            case Advance(amount=amount):
                distance = self.value(amount)
                self.need(distance)
                if distance % 8:
                    raise Rejected
                self.cursor += distance
            case Reject():
                raise Rejected
            case Emit(header=name):
                self.emit(name)
            case SetPointer(pointer=pointer, base=base, offset=offset, amount=amount):
                more = 0 if amount is None else self.value(amount)
                assert more <= (stmt.limit or 0) or amount is None
                self.pointers[pointer] = self.pointers[base] + offset + more
            case Check(pointer=pointer, size=size, fail=fail):
                if self.pointers[pointer] + size > len(self.packet):
                    self.body(fail)
                    raise AssertionError("a failed check went on")
            case Store(pointer=pointer, offset=offset, width=width, value=value):
                assert width_of(value) == width
                at = self.pointers[pointer] + offset // 8
                new = self.value(value).to_bytes(width // 8, "big")
                assert 0 <= at <= len(self.packet) - len(new)
                self.packet = self.packet[:at] + new + self.packet[at + len(new) :]
            case AdjustHead(growth=growth):
                self.adjust(signed(self.value(growth), 32))
            case _:
                raise AssertionError(stmt)

    def extract(self, name: str, size: Expr | None) -> None:
        header = self.headers[name]
        width = header.width if size is None else 8 * self.value(size)
        self.need(width)
        self.set(header.valid.name, 1)
        if header.size is not None:
            self.set(header.size.name, width // 8)
        start = self.cursor // 8
        there = self.packet[start : start + width // 8].ljust(header.width // 8, b"\0")
        for item in header.fields:
            self.set(item.var.name, bits(there, item.offset, item.var.width or 1))
        self.cursor += width

    def emit(self, name: str) -> None:
        header = self.headers[name]
        if self.value(header.valid):
            number = 0
            for item in header.fields:
                number = number << (item.var.width or 1) | self.value(item.var)
            whole = number.to_bytes(header.width // 8, "big")
            self.out += whole if header.size is None else whole[: self.value(header.size)]

    def adjust(self, growth: int) -> None:
        if growth < 0:
            assert -growth <= len(self.packet)
            self.packet = self.packet[-growth:]
        else:
            self.packet = bytes(0xEE for _ in range(growth)) + self.packet
        self.pointers = {"data": 0}

    def apply(self, stmt: Apply) -> None:
        keys = tuple(self.key(key) for key in stmt.keys)
        hit, choice = self.lookup(stmt.table, keys)
        arm = stmt.arms[choice.index]
        table = next(table for table in self.program.tables if table.name == stmt.table)
        self.seen.append(("lookup", stmt.table, keys))
        if stmt.hit is not None:
            self.set(stmt.hit.name, int(hit))
        if stmt.action_run is not None:
            self.set(stmt.action_run.name, choice.index)
        data = list(arm.data)
        for value, parameter in zip(
            choice.arguments, table.actions[choice.index].data, strict=True
        ):
            widths = [parameter.width]
            if self.program.stage == "narrow":
                widths = limb_widths(parameter.width)
            for index in range(len(widths)):
                low = sum(widths[index + 1 :])
                self.set(data.pop(0).name, value >> low & ones(widths[index]))
        self.body(arm.body)

    # Expressions

    def key(self, key: Expr) -> int:
        if self.program.stage != "narrow":
            return self.value(key)
        result = 0
        for limb in limbs_of(key):
            result = result << width_of(limb) | self.value(limb)
        return result

    def value(self, expr: Expr) -> int:
        match expr:
            case Const(value=value):
                return value
            case _ if isinstance(expr, Load):
                at = 8 * self.pointers[expr.pointer] + expr.offset
                return bits(self.packet, at, expr.width)
            case Unary(op=op, operand=operand):
                return self.unary(op, self.value(operand), width_of(operand))
            case Binary(op=op, left=left, right=right):
                return arithmetic(op.value, self.value(left), self.value(right), width_of(left))
            case Slice(base=base, high=high, low=low):
                return self.value(base) >> low & ones(high - low + 1)
            case Concat(left=left, right=right):
                return self.value(left) << width_of(right) | self.value(right)
            case Extend(base=base, width=width, signed=sign):
                inner = self.value(base)
                return signed(inner, width_of(base)) & ones(width) if sign else inner
            case Mux(condition=condition, then=then, otherwise=otherwise):
                return self.value(then if self.value(condition) else otherwise)
            case Pure(name="csum_replace2" | "csum_replace4", arguments=arguments):
                checksum, old, new = arguments
                values = self.value(checksum), self.value(old), self.value(new)
                return changed_checksum(*values, words=width_of(old) // 16)
            case Pure(name="csum16", arguments=arguments):
                return sum_of_words([(self.value(part), width_of(part)) for part in arguments])
            case Pure(name=name, arguments=arguments, width=width):
                return Random(f"{name}{[self.value(a) for a in arguments]}").getrandbits(width)
            case _:
                return self.variables.get(expr.name, 0)  # type: ignore[union-attr]

    def unary(self, op: UnaryOp, value: int, width: int) -> int:
        match op:
            case UnaryOp.NOT:
                return ~value & ones(width)
            case UnaryOp.NEG:
                return -value & ones(width)
            case UnaryOp.LNOT:
                return 1 - value
            case UnaryOp.TO_BITS | UnaryOp.TO_BOOL:
                return value


def sum_of_words(parts: list[tuple[int, int]]) -> int:
    """Return the checksum of numbers of 16 or 32 bits, each with its width."""
    total = sum(value >> at & 0xFFFF for value, width in parts for at in range(0, width, 16))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def changed_checksum(checksum: int, old: int, new: int, words: int) -> int:
    """RFC 1624, equation 3."""
    total = 0xFFFF - checksum
    for shift in range(0, 16 * words, 16):
        total += 0xFFFF - (old >> shift & 0xFFFF) + (new >> shift & 0xFFFF)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def no_tables(table: str, keys: tuple[int, ...]) -> tuple[bool, ActionChoice]:
    raise AssertionError(table)


def evaluate(program: Program, packet: bytes, lookup: Lookup = no_tables) -> Outcome:
    return Machine(program, packet, lookup).outcome()
