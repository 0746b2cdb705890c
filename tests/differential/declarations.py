"""The types of a random program, and what its struct of headers holds."""

from __future__ import annotations

from collections.abc import Iterator

from choices import Choices
from expressions import Expressions, Named
from scope import BOOL, HeaderPlace, Name, Record, Scope, Type, bits

FIELD_WIDTHS = (8, 16, 4, 12, 32, 1, 3, 7, 13, 24, 48, 60, 64, 65, 128, 200)
ETHERNET = Record(
    Type("header", 0, "Eth"), (("dst", bits(48)), ("src", bits(48)), ("type", bits(16)))
)
VARBIT = Type("header", 0, "HV")
MOST_VARBIT = 64
"""Bits of the varbit; a packet may ask for 56."""


METADATA = (("md.a", bits(8)), ("md.b", bits(16)), ("md.c", BOOL))


class Declarations:
    """Makes the types; afterwards, `named` knows them.

    `members` are single headers; those in `sure` are made valid before the control reads them.
    `is_v1` asks for a program of v1model, and with `is_psa` its blocks go into one of PSA.
    """

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.named = Named()
        self.expressions = Expressions(choices, self.named)
        self.is_v1 = choices.chance(20)
        self.is_psa = self.is_v1 and choices.chance(40)
        self.members: list[tuple[str, Type]] = []
        self.sure: set[str] = set()
        self.stack: tuple[Type, int] | None = None
        self.unions: list[str] = []
        self.options: list[tuple[str, Type]] = []
        self.has_varbit = False
        self.has_union_stack = False
        self.text = self._all()

    def _all(self) -> str:
        texts = [str(ETHERNET), *self._scalars()]
        texts += [str(record) for record in self._records("header", 1 + self.choices.below(3))]
        self.named.records[ETHERNET.type.name] = ETHERNET
        if self.choices.chance(40):
            texts += [str(r) for r in self._records("struct", 1 + self.choices.below(2))]
        for index in range(1 + self.choices.below(3)):
            name = f"h{index}"
            self.members.append((name, self.choices.of(self.named.headers)))
            if self.choices.chance(50):
                self.sure.add(name)
        if self.choices.chance(25):
            self.stack = (self.choices.of(self.named.headers), 2 + self.choices.below(3))
        if self.choices.chance(20):
            texts.append(self._union())
        if self.choices.chance(10):
            self.has_varbit = True
            texts.append(f"header HV {{ bit<8> len; varbit<{MOST_VARBIT}> rest; }}")
        if self.is_v1:
            texts.append("struct M { bit<8> a; bit<16> b; bool c; }")
        return "\n".join([*texts, self._struct()])

    def _scalars(self) -> Iterator[str]:
        if self.choices.chance(25):
            width = self.choices.of((8, 4, 16, 13))
            self.named.scalars.append(Type("enum", width, "E0"))
            self.named.members["E0"] = ("A", "B", "C")
            top = (1 << width) - 1
            yield f"enum bit<{width}> E0 {{ A = 0, B = {top}, C = {1 + self.choices.below(7)} }}"
        if self.choices.chance(20):
            width = self.choices.of((8, 16, 3, 48, 65))
            self.named.scalars.append(Type("new", width, "N0"))
            yield f"type bit<{width}> N0;"
        if self.choices.chance(20):
            self.named.scalars.append(Type("name", 0, "C0"))
            self.named.members["C0"] = ("a", "b", "c")
            yield "enum C0 { a, b, c }"

    def _records(self, kind: str, count: int) -> Iterator[Record]:
        for index in range(count):
            name = f"{kind[0].upper()}{index}"
            fields = self._header_fields() if kind == "header" else self._struct_fields()
            record = Record(Type(kind, 0, name), fields)
            self.named.records[name] = record
            (self.named.headers if kind == "header" else self.named.structs).append(record.type)
            yield record

    def _struct_fields(self) -> tuple[tuple[str, Type], ...]:
        count = 1 + self.choices.below(3)
        return tuple((f"f{i}", self.expressions.scalar_type()) for i in range(count))

    def _header_fields(self) -> tuple[tuple[str, Type], ...]:
        kinds = [self._field() for _ in range(1 + self.choices.below(5))]
        rest = -sum(kind.width or 1 for kind in kinds) % 8
        if rest:
            kinds.insert(self.choices.below(len(kinds) + 1), bits(rest))
        return tuple((f"f{i}", kind) for i, kind in enumerate(kinds))

    def _field(self) -> Type:
        width = self.choices.of(FIELD_WIDTHS)
        what = self.choices.below(12)
        named = [kind for kind in self.named.scalars if kind.is_number]
        if what == 11 and named:
            return self.choices.of(named)
        if what == 10:
            return BOOL
        return Type("int" if what >= 8 and width > 1 else "bit", width)

    def _union(self) -> str:
        self.unions = ["u0", "u1"][: 1 + self.choices.below(2)]
        if self.choices.chance(30):
            self.has_union_stack = True
            self.unions = ["u0", "us[0]", "us[1]"]
        kinds = [self.choices.of(self.named.headers) for _ in range(2)]
        self.options = [(f"o{i}", kind) for i, kind in enumerate(kinds)]
        return f"header_union U0 {{ {' '.join(f'{kind} {name};' for name, kind in self.options)} }}"

    def _struct(self) -> str:
        members = [f"{kind} {name};" for name, kind in self.members]
        if self.stack:
            members.append(f"{self.stack[0]}[{self.stack[1]}] st;")
        members += [f"U0 {name};" for name in self.unions if "[" not in name]
        if self.has_union_stack:
            members.append("U0[2] us;")
        if self.has_varbit:
            members.append("HV hv;")
        return f"struct Hdr {{ Eth eth; {' '.join(members)} }}"

    # What controls can do with the headers

    def places(self, index: str | None = None) -> list[HeaderPlace]:
        """Return the places of headers, one by a run-time `index` among them when it is given."""
        places = [HeaderPlace(f"hd.{name}", kind, name in self.sure) for name, kind in self.members]
        if self.stack:
            kind, size = self.stack
            places += [HeaderPlace(f"hd.st[{i}]", kind) for i in range(size)]
            if index:
                within = f"{index} < {size} && "
                places.append(HeaderPlace(f"hd.st[{index}]", kind, within=within))
        places += [
            HeaderPlace(f"hd.{union}.{name}", kind)
            for union in self.unions
            for name, kind in self.options
        ]
        return places

    def fill(self, scope: Scope, index: str | None = None) -> None:
        """Put the headers into a control's scope."""
        scope.names += self.expressions.fields(HeaderPlace("hd.eth", ETHERNET.type, True))
        for place in self.places(index):
            scope.names += self.expressions.fields(place)
            scope.sources.append(place)
            if not place.is_sure:
                scope.headers.append(place)
        if self.has_varbit:
            test = "hd.hv.isValid()"
            scope.names.append(Name(f"({test} ? hd.hv.len : 8w0)", bits(8), place="hd.hv.len"))
        scope.unions += [f"hd.{name}" for name in self.unions]
        if self.has_union_stack:
            scope.extras += ["hd.us.push_front(1);", "hd.us.pop_front(1);"]
        if self.stack:
            scope.stacks.append(("hd.st", self.stack[1]))

    def preamble(self) -> str:
        """Return statements after which those headers are valid that are said to be."""
        return " ".join(
            f"if (!hd.{name}.isValid()) {{ hd.{name} = {self.expressions.literal(kind)}; }}"
            for name, kind in self.members
            if name in self.sure
        )
