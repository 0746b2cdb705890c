"""What becomes of a packet."""

from __future__ import annotations

from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Digest:
    """What the control plane is told: the scalars of the data by their dotted names, as unsigned
    bit patterns."""

    name: str
    receiver: int
    fields: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """`verdict` is aborted, drop, pass, tx or redirect; the packet leaves as `data` by `port`,
    unless `data` is None.

    `error` is the parser's. `undefined_read` says that an undefined value had a part in it, so
    that another answer may be as right. `more` are the packets (port, bytes) that leave behind
    that one, where the architecture makes copies; `digests` are those sent on the way.
    """

    verdict: str
    port: int
    data: bytes | None
    error: str
    undefined_read: bool = False
    more: tuple[tuple[int, bytes], ...] = ()
    digests: tuple[Digest, ...] = ()
