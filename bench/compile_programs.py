"""P4 programs of a wanted number of lines, for timing the compiler.

In: lines and a seed. Out: the text of a program that might be a gateway's: each service has a
header, a parser state, metadata, actions, tables and a control, and no two are alike. Widths, keys,
shapes of branches and expressions are drawn; the same seed gives the same text.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from random import Random

WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 12, 16, 16, 16, 20, 24, 32, 32, 32, 48, 64, 128)
WORDS = (
    "flow tunnel label session route policy mirror shaper meter stream channel sensor beacon relay"
    " anchor bridge probe ledger cache shard tenant segment overlay fabric circuit bundle lease"
).split()
PARTS = (
    "version length kind flags next hops mark cookie source target sequence group level weight"
    " checksum epoch window offset digest color zone class index tag limit"
).split()
MOST_CHILDREN = 6
"""Headers that may follow one header."""

SHARED = {"shared.port": 32, "shared.mark": 16, "shared.priority": 8, "shared.session": 48}
"""What the services tell each other."""

LINES_ELSEWHERE = 16
"""Lines of a service that are neither its types nor its control: its state, its calls."""

DEEPEST = 7
"""Headers on the longest path of the parser."""


@dataclass
class Service:
    """One header and what is done with it; `fields` and `metadata` are names and widths in bits."""

    name: str
    depth: int
    fields: dict[str, int]
    metadata: dict[str, int]
    children: list[Service] = field(default_factory=list)
    shared: bool = False

    @property
    def type(self) -> str:
        return self.name.title().replace("_", "")

    @property
    def selector(self) -> str:
        """The field that says which header is next."""
        return "protocol"


class Writer:
    """Draws one program."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.services: list[Service] = []

    # Services

    def service(self, shared: bool) -> Service:
        number = len(self.services)
        name = f"{self.random.choice(WORDS)}_{number}"
        parent = None if not self.services else self.parent()
        depth = 1 if parent is None else parent.depth + 1
        made = Service(name, depth, self.fields(), self.metadata(), shared=shared)
        if parent is not None:
            parent.children.append(made)
        self.services.append(made)
        return made

    def parent(self) -> Service | None:
        """Return a service whose header may come before the new one; None for the first layer."""
        free = [
            one
            for one in self.services
            if len(one.children) < MOST_CHILDREN and one.depth < DEEPEST and not one.shared
        ]
        return self.random.choice(free) if free and self.random.random() < 0.85 else None

    def fields(self) -> dict[str, int]:
        names = self.random.sample(PARTS, self.random.randint(3, 8))
        fields = {"protocol": self.random.choice((8, 16))}
        for name in names:
            fields[name] = self.random.choice(WIDTHS)
        short = -sum(fields.values()) % 8
        if short:
            fields["reserved"] = short
        order = list(fields)
        self.random.shuffle(order)
        return {name: fields[name] for name in order}

    def metadata(self) -> dict[str, int]:
        names = self.random.sample(PARTS, self.random.randint(2, 4))
        return {name: self.random.choice((8, 16, 32, 32, 48)) for name in names}

    # Expressions

    def value(self, one: Service, width: int, depth: int = 2) -> str:
        """Return an expression of a width over the service's fields and metadata."""
        draw = self.random.random()
        if depth == 0 or draw < 0.2:
            return self.leaf(one, width)
        if draw < 0.6:
            operator = self.random.choice(("+", "-", "&", "|", "^", "+", "|+|"))
            left, right = (self.value(one, width, depth - 1) for _ in range(2))
            return f"({left} {operator} {right})"
        if draw < 0.7 and width > 4:
            amount = self.random.randint(1, 3)
            return (
                f"({self.value(one, width, depth - 1)} {self.random.choice(('<<', '>>'))} {amount})"
            )
        if draw < 0.8:
            then, otherwise = (self.value(one, width, depth - 1) for _ in range(2))
            return f"({self.test(one, 0)} ? {then} : {otherwise})"
        if draw < 0.9 and width >= 2:
            high = self.random.randint(1, width - 1)
            return f"({self.leaf(one, high)} ++ {self.leaf(one, width - high)})"
        return f"~{self.value(one, width, depth - 1)}"

    def leaf(self, one: Service, width: int) -> str:
        """Return a field, a part of a field, or a constant."""
        places = self.places(one)
        draw = self.random.random()
        alike = [name for name, other in places.items() if other == width]
        if alike and draw < 0.7:
            return self.random.choice(alike)
        wider = [name for name, other in places.items() if other > width]
        if wider and draw < 0.7:
            name = self.random.choice(wider)
            low = self.random.randint(0, places[name] - width)
            return f"{name}[{low + width - 1}:{low}]"
        narrower = [name for name, other in places.items() if other < width]
        if narrower and draw < 0.85:
            return f"(bit<{width}>){self.random.choice(narrower)}"
        return f"{width}w{self.random.getrandbits(min(width, 16))}"

    def places(self, one: Service) -> dict[str, int]:
        fields = {f"hd.{one.name}.{name}": width for name, width in one.fields.items()}
        own = {f"own.{name}": width for name, width in one.metadata.items()}
        return fields | own | SHARED

    def start(self, one: Service, width: int) -> str:
        """Return what a variable of the service may start with."""
        fields = [name for name, other in one.fields.items() if other <= width]
        if not fields or self.random.random() < 0.4:
            return str(self.random.getrandbits(8))
        name = self.random.choice(fields)
        return (
            f"hd.{one.name}.{name}"
            if one.fields[name] == width
            else f"(bit<{width}>)hd.{one.name}.{name}"
        )

    def test(self, one: Service, depth: int = 1) -> str:
        if depth and self.random.random() < 0.4:
            operator = self.random.choice(("&&", "||"))
            return f"({self.test(one, 0)} {operator} {self.test(one, 0)})"
        name, width = self.random.choice(list(self.places(one).items()))
        operator = self.random.choice(("==", "!=", "<", ">", "==") if width > 1 else ("==", "!="))
        return f"{name} {operator} {self.random.getrandbits(min(width, 12))}"

    # Declarations

    def declarations(self, one: Service) -> list[str]:
        lines = [f"header {one.type} {{"]
        lines += [f"    bit<{width}> {name};" for name, width in one.fields.items()]
        lines += ["}", "", f"struct {one.type}State {{"]
        lines += [f"    bit<{width}> {name};" for name, width in one.metadata.items()]
        return [*lines, "}", ""]

    def state(self, one: Service, last: Service) -> list[str]:
        lines = [f"    state parse_{one.name} {{", f"        packet.extract(hd.{one.name});"]
        targets = [f"parse_{child.name}" for child in one.children]
        if not one.shared and (one is self.services[0] or self.random.random() < 0.3):
            targets.append(f"parse_{last.name}")
        if not targets:
            return [*lines, "        transition accept;", "    }", ""]
        width = one.fields[one.selector]
        lines.append(f"        transition select(hd.{one.name}.{one.selector}) {{")
        values = self.random.sample(range(1 << width), len(targets) + 1)
        lines += [f"            {width}w{v}: {to};" for v, to in zip(values, targets, strict=False)]
        if width == 16 and self.random.random() < 0.3:
            lines.append(f"            16w0x{values[-1] & 0xFF00:04x} &&& 16w0xff00: reject;")
        return [*lines, "            default: accept;", "        }", "    }", ""]

    # Controls

    def action(self, one: Service, name: str) -> list[str]:
        width = self.random.choice((8, 16, 32, 48))
        takes = self.random.random() < 0.6
        lines = [f"    action {name}({f'bit<{width}> given' if takes else ''}) {{"]
        places = self.places(one)
        for _ in range(self.random.randint(1, 4)):
            target, wanted = self.random.choice(list(places.items()))
            value = self.value(one, wanted)
            if takes and wanted >= width:
                value = f"{value} + (bit<{wanted}>)given" if wanted > width else f"{value} + given"
                takes = False
            lines.append(f"        {target} = {value};")
        if takes:
            lines.append("        shared.port = shared.port ^ (bit<32>)given[7:0];")
        return [*lines, "    }", ""]

    def table(self, one: Service, name: str, actions: list[str]) -> list[str]:
        fields = [place for place, width in self.places(one).items() if width <= 64]
        keys = self.random.sample(fields, min(len(fields), self.random.randint(1, 3)))
        kinds = ["exact"] * len(keys)
        draw = self.random.random()
        if draw < 0.2:
            kinds[-1] = "lpm"
        elif draw < 0.3:
            kinds = [self.random.choice(("ternary", "exact")) for _ in keys]
        lines = [f"    table {name} {{", "        key = {"]
        lines += [f"            {key} : {kind};" for key, kind in zip(keys, kinds, strict=True)]
        lines += ["        }", "        actions = {"]
        lines += [f"            {action};" for action in (*actions, "NoAction")]
        lines.append("        }")
        lines.append("        default_action = NoAction();")
        lines.append(f"        implementation = hash_table({2 ** self.random.randint(4, 14)});")
        if any(kind != "exact" for kind in kinds):
            lines[-1] = f"        size = {2 ** self.random.randint(4, 9)};"
        return [*lines, "    }", ""]

    def control(self, one: Service) -> list[str]:
        lines = [
            f"control {one.type}Service(inout Headers hd, inout Shared shared) {{",
            f"    {one.type}State own;",
        ]
        actions = [f"{self.random.choice(PARTS)}_{n}" for n in range(self.random.randint(2, 4))]
        for name in actions:
            lines += self.action(one, name)
        tables = [f"{self.random.choice(WORDS)}_{n}" for n in range(self.random.randint(1, 2))]
        for name in tables:
            least = len(actions) if name is tables[-1] else 1
            offered = self.random.sample(actions, self.random.randint(least, len(actions)))
            lines += self.table(one, name, offered)
        lines.append("    apply {")
        lines += [f"        own.{name} = {self.start(one, w)};" for name, w in one.metadata.items()]
        for name in tables:
            lines += self.applied(one, name)
        lines += self.block(one, self.random.randint(1, 4), 2)
        return [*lines, "    }", "}", ""]

    def applied(self, one: Service, table: str) -> list[str]:
        draw = self.random.random()
        if draw < 0.4:
            return [f"        {table}.apply();"]
        if draw < 0.7:
            return [
                f"        if ({table}.apply().{self.random.choice(('hit', 'miss'))}) {{",
                *self.block(one, 1, 3),
                "        }",
            ]
        return [
            f"        switch ({table}.apply().action_run) {{",
            "            NoAction: {",
            *self.block(one, 1, 4),
            "            }",
            "            default: {",
            *self.block(one, 1, 4),
            "            }",
            "        }",
        ]

    def block(self, one: Service, count: int, level: int) -> list[str]:
        return [line for _ in range(count) for line in self.statement(one, level)]

    def statement(self, one: Service, level: int) -> list[str]:
        indent = "    " * level
        if level >= 5 or self.random.random() < 0.6:
            target, width = self.random.choice(list(self.places(one).items()))
            return [f"{indent}{target} = {self.value(one, width)};"]
        lines = [f"{indent}if ({self.test(one)}) {{", *self.block(one, 2, level + 1)]
        if self.random.random() < 0.5:
            lines += [f"{indent}}} else {{", *self.block(one, 1, level + 1)]
        return [*lines, f"{indent}}}"]

    # The program

    def text(self, lines: int) -> str:
        """Return a program of about that many lines."""
        last = self.service(shared=True)
        types, controls = self.declarations(last), self.control(last)
        while len(types) + len(controls) + LINES_ELSEWHERE * len(self.services) < lines - 60:
            one = self.service(shared=False)
            types += self.declarations(one)
            controls += self.control(one)
        self.services.append(self.services.pop(0))
        first = [one for one in self.services if one.depth == 1 and not one.shared]
        return "\n".join(
            [
                "#include <core.p4>",
                "#include <xdp_model.p4>",
                "",
                *ETHERNET,
                *types,
                *_structures(self.services),
                *controls,
                *self.parser(first, last),
                *self.switch(),
                *_deparser(self.services),
                "xdp(GatewayParser(), Gateway(), GatewayDeparser()) main;",
                "",
            ]
        )

    def parser(self, first: list[Service], last: Service) -> list[str]:
        values = self.random.sample(range(0x600, 0xFFFF), len(first))
        return [
            "parser GatewayParser(packet_in packet, out Headers hd) {",
            "    state start {",
            "        packet.extract(hd.ethernet);",
            "        transition select(hd.ethernet.protocol) {",
            *(
                f"            0x{v:04x}: parse_{s.name};"
                for v, s in zip(values, first, strict=True)
            ),
            "            default: accept;",
            "        }",
            "    }",
            "",
            *(line for one in self.services for line in self.state(one, last)),
            "}",
            "",
        ]

    def switch(self) -> list[str]:
        names = [one.name for one in self.services]
        return [
            "control Gateway(inout Headers hd, in xdp_input imd, out xdp_output omd) {",
            "    Shared shared;",
            *(f"    {one.type}Service() {one.name};" for one in self.services),
            "    apply {",
            *(f"        shared.{name.split('.')[1]} = 0;" for name in SHARED),
            "        shared.port = imd.input_port;",
            *(
                f"        if (hd.{n}.isValid()) {{\n            {n}.apply(hd, shared);\n        }}"
                for n in names
            ),
            "        if (shared.mark > 1000) {",
            "            omd.output_action = xdp_action.XDP_DROP;",
            "        } else if (shared.port == imd.input_port) {",
            "            omd.output_action = xdp_action.XDP_PASS;",
            "        } else {",
            "            omd.output_action = xdp_action.XDP_REDIRECT;",
            "        }",
            "        omd.output_port = shared.port;",
            "    }",
            "}",
            "",
        ]


ETHERNET = """\
header Ethernet {
    bit<48> destination;
    bit<48> source;
    bit<16> protocol;
}
""".split("\n")


def _structures(services: list[Service]) -> list[str]:
    return [
        "struct Headers {",
        "    Ethernet ethernet;",
        *(f"    {one.type} {one.name};" for one in services),
        "}",
        "",
        "struct Shared {",
        *(f"    bit<{width}> {name.split('.')[1]};" for name, width in SHARED.items()),
        "}",
        "",
    ]


def _deparser(services: list[Service]) -> list[str]:
    return [
        "control GatewayDeparser(in Headers hd, packet_out packet) {",
        "    apply {",
        "        packet.emit(hd.ethernet);",
        *(f"        packet.emit(hd.{one.name});" for one in services),
        "    }",
        "}",
        "",
    ]


def program(lines: int, seed: int = 1) -> str:
    """Return a program of about `lines` lines."""
    return Writer(seed).text(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lines", type=int)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(program(asked.lines, asked.seed), end="")


if __name__ == "__main__":
    main()
