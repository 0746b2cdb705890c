"""Raw frames of one device: what goes in here is what the device gets, bit for bit."""

from __future__ import annotations

import socket
import struct

SOL_PACKET = 263
PACKET_AUXDATA = 8
PACKET_IGNORE_OUTGOING = 23
ETH_P_ALL = 3
VLAN_VALID = 1 << 4
TPID_VALID = 1 << 6
AUXDATA = struct.Struct("=IIIHHHH")
"""struct tpacket_auxdata: status, len, snaplen, mac, net, vlan_tci, vlan_tpid."""

ADDRESSES_SIZE = 12
LARGEST_FRAME = 65536


class FrameSocket:
    """Sends frames by a device and receives those that come in by it."""

    def __init__(self, device: str) -> None:
        """Open on a device of this thread's network namespace; raises OSError."""
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 0)
        try:
            self._socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
            self._socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
            self._socket.bind((device, ETH_P_ALL))
            self._socket.setblocking(False)
        except BaseException:
            self._socket.close()
            raise

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, frame: bytes) -> None:
        self._socket.send(frame)

    def receive(self) -> bytes | None:
        """Return the next frame, None when there is none yet."""
        try:
            frame, ancillary, _, _ = self._socket.recvmsg(
                LARGEST_FRAME, socket.CMSG_SPACE(AUXDATA.size)
            )
        except BlockingIOError:
            return None
        for level, kind, data in ancillary:
            if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
                return _with_tag(frame, data)
        return frame

    def close(self) -> None:
        self._socket.close()


def _with_tag(frame: bytes, auxdata: bytes) -> bytes:
    """Put the VLAN tag back that the kernel took out of the frame."""
    status, _, _, _, _, tci, tpid = AUXDATA.unpack_from(auxdata)
    if not status & VLAN_VALID:
        return frame
    tag = struct.pack(">HH", tpid if status & TPID_VALID else 0x8100, tci)
    return frame[:ADDRESSES_SIZE] + tag + frame[ADDRESSES_SIZE:]
