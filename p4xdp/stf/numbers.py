"""Numbers as people write them to a control plane: decimal, hexadecimal, addresses."""

from __future__ import annotations

import ipaddress
import re

_MAC = re.compile(r"[0-9A-Fa-f]{1,2}(?:[:-][0-9A-Fa-f]{1,2}){5}")
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]+|0[bB][01]+|[0-9]+")


MOST_BITS = 13_000
"""Greater ones are no numbers: keys and cells have at most some thousand bits, and Python reads and
writes no decimal of more than 4,300 digits."""

MOST_DIGITS = 3_900
_MOST_DIGITS = {"0x": MOST_BITS // 4, "0b": MOST_BITS}


def is_too_long(text: str) -> bool:
    """Tell whether a number is written with more digits than one may have."""
    return len(text) > _MOST_DIGITS.get(text[:2].lower(), MOST_DIGITS)


def shortened(text: str) -> str:
    """Return a word as messages show it."""
    return text if len(text) <= 100 else f"{text[:60]}…"


def number_of(text: str) -> int | None:
    """Return what a number, an IPv4, IPv6 or MAC address stands for; None for anything else."""
    if is_too_long(text):
        return None
    if _NUMBER.fullmatch(text):
        prefixed = text[:2].lower() in ("0x", "0b")
        return int(text, 0) if prefixed else int(text)
    if _MAC.fullmatch(text):
        value = 0
        for byte in re.split("[:-]", text):
            value = value << 8 | int(byte, 16)
        return value
    try:
        return int(ipaddress.ip_address(text))
    except ValueError:
        return None
