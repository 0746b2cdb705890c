"""Equal cost: one address behind two ports, and a hash that gives each flow one of them.

h2 and h3 both are 10.0.9.1. Shown are TCP connections of h1 to that address, and how many of 32
flows of UDP each server gets; the packets of a flow all go to the same one.
"""

import socket

from lab import WAIT, Host, Lab, main

SERVICE = "10.0.9.1"
FLOWS = range(5000, 5032)


def show(lab: Lab) -> None:
    h1, h2, h3 = lab.hosts(3)
    lab.load("ecmp.p4", entries="entries/ecmp.txt")
    for host in (h2, h3):
        host.ip(f"addr add {SERVICE}/32 dev lo")

    lab.say(f"h1 sends 3 datagrams from each of {len(FLOWS)} ports to {SERVICE}.")
    servers = {host.name: served(lab, host) for host in (h2, h3)}
    for port in FLOWS:
        with h1.udp(port) as flow:
            for _ in range(3):
                flow.sendto(b"hello", (SERVICE, 80))
    counts = {name: arrived(server) for name, server in servers.items()}
    total = sum(sum(flows.values()) for flows in counts.values())
    lab.expect("datagrams that arrived", total, 3 * len(FLOWS))
    for name, flows in counts.items():
        lab.check(f"flows that {name} got: {len(flows)}, at least a quarter", len(flows) >= 8)
        lab.expect(f"datagrams of each of them at {name}", set(flows.values()), {3})

    lab.say(f"h1 opens 8 TCP connections to {SERVICE}, where both servers listen.")
    listening = {host.name: host.listen(80) for host in (h2, h3)}
    connections = [h1.connect(SERVICE, 80, own_port) for own_port in range(6000, 6008)]
    lab.expect("connections", sum(one is not None for one in connections), 8)
    accepted = {name: count_accepted(one) for name, one in listening.items()}
    lab.expect("served by h2 and h3 together", sum(accepted.values()), 8)
    lab.check(f"served by each: {accepted}", all(accepted.values()))


def served(lab: Lab, host: Host) -> socket.socket:
    """Return a socket that receives what comes for the service at a host."""
    with host.inside():
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    lab.at_end(one.close)
    one.bind((SERVICE, 80))
    one.settimeout(WAIT / 4)
    return one


def arrived(server: socket.socket) -> dict[int, int]:
    """Return how many datagrams came, by the port that they came from."""
    found: dict[int, int] = {}
    try:
        while True:
            _, (_, port) = server.recvfrom(100)
            found[port] = found.get(port, 0) + 1
    except TimeoutError:
        return found


def count_accepted(listening: socket.socket) -> int:
    """Return how many connections wait to be accepted."""
    listening.settimeout(WAIT / 4)
    count = 0
    try:
        while True:
            listening.accept()[0].close()
            count += 1
    except TimeoutError:
        return count


if __name__ == "__main__":
    main(show, __doc__)
