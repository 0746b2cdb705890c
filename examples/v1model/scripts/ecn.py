"""Congestion marks (ECN): a sender that is too fast is told so before its packets are lost.

The switch may send 5,000 bytes at once to h2 and to h3, and up to 10,000 with a mark. h4 gets
10 bytes for each microsecond without a mark, which a TCP connection soon exceeds.
"""

import socket
import threading

from lab import WAIT, Host, Lab, main

NOT_ECT, ECT, MARKED = 0, 2, 3
CWR = 0x80
"""The flag of TCP by which a sender says that it has slowed down."""


def show(lab: Lab) -> None:
    h1, h2, h3, h4 = lab.hosts(4)
    lab.load("ecn.p4", entries="entries/ecn.txt")

    lab.say("h1 sends h2 20 datagrams of 1,000 bytes, and says that it understands marks.")
    seen = burst(h1, h2, ECT)
    lab.expect("without a mark", seen.count(ECT), 5)
    lab.expect("marked", seen.count(MARKED), 5)
    lab.expect("lost", 20 - len(seen), 10)

    lab.say("h1 sends h3 as many, and does not understand marks.")
    seen = burst(h1, h3, NOT_ECT)
    lab.expect("without a mark", seen.count(NOT_ECT), 5)
    lab.expect("lost", 20 - len(seen), 15)

    lab.say("h1 sends h4 a megabyte by TCP with ECN.")
    h1.run("sysctl", "-q", "net.ipv4.tcp_ecn=1")
    arriving = h4.frames()
    lab.expect("bytes at h4", transfer(h1, h4, 1_000_000), 1_000_000)
    frames = arriving.all(0)
    lab.check("h4 got packets with a mark", any(frame[15] & 3 == MARKED for frame in frames))
    lab.check("h1 says that it has slowed down", any(frame[47] & CWR for frame in frames))


def burst(source: Host, to: Host, mark: int) -> list[int]:
    """Send datagrams with an ECN field; return those of the datagrams that arrive."""
    arriving = to.frames()
    sender = source.udp()
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, mark)
    for _ in range(20):
        sender.sendto(bytes(1000 - 42), (to.address, 5000))
    return [frame[15] & 3 for frame in arriving.all()]


def transfer(source: Host, to: Host, size: int) -> int:
    """Send so many bytes by TCP; return how many arrive."""
    listening = to.listen(5000)
    connection = source.connect(to, 5000)
    if connection is None:
        return 0
    sender = threading.Thread(target=lambda: connection.sendall(bytes(size)), daemon=True)
    sender.start()
    with listening.accept()[0] as served:
        served.settimeout(WAIT)
        arrived = 0
        while arrived < size and (data := served.recv(65536)):
            arrived += len(data)
    sender.join()
    return arrived


if __name__ == "__main__":
    main(show, __doc__)
