"""What a trace tells of a v1model program: each block, and what happens between them."""

from __future__ import annotations

from v1_case import fill, place

from p4xdp.interp.events import Event
from p4xdp.interp.telling import Teller, to_json

DECL = """
meter(1, MeterType.packets) rate;
bit<2> colour;
"""

BODY = """
log_msg("first byte {}", { hd.h.a });
clone(CloneType.I2E, 5);
s.mcast_grp = 7;
rate.execute_meter(0, colour);
hd.h.d = (bit<8>) colour;
"""


def test_a_trace_shows_blocks_and_what_lies_between() -> None:
    at = place(DECL, BODY)
    fill(at, "mirroring_add 5 4\nmc_mgrp_create 7\nmc_node_create 1 2\nmc_node_associate 7 0\n")
    events: list[Event] = []
    at.trace(0, bytes(4), events.append)
    teller = Teller()
    lines = [line.split(None, 1)[1].strip() for event in events for line in teller.lines(event)]
    wanted = [
        "control I",
        "log(message = first byte 0)",
        "cloned to session 5: port 4",
        "multicast group 7: port 2",
        "to egress for port 4",
        "control E",
        "to egress for port 2",
        "control D",
    ]
    found = iter(lines)
    assert [one for one in wanted if one in found] == wanted


def test_time_goes_on_as_it_is_told() -> None:
    at = place(DECL, BODY.replace("s.mcast_grp = 7;", "s.egress_spec = 1;"))
    fill(at, "meter_set_rates rate 0 0.001:1 0.001:1\n")

    def colour() -> int:
        return next(data[3] for port, data in at.send(0, bytes(4)).packets if port == 1)

    assert [colour(), colour()] == [0, 2]
    at.set_clock(1_000_000)
    assert colour() == 0


RESULTS = """
register<bit<16>>(4) cells;
action copied(in bit<8> x, out bit<8> y) { y = x + 1; }
"""


def test_a_trace_shows_what_a_call_gave() -> None:
    """Not what the variable held before; and which object it was."""
    body = """
    bit<16> was;
    cells.read(was, 2);
    cells.write(3, was);
    copied(hd.h.a, hd.h.b);
    hash(was, HashAlgorithm.identity, (bit<16>) 0, { hd.h.a }, (bit<16>) 100);
    """
    at = place(RESULTS, body)
    fill(at, "register_write cells 2 77\n")
    events: list[Event] = []
    at.trace(0, bytes([5, 0, 0, 0]), events.append)
    teller = Teller()
    lines = [line.split(None, 1)[1].strip() for event in events for line in teller.lines(event)]
    start = lines.index("I.cells.read(index = 0x00000002): result = 0x004d")
    assert lines[start + 1] == "I.cells.write(index = 0x00000003, value = 0x004d)"
    assert lines[start + 2] == "action copied(x = 5)"
    assert lines[start + 4] == "gives y = 6"
    assert lines[start + 5].startswith("hash(algo = identity, base = 0x0000, data = {5}, max = ")
    assert lines[start + 5].endswith("result = 0x0005")
    told = [to_json(event) for event in events]
    (read,) = [one for one in told if one.get("what") == "I.cells.read"]
    assert (read["arguments"], read["results"]) == ({"index": "0x00000002"}, {"result": "0x004d"})
