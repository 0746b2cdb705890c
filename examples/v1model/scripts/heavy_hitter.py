"""Heavy hitters: a count-min sketch that finds the flows with more than three packets.

h1 sends to h2; what is too much of a flow the switch sends to h3. Shown are many small flows, none
of which is taken for a large one, and one that grows large among them.
"""

import socket

from lab import Host, Lab, main

SMALL = range(5000, 5040)
LARGE = 6000


def show(lab: Lab) -> None:
    h1, h2, h3 = lab.lan(3)
    lab.load("heavy_hitter.p4")
    heavy = h3.frames()

    with h2.udp(80, seconds=0.2) as arriving:
        lab.say(f"h1 sends 2 datagrams in each of {len(SMALL)} flows.")
        for port in SMALL:
            send(h1, h2, port, 2)
        lab.expect("datagrams at h2", len(received(arriving)), 2 * len(SMALL))
        lab.expect("frames at h3", len(heavy.all()), 0)

        lab.say("h1 sends 10 datagrams in one flow, and one more in a small one.")
        send(h1, h2, LARGE, 10)
        send(h1, h2, SMALL[0], 1)
        lab.expect("ports of those at h2", received(arriving), [LARGE] * 3 + [SMALL[0]])
        ports = [int.from_bytes(frame[34:36], "big") for frame in heavy.all()]
        lab.expect("ports of the frames at h3", ports, [LARGE] * 7)


def send(source: Host, target: Host, port: int, count: int) -> None:
    """Send so many datagrams from a port."""
    with source.udp(port) as flow:
        for _ in range(count):
            flow.sendto(b"hello", (target.address, 80))


def received(arriving: socket.socket) -> list[int]:
    """Return the ports that the datagrams came from."""
    found = []
    try:
        while True:
            found.append(arriving.recvfrom(100)[1][1])
    except TimeoutError:
        return found


if __name__ == "__main__":
    main(show, __doc__)
