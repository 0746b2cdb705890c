"""packet_in and packet_out: bits become values and values become bits (sections 13.8 and 16.1)."""

from __future__ import annotations

from p4xdp.diagnostics import InternalError, Span
from p4xdp.frontend import typed, types as t
from p4xdp.interp import expressions, operators, shown
from p4xdp.interp.events import Called, Emitted, Extracted
from p4xdp.interp.machine import Reject, Run, Stuck
from p4xdp.interp.references import Reference, move_next
from p4xdp.interp.values import (
    NOTHING,
    TRUE,
    Array,
    Bits,
    Frame,
    HeaderValue,
    Record,
    Scalar,
    Thing,
    UnionValue,
    Value,
    number,
    plain,
    scalar,
)

TOO_SHORT, HEADER_TOO_SHORT = "PacketTooShort", "HeaderTooShort"
INVALID_ARGUMENT = "ParserInvalidArgument"


class PacketIn(Thing):
    """A packet that is being parsed; `cursor` counts bits."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.cursor = 0
        self._bits = int.from_bytes(data, "big")

    @property
    def length(self) -> int:
        """The length in bits."""
        return len(self.data) * 8

    @property
    def rest(self) -> bytes:
        """The bytes that were not parsed, from the cursor on."""
        return self.data[(self.cursor + 7) // 8 :]

    def need(self, size: int, span: Span) -> None:
        """Raise Reject with PacketTooShort unless `size` bits are left."""
        if self.cursor + size > self.length:
            raise Reject(TOO_SHORT, span)

    def bits(self, offset: int, size: int) -> int:
        """Return bits from `offset` on, counted from the start of the packet."""
        return operators.pattern(self._bits >> (self.length - offset - size), size)


class PacketOut(Thing):
    """A packet that is being put together, bit by bit."""

    def __init__(self) -> None:
        self.size = 0
        self.value = 0

    def append(self, value: int, size: int) -> None:
        self.value = self.value << size | value
        self.size += size

    @property
    def data(self) -> bytes:
        """The bytes so far; the last one is filled up with zeros."""
        padding = -self.size % 8
        return (self.value << padding).to_bytes((self.size + padding) // 8, "big")


# Reading


def size_of(kind: t.Type) -> int:
    """Return the bits that a value takes in a packet; a varbit counts as none."""
    match plain(kind):
        case t.Bit() | t.Int() | t.Basic.BOOL:
            return operators.width_of(kind)
        case t.Varbit():
            return 0
        case t.Struct(fields=fields) | t.Header(fields=fields):
            return sum(size_of(field.type) for field in fields)
        case t.Tuple(elements=elements):
            return sum(map(size_of, elements))
        case t.Stack(element=element, size=size):
            return size * size_of(element)
        case other:
            raise InternalError("interp", f"{other} in a packet")


class Reader:
    """Takes values off a packet, one behind the other."""

    def __init__(self, packet: PacketIn, varbit_size: int = 0) -> None:
        self._packet = packet
        self._varbit_size = varbit_size
        self.offset = packet.cursor

    def take(self, size: int) -> int:
        value = self._packet.bits(self.offset, size)
        self.offset += size
        return value

    def value(self, kind: t.Type) -> Value:
        """Return the next value of a type; its headers are valid (section 13.8.3)."""
        match plain(kind):
            case t.Basic.BOOL:
                return Scalar(bool(self.take(1)))
            case t.Bit() | t.Int():
                return Scalar(operators.wrap(self.take(operators.width_of(kind)), kind))
            case t.Varbit():
                return Bits(self._varbit_size, self.take(self._varbit_size))
            case t.Header() as header:
                return self.header(header)
            case t.Struct(fields=fields):
                return Record({field.name: self.value(field.type) for field in fields})
            case t.Tuple(elements=elements):
                return Record({str(i): self.value(e) for i, e in enumerate(elements)})
            case t.Stack(element=element, size=size):
                return Array([self.value(element) for _ in range(size)])
            case other:
                raise InternalError("interp", f"{other} in a packet")

    def header(self, kind: t.Header) -> HeaderValue:
        return HeaderValue(kind, TRUE, {f.name: self.value(f.type) for f in kind.fields})


def call_packet_in(
    run: Run, frame: Frame, packet: PacketIn, callee: typed.MethodCallee, expr: typed.Call
) -> Value:
    """Carry out a method of packet_in; raises Reject."""
    match callee.method.name:
        case "extract":
            _extract(run, frame, packet, callee, expr)
            return NOTHING
        case "lookahead":
            packet.need(size_of(expr.type), expr.span)
            return Reader(packet).value(expr.type)
        case "advance":
            _advance(run, frame, packet, expr)
            return NOTHING
        case "length":
            return Scalar(operators.pattern(len(packet.data), 32))
        case name:
            raise Stuck(f"the method `{name}` of packet_in is not known", expr.span)


def _argument(run: Run, frame: Frame, expr: typed.Call, index: int) -> Value:
    argument = expr.arguments[index]
    if argument is None:
        raise InternalError("interp", "a packet method without its argument", expr.span)
    return expressions.evaluate(run, frame, argument)


def _whole_bytes(run: Run, value: Value, span: Span) -> int:
    """Return a run-time number of bits, which here must be whole bytes (section 13.8.2)."""
    run.observe(scalar(value))
    if number(value) % 8:
        raise Reject(INVALID_ARGUMENT, span)
    return number(value)


def _advance(run: Run, frame: Frame, packet: PacketIn, expr: typed.Call) -> None:
    size = _whole_bytes(run, _argument(run, frame, expr, 0), expr.span)
    packet.need(size, expr.span)
    packet.cursor += size
    if run.trace:
        run.trace(Called("advance", (("bits", str(size)),), expr.span))


def _extract(
    run: Run, frame: Frame, packet: PacketIn, callee: typed.MethodCallee, expr: typed.Call
) -> None:
    """Read a header at the cursor (sections 13.8.1 and 13.8.2); `_` skips one (13.8.4)."""
    target_expr = expr.arguments[0]
    if target_expr is None:
        kind, target = plain(callee.type_arguments[0]), None
    else:
        target = expressions.resolve(run, frame, target_expr)
        kind = plain(target.type)
    varbit_size = 0
    if len(expr.arguments) > 1:
        varbit_size = _whole_bytes(run, _argument(run, frame, expr, 1), expr.span)
    if not isinstance(kind, t.Header):
        raise InternalError("interp", f"extract into {kind}", expr.span)
    packet.need(size_of(kind) + varbit_size, expr.span)
    if varbit_size > _varbit_limit(kind):
        raise Reject(HEADER_TOO_SHORT, expr.span)
    reader = Reader(packet, varbit_size)
    header = reader.header(kind)
    if target is not None:
        _store(run, packet, target, header, reader.offset, expr)
    packet.cursor = reader.offset


def _varbit_limit(kind: t.Header) -> int:
    """Return the largest varbit of a header, in bits."""
    widths = [f.type.width for f in kind.fields if isinstance(f.type, t.Varbit)]
    return max(widths, default=0)


def _store(
    run: Run,
    packet: PacketIn,
    target: Reference,
    header: HeaderValue,
    end: int,
    expr: typed.Call,
) -> None:
    target.write(header)
    move_next(target)
    if run.trace:
        fields = tuple(
            (f.name, shown.value(header.fields[f.name], f.type)) for f in header.type.fields
        )
        offset = packet.cursor
        run.trace(Extracted(target.text, offset, end - offset, fields, expr.span))


# Writing


def call_packet_out(run: Run, frame: Frame, packet: PacketOut, expr: typed.Call) -> Value:
    """Carry out `emit`."""
    argument = expr.arguments[0]
    if argument is None:
        raise InternalError("interp", "emit without its argument", expr.span)
    path = expressions.is_path(argument)
    text = expressions.resolve(run, frame, argument).text if path else "a value"
    value = expressions.evaluate(run, frame, argument)
    _emit(run, packet, value, argument.type, text, expr.span)
    return NOTHING


def _emit(run: Run, packet: PacketOut, value: Value, kind: t.Type, text: str, span: Span) -> None:
    """Append the valid headers of a value, in the order of their declaration (section 16.1)."""
    match value, plain(kind):
        case HeaderValue() as header, _:
            if run.decide(header.valid):
                before = packet.size
                _append(run, packet, header, header.type)
                if run.trace:
                    run.trace(Emitted(text, packet.size - before, span))
        case UnionValue(headers=headers), _:
            for name, one in headers.items():
                _emit(run, packet, one, one.type, f"{text}.{name}", span)
        case Record(fields=fields), t.Struct(fields=declared):
            for field in declared:
                inner = f"{text}.{field.name}"
                _emit(run, packet, fields[field.name], field.type, inner, span)
        case Record(fields=fields), t.Tuple(elements=kinds):
            for i, one_kind in enumerate(kinds):
                _emit(run, packet, fields[str(i)], one_kind, f"{text}.{i}", span)
        case Array(elements=elements), t.Stack(element=one_kind):
            for i, element in enumerate(elements):
                _emit(run, packet, element, one_kind, f"{text}[{i}]", span)
        case _:
            raise InternalError("interp", f"emit of {kind}", span)


def _append(run: Run, packet: PacketOut, value: Value, kind: t.Type) -> None:
    """Append all bits of a value; those that are undefined leave with the packet."""
    match value, plain(kind):
        case Scalar() as one, _:
            width = operators.width_of(kind)
            packet.append(operators.pattern(int(run.observe(one)), width), width)
        case Bits(size=size, value=bits, undefined=undefined), _:
            run.undefined_read |= undefined
            packet.append(bits, size)
        case (HeaderValue(fields=fields), t.Header(fields=declared)) | (
            Record(fields=fields),
            t.Struct(fields=declared),
        ):
            for field in declared:
                _append(run, packet, fields[field.name], field.type)
        case Array(elements=elements), t.Stack(element=element_kind):
            for element in elements:
                _append(run, packet, element, element_kind)
        case _:
            raise InternalError("interp", f"{kind} in a packet")
