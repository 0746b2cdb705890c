"""A thousand access rules, always the same, as lines of a test file.

They have the shapes of real lists: most name a host and a service, some networks, few ports alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

COUNT = 1000
SEED = 20180618

SHAPES = (
    # share of the rules, source prefix, destination prefix, protocol, bits of the destination port
    (300, 32, 32, True, 16),
    (200, 24, 32, True, 16),
    (150, 16, 24, True, 16),
    (150, 0, 32, True, 16),
    (100, 24, 0, True, 0),
    (50, 0, 24, True, 0),
    (40, 0, 0, True, 12),
    (10, 28, 0, False, 0),
)
SERVICES = ((6, 22), (6, 80), (6, 443), (6, 8080), (17, 53), (17, 123), (17, 4789))


def firewall_rules() -> str:
    """Return `add` lines for the table `rules` of programs/firewall.p4."""
    return "\n".join(_lines(random.Random(SEED)))


def _lines(chance: random.Random) -> Iterator[str]:
    priorities = list(range(1, COUNT + 1))
    chance.shuffle(priorities)
    shapes = [shape for shape in SHAPES for _ in range(shape[0])]
    for priority, (_, source, destination, with_protocol, port_bits) in zip(
        priorities, shapes, strict=True
    ):
        protocol, port = chance.choice(SERVICES)
        if port_bits == 12:
            port = chance.randrange(0, 1 << 16, 16)
        yield (
            f"add rules {priority} src:{_prefix(0x0A000000 | chance.getrandbits(24), source, 32)} "
            f"dst:{_prefix(0xC0A80000 | chance.getrandbits(16), destination, 32)} "
            f"protocol:{protocol if with_protocol else '0x**'} src_port:0x**** "
            f"dst_port:{_prefix(port, port_bits, 16)} {chance.choice(('permit', 'deny'))}()"
        )


def _prefix(value: int, length: int, width: int) -> str:
    """Return the first `length` bits of `value` (a multiple of 4), the others left open."""
    digits = f"{value:0{width // 4}x}"
    return "0x" + digits[: length // 4].ljust(width // 4, "*")
