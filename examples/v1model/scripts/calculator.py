"""A calculator in the network: the switch itself answers what clients ask over UDP.

The client, tools/calculate.py, knows nothing of the switch: it sends a datagram to an address that
no host has, and prints the result that comes back.
"""

import sys

from lab import EXAMPLES, Host, Lab, main


def show(lab: Lab) -> None:
    h1, h2, h3 = lab.hosts(3)
    lab.load("calculator.p4")

    for host, left, operation, right, result in (
        (h1, 6, "*", 7, 42),
        (h2, 4_000_000_000, "+", 300_000_000, 5_032_704),  # it counts in 32 bits
        (h3, 3, "-", 5, 4_294_967_294),
        (h1, 12, "&", 10, 8),
        (h2, 12, "|", 10, 14),
        (h3, 12, "^", 10, 6),
    ):
        lab.say(f"{host.name} asks for {left} {operation} {right}.")
        lab.expect("the client prints", asked(host, left, operation, right), str(result))

    lab.say("h1 asks for 6 / 7, but the switch cannot divide.")
    lab.expect("the client prints", asked(h1, 6, "/", 7), "")

    lab.say("Nothing else comes through: h1 pings h2.")
    lab.expect("answers", h1.ping(h2, 1), 0)


def asked(host: Host, left: int, operation: str, right: int) -> str:
    """Return what the client prints, nothing if it fails."""
    client = EXAMPLES / "tools" / "calculate.py"
    words = ("10.0.9.9", str(left), operation, str(right))
    return host.run(sys.executable, client, *words, must=False).strip()


if __name__ == "__main__":
    main(show, __doc__)
