"""A learning switch: hosts of one network, and a controller that is told where they are.

Shown are the first frame, which goes to everyone, the entries that the controller makes of digests,
frames that go to one port from then on, a host that moves to another port, and hosts that are
forgotten when they are silent.
"""

import sys
from collections.abc import Iterable, Iterator

from lab import EXAMPLES, Lab, main

CONTROLLER = EXAMPLES / "learning_switch.py"


def until(lines: Iterable[str], *words: str) -> Iterator[str]:
    """Yield lines until each of the words has stood in one of them."""
    missing = set(words)
    for line in lines:
        yield line
        missing -= {word for word in missing if word in line}
        if not missing:
            return


def show(lab: Lab) -> None:
    h1, h2, h3 = lab.lan(3, arp=True)
    second = lab.wire(h2, 4)
    lab.load("learning_switch.p4", entries="entries/learning_switch.txt")

    lab.say("A controller listens.")
    controller = lab.switch.start(sys.executable, CONTROLLER, "port1")
    assert controller.stdout is not None
    lab.expect("the controller says", controller.stdout.readline(), "learning\n")

    lab.say("h1 seeks h2 by ARP and pings it; h3 sees the question, to everyone, and no more.")
    overheard = h3.frames()
    lab.expect("answers to h1 from h2", h1.ping(h2), 3)
    seen = {frame[12:14].hex() for frame in overheard.all() if frame[6:12].hex(":") == h1.mac}
    lab.check("h3 sees the ARP of h1", "0806" in seen)

    lab.say("The controller was told of both.")
    told = {line.strip() for line in until(controller.stdout, h1.mac, h2.mac)}
    wanted = {f"{h1.mac} is at port 1", f"{h2.mac} is at port 2"}
    lab.check(f"it says: {'; '.join(sorted(told))}", wanted <= told)

    lab.say("From now on h3 sees nothing of what they say to each other.")
    lab.expect("answers to h2 from h1", h2.ping(h1), 3)
    between = [frame for frame in overheard.all() if frame[6:12].hex(":") in (h1.mac, h2.mac)]
    lab.expect("frames at h3", len(between), 0)

    lab.say("h2 moves to port 4: its other device takes its MAC and its address.")
    h2.ip("link set eth0 down")
    h2.ip(f"link set {second} address {h2.mac}")
    h2.ip(f"addr replace {h2.address}/24 dev {second}")
    h2.ping(h1, 1)  # the answer may still go to port 2
    said = [line.strip() for line in until(controller.stdout, "moved")]
    lab.expect("the controller says", said[-1:], [f"{h2.mac} has moved from port 2 to port 4"])
    lab.expect("answers to h2 from h1", h2.ping(h1), 3)
    lab.expect("answers to h1 from h2", h1.ping(h2), 3)

    lab.say("Another controller, which forgets who is silent for half a second, takes over.")
    controller.terminate()
    controller.wait()
    second_one = lab.switch.start(sys.executable, CONTROLLER, "port1", "--age", "0.5")
    assert second_one.stdout is not None
    told = {line.strip() for line in until(second_one.stdout, h1.mac, h2.mac)}
    lab.check(f"it says: {'; '.join(sorted(told))}", f"{h1.mac} is silent" in told)
    lab.expect("answers to h1 from h2", h1.ping(h2), 3)


if __name__ == "__main__":
    main(show, __doc__)
