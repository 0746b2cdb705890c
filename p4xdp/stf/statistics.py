"""What a device counts by itself, as `ethtool -S` shows it."""

from __future__ import annotations

import array
import fcntl
import socket
import struct

SIOCETHTOOL = 0x8946
GSTRINGS, GSTATS, GSSET_INFO = 0x1B, 0x1D, 0x37
STATISTICS = 1
NAME_SIZE = 32


class Statistics:
    """The counters of one device of this thread's network namespace."""

    def __init__(self, device: str) -> None:
        """Ask for the names of the counters; raises OSError."""
        self._device = device.encode()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        try:
            self._names = self._ask_names()
        except BaseException:
            self._socket.close()
            raise

    def read(self) -> dict[str, int]:
        """Return each counter, summed over the queues: `xdp_drops`, not `rx_queue_0_xdp_drops`."""
        size = len(self._names)
        raw = self._call(struct.pack("=II", GSTATS, size) + bytes(8 * size))
        values = struct.unpack_from(f"={size}Q", raw, 8)
        sums: dict[str, int] = {}
        for name, value in zip(self._names, values, strict=True):
            sums[name] = sums.get(name, 0) + value
        return sums

    def close(self) -> None:
        self._socket.close()

    def _ask_names(self) -> list[str]:
        raw = self._call(struct.pack("=IIQI", GSSET_INFO, 0, 1 << STATISTICS, 0))
        (size,) = struct.unpack_from("=I", raw, 16)
        raw = self._call(struct.pack("=III", GSTRINGS, STATISTICS, size) + bytes(NAME_SIZE * size))
        names = (raw[12 + NAME_SIZE * i :][:NAME_SIZE] for i in range(size))
        return [_without_queue(name.split(b"\0")[0].decode()) for name in names]

    def _call(self, request: bytes) -> bytes:
        buffer = array.array("B", request)
        address, _ = buffer.buffer_info()
        fcntl.ioctl(self._socket, SIOCETHTOOL, struct.pack("16sP16x", self._device, address))
        return buffer.tobytes()


def _without_queue(name: str) -> str:
    head, _, rest = name.partition("_queue_")
    return rest.partition("_")[2] if rest and head == "rx" else name
