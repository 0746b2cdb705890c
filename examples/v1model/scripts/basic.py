"""Basic forwarding: hosts of three networks, and a switch that is their router.

Shown are pings between all of them, the TTL that each hop counts down, a TCP connection, and a
longer prefix that takes its packets out of the network around it.
"""

from lab import Lab, main


def show(lab: Lab) -> None:
    h1, h2, h3 = lab.hosts(3)
    lab.load("basic.p4", entries="entries/basic.txt")

    lab.say("Every host pings every other.")
    for source in (h1, h2, h3):
        for target in (h1, h2, h3):
            if source is not target:
                answers = source.ping(target, 2)
                lab.expect(f"answers to {source.name} from {target.name}", answers, 2)

    lab.say("h1 pings h2 with a TTL of 64, then with one that is at its end.")
    arriving = h2.frames()
    h1.run("ping", "-c", "1", "-t", "64", h2.address)
    frame = arriving.next() or bytes(64)
    lab.expect("TTL at h2", frame[22], 63)
    lab.expect("answers to a ping with a TTL of 1", h1.ping(h2, 1, "-t", "1"), 0)

    lab.say("h3 talks with h1 over TCP.")
    lab.expect("h3 gets back", h3.tcp(h1, 80, b"hello"), b"HELLO")

    lab.say("h3 has a second address, 10.0.3.200, but the longest prefix for it says drop.")
    h3.ip("addr add 10.0.3.200/24 dev eth0")
    lab.expect("answers from 10.0.3.200", h1.ping("10.0.3.200", 1), 0)


if __name__ == "__main__":
    main(show, __doc__)
