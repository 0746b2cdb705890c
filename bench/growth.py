"""Programs of any size, with their test files: what grows is the number of headers, of tables, of
parser states in a row, or of a stack's elements.

A size goes in, a `Growth` comes out. What a packet must become is worked out here in Python, from
what the program means and not from what a compiler made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

LINKS = "020000000001 020000000002"
OUT_PORT = 3


@dataclass(frozen=True, slots=True)
class Growth:
    """A program of a family: its P4 text, its test file, and the longest packet for timing."""

    family: str
    size: int
    p4: str
    stf: str
    packet: bytes

    @property
    def name(self) -> str:
        return f"{self.family}{self.size}"


@dataclass(frozen=True, slots=True)
class Family:
    """What grows, in words, the sizes that are measured, and how a program is written."""

    name: str
    what: str
    sizes: tuple[int, ...]
    write: Callable[[int], Growth]


PREFIX = """\
#include <core.p4>
#include <xdp_model.p4>

header Ethernet {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}
"""

ENDS = """\
    action pass() {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;
    }

    action drop() {
        output.output_action = xdp_action.XDP_DROP;
        output.output_port = 0;
    }

    action send() {
        output.output_action = xdp_action.XDP_REDIRECT;
        output.output_port = 3;
    }
"""

SWITCH = "control Switch(inout Headers hd, in xdp_input input, out xdp_output output) {"

MAIN = "xdp(Parser(), Switch(), Deparser()) main;\n"


def _deparser(members: Iterable[str]) -> str:
    emits = "\n".join(f"        packet.emit(hd.{member});" for member in members)
    return (
        "control Deparser(in Headers hd, packet_out packet) {\n"
        f"    apply {{\n{emits}\n    }}\n}}\n\n"
    )


def _packet(text: str, *expected: str, port: int = 0) -> str:
    return "\n".join([f"packet {port} {text}", *expected, ""])


def _sent(text: str) -> tuple[str, str]:
    return "verdict redirect", f"expect {OUT_PORT} {text}$"


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace(" ", ""))


# Headers: each may be followed by the next one or the one behind that, so that there are as many
# sets of valid headers as Fibonacci numbers grow, at as many offsets


LAST, NEXT, SKIP = 0, 1, 2


def headers(size: int) -> Growth:
    """`size` headers of 4 or 6 bytes, each of which is counted and has a field changed."""
    types = "".join(
        f"header H{i} {{\n    bit<8>  following;\n    bit<8>  value;\n"
        f"    bit<{_data_width(i)}> data;\n}}\n\n"
        for i in range(size)
    )
    members = "".join(f"    H{i} h{i};\n" for i in range(size))
    states = "".join(_header_state(i, size) for i in range(size))
    steps = "".join(
        f"        if (hd.h{i}.isValid()) {{\n"
        f"            total = total + (bit<16>)hd.h{i}.value;\n"
        f"            hd.h{i}.data = hd.h{i}.data + {i + 1};\n        }}\n"
        for i in range(size)
    )
    p4 = (
        f"{PREFIX}\n{types}struct Headers {{\n    Ethernet ethernet;\n{members}}}\n\n"
        "parser Parser(packet_in packet, out Headers hd) {\n    state start {\n"
        "        packet.extract(hd.ethernet);\n"
        "        transition select(hd.ethernet.type) {\n"
        "            0x9000:  parse0;\n            default: accept;\n        }\n    }\n"
        f"{states}}}\n\n{SWITCH}\n{ENDS}\n    bit<16> total = 0;\n\n    apply {{\n{steps}"
        "        if (total == 0) {\n            pass();\n"
        "        } else if (total[0:0] == 1) {\n            drop();\n"
        "        } else {\n            send();\n        }\n    }\n}\n\n"
        + _deparser(["ethernet", *(f"h{i}" for i in range(size))])
        + MAIN
    )
    walks = [
        list(range(size)),
        list(range(0, size, 2)),
        [0],
        [*range(0, size // 2, 2), *range((size // 2 + 1) // 2 * 2, size)],
    ]
    stf = "".join(_header_case(walk, even) for walk in walks for even in (True, False))
    stf += _packet(f"{LINKS} 0800 0102", "verdict pass", f"expect 0 {LINKS} 0800 0102$")
    cut = _header_chain(walks[0])
    stf += _packet(f"{LINKS} 9000 {cut[:-2]}", "verdict aborted")
    return Growth("headers", size, p4, stf, _bytes(f"{LINKS} 9000 {_header_chain(walks[0])} 00"))


def _data_width(i: int) -> int:
    return 32 if i % 3 == 2 else 16


def _header_state(i: int, size: int) -> str:
    cases = [
        f"            {kind}:       parse{i + kind};\n" for kind in (NEXT, SKIP) if i + kind < size
    ]
    head = f"\n    state parse{i} {{\n        packet.extract(hd.h{i});\n"
    if not cases:
        return f"{head}        transition accept;\n    }}\n"
    return (
        f"{head}        transition select(hd.h{i}.following) {{\n"
        f"{''.join(cases)}            default: accept;\n        }}\n    }}\n"
    )


def _header_chain(walk: list[int], added: bool = False, last: int = 0) -> str:
    """Return the headers of a packet; `last` is added to the last one's value."""
    texts = []
    for place, i in enumerate(walk):
        following = walk[place + 1] - i if place + 1 < len(walk) else LAST
        value = (2 * i + 2 + (last if place + 1 == len(walk) else 0)) % 256
        width = _data_width(i)
        data = (0xFFFF * (i % 2) + 0x100 + (i + 1) * added) % (1 << width)
        texts.append(f"{following:02x}{value:02x}{data:0{width // 4}x}")
    return " ".join(texts)


