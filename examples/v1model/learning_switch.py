#!/usr/bin/env python3
"""The controller of learning_switch.p4: where hosts are, as the switch tells it.

p4xdp load learning_switch.p4 --port 1=veth1 --port 2=veth2 --entries FILE
./learning_switch.py veth1
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from p4xdp.controller import Digest, Switch


class Learner:
    """Enters the sources that digests tell. A host is at one port; when it turns up at another one,
    it has moved."""

    def __init__(self, switch: Switch) -> None:
        self.switch = switch
        self.ports: dict[int, int] = {}
        for entry in switch.entries("destinations"):
            if isinstance(mac := entry.keys["hdr.ethernet.dst"], int):
                self.ports[mac] = entry.data["port"]

    def learn(self, digest: Digest) -> str | None:
        """Enter a source; return what to say of it, None when it is known, as it is while packets
        overtake the entries."""
        mac, port = digest.fields["source"], digest.fields["port"]
        before = self.ports.get(mac)
        if before == port or mac >> 40 & 1:
            return None
        self.ports[mac] = port
        self.switch.add("destinations", {"dst": mac}, "forward", {"port": port})
        self.switch.add("sources", {"src": mac, "ingress_port": port}, "known")
        if before is None:
            return f"{shown(mac)} is at port {port}"
        self.switch.remove("sources", {"src": mac, "ingress_port": before})
        return f"{shown(mac)} has moved from port {before} to port {port}"

    def forget_silent(self, age: float) -> Iterator[str]:
        """Remove the hosts that have sent nothing for so many seconds; yield what to say."""
        for entry in self.switch.idle("sources", age):
            self.switch.remove("sources", entry.keys)
            mac = entry.keys["hdr.ethernet.src"]
            if isinstance(mac, int) and self.ports.pop(mac, None) is not None:
                self.switch.remove("destinations", {"dst": mac})
                yield f"{shown(mac)} is silent"


def shown(mac: int) -> str:
    return mac.to_bytes(6, "big").hex(":")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("device", help="a device of the switch")
    parser.add_argument(
        "--age", type=float, default=300, metavar="SECONDS", help="forget who is silent for so long"
    )
    arguments = parser.parse_args()
    with Switch.open(arguments.device) as switch:
        switch.listen()
        learner = Learner(switch)
        print("learning", flush=True)
        while True:
            for message in switch.messages(timeout=min(arguments.age, 1)):
                if isinstance(message, Digest) and (text := learner.learn(message)):
                    print(text, flush=True)
            for text in learner.forget_silent(arguments.age):
                print(text, flush=True)


if __name__ == "__main__":
    main()
