"""How packets and the control plane reach the entries of a table: all that depends on its kind.

The back end asks here for the limits of a table's kind, how its key is given, which maps hold its
entries, and for two texts: the C function that a packet's key goes into, and the functions of the
header by which entries change. A new kind of table is one more class, and a line in `BY_KIND`.
"""

from __future__ import annotations

from p4xdp.backend_c.access.array import Array
from p4xdp.backend_c.access.base import Access
from p4xdp.backend_c.access.hash import Hash
from p4xdp.backend_c.access.lpm import Lpm
from p4xdp.backend_c.access.ternary import Ternary
from p4xdp.backend_c.model import Table

__all__ = ["Access", "by_kind", "of"]

BY_KIND: dict[str, Access] = {
    "hash": Hash(),
    "array": Array(),
    "lpm": Lpm(),
    "ternary": Ternary(),
}
"""By `description.Table.kind`; a `constant` table is code and has no entry here."""


def of(table: Table) -> Access:
    """Return how a table is reached that has a map."""
    return BY_KIND[table.kind]


def by_kind(kind: str) -> Access | None:
    """Return how tables of a kind are reached, None for `constant`."""
    return BY_KIND.get(kind)
