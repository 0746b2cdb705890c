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


def generate(choices: Choices) -> Case:
    """Return the case that the choices make."""
    return Generator(choices).case()


class Generator:
    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.types = Declarations(choices)
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


def _can_overload(known: Iterable[Callable_], parameters: Sequence[Parameter]) -> bool:
    """Whether the number of arguments tells a function from each that is known."""
    taken = {count for one in known for count in _counts(one.parameters)}
    return taken.isdisjoint(_counts(parameters))


def _counts(parameters: Sequence[Parameter]) -> set[int]:
    """Return how many arguments a call can have."""
    return {len(parameters) - sum(bool(p.default) for p in parameters), len(parameters)}