def _header_case(walk: list[int], even: bool) -> str:
    before, after = (_header_chain(walk, added, 0 if even else 1) for added in (False, True))
    if not even:
        return _packet(f"{LINKS} 9000 {before} aabb", "verdict drop")
    return _packet(f"{LINKS} 9000 {before} aabb", *_sent(f"{LINKS} 9000 {after} aabb"))


# Tables: each looks another part of the packet up, and what it finds goes into what the next one
# looks up


def tables(size: int) -> Growth:
    """`size` tables over a key that the one before has changed, every fourth one an LPM."""
    declared = "".join(_table(i) for i in range(size))
    applied = "".join(f"        {_applied(i)}\n" for i in range(size))
    p4 = (
        f"{PREFIX}\nheader Flow {{\n    bit<32> key;\n    bit<32> marks;\n    bit<16> misses;\n}}"
        "\n\nstruct Headers {\n    Ethernet ethernet;\n    Flow     flow;\n}\n\n"
        "parser Parser(packet_in packet, out Headers hd) {\n    state start {\n"
        "        packet.extract(hd.ethernet);\n"
        "        transition select(hd.ethernet.type) {\n"
        "            0x9001:  parse_flow;\n            default: accept;\n        }\n    }\n\n"
        "    state parse_flow {\n        packet.extract(hd.flow);\n"
        "        transition accept;\n    }\n}\n\n"
        f"{SWITCH}\n{ENDS}\n    bool dropped = false;\n    bit<32> step = 0;\n\n"
        "    action deny() {\n        dropped = true;\n    }\n\n"
        "    action miss() {\n        hd.flow.misses = hd.flow.misses + 1;\n    }\n"
        f"{declared}\n    apply {{\n        pass();\n        if (!hd.flow.isValid()) {{\n"
        "            return;\n        }\n        send();\n"
        f"{applied}        if (dropped) {{\n            drop();\n        }}\n    }}\n}}\n\n"
        + _deparser(["ethernet", "flow"])
        + MAIN
    )
    return Growth("tables", size, p4, _tables_stf(size), _bytes(_tuple(0x100, 0, 0)))


def _table(i: int) -> str:
    kind = "lpm" if i % 4 == 3 else "exact"
    return (
        f"\n    action step{i}(bit<32> bits) {{\n"
        f"        hd.flow.marks = hd.flow.marks ^ bits;\n        step = step + {i + 1};\n    }}\n\n"
        f"    table t{i} {{\n        key = {{\n"
        f'            hd.flow.key + step : {kind} @name("key");\n        }}\n'
        f"        actions = {{\n            step{i};\n            deny;\n            miss;\n"
        "        }\n        default_action = miss();\n        size = 64;\n    }\n"
    )


def _applied(i: int) -> str:
    if i % 5 == 4:
        return f"if (t{i}.apply().hit) {{\n            step = step + 1;\n        }}"
    return f"t{i}.apply();"


