"""Random well-typed programs for xdp_model, with the entries and packets to try them on."""

from __future__ import annotations

from dataclasses import dataclass

from choices import Choices
from expressions import (
    BOOL,
    BYTE,
    Callable_,
    Expressions,
    Name,
    Parameter,
    Scope,
    Type,
    random_type,
)
from statements import Statements

ETHERNET = 14
"""Bytes of the header that every packet starts with; the kernel asks for them."""

FIELD_WIDTHS = (8, 16, 4, 12, 32, 1, 3, 7, 13, 24, 48, 60, 64, 65, 128)
VERDICTS = ("XDP_TX", "XDP_PASS", "XDP_DROP", "XDP_REDIRECT", "XDP_ABORTED")
PACKETS = 8


@dataclass(frozen=True, slots=True)
class Case:
    """A program, `add` and `setdefault` lines for it, and packets that come in by port 1."""

    text: str
    requests: str
    packets: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Header:
    name: str
    fields: tuple[tuple[str, Type], ...]

    @property
    def size(self) -> int:
        """Return the bytes."""
        return sum(kind.width or 1 for _, kind in self.fields) // 8


ETHERNET_HEADER = Header(
    "Eth", (("dst", Type("bit", 48)), ("src", Type("bit", 48)), ("type", Type("bit", 16)))
)


def generate(choices: Choices) -> Case:
    """Return the case that the choices make."""
    return Generator(choices).case()


