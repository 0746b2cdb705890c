"""Source routing: the sender says by which ports its packets go.

Port 4 of the switch is wired to port 5, and port 6 to port 7: a packet that goes out by port 4
comes in again by port 5, as if there were a second switch behind it. Each hop makes it older.
"""

from lab import Host, Lab, datagram, ethernet, main

SOURCE_ROUTE = 0x88B5
LAST = 0x8000


def show(lab: Lab) -> None:
    h1, h2, h3 = lab.hosts(3)
    lab.cable(4, 5)
    lab.cable(6, 7)
    lab.load("source_routing.p4")

    for way in ([2], [4, 2], [6, 4, 2], [4, 4, 6, 4, 2]):
        lab.say(f"h1 sends h2 a datagram by the ports {way}.")
        lab.expect("h2 gets, and the TTL is", sent(h1, h2, way), (b"hello", 64 - len(way)))

    lab.say("h2 answers by another way, and h3 gets one, too.")
    lab.expect("h1 gets", sent(h2, h1, [6, 4, 4, 1]), (b"hello", 60))
    lab.expect("h3 gets", sent(h1, h3, [4, 3]), (b"hello", 62))

    lab.say("h1 sends h2 a datagram that is too old for its way.")
    lab.expect("h2 gets", sent(h1, h2, [4, 4, 4, 2], ttl=4), None)

    lab.say("h1 sends a datagram for h2 to h3: the way decides, and h3 does not want it.")
    lab.expect("h2 gets", sent(h1, h2, [3]), None)


def sent(source: Host, to: Host, way: list[int], ttl: int = 64) -> tuple[bytes, int] | None:
    """Send a datagram; return what arrives at a UDP socket, and its TTL."""
    stack = b"".join(port.to_bytes(2, "big") for port in (*way[:-1], way[-1] | LAST))
    packet = datagram((source.address, 4000), (to.address, 5000), b"hello", ttl)
    frame = ethernet(to.mac, source.mac, SOURCE_ROUTE, stack + packet)
    with to.udp(5000, seconds=0.3) as arriving:
        seen = to.frames()
        source.frames().send(frame)
        try:
            data = arriving.recv(100)
        except TimeoutError:
            return None
    return data, (seen.next() or bytes(64))[22]


if __name__ == "__main__":
    main(show, __doc__)
