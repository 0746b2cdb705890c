"""Link monitor: a probe that comes home with how many bytes each link on its way has carried.

h1 sends datagrams to h2 and h3, then a probe to h2, which h2 sends on to h3: each time it passes
the switch it takes along what went out by that port, and that count starts again.
"""

from lab import Host, Lab, main

PROBE = bytes.fromhex("88b6")
HEADERS = 14 + 20 + 8
"""The bytes of Ethernet, IPv4 and UDP."""


def show(lab: Lab) -> None:
    h1, h2, h3 = lab.lan(3)
    lab.load("link_monitor.p4")

    lab.say("h1 sends 10 datagrams of 100 bytes to h2 and 5 of 1000 to h3.")
    lab.expect("datagrams at h2", send(h1, h2, 10, 100), 10)
    lab.expect("datagrams at h3", send(h1, h3, 5, 1000), 5)

    lab.say("h1 sends a probe to h2, which sends it on to h3.")
    links = probe(h1, h2, h3)
    lab.expect("reports of (port, bytes), the newest first", links, expected(5 * 1000, 10 * 100))

    lab.say("Once more, with 3 more datagrams to h3 in between.")
    lab.expect("datagrams at h3", send(h1, h3, 3, 100), 3)
    lab.expect("reports", probe(h1, h2, h3), [(3, 3 * (HEADERS + 100)), (2, 0)])


def expected(to_h3: int, to_h2: int) -> list[tuple[int, int]]:
    """Return the reports for so many bytes of data in 5 datagrams to h3 and in 10 to h2."""
    return [(3, to_h3 + 5 * HEADERS), (2, to_h2 + 10 * HEADERS)]


def send(source: Host, target: Host, count: int, size: int) -> int:
    """Send datagrams and return how many arrive."""
    with source.udp() as sending, target.udp(80, seconds=0.2) as arriving:
        for _ in range(count):
            sending.sendto(bytes(size), (target.address, 80))
        found = 0
        try:
            while arriving.recv(2000):
                found += 1
        except TimeoutError:
            pass
    return found


def probe(first: Host, second: Host, last: Host) -> list[tuple[int, int]]:
    """Send an empty probe from host to host and return its reports."""
    at_second, at_last = second.frames(), last.frames()
    first.frames().send(frame(first, second, b"\0" + bytes(40)))
    halfway = at_second.next() or bytes(60)
    at_second.send(frame(second, last, halfway[14:]))
    found = at_last.next() or bytes(60)
    count, reports = found[14], found[15:]
    parts = [reports[6 * n : 6 * n + 6] for n in range(count)]
    return [(int.from_bytes(one[:2], "big"), int.from_bytes(one[2:], "big")) for one in parts]


def frame(source: Host, target: Host, payload: bytes) -> bytes:
    """Return a frame with a probe."""
    addresses = bytes.fromhex((target.mac + source.mac).replace(":", ""))
    return addresses + PROBE + payload


if __name__ == "__main__":
    main(show, __doc__)
