"""What a program hands to user space, seen in a native build."""

from __future__ import annotations

import struct
from pathlib import Path

from p4xdp.runtime.entries import apply_requests
from p4xdp.stf.entries_file import read_requests
from p4xdp.stf.native import NativePlace
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.places import open_place
from p4xdp.stf.runner import compiler

PROGRAM = Path(__file__).parents[2] / "examples" / "packet_in.p4"


def test_events_hold_port_length_and_packet(tmp_path: Path, build_dir: Path) -> None:
    entries = tmp_path / "entries"
    entries.write_text("add protocols type:0x0806 divert()\n")
    options = PlaceOptions(build_dir=build_dir)
    arp, other = bytes(12) + b"\x08\x06\x01\x02\x03", bytes(12) + b"\x08\x00"
    with open_place("native", compiler(PROGRAM, options), (), options) as place:
        assert isinstance(place, NativePlace)
        apply_requests(place.description, place.maps, read_requests(entries))
        for port, packet in ((7, arp), (0, other), (2, arp[:14])):
            place.send(port, packet)
        expected = tuple(
            struct.pack("=II", port, len(packet)) + packet
            for port, packet in ((7, arp), (2, arp[:14]))
        )
        assert place.events() == expected
        assert place.events() == ()