def _tuple(key: int, marks: int, misses: int) -> str:
    return f"{LINKS} 9001 {key:08x} {marks:08x} {misses:04x} 00112233"


def _bits(i: int) -> int:
    return (0x9E3779B1 * (i + 1)) % (1 << 32)


def _tables_stf(size: int) -> str:
    """Return entries for packets of key 0x100, which hit each table, and some others."""
    entries: list[str] = []
    step = 0
    for i in range(size):
        prefix = "/32" if i % 4 == 3 else ""
        entries.append(f"add t{i} key:{_number(0x100 + step, prefix)} step{i}(bits:{_bits(i)})")
        step += i + 1 + (i % 5 == 4)
    last = size - 1
    entries.append(f"add t{last} key:{_number(0x40000, '/32' if last % 4 == 3 else '')} deny()")
    marks = 0
    for i in range(size):
        marks ^= _bits(i)
    cases = [
        _packet(_tuple(0x100, 0, 7), *_sent(_tuple(0x100, marks, 7))),
        _packet(_tuple(0x100, marks, 0), *_sent(_tuple(0x100, 0, 0))),
        _packet(_tuple(0x80000, 5, 0), *_sent(_tuple(0x80000, 5, size))),
        _packet(_tuple(0x40000, 5, 0), "verdict drop"),
        _packet(f"{LINKS} 0800 01", "verdict pass", f"expect 0 {LINKS} 0800 01$"),
    ]
    return "\n".join([*entries, *cases])


def _number(value: int, suffix: str) -> str:
    return f"0x{value:x}{suffix}"


# Depth: one state behind another, each with a field that says whether there is more


