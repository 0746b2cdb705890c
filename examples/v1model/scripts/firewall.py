"""A stateful firewall: who is inside may talk to anybody, who is outside may only answer.

h1 is inside, h2 and h3 are outside. Shown are connections from inside, which work, and from
outside, which do not; and that an answer gets in only from where h1 has sent something to.
"""

from lab import Lab, main


def show(lab: Lab) -> None:
    h1, h2, h3 = lab.lan(3)
    lab.load("firewall.p4")

    lab.say("h3 seeks a connection to h1, which listens.")
    lab.expect("h3 gets back", h3.tcp(h1, 80, b"let me in"), None)

    lab.say("h1 opens a connection to h2.")
    lab.expect("h1 gets back", h1.tcp(h2, 80, b"hello"), b"HELLO")
    lab.say("h2 seeks one to h1 now.")
    lab.expect("h2 gets back", h2.tcp(h1, 80, b"and now?"), None)

    lab.say("h1 asks h2 over UDP, from port 5000 to port 53.")
    with h1.udp(5000) as asking, h2.udp(53) as answering, h2.udp(54) as other, h3.udp(53) as far:
        asking.sendto(b"a question", (h2.address, 53))
        lab.expect("h2 gets", answering.recv(100), b"a question")
        far.sendto(b"of h3", (h1.address, 5000))
        other.sendto(b"from another port", (h1.address, 5000))
        answering.sendto(b"to another port", (h1.address, 5001))
        answering.sendto(b"an answer", (h1.address, 5000))
        lab.expect("the first that h1 gets", asking.recv(100), b"an answer")

    lab.say("Pings have no ports, so they belong to no flow.")
    lab.expect("answers to h1", h1.ping(h2, 1), 0)


if __name__ == "__main__":
    main(show, __doc__)