class Generator:
    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.expressions = Expressions(choices)
        self.statements = Statements(choices, self.expressions)
        self.headers: list[Header] = []
        self.members: list[tuple[str, Header]] = []
        self.stack: Header | None = None
        self.requests: list[str] = []

    def case(self) -> Case:
        self._types()
        functions = self._functions()
        parser = self._parser(functions)
        control = self._control(functions)
        text = "\n".join(
            [
                "#include <core.p4>\n#include <xdp_model.p4>",
                *map(_header, [ETHERNET_HEADER, *self.headers]),
                self._struct(),
                *(text for text, _ in functions),
                parser,
                control,
                self._deparser(),
                "xdp(P(), C(), D()) main;\n",
            ]
        )
        return Case(text, "\n".join(self.requests), self._packets())

    # Types

    def _types(self) -> None:
        for index in range(1 + self.choices.below(3)):
            self.headers.append(Header(f"H{index}", self._fields()))
        count = 1 + self.choices.below(4)
        self.members = [(f"h{i}", self.choices.of(self.headers)) for i in range(count)]
        if self.choices.chance(30):
            self.stack = self.choices.of(self.headers)

    def _fields(self) -> tuple[tuple[str, Type], ...]:
        kinds: list[Type] = []
        for _ in range(1 + self.choices.below(5)):
            width = self.choices.of(FIELD_WIDTHS)
            what = self.choices.below(10)
            signed = what >= 8 and width > 1
            kinds.append(BOOL if what == 7 else Type("int" if signed else "bit", width))
        rest = -sum(kind.width or 1 for kind in kinds) % 8
        if rest:
            kinds.insert(self.choices.below(len(kinds) + 1), Type("bit", rest))
        return tuple((f"f{i}", kind) for i, kind in enumerate(kinds))

    def _struct(self) -> str:
        members = [f"{header.name} {name};" for name, header in self.members]
        if self.stack:
            members.append(f"{self.stack.name}[2] st;")
        return f"struct Hdr {{ Eth eth; {' '.join(members)} }}"

    # Functions

    def _functions(self) -> list[tuple[str, Callable_]]:
        made: list[tuple[str, Callable_]] = []
        for index in range(self.choices.below(3)):
            result = random_type(self.choices)
            parameters = self._parameters(("in", "inout", "out"))
            name = f"fn{index}"
            scope = Scope(functions=[callable_ for _, callable_ in made])
            scope.names = [Name(p.name, p.type, p.direction == "in") for p in parameters]
            body = self._start(parameters) + self.statements.body(scope, 3, returns=result)
            text = f"{result} {name}({_declared(parameters)}) {{ {body} }}"
            made.append((text, Callable_(name, parameters, result)))
        return made

    def _parameters(self, directions: tuple[str, ...]) -> tuple[Parameter, ...]:
        return tuple(
            Parameter(self.choices.of(directions), f"p{i}", random_type(self.choices))
            for i in range(self.choices.below(4))
        )

    def _start(self, parameters: tuple[Parameter, ...]) -> str:
        """Give most `out` parameters a value at once."""
        return " ".join(
            f"{p.name} = {self.expressions.literal(p.type)};"
            for p in parameters
            if p.direction == "out" and not self.choices.chance(10)
        )

    # Parser

    def _parser(self, functions: list[tuple[str, Callable_]]) -> str:
        scope = Scope(functions=[callable_ for _, callable_ in functions])
        scope.names = [Name("n", BYTE), *_names("hd.eth", ETHERNET_HEADER)]
        states = []
        order = ["start", *(f"s{i}" for i in range(len(self.members)))]
        for index, state in enumerate(order):
            body = "p.extract(hd.eth); n = 0;" if index == 0 else ""
            if index:
                name, header = self.members[index - 1]
                body = f"p.extract(hd.{name});"
                scope.names += _names(f"hd.{name}", header)
            body += self._parser_statements(scope)
            targets = [*order[index + 1 :], "accept"]
            if self.stack and index == len(order) - 1:
                targets.insert(0, "more")
            states.append(f"state {state} {{ {body} {self._transition(scope, targets)} }}")
        if self.stack:
            states.append(self._loop(scope, self.stack))
        return f"parser P(packet_in p, out Hdr hd) {{ bit<8> n; {' '.join(states)} }}"

    def _parser_statements(self, scope: Scope) -> str:
        what = self.choices.below(10)
        if what < 6:
            return ""
        if what == 6:
            return f" n = {self.expressions.expression(scope, BYTE, 2)};"
        if what == 7:
            return " p.advance(8);"
        if what == 8:
            return " n = p.lookahead<bit<8>>();"
        test = self.expressions.expression(scope, BOOL, 1)
        return f" verify({test} || n != 7, error.NoMatch);"

    def _transition(self, scope: Scope, targets: list[str]) -> str:
        if self.choices.chance(30):
            return f"transition {targets[0]};"
        keys = [random_type(self.choices) for _ in range(1 + self.choices.below(2))]
        values = [self.expressions.leaf(scope, kind) for kind in keys]
        cases = []
        for _ in range(self.choices.below(4)):
            sets = ", ".join(self._keyset(kind) for kind in keys)
            label = f"({sets})" if len(keys) > 1 else sets
            cases.append(f"{label}: {self.choices.of(targets)};")
        if not self.choices.chance(15):
            cases.append(f"default: {targets[0]};")
        if not cases:
            cases = ["default: accept;"]
        return f"transition select({', '.join(values)}) {{ {' '.join(cases)} }}"

    def _keyset(self, kind: Type) -> str:
        literal = self.expressions.literal(kind)
        what = self.choices.below(6) if kind.kind == "bit" else self.choices.below(2)
        match what:
            case 0 | 2:
                return literal
            case 1:
                return "_"
            case 3 | 4:
                return f"{literal} &&& {self.expressions.literal(kind)}"
            case _:
                return f"{literal} .. {self.expressions.literal(kind)}"

    def _loop(self, scope: Scope, header: Header) -> str:
        field, kind = header.fields[0]
        label = self.expressions.literal(kind)
        return (
            "state more { p.extract(hd.st.next); "
            f"transition select(hd.st.last.{field}) {{ {label}: more; default: accept; }} }}"
        )

    # Control

    def _control(self, functions: list[tuple[str, Callable_]]) -> str:
        scope = Scope(functions=[callable_ for _, callable_ in functions])
        scope.headers = [f"hd.{name}" for name, _ in self.members]
        scope.names = [Name("i.input_port", Type("bit", 32), read_only=True)]
        scope.names += _names("hd.eth", ETHERNET_HEADER)
        for name, header in self.members:
            scope.names += _names(f"hd.{name}", header)
        self.statements.copies = self._copies()
        locals_ = self._locals(scope)
        actions = self._actions(scope)
        tables = self._tables(scope)
        body = self.statements.body(scope, 8)
        for table in scope.tables:
            if f"{table}.apply()" not in body:
                body += f" {table}.apply();"
        verdict = self._verdict(scope)
        return (
            "control C(inout Hdr hd, in xdp_input i, out xdp_output o) { "
            f"{locals_} {' '.join(actions)} {' '.join(tables)} apply {{ {verdict} {body} }} }}"
        )

    def _copies(self) -> list[tuple[str, str]]:
        """Return pairs of headers of one type."""
        places = list(self.members)
        if self.stack:
            places += [(f"st[{i}]", self.stack) for i in range(2)]
        return [
            (f"hd.{a}", f"hd.{b}")
            for a, one in places
            for b, two in places
            if one is two and a != b
        ]

    def _locals(self, scope: Scope) -> str:
        texts = []
        for index in range(self.choices.below(4)):
            kind = random_type(self.choices)
            value = "" if self.choices.chance(5) else f" = {self.expressions.leaf(scope, kind)}"
            texts.append(f"{kind} v{index}{value};")
            scope.names.append(Name(f"v{index}", kind))
        return " ".join(texts)

    def _actions(self, scope: Scope) -> list[str]:
        texts = []
        for index in range(self.choices.below(4)):
            parameters = self._parameters(("in", "inout", "out", ""))
            parameters = tuple(sorted(parameters, key=lambda p: p.direction == ""))
            inner = scope.inner()
            inner.names += [Name(p.name, p.type, p.direction in ("in", "")) for p in parameters]
            body = self._start(parameters) + self.statements.body(inner, 3, leaves=True)
            texts.append(f"action a{index}({_declared(parameters)}) {{ {body} }}")
            scope.actions.append(Callable_(f"a{index}", parameters))
        return texts

    def _tables(self, scope: Scope) -> list[str]:
        texts = []
        for index in range(self.choices.below(3) if scope.actions else 0):
            texts.append(self._table(scope, f"t{index}"))
        scope.tables = [f"t{index}" for index in range(len(texts))]
        return texts

    def _table(self, scope: Scope, name: str) -> str:
        keys = [(Type("bit", self.choices.of(FIELD_WIDTHS)), kind) for kind in self._match_kinds()]
        key = " ".join(
            f'{self.expressions.expression(scope, kind, 1)} : {match} @name("k{i}");'
            for i, (kind, match) in enumerate(keys)
        )
        listed = [(action, self._bound(scope, action)) for action in scope.actions]
        usable = [(action, bound) for action, bound in listed if bound is not None]
        texts = " ".join(f"{action.call}{bound};" for action, bound in usable)
        const = self.choices.chance(50)
        entries = self._entries(name, keys, [action for action, _ in usable], const)
        default = self._default([action for action, _ in usable])
        return (
            f"table {name} {{ key = {{ {key} }} actions = {{ {texts} NoAction; }} "
            f"{entries} {default} }}"
        )

    def _match_kinds(self) -> list[str]:
        kinds = [self.choices.of(("exact", "ternary")) for _ in range(1 + self.choices.below(2))]
        if self.choices.chance(30):
            kinds[self.choices.below(len(kinds))] = "lpm"
        return kinds

    def _bound(self, scope: Scope, action: Callable_) -> str | None:
        """Return the arguments that the list of actions binds."""
        directed = tuple(p for p in action.parameters if p.direction)
        given = []
        for parameter in directed:
            if parameter.direction == "in":
                given.append(self.expressions.expression(scope, parameter.type, 1))
                continue
            place = self.expressions.lvalue(scope, parameter.type)
            if place is None:
                return None
            given.append(place)
        return f"({', '.join(given)})" if given else ""

    def _entries(
        self, name: str, keys: list[tuple[Type, str]], actions: list[Callable_], const: bool
    ) -> str:
        rows = []
        seen = set()
        for index in range(self.choices.below(4)):
            action = self.choices.of([*actions, Callable_("NoAction", ())])
            sets = [self._match(kind, match) for kind, match in keys]
            if tuple(sets) in seen:
                continue
            seen.add(tuple(sets))
            data = [p for p in action.parameters if not p.direction]
            if const:
                arguments = ", ".join(self.expressions.literal(p.type) for p in data)
                pairs = zip(sets, keys, strict=True)
                label = ", ".join(_keyset(one, kind.width) for one, (kind, _) in pairs)
                rows.append(f"({label}) : {action.call}({arguments});")
            else:
                self._request(name, index, keys, sets, action, data)
        return f"const entries = {{ {' '.join(rows)} }}" if rows else ""

    def _match(self, kind: Type, match: str) -> tuple[int, int]:
        """Return value and mask of a key field."""
        top = (1 << kind.width) - 1
        value = self._number(top)
        match match:
            case "exact":
                return value, top
            case "lpm":
                length = self.choices.below(kind.width + 1)
                mask = top >> (kind.width - length) << (kind.width - length) if length else 0
            case _:
                mask = self.choices.of((top, 0, self._number(top)))
        return value & mask, mask

    def _number(self, top: int) -> int:
        return self.choices.of((0, 1, 2, 5, top, top >> 1, self.choices.below(top + 1))) & top

    def _request(
        self,
        table: str,
        index: int,
        keys: list[tuple[Type, str]],
        sets: list[tuple[int, int]],
        action: Callable_,
        data: list[Parameter],
    ) -> None:
        fields = []
        for i, ((value, mask), (kind, match)) in enumerate(zip(sets, keys, strict=True)):
            if match == "lpm":
                fields.append(f"k{i}:{value}/{mask.bit_count()}" if mask else "")
            elif mask == (1 << kind.width) - 1:
                fields.append(f"k{i}:{value}")
            elif mask:
                digits = (
                    "*" if not mask >> bit & 1 else str(value >> bit & 1)
                    for bit in reversed(range(kind.width))
                )
                fields.append(f"k{i}:0b{''.join(digits)}")
        arguments = ", ".join(
            f"{p.name}:{self._number((1 << (p.type.width or 1)) - 1)}" for p in data
        )
        text = f"add {table} {index} {' '.join(fields)} {action.call}({arguments})"
        self.requests.append(" ".join(text.split()))

    def _default(self, actions: list[Callable_]) -> str:
        if not actions or not self.choices.chance(50):
            return ""
        action = self.choices.of(actions)
        data = [self.expressions.literal(p.type) for p in action.parameters if not p.direction]
        const = "const " if self.choices.chance(30) else ""
        return f"{const}default_action = {action.call}({', '.join(data)});"

    def _verdict(self, scope: Scope) -> str:
        port = self.expressions.expression(scope, Type("bit", 32), 1)
        first = f"o.output_action = xdp_action.{self.choices.of(VERDICTS)};"
        if self.choices.chance(30):
            test = self.expressions.expression(scope, BOOL, 2)
            other = self.choices.of(VERDICTS)
            first += f" if ({test}) {{ o.output_action = xdp_action.{other}; }}"
        return f"o.output_port = {port}; {first}"

    # Deparser

    def _deparser(self) -> str:
        names = [f"hd.{name}" for name, _ in self.members]
        if self.stack:
            names.append("hd.st")
        if self.choices.chance(15):
            names.append(self.choices.of(names))
        if self.choices.chance(15):
            names.insert(0, names.pop())
        emits = " ".join(f"p.emit({name});" for name in ["hd.eth", *names])
        return f"control D(in Hdr hd, packet_out p) {{ apply {{ {emits} }} }}"

    # Packets

    def _packets(self) -> tuple[bytes, ...]:
        whole = sum(header.size for _, header in self.members)
        if self.stack:
            whole += 3 * self.stack.size
        return tuple(self._packet(whole) for _ in range(PACKETS))

    def _packet(self, whole: int) -> bytes:
        size = whole + self.choices.below(3)
        if self.choices.chance(30):
            size = self.choices.below(size + 1)
        kind = self.choices.below(3)
        data = bytearray(self.choices.below(1 << 8 * ETHERNET).to_bytes(ETHERNET, "big"))
        for _ in range(size):
            if kind == 2:
                data.append(self.choices.below(256))
            else:
                data.append(self.choices.of((0, 1, 2, 255, 128, 5) if kind else (0, 0, 1)))
        return bytes(data)


def _header(header: Header) -> str:
    fields = " ".join(f"{kind} {name};" for name, kind in header.fields)
    return f"header {header.name} {{ {fields} }}"


def _names(prefix: str, header: Header) -> list[Name]:
    return [Name(f"{prefix}.{name}", kind) for name, kind in header.fields]


def _declared(parameters: tuple[Parameter, ...]) -> str:
    return ", ".join(f"{p.direction} {p.type} {p.name}".strip() for p in parameters)


def _keyset(match: tuple[int, int], width: int) -> str:
    value, mask = match
    if mask == (1 << width) - 1:
        return f"{width}w{value}"
    return f"{width}w{value} &&& {width}w{mask}" if mask else "_"