def depth(size: int) -> Growth:
    """`size` states in a row; the header that comes last decides, and all are counted."""
    members = "".join(f"    Layer l{i};\n" for i in range(size))
    states = "".join(_layer_state(i, size) for i in range(size))
    picks = " else ".join(
        f"if (hd.l{i}.isValid()) {{\n            found = hd.l{i}.value;\n"
        f"            hd.l{i}.value = {i + 1};\n        }}"
        for i in reversed(range(size))
    )
    p4 = (
        f"{PREFIX}\nheader Layer {{\n    bit<4>  more;\n    bit<12> id;\n    bit<16> value;\n}}\n\n"
        f"struct Headers {{\n    Ethernet ethernet;\n{members}}}\n\n"
        "parser Parser(packet_in packet, out Headers hd) {\n    state start {\n"
        "        packet.extract(hd.ethernet);\n"
        "        transition select(hd.ethernet.type) {\n"
        "            0x9002:  parse0;\n            default: accept;\n        }\n    }\n"
        f"{states}}}\n\n{SWITCH}\n{ENDS}\n    bit<16> found = 0;\n\n    apply {{\n        {picks}\n"
        "        if (found == 0) {\n            pass();\n"
        "        } else if (found == 0xffff) {\n            drop();\n"
        "        } else {\n            send();\n        }\n    }\n}\n\n"
        + _deparser(["ethernet", *(f"l{i}" for i in range(size))])
        + MAIN
    )
    stf = ""
    for count in sorted({1, 2, size // 2, size - 1, size}):
        before = _layers(count, 0x1234)
        after = _layers(count, count)
        stf += _packet(f"{LINKS} 9002 {before} 77", *_sent(f"{LINKS} 9002 {after} 77"))
        stf += _packet(f"{LINKS} 9002 {_layers(count, 0xFFFF)} 77", "verdict drop")
    too_long = _layers(size, 0x1234)[:-8] + f"1{size - 1:03x}1234"
    stf += _packet(f"{LINKS} 9002 {too_long}", "verdict aborted")
    stf += _packet(f"{LINKS} 9002 {_layers(size, 1)[:-2]}", "verdict aborted")
    stf += _packet(f"{LINKS} 0800 01", "verdict pass", f"expect 0 {LINKS} 0800 01$")
    return Growth("depth", size, p4, stf, _bytes(f"{LINKS} 9002 {_layers(size, 0x1234)} 77"))


def _layer_state(i: int, size: int) -> str:
    more = f"            1: parse{i + 1};\n" if i + 1 < size else ""
    return (
        f"\n    state parse{i} {{\n        packet.extract(hd.l{i});\n"
        f"        transition select(hd.l{i}.more) {{\n{more}"
        "            0: accept;\n        }\n    }\n"
    )


def _layers(count: int, value: int) -> str:
    layers = [f"{int(i + 1 < count)}{i:03x}{0x100 + i:04x}" for i in range(count - 1)]
    return "".join([*layers, f"0{count - 1:03x}{value:04x}"])


# Stacks: the elements move when one is pushed or popped, and with them all bytes before the payload


def stack(size: int) -> Growth:
    """A stack of `size` labels; the packet's first byte says what becomes of it."""
    p4 = (
        f"{PREFIX}\nheader Order {{\n    bit<8> what;\n}}\n\n"
        "header Label {\n    bit<20> label;\n    bit<3>  priority;\n    bit<1>  bottom;\n"
        "    bit<8>  ttl;\n}\n\n"
        f"struct Headers {{\n    Ethernet ethernet;\n    Order order;\n    Label[{size}] labels;\n"
        "}\n\n"
        "parser Parser(packet_in packet, out Headers hd) {\n    state start {\n"
        "        packet.extract(hd.ethernet);\n"
        "        transition select(hd.ethernet.type) {\n"
        "            0x9003:  parse_order;\n            default: accept;\n        }\n    }\n\n"
        "    state parse_order {\n        packet.extract(hd.order);\n"
        "        transition parse_label;\n    }\n\n"
        "    state parse_label {\n        packet.extract(hd.labels.next);\n"
        "        transition select(hd.labels.last.bottom) {\n"
        "            0: parse_label;\n            1: accept;\n        }\n    }\n}\n\n"
        f"{SWITCH}\n{ENDS}\n    apply {{\n        if (!hd.order.isValid()) {{\n"
        "            pass();\n        } else if (hd.order.what == 1) {\n"
        "            hd.labels.pop_front(1);\n            send();\n"
        "        } else if (hd.order.what == 2) {\n            hd.labels.push_front(1);\n"
        "            hd.labels[0].setValid();\n            hd.labels[0].label = 0x12345;\n"
        "            hd.labels[0].priority = 5;\n            hd.labels[0].bottom = 0;\n"
        "            hd.labels[0].ttl = 64;\n            send();\n"
        "        } else if (hd.order.what == 3) {\n"
        "            hd.labels[0].ttl = hd.labels[0].ttl - 1;\n            send();\n"
        "        } else {\n            drop();\n        }\n    }\n}\n\n"
        + _deparser(["ethernet", "order", "labels"])
        + MAIN
    )
    stf = "".join(_stack_case(count, size) for count in sorted({1, 2, size // 2, size - 1, size}))
    stf += _packet(f"{LINKS} 9003 03 {_labels(size + 1)}", "verdict aborted")
    stf += _packet(f"{LINKS} 9003 04 {_labels(1)}", "verdict drop")
    stf += _packet(f"{LINKS} 0800 01", "verdict pass", f"expect 0 {LINKS} 0800 01$")
    return Growth("stack", size, p4, stf, _bytes(f"{LINKS} 9003 03 {_labels(size)} 55"))


def _labels(count: int, first: int = 0, ttl: int = 9) -> str:
    words = [0x7000 + i << 12 | (i + 1 == count) << 8 | 7 for i in range(count)]
    words[0] = words[0] & ~0xFF | ttl
    return " ".join(f"{word:08x}" for word in words[first:])


def _stack_case(count: int, size: int) -> str:
    before = _labels(count)
    popped = _labels(count, 1)
    pushed = " ".join(["12345a40", *before.split()][:size])
    ttl = _labels(count, ttl=8)
    return "".join(
        _packet(f"{LINKS} 9003 {what} {before} 55", *_sent(f"{LINKS} 9003 {what} {after} 55"))
        for what, after in (("01", popped), ("02", pushed), ("03", ttl))
    )


FAMILIES = (
    Family("headers", "headers that may be skipped, each changed", (5, 10, 20, 40), headers),
    Family("tables", "tables, each keyed by what the ones before found", (5, 20, 60), tables),
    Family("depth", "parser states in a row", (10, 20, 40), depth),
    Family("stack", "elements of a header stack that moves", (4, 10, 30), stack),
)


def every() -> tuple[Growth, ...]:
    """Return each family at each size, the smallest first."""
    return tuple(family.write(size) for family in FAMILIES for size in family.sizes)
