"""Random well-typed programs, with the entries and packets to try them on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from choices import Choices
from controls import Controls
from declarations import MOST_VARBIT, Declarations
from expressions import Expressions
from packets import packets
from parsers import Parsers
from scope import BOOL, Callable_, Name, Parameter, Scope
from statements import Around, Statements
from tables import Tables


@dataclass(frozen=True, slots=True)
class Case:
    """A program, `add` and `setdefault` lines for it, its packets, and the cells of counters that
    are compared when all packets are through."""

    text: str
    requests: str
    packets: tuple[bytes, ...]
    cells: tuple[tuple[str, int], ...] = ()


XDP_HEAD = "#include <core.p4>\n#include <xdp_model.p4>\nmatch_kind { range, optional }"
XDP_END = "xdp(P(), C(), D()) main;\n"
V1_HEAD = "#include <core.p4>\n#include <v1model.p4>"
V1_END = """control V(inout Hdr hd, inout M md) { apply { } }
control W(inout Hdr hd, inout M md) { apply { } }
V1Switch(P(), V(), C(), E(), W(), D()) main;
"""
HEADROOM = 240
"""Bytes by which a packet can grow: those that two pipelines add must fit in front of it."""
PSA_HEAD = """#include <core.p4>
#include <psa.p4>
struct standard_metadata_t {
    bit<9> ingress_port; bit<9> egress_spec; bit<32> packet_length; error parser_error;
}
struct Empty { }"""
PSA_PARSERS = (
    """parser IP(packet_in p, out Hdr hd, inout M md, in psa_ingress_parser_input_metadata_t s,
        in Empty again, in Empty round) {
    standard_metadata_t sm = { (bit<9>) (PortIdUint_t) s.ingress_port, 0, 5, error.NoError };""",
    """parser EP(packet_in p, out Hdr hd, inout M md, in psa_egress_parser_input_metadata_t s,
        in M normal, in Empty cloned, in Empty copied) {
    standard_metadata_t sm = { 1, 0, 5, error.NoError };""",
)
PSA_END = """
control I(inout Hdr hd, inout M md, in psa_ingress_input_metadata_t s,
        inout psa_ingress_output_metadata_t o) {
    @name(".C") C() inner;
    apply {
        bit<9> port = (bit<9>) (PortIdUint_t) s.ingress_port;
        standard_metadata_t sm = { port, 0, 5, s.parser_error };
        inner.apply(hd, md, sm);
        if (sm.egress_spec != 511) {
            send_to_port(o, (PortId_t) (PortIdUint_t) (bit<32>) sm.egress_spec);
        }
    }
}
control ID(packet_out p, out Empty cloned, out Empty again, out M normal, inout Hdr hd, in M md,
        in psa_ingress_output_metadata_t s) {
    D() inner;
    apply {
        normal = md;
        inner.apply(p, hd);
    }
}
control EG(inout Hdr hd, inout M md, in psa_egress_input_metadata_t s,
        inout psa_egress_output_metadata_t o) {
    E() inner;
    apply {
        standard_metadata_t sm = { 1, 0, 5, s.parser_error };
        inner.apply(hd, md, sm);
    }
}
control ED(packet_out p, out Empty copied, out Empty round, inout Hdr hd, in M md,
        in psa_egress_output_metadata_t s, in psa_egress_deparser_input_metadata_t e) {
    D() inner;
    apply {
        inner.apply(p, hd);
    }
}
IngressPipeline(IP(), I(), ID()) ip;
EgressPipeline(EP(), EG(), ED()) ep;
PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;
"""
"""The blocks of a v1model program in those of PSA: egress parses and deparses once more."""


def generate(choices: Choices) -> Case:
    """Return the case that the choices make."""
    return Generator(choices).case()


class Generator:
    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.types = Declarations(choices)
        self.types.is_psa &= 2 * self._whole() < HEADROOM
        self.expressions: Expressions = self.types.expressions
        self.statements = Statements(choices, self.expressions)

    def case(self) -> Case:
        texts, base = self._functions()
        parsers = Parsers(self.choices, self.types, self.statements, base)
        parser = parsers.text()
        tables = Tables(self.choices, self.expressions)
        controls = Controls(self.choices, self.types, self.statements, tables, base)
        control = controls.text()
        v1 = self.types.is_v1
        head, end = (V1_HEAD, V1_END) if v1 else (XDP_HEAD, XDP_END)
        if self.types.is_psa:
            head, end = PSA_HEAD, PSA_END
            parser = _twice(parser)
        parameters = "packet_out p, in Hdr hd" if v1 else "in Hdr hd, packet_out p"
        deparser = f"control D({parameters}) {{ apply {{ {self._emits()} }} }}"
        text = "\n".join([head, self.types.text, *texts, parser, control, deparser, end])
        sent = packets(self.choices, self._whole())
        return Case(
            text, "\n".join([*parsers.requests, *tables.requests]), sent, tuple(controls.cells)
        )

    def _functions(self) -> tuple[list[str], Scope]:
        texts: list[str] = []
        base = Scope()
        for index in range(self.choices.below(3)):
            result = self.expressions.any_type()
            parameters = self._parameters()
            name = f"fn{index}"
            if self.choices.chance(25) and _can_overload(base.functions, parameters):
                name = "fn0"
            scope = base.inner()
            for one in parameters:
                scope.names += self.expressions.variable(
                    one.name, one.type, read_only=one.direction == "in"
                )
            start = " ".join(
                f"{p.name} = {self.expressions.literal(p.type)};"
                for p in parameters
                if p.direction == "out"
            )
            body = self.statements.body(scope, 3, Around(returns=result))
            declared = ", ".join(map(str, parameters))
            texts.append(f"{result} {name}({declared}) {{ {start} {body} }}")
            base.functions.append(Callable_(name, parameters, result))
        return texts, base

    def _parameters(self) -> tuple[Parameter, ...]:
        made = []
        for _ in range(self.choices.below(4)):
            direction = self.choices.of(("in", "inout", "out"))
            kind = self.expressions.any_type()
            made.append(Parameter(direction, self.statements.new_name("p"), kind))
        if made and made[-1].direction == "in" and self.choices.chance(25):
            made[-1] = replace(made[-1], default=self.expressions.literal(made[-1].type))
        return tuple(made)

    def _emits(self) -> str:
        names = [f"hd.{name}" for name, _ in self.types.members]
        if self.types.stack:
            names.append("hd.st")
        names += [f"hd.{name}" for name in self.types.unions if "[" not in name]
        if self.types.has_union_stack:
            names.append("hd.us")
        if self.types.has_varbit:
            names.append("hd.hv")
        if self.choices.chance(15):
            names.append(self.choices.of(names))
        if self.choices.chance(15):
            names.insert(0, names.pop())
        emits = [f"p.emit({name});" for name in names]
        if self.choices.chance(8):
            return "p.emit(hd);"
        if self.choices.chance(20):
            at = self.choices.below(len(emits))
            scope = Scope()
            self.types.fill(scope)
            scope.names = [Name(n.text, n.type, read_only=True) for n in scope.names]
            emits[at] = f"if ({self.expressions.expression(scope, BOOL, 2)}) {{ {emits[at]} }}"
        return f"p.emit(hd.eth); {' '.join(emits)}"

    def _whole(self) -> int:
        """Return the bytes of all headers behind Ethernet."""
        records = self.types.named.records
        whole = sum(records[kind.name].size for _, kind in self.types.members)
        if self.types.stack:
            kind, size = self.types.stack
            whole += (size + 1) * records[kind.name].size
        if self.types.unions:
            whole += len(self.types.unions) * max(
                records[kind.name].size for _, kind in self.types.options
            )
        return whole + (MOST_VARBIT // 8 if self.types.has_varbit else 0)


def _twice(text: str) -> str:
    """Return the parser of a v1model program as that of ingress and that of egress, which takes
    its metadata from there."""
    before, parser = text.split("parser P(", 1)
    body = parser.split("{", 1)[1]
    ingress, egress = (f"{head} {body}" for head in PSA_PARSERS)
    egress = egress.replace("state start {", "state start { md = normal;", 1)
    return f"{before}{ingress}\n{egress}"


def _can_overload(known: Iterable[Callable_], parameters: Sequence[Parameter]) -> bool:
    """Whether the number of arguments tells a function from each that is known."""
    taken = {count for one in known for count in _counts(one.parameters)}
    return taken.isdisjoint(_counts(parameters))


def _counts(parameters: Sequence[Parameter]) -> set[int]:
    """Return how many arguments a call can have."""
    return {len(parameters) - sum(bool(p.default) for p in parameters), len(parameters)}
