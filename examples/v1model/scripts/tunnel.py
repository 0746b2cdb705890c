"""Tunnels: two sites reach each other through a network that sees tunnel headers only.

h1 and h2 are the sites. h3 is the network between them: a Linux bridge from port 3 to port 4,
which knows nothing of IPv4. What h1 and h2 send each other goes through it, one id for each way.
"""

from lab import Lab, ethernet, main

TUNNEL = 0x88B5
OTHER = 0x88B6


def show(lab: Lab) -> None:
    h1, h2, h3 = lab.hosts(3)
    lab.wire(h3, 4)
    h3.ip("link add name between type bridge")
    for device in ("eth0", "eth1"):
        h3.ip(f"link set {device} master between")
    h3.ip("link set between up")
    for host in (h1, h2):
        host.ip("link set eth0 mtu 1496")  # leave room for the tunnel header
    lab.load("tunnel.p4", entries="entries/tunnel.txt")

    lab.say("h1 pings h2, and h3 looks at what crosses it.")
    west, east = h3.frames("eth0"), h3.frames("eth1")
    lab.expect("answers", h1.ping(h2, 2), 2)
    lab.expect("from h1 to h2", tunnels(west.all()), [100, 100])
    lab.expect("from h2 to h1", tunnels(east.all()), [200, 200])

    lab.say("The largest packets that the sites may send fit, too.")
    lab.expect("answers", h1.ping(h2, 2, "-s", str(1496 - 28), "-M", "do"), 2)

    lab.say("h1 talks with h2 over TCP.")
    lab.expect("h1 gets back", h1.tcp(h2, 80, b"through the tunnel"), b"THROUGH THE TUNNEL")

    lab.say(
        "h3 makes up a tunnel with the id 300, of which the switch knows nothing; then with 100."
    )
    arriving = h2.frames()
    for id in (300, 100):
        header = bytes([*id.to_bytes(2, "big"), *OTHER.to_bytes(2, "big")])
        east.send(ethernet("02:00:00:00:01:04", "02:00:00:00:01:03", TUNNEL, header + b"hello"))
    lab.expect("h2 gets", [frame[14:19] for frame in arriving.all()], [b"hello"])


def tunnels(frames: list[bytes]) -> list[int | None]:
    """Return the tunnel ids of frames, None for one without."""
    return [
        int.from_bytes(frame[14:16], "big") if frame[12:14] == TUNNEL.to_bytes(2, "big") else None
        for frame in frames
    ]


if __name__ == "__main__":
    main(show, __doc__)
