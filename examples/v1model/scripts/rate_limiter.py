"""Rate limiter: a meter for each port, which marks packets down and then drops them.

h1 may send 5 packets at once and 5 more without priority, then one in 100 seconds; h3 may send 20
at once, then 100 a second. Both send to h2, which looks at the priority of what arrives.
"""

import socket
import time

from lab import Host, Lab, main

EXPEDITED = 46 << 2
"""The type of service of packets with priority: DSCP 46."""


def show(lab: Lab) -> None:
    h1, h2, h3 = lab.lan(3)
    lab.load("rate_limiter.p4", entries="entries/rate_limiter.txt")

    with h2.udp(80, seconds=0.2) as arriving:
        arriving.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        lab.say("h1 sends 30 datagrams with priority.")
        send(h1, h2, 30)
        lab.expect("priorities at h2", received(arriving), [EXPEDITED] * 5 + [0] * 5)

        lab.say("h3 sends 15, then 400 more, with priority.")
        send(h3, h2, 15)
        lab.expect("priorities at h2", received(arriving), [EXPEDITED] * 15)
        send(h3, h2, 400)
        count = len(received(arriving))
        lab.check(f"datagrams at h2: {count}, more than 19 and fewer than 400", 19 < count < 400)

        lab.say("After a tenth of a second h3 may send again, h1 may not.")
        time.sleep(0.1)
        send(h3, h2, 1)
        lab.expect("datagrams at h2 from h3", len(received(arriving)), 1)
        send(h1, h2, 1)
        lab.expect("datagrams at h2 from h1", len(received(arriving)), 0)


def send(source: Host, target: Host, count: int) -> None:
    """Send datagrams with priority."""
    with source.udp() as sending:
        sending.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, EXPEDITED)
        for _ in range(count):
            sending.sendto(b"hello", (target.address, 80))


def received(arriving: socket.socket) -> list[int]:
    """Return the types of service of the datagrams that came."""
    found = []
    try:
        while True:
            _, [(_, _, service)], _, _ = arriving.recvmsg(100, 100)
            found.append(service[0])
    except TimeoutError:
        return found


if __name__ == "__main__":
    main(show, __doc__)
