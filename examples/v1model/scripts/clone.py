"""Watching from aside: what goes to h2 is cloned to a collector, as it came to the switch.

Shown are pings of h1 to h2, whose requests h3 gets as reports while the answers are not watched,
and a large datagram, of which the collector gets the first bytes.
"""

import struct

from lab import Lab, datagram, ethernet, main, router_mac

MOST_BYTES = 96


def show(lab: Lab) -> None:
    h1, h2, h3 = lab.hosts(3)
    lab.load("clone.p4", entries="entries/clone.txt")
    collector = h3.udp(9999)
    arriving = h2.frames()

    lab.say("h1 pings h2.")
    lab.expect("answers", h1.ping(h2), 3)
    reports = [collector.recv(2000) for _ in range(3)]
    told = [struct.unpack(">HHI", report[:8]) for report in reports]
    lab.expect("port, length and number of the reports", told, [(1, 98, n) for n in (1, 2, 3)])
    lab.expect("TTL of the requests at h3", {report[8 + 22] for report in reports}, {64})
    requests = [frame for frame in arriving.all() if frame[12:14] == b"\x08\x00"]
    lab.expect("TTL of the requests at h2", {frame[22] for frame in requests}, {63})

    lab.say("h1 sends h2 a large datagram.")
    packet = datagram((h1.address, 1000), (h2.address, 2000), b"z" * 600)
    frame = ethernet(router_mac(1), h1.mac, 0x0800, packet)
    h1.frames().send(frame)
    report = collector.recv(2000)
    lab.expect("what it says", struct.unpack(">HHI", report[:8]), (1, len(frame), 4))
    lab.check(f"it has the first {MOST_BYTES} bytes", report[8:] == frame[:MOST_BYTES])
    arrived = arriving.next() or b""
    lab.expect("bytes that h2 gets", len(arrived), len(frame))
    lab.expect("answers to h2 from h1", h2.ping(h1), 3)


if __name__ == "__main__":
    main(show, __doc__)
