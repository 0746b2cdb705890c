"""The programs that are compared: for each its P4, its twin, its entries and packets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rules import firewall_rules

from p4xdp.runtime.requests import AddEntry
from p4xdp.stf.parser import parse_case
from p4xdp.stf.syntax import Packet, Statement

HERE = Path(__file__).parent
ROOT = HERE.parent

EXAMPLES = "examples"
SAMPLES = "tests/stf/samples"
OWN = "bench/programs"


@dataclass(frozen=True, slots=True)
class Case:
    """`name` is that of twins/NAME.c; `program` a path without suffix to the .p4 and the .stf.

    `common` and `rare` are packets of the .stf by number from 0, `rare` None where there is only
    one path. `rules` makes `add` lines that stand before those of the file.
    """

    name: str
    program: str
    what: str
    common: int
    rare: int | None
    rules: Callable[[], str] | None = None

    @property
    def p4(self) -> Path:
        return ROOT / f"{self.program}.p4"

    @property
    def twin(self) -> Path:
        return HERE / "twins" / f"{self.name}.c"

    def statements(self) -> tuple[AddEntry | Packet, ...]:
        """Return the entries and packets, up to where the file changes a default or starts over:
        the twins have their defaults built in."""
        path = ROOT / f"{self.program}.stf"
        found: list[AddEntry | Packet] = []
        before = parse_case(self.rules(), "rules").statements if self.rules else ()
        for statement in (*before, *parse_case(path.read_text(), str(path)).statements):
            if isinstance(statement, AddEntry | Packet):
                found.append(statement)
            elif _changes_more(statement):
                break
        return tuple(found)

    def packets(self) -> tuple[bytes, ...]:
        return tuple(s.data for s in self.statements() if isinstance(s, Packet))


def _changes_more(statement: Statement) -> bool:
    return type(statement).__name__ in ("SetDefault", "RemoveAll")


CASES = (
    Case("drop", f"{SAMPLES}/xdp0", "drop everything", 0, None),
    Case("xdp1", f"{EXAMPLES}/xdp1", "IPv4 passes, the rest is dropped", 0, 1),
    Case("xdp3", f"{SAMPLES}/xdp3", "a verdict by destination MAC", 0, 2),
    Case("xdp6", f"{SAMPLES}/xdp6", "TTL and port from a table of two addresses", 0, 4),
    Case("xdp7", f"{SAMPLES}/xdp7", "NAT of destination and port, with checksums", 0, 1),
    Case("xdp11", f"{SAMPLES}/xdp11", "swap addresses, send back", 0, None),
    Case("xdp15", f"{SAMPLES}/xdp15", "8 bytes in front, send back", 0, 4),
    Case("l2fwd", f"{EXAMPLES}/l2switch", "switch by MAC table, device map", 0, 6),
    Case("l2l3_acl", f"{OWN}/l2l3_acl", "access list, MAC table, routes, rewrite", 0, 8),
    Case("vxlan_encap", f"{EXAMPLES}/vxlan_encap", "50 outer bytes by table", 0, 3),
    Case("vxlan_decap", f"{EXAMPLES}/vxlan_decap", "50 outer bytes off by table", 0, 5),
    Case("router6", f"{EXAMPLES}/router6", "IPv6 longest prefix, rewrite", 2, 7),
    Case("v1_forward", f"{OWN}/v1_forward", "v1model: IPv4 longest prefix, rewrite", 0, 2),
    Case("mpls", f"{EXAMPLES}/mpls", "label swap, pop, last pop", 0, 2),
    Case("lb", f"{OWN}/lb", "service, slot by hash, IPIP", 0, 5),
    Case("firewall", f"{OWN}/firewall", "1,000 ternary rules", 0, 1, firewall_rules),
    Case("big", f"{OWN}/big", "15 headers, 20 tables", 0, 1),
)


def chosen(names: list[str]) -> tuple[Case, ...]:
    """Return the cases of these names (all: none named); raises KeyError."""
    by_name = {case.name: case for case in CASES}
    return tuple(by_name[name] for name in names) or CASES
