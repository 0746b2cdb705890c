"""Asks the calculator in the network: `calculate.py 10.0.9.9 6 "*" 7` prints 42.

The address may be any whose packets reach the switch. Exits with 1 if there is no answer or no such
operation.
"""

from __future__ import annotations

import socket
import struct
import sys

PORT = 5000
REQUEST, DONE = 0, 1
CALCULATION = struct.Struct(">BcIII")
"""Status, operation, left, right, result."""


def calculate(address: str, left: int, operation: str, right: int) -> int:
    """Return the result, in 32 bits; raises TimeoutError, ValueError for no such operation."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(1)
        asking.connect((address, PORT))
        asking.send(CALCULATION.pack(REQUEST, operation.encode(), left, right, 0))
        status, _, _, _, result = CALCULATION.unpack(asking.recv(CALCULATION.size))
    if status != DONE:
        raise ValueError(f"the switch does not know the operation {operation}")
    return int(result)


if __name__ == "__main__":
    if len(sys.argv) != 5 or len(sys.argv[3]) != 1:
        sys.exit('usage: calculate.py ADDRESS LEFT "+" RIGHT; the operations are + - * & | ^')
    address, left, operation, right = sys.argv[1:]
    try:
        print(calculate(address, int(left), operation, int(right)))
    except (OSError, ValueError, struct.error) as error:
        sys.exit(f"error: {error}")
