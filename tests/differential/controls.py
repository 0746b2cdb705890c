"""The control of a random program, with its actions, and the controls that it calls."""

from __future__ import annotations

from choices import Choices
from declarations import METADATA, Declarations
from expressions import Expressions
from scope import BOOL, BYTE, HEADERS, Callable_, HeaderPlace, Name, Parameter, Scope, bits
from statements import DEPTH, Around, Statements
from tables import Tables

V1_PORTS = ("9w0", "9w1", "9w5", "9w7", "9w511", "sm.ingress_port")
V1_ERRORS = ("NoError", "PacketTooShort", "NoMatch", "StackOutOfBounds")
V1_REGISTER = (
    "reg.read(md.a, (bit<32>) (md.b & 16w3));",
    "reg.write((bit<32>) (md.b & 16w3), md.a);",
    "reg.write(1, md.a + 1);",
    "reg.read(md.a, 1);",
)
VERDICTS = ("XDP_TX", "XDP_PASS", "XDP_DROP", "XDP_REDIRECT", "XDP_ABORTED")
CELLS = 4
CHECKSUMS = (
    Callable_(
        "csum_replace2",
        tuple(Parameter("in", name, bits(16)) for name in ("csum", "old", "new")),
        bits(16),
    ),
    Callable_(
        "csum_replace4",
        (
            Parameter("in", "csum", bits(16)),
            Parameter("in", "old", bits(32)),
            Parameter("in", "new", bits(32)),
        ),
        bits(16),
    ),
)


