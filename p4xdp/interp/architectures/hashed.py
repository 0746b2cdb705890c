"""Data as the bytes that a hash or checksum is computed over."""

from __future__ import annotations

from p4xdp.frontend import types as t
from p4xdp.interp import operators
from p4xdp.interp.keysets import NAME_WIDTH
from p4xdp.interp.machine import Run
from p4xdp.interp.packets import PacketOut
from p4xdp.interp.values import (
    Array,
    Bits,
    HeaderValue,
    Record,
    Scalar,
    UnionValue,
    Value,
    plain,
)


def data_bytes(run: Run, value: Value, kind: t.Type, *, zeros_first: bool = False) -> bytes:
    """Return the bits of a value, one scalar behind the other; headers that are not valid have
    none. Zeros fill them up to whole bytes, behind them or, as PSA does it, before them."""
    packet = PacketOut()
    _append(run, packet, value, kind)
    if zeros_first:
        return packet.value.to_bytes((packet.size + 7) // 8, "big")
    return packet.data


def _append(run: Run, packet: PacketOut, value: Value, kind: t.Type) -> None:
    match value, plain(kind):
        case Scalar(value=int() | bool()), _:
            width = operators.width_of(kind)
            packet.append(operators.pattern(int(run.observe(value)), width), width)
        case Scalar(), t.EnumType(members=members):
            packet.append(members.index(str(run.observe(value))), NAME_WIDTH)
        case Scalar(), _:
            errors = run.machine.program.errors
            packet.append(errors.index(str(run.observe(value))), NAME_WIDTH)
        case Bits(size=size, value=bits), _:
            run.undefined_read |= value.undefined
            packet.append(bits, size)
        case HeaderValue() as header, _:
            if run.decide(header.valid):
                for field in header.type.fields:
                    _append(run, packet, header.fields[field.name], field.type)
        case UnionValue(headers=headers), _:
            for one in headers.values():
                _append(run, packet, one, one.type)
        case Record(fields=fields), t.Struct(fields=declared):
            for field in declared:
                _append(run, packet, fields[field.name], field.type)
        case Record(fields=fields), t.Tuple(elements=kinds):
            for i, one_kind in enumerate(kinds):
                _append(run, packet, fields[str(i)], one_kind)
        case Array(elements=elements), t.Stack(element=one_kind):
            for element in elements:
                _append(run, packet, element, one_kind)
        case _:
            raise TypeError(f"{kind} in hashed data")
