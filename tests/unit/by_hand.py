"""by_hand.c with its description: a program for tests that should not need the compiler."""

from __future__ import annotations

from pathlib import Path

from p4xdp.description import (
    Action,
    ActionChoice,
    Counter,
    Description,
    Field,
    Map,
    Table,
    TernaryLayout,
)
from p4xdp.stf.place import Compiled

SOURCE = Path(__file__).with_name("by_hand.c")

ACTIONS = (
    Action("NoAction", "NO_ACTION", 0, ()),
    Action("Ingress.drop", "DROP", 1, ()),
    Action("Ingress.to_port", "TO_PORT", 2, (Field("port", "port", 32, 8, 4),)),
    Action("Ingress.tag", "TAG", 3, (Field("vlan", "vlan", 12, 4, 2),)),
)
NO_ACTION = ActionChoice(0, ())
PORTS = Table(
    name="Ingress.ports",
    c_name="ports",
    kind="array",
    map="ports",
    size=4,
    keys=(Field("i.input_port", "port", 32, 0, 4, "exact"),),
    key_size=4,
    value_size=12,
    actions=ACTIONS,
    default=NO_ACTION,
    default_map=None,
    in_use_offset=12,
)
MACS = Table(
    name="Ingress.macs",
    c_name="macs",
    kind="hash",
    map="macs",
    size=2,
    keys=(Field("hd.eth.dst", "dst", 48, 0, 6, "exact"),),
    key_size=8,
    value_size=12,
    actions=ACTIONS,
    default=NO_ACTION,
    default_map="macs_default",
)
ROUTES = Table(
    name="Ingress.inner.routes",
    c_name="routes",
    kind="lpm",
    map="routes",
    size=8,
    keys=(
        Field("hd.eth.type", "type", 16, 4, 2, "exact"),
        Field("hd.eth.dst", "dst", 48, 6, 6, "lpm"),
    ),
    key_size=12,
    value_size=12,
    actions=ACTIONS,
    default=NO_ACTION,
    default_map=None,
    prefix_base=16,
)
ACL = Table(
    name="Ingress.acl",
    c_name="acl",
    kind="ternary",
    map="acl",
    size=4,
    keys=(
        Field("hd.eth.src", "src", 48, 0, 6, "ternary"),
        Field("hd.eth.type", "type", 16, 6, 2, "lpm"),
    ),
    key_size=8,
    value_size=12,
    actions=ACTIONS,
    default=NO_ACTION,
    default_map=None,
    ternary=TernaryLayout("acl_state", 8, 16, 24, 36, None, 180, 0),
)
FIXED = Table(
    name="Ingress.fixed",
    c_name="fixed",
    kind="constant",
    map=None,
    size=1,
    keys=(Field("hd.eth.type", "type", 16, 0, 2, "exact"),),
    key_size=2,
    value_size=0,
    actions=ACTIONS,
    default=NO_ACTION,
    default_map=None,
    const_entries=1,
)
DESCRIPTION = Description(
    program="by_hand",
    source="by_hand.c",
    version="0",
    model="xdp",
    target="xdp",
    function="by_hand",
    section="xdp",
    layout="stack",
    stack=0,
    maps=(
        Map("ports", "array", 4, 16, 4),
        Map("macs", "hash", 8, 12, 2),
        Map("routes", "lpm_trie", 12, 12, 8, 1),
        Map("acl", "array", 4, 180, 2),
        Map("seen", "percpu_array", 4, 8, 4),
        Map("bytes", "percpu_hash", 4, 8, 16),
        Map("macs_default", "data", 4, 12, 1, section=".data.macs_default"),
        Map("acl_state", "data", 4, 8, 1, section=".data.acl_state"),
    ),
    tables=(PORTS, MACS, ROUTES, ACL, FIXED),
    counters=(
        Counter("Ingress.seen", "seen", "seen", 4, False),
        Counter("Ingress.bytes", "bytes", "bytes", 16, True),
    ),
    headers=(("hd.eth", 14),),
    errors=("NoError",),
)


def compile_by_hand(target: str, layout: str | None) -> Compiled:
    """Stand where a compilation for a place would."""
    return Compiled(SOURCE.read_text(), DESCRIPTION)