class Controls:
    """Makes the main control; `cells` are those of its counters."""

    def __init__(
        self,
        choices: Choices,
        types: Declarations,
        statements: Statements,
        tables: Tables,
        base: Scope,
    ) -> None:
        self.choices = choices
        self.types = types
        self.expressions: Expressions = types.expressions
        self.statements = statements
        self.tables = tables
        self.cells: list[tuple[str, int]] = []
        self._base = base
        self._subs: list[tuple[str, Callable_, bool]] = []
        self._instances = 0

    def text(self) -> str:
        """Return the controls, the main one last."""
        subs = [self._sub(index) for index in range(self.choices.of((0, 0, 0, 1, 1, 2)))]
        return "\n".join([*subs, self._main()])

    def _main(self) -> str:
        scope = self._base.inner()
        if self.types.is_v1:
            return self._v1_main(scope)
        scope.functions += [f for f in CHECKSUMS if self.choices.chance(15)]
        scope.names = [
            Name("i.input_port", bits(32), read_only=True),
            Name("o.output_port", bits(32)),
        ]
        locals_ = self._headers(scope)
        counter = self._counter(scope)
        declared, scope = self._inside(scope, "", "C.")
        body = self.statements.body(scope, 6, Around(("return;", "exit;")))
        body += self._remaining(scope, body)
        count = "ctr.increment(0);" if counter else ""
        start = f"{self.types.preamble()} {self._verdict(scope)} {count}"
        return (
            "control C(inout Hdr hd, in xdp_input i, out xdp_output o) { "
            f"{locals_} {counter} {declared} apply {{ {start} {body} }} }}"
        )

    def _headers(self, scope: Scope) -> str:
        """Put the headers into the scope; return the variables that belong to them."""
        texts = []
        index = "ix" if self.types.stack and self.choices.chance(60) else None
        if index:
            scope.names.append(Name(index, BYTE))
            texts.append(f"bit<8> {index} = 8w{self.choices.below(4)};")
        self.types.fill(scope, index)
        if self.types.has_varbit:
            scope.extras += ["lhv = hd.hv;", "hd.hv = lhv;", "hd.hv.setInvalid();", "lhv = {#};"]
            texts.append("HV lhv;")
        return " ".join(texts)

    def _v1_main(self, scope: Scope) -> str:
        """Return ingress and egress of v1model."""
        port = bits(9)
        scope.names = [Name("sm.ingress_port", port, read_only=True)]
        scope.names += [Name(text, kind) for text, kind in METADATA]
        scope.names += [
            Name("sm.packet_length", bits(32), read_only=True),
            Name(f"(sm.parser_error == error.{self.choices.of(V1_ERRORS)})", BOOL, read_only=True),
        ]
        egress = scope.inner()
        scope.names.append(Name("sm.egress_spec", port))
        locals_ = self._headers(scope)
        if not self.types.is_psa and self.choices.chance(40):
            locals_ += " register<bit<8>>(4) reg;"
            scope.extras += V1_REGISTER
        declared, scope = self._inside(scope, "", "C.")
        body = self.statements.body(scope, 6, Around(("return;", "exit;")))
        body += self._remaining(scope, body)
        start = f"{self.types.preamble()} sm.egress_spec = {self.choices.of(V1_PORTS)};"
        if self.choices.chance(30):
            test = self.expressions.expression(_quiet(scope), BOOL, DEPTH - 1)
            drop = "sm.egress_spec = 511" if self.types.is_psa else "mark_to_drop(sm)"
            start += f" if ({test}) {{ {drop}; }}"
        self.types.fill(egress)
        after = self.types.preamble() if self.types.is_psa else ""
        after += self.statements.body(egress, 2, Around(("return;", "exit;")))
        parameters = "inout Hdr hd, inout M md, inout standard_metadata_t sm"
        return (
            f"control C({parameters}) {{ {locals_} {declared} apply {{ {start} {body} }} }}\n"
            f"control E({parameters}) {{ apply {{ {after} }} }}"
        )

    def _inside(self, scope: Scope, prefix: str, path: str | None) -> tuple[str, Scope]:
        """Return locals, instances, actions and tables, and the scope that has them."""
        texts = [self._locals(scope, prefix), self._called(scope, prefix)]
        for index in range(self.choices.below(4)):
            texts.append(self._action(scope, f"{prefix}a{index}"))
        made = []
        for index in range(self.choices.below(3)):
            name = f"{prefix}t{index}"
            where = None if path is None else f"{path}{name}"
            text, applied = self.tables.table(scope, name, where)
            texts.append(text)
            made.append(applied)
        scope.tables += made
        return " ".join(texts), scope

    def _remaining(self, scope: Scope, body: str) -> str:
        """Apply the tables that no statement applies."""
        return "".join(
            f" {table.text}.apply();"
            for table in scope.tables
            if f"{table.text}.apply()" not in body
        )

    def _locals(self, scope: Scope, prefix: str) -> str:
        texts = []
        for index in range(self.choices.below(4)):
            kind = self.expressions.any_type()
            name = f"{prefix}v{index}"
            value = "" if self.choices.chance(1) else f" = {self.expressions.literal(kind)}"
            texts.append(f"{kind} {name}{value};")
            scope.names += self.expressions.variable(name, kind)
        if self.choices.chance(15):
            kind = self.choices.of(self.types.named.headers)
            place = HeaderPlace(f"{prefix}lh", kind)
            texts.append(f"{kind} {place.text};")
            scope.names += self.expressions.fields(place)
            scope.headers.append(place)
            scope.sources.append(place)
        if self.types.stack and self.choices.chance(25):
            texts.append(self._local_stack(scope, f"{prefix}ls"))
        return " ".join(texts)

    def _local_stack(self, scope: Scope, name: str) -> str:
        kind, size = self.types.stack or (self.types.named.headers[0], 2)
        for index in range(size):
            place = HeaderPlace(f"{name}[{index}]", kind)
            scope.names += self.expressions.fields(place)
            scope.headers.append(place)
            scope.sources.append(place)
        scope.stacks.append((name, size))
        return f"{kind}[{size}] {name};"

    def _counter(self, scope: Scope) -> str:
        if not self.choices.chance(15):
            return ""
        sparse = self.choices.of(("true", "false"))
        number = Parameter("in", "index", bits(32))
        scope.actions.append(Callable_("ctr.increment", (number,)))
        scope.actions.append(Callable_("ctr.add", (number, Parameter("in", "value", bits(32)))))
        self.cells += [("ctr", i) for i in range(CELLS)]
        return f"CounterArray({CELLS}, {sparse}) ctr;"

    def _action(self, scope: Scope, name: str) -> str:
        directions = ("in", "inout", "out", "", "")
        parameters = self._parameters(directions)
        inner = scope.inner()
        inner.tables = []
        inner.actions = [a for a in inner.actions if ".apply" not in a.call]
        self._open(inner, parameters)
        body = self._start(parameters)
        body += self.statements.body(inner, 3, Around(("return;", "exit;")))
        scope.actions.append(Callable_(name, parameters))
        return f"action {name}({', '.join(map(str, parameters))}) {{ {body} }}"

    def _parameters(self, directions: tuple[str, ...]) -> tuple[Parameter, ...]:
        made = []
        for _ in range(self.choices.below(4)):
            direction = self.choices.of(directions)
            kind = self.expressions.any_type()
            if self.choices.chance(12):
                kind = self.choices.of(self.types.named.headers)
            made.append(Parameter(direction, self.statements.new_name("p"), kind))
        return tuple(sorted(made, key=lambda p: p.direction == ""))

    def _open(self, scope: Scope, parameters: tuple[Parameter, ...]) -> None:
        """Put parameters into the scope of a body."""
        for one in parameters:
            read_only = one.direction in ("in", "")
            if one.type.kind != "header":
                scope.names += self.expressions.variable(one.name, one.type, read_only=read_only)
                continue
            place = HeaderPlace(one.name, one.type, read_only=read_only)
            scope.names += self.expressions.fields(place)
            scope.sources.append(place)
            if not read_only:
                scope.headers.append(place)

    def _start(self, parameters: tuple[Parameter, ...]) -> str:
        """Give `out` parameters a value at once."""
        return "".join(
            f"{p.name} = {self.expressions.literal(p.type)}; "
            for p in parameters
            if p.direction == "out" and not (p.type.kind == "header" and self.choices.chance(50))
        )

    # Controls that others call

    def _sub(self, index: int) -> str:
        name, prefix = f"Sub{index}", f"s{index}"
        parameters = self._parameters(("in", "inout", "out"))
        scope = self._base.inner()
        self._open(scope, parameters)
        if self.choices.chance(35):
            at = self.choices.below(len(parameters) + 1)
            whole = Parameter("inout", "hd", HEADERS)
            parameters = (*parameters[:at], whole, *parameters[at:])
            self.types.fill(scope)
        constant = self.choices.chance(30)
        if constant:
            scope.names.append(Name("k", BYTE, read_only=True))
        declared, scope = self._inside(scope, prefix, None)
        body = self._start(parameters)
        body += self.statements.body(scope, 4, Around(("return;", "exit;")))
        body += self._remaining(scope, body)
        self._subs.append((name, Callable_(name, parameters), constant))
        given = "(bit<8> k)" if constant else ""
        return (
            f"control {name}({', '.join(map(str, parameters))}){given} "
            f"{{ {declared} apply {{ {body} }} }}"
        )

    def _called(self, scope: Scope, prefix: str) -> str:
        """Return instances of controls, which the scope can then call."""
        texts = []
        for name, sub, constant in self._subs:
            for _ in range(1 + self.choices.below(2)):
                instance = f"{prefix}i{self._instances}"
                self._instances += 1
                given = self.expressions.literal(BYTE) if constant else ""
                texts.append(f"{name}({given}) {instance};")
                scope.actions.append(Callable_(f"{instance}.apply", sub.parameters))
        return " ".join(texts)

    # What becomes of the packet

    def _verdict(self, scope: Scope) -> str:
        quiet = _quiet(scope)
        port = self.expressions.expression(quiet, bits(32), 1)
        first = f"o.output_action = xdp_action.{self.choices.of(VERDICTS)};"
        if self.choices.chance(30):
            test = self.expressions.expression(quiet, BOOL, DEPTH - 1)
            other = self.choices.of(VERDICTS)
            first += f" if ({test}) {{ o.output_action = xdp_action.{other}; }}"
        return f"o.output_port = {port}; {first}"


def _quiet(scope: Scope) -> Scope:
    """Return what can be read where the port is not set yet, without any effect."""
    quiet = scope.inner()
    quiet.tables, quiet.functions = [], []
    quiet.names = [n for n in quiet.names if n.text not in ("o.output_port", "sm.egress_spec")]
    return quiet
