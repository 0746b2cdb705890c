"""A stream for many: each subscriber gets a copy that is addressed to itself.

Shown are datagrams of h1 to the group 239.1.2.3, which h2 gets once and h3 twice, for its two
subscriptions; h4, which has none, gets nothing. The frames at the hosts are exactly those copies.
"""

import socket

from lab import Lab, datagram, ethernet, main, router_mac

GROUP = "239.1.2.3"
COUNT = 5


def show(lab: Lab) -> None:
    h1, h2, h3, h4 = lab.hosts(4)
    lab.load("multicast.p4", entries="entries/multicast.txt")
    subscribed = {
        "h2 at 5000": h2.udp(5000),
        "h3 at 5000": h3.udp(5000),
        "h3 at 5001": h3.udp(5001),
    }
    captured = {host.name: host.frames() for host in (h2, h3, h4)}

    lab.say(f"h1 sends {COUNT} datagrams to {GROUP}.")
    sent = [f"number {number}".encode() for number in range(COUNT)]
    with h1.udp(4000) as stream:
        stream.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 8)  # 1 stays on the wire
        for one in sent:
            stream.sendto(one, (GROUP, 6000))
    for name, receiver in subscribed.items():
        lab.expect(f"what {name} gets", [receiver.recv(100) for _ in sent], sent)

    lab.say("Nothing else has come to any host.")
    frames = {name: capture.all() for name, capture in captured.items()}
    lab.expect("frames at h2", len(frames["h2"]), COUNT)
    lab.expect("frames at h3", len(frames["h3"]), 2 * COUNT)
    lab.expect("frames at h4", len(frames["h4"]), 0)

    lab.say("A copy is from the switch to its subscriber, one hop older, with a right checksum.")
    h1.frames().send(
        ethernet("01:00:5e:01:02:03", h1.mac, 0x0800, datagram((h1.address, 1), (GROUP, 2), b"x"))
    )
    packet = datagram((h1.address, 1), (h2.address, 5000), b"x", ttl=63)
    copy = captured["h2"].next()
    lab.expect("the frame at h2", copy, ethernet(h2.mac, router_mac(2), 0x0800, packet))


if __name__ == "__main__":
    main(show, __doc__)
