"""In-band telemetry: packets that carry the list of the switches and ports they have passed.

A frame goes from h1 to h2, h3, h4 and back to h1. Each time it passes the switch it gets an element
with the switch's number, 7, and the port. All other traffic goes on as it is.
"""

from lab import Host, Lab, main

TELEMETRY = bytes.fromhex("88b5")
PAYLOAD = b"the payload of a telemetry frame, long enough for Ethernet"
SWITCH = 7


def show(lab: Lab) -> None:
    h1, h2, h3, h4 = lab.lan(4)
    lab.load("telemetry.p4", entries="entries/telemetry.txt")

    lab.say("Ordinary traffic: a ping and a TCP connection.")
    lab.expect("answers to h1 from h4", h1.ping(h4, 2), 2)
    lab.expect("h2 gets back", h2.tcp(h3, 80, b"hello"), b"HELLO")

    lab.say("A frame on its way h1, h2, h3, h4, h1, with the newest element first.")
    content = b"\0\x08\x00" + PAYLOAD
    for source, target in ((h1, h2), (h2, h3), (h3, h4), (h4, h1)):
        content = carry(source, target, content)
        lab.expect(f"passed when it is at {target.name}", hops(content), way_to(target))
    lab.expect("the payload in the end", content[3 + 4 * 4 :], PAYLOAD)

    lab.say("There is room for four elements: from h1 to h2 once more, it goes on as it is.")
    lab.check("it is the same at h2", carry(h1, h2, content) == content)


def carry(source: Host, target: Host, content: bytes) -> bytes:
    """Send what is behind the Ethernet header from host to host; return what arrives of it."""
    arriving = target.frames()
    addresses = bytes.fromhex((target.mac + source.mac).replace(":", ""))
    source.frames().send(addresses + TELEMETRY + content)
    return (arriving.next() or bytes(17))[14:]


def hops(content: bytes) -> list[tuple[int, int]]:
    """Return the (switch, port) of each element."""
    found = [content[3 + 4 * n : 7 + 4 * n] for n in range(content[0])]
    return [(int.from_bytes(one[:2], "big"), int.from_bytes(one[2:], "big")) for one in found]


def way_to(target: Host) -> list[tuple[int, int]]:
    """Return the elements of a frame that has come to a host on the round trip."""
    ports = [2, 3, 4, 1]
    return [(SWITCH, port) for port in reversed(ports[: ports.index(target.port) + 1])]


if __name__ == "__main__":
    main(show, __doc__)
