"""The statements that bmv2's test files have beside those of every STF: replication, counters,
registers and meters. A line goes in, a request comes out."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from p4xdp.diagnostics import fail
from p4xdp.runtime.requests import (
    AddSession,
    AssociateNode,
    CreateGroup,
    CreateNode,
    DeleteSession,
    Inspect,
    MeterRate,
    Number,
    Request,
    SetRates,
    UpdateNode,
    WriteCounter,
    WriteRegister,
)
from p4xdp.stf.tokens import Kind, Line

ZERO = Number(0, text="0")


def _session_to_port(line: Line, start: int) -> Request:
    session, port = line.number_value("a session"), line.number_value("a port")
    return AddSession(session, port=port, span=line.span_from(start))


def _session_to_group(line: Line, start: int) -> Request:
    session, group = line.number_value("a session"), line.number_value("a multicast group")
    return AddSession(session, group=group, span=line.span_from(start))


def _delete_session(line: Line, start: int) -> Request:
    return DeleteSession(line.number_value("a session"), line.span_from(start))


def _create_group(line: Line, start: int) -> Request:
    return CreateGroup(line.number_value("a multicast group"), line.span_from(start))


def _create_node(line: Line, start: int) -> Request:
    rid = line.number_value("a replication id")
    return CreateNode(rid, _ports(line), line.span_from(start))


def _update_node(line: Line, start: int) -> Request:
    node = line.number_value("a node")
    return UpdateNode(node, _ports(line), line.span_from(start))


def _associate(line: Line, start: int) -> Request:
    group, node = line.number_value("a multicast group"), line.number_value("a node")
    return AssociateNode(group, node, span=line.span_from(start))


def _ports(line: Line) -> tuple[Number, ...]:
    ports = []
    while line.peek().kind is Kind.NUMBER:
        ports.append(line.number_value("a port"))
    return tuple(ports)


def _read_session(line: Line, start: int) -> Request | None:
    """Showing a session changes nothing."""
    line.number_value("a session")
    return None


def _read_counter(line: Line, start: int) -> Request:
    name, index = line.name("a counter's name"), line.number_value("an index")
    return Inspect("counter", name, index, line.span_from(start))


def _write_counter(line: Line, start: int) -> Request:
    name, index = line.name("a counter's name"), line.number_value("an index")
    packets, size = line.number_value("a number of packets"), line.number_value("bytes")
    return WriteCounter(name, index, packets, size, line.span_from(start))


def _read_register(line: Line, start: int) -> Request:
    name, index = line.name("a register's name"), line.number_value("an index")
    return Inspect("register", name, index, line.span_from(start))


def _write_register(line: Line, start: int) -> Request:
    name, index = line.name("a register's name"), line.number_value("an index")
    return WriteRegister(name, index, line.number_value("a value"), line.span_from(start))


def _reset_register(line: Line, start: int) -> Request:
    return WriteRegister(line.name("a register's name"), None, ZERO, line.span_from(start))


def _read_rates(line: Line, start: int) -> Request:
    name, index = line.name("a meter's name"), line.number_value("an index")
    return Inspect("meter", name, index, line.span_from(start))


def _set_rates(line: Line, start: int) -> Request:
    name, index = line.name("a meter's name"), line.number_value("an index")
    return SetRates(name, index, _rates(line), line.span_from(start))


def _set_all_rates(line: Line, start: int) -> Request:
    name = line.name("a meter's name")
    return SetRates(name, None, _rates(line), line.span_from(start))


def _rates(line: Line) -> tuple[MeterRate, ...]:
    """Take `rate:burst` once or twice; a rate may have decimals."""
    rates: list[MeterRate] = []
    while not rates or line.peek().kind is not Kind.END:
        whole = line.number_value("a rate")
        decimals = line.number_value("the decimals of a rate") if line.take_sign(".") else ZERO
        line.expect_sign(":", "between rate and burst")
        burst = line.number_value("a burst")
        for part in (whole, decimals):
            if not part.text.isdigit():
                text = f"expected decimal digits, found `{part.text}`"
                raise fail("stf-syntax", part.span, text)
        rate = Fraction(f"{whole.text}.{decimals.text}")
        rates.append(MeterRate(rate, burst.value, whole.span.to(burst.span)))
    return tuple(rates)


STATEMENTS: dict[str, Callable[[Line, int], Request | None]] = {
    "mirroring_add": _session_to_port,
    "mirroring_add_mc": _session_to_group,
    "mirroring_delete": _delete_session,
    "mirroring_get": _read_session,
    "mc_mgrp_create": _create_group,
    "mc_node_create": _create_node,
    "mc_node_update": _update_node,
    "mc_node_associate": _associate,
    "counter_read": _read_counter,
    "counter_write": _write_counter,
    "register_read": _read_register,
    "register_write": _write_register,
    "register_reset": _reset_register,
    "meter_get_rates": _read_rates,
    "meter_set_rates": _set_rates,
    "meter_array_set_rates": _set_all_rates,
}
"""By keyword; those that only show something make no request, or one that looks."""
