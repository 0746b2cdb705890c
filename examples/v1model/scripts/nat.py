"""Source NAT: two hosts that share one address outside, each by ports of its own.

h1 and h2 are inside, h3 is outside and sees 192.0.2.1 only. Shown are UDP and TCP from both at the
same time and from the same port, with answers; h3's kernel drops what has a wrong checksum.
"""

from socket import MSG_WAITALL

from lab import WAIT, Lab, main

OUTSIDE = "192.0.2.1"
PORT = 5000


def show(lab: Lab) -> None:
    h1, h2, h3 = lab.hosts(3)
    lab.load("nat.p4", entries="entries/nat.txt")

    lab.say(f"h1 and h2 ask h3 over UDP from port {PORT}.")
    with h1.udp(PORT) as first, h2.udp(PORT) as second, h3.udp(53) as server:
        for asking in (first, second):
            asking.sendto(b"a question", (h3.address, 53))
        senders = [server.recvfrom(100)[1] for _ in range(2)]
        lab.expect("h3 is asked by", senders, [(OUTSIDE, 40001), (OUTSIDE, 40002)])
        for sender in senders:
            server.sendto(f"for {sender[1]}".encode(), sender)
        lab.expect("the answer to h1", first.recvfrom(100), (b"for 40001", (h3.address, 53)))
        lab.expect("the answer to h2", second.recvfrom(100), (b"for 40002", (h3.address, 53)))

    lab.say(f"h1 and h2 open TCP connections to h3 from port {PORT}.")
    with h3.listen(80) as listening:
        for host, port in ((h1, 40001), (h2, 40002)):
            connection = host.connect(h3, 80, PORT)
            lab.check(f"{host.name} is connected", connection is not None)
            if connection is None:
                continue
            served, peer = listening.accept()
            lab.expect("h3 sees", peer, (OUTSIDE, port))
            with connection, served:
                served.settimeout(WAIT)
                connection.sendall(b"hello" * 1000)
                lab.expect("h3 gets so many bytes", len(served.recv(5000, MSG_WAITALL)), 5000)

    lab.say("Nobody outside can begin, and no port inside that the NAT does not know.")
    with h1.udp(PORT) as inside, h1.udp(5001) as other, h3.udp(54, seconds=0.2) as outside:
        other.sendto(b"of an unknown port", (h3.address, 54))
        outside.sendto(b"to an unknown port", (OUTSIDE, 40003))
        outside.sendto(b"past the NAT", (h1.address, PORT))
        inside.sendto(b"of a known one", (h3.address, 54))
        lab.expect("the first that h3 gets", outside.recv(100), b"of a known one")
        outside.sendto(b"an answer", (OUTSIDE, 40001))
        lab.expect("the first that h1 gets", inside.recv(100), b"an answer")


if __name__ == "__main__":
    main(show, __doc__)
