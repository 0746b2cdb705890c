"""Tokens to the syntax tree.

In: a `Source`. Out: `syntax.P4Program`. A loop drives the LALR tables of `grammar`; each reduction
calls the method of `tree.TreeBuilder` that is named like the rule. It uses no recursion, so that
nesting costs neither stack nor more than linear time.
"""

from __future__ import annotations

from typing import Any

from p4xdp.diagnostics import Diagnostics, Span
from p4xdp.frontend import grammar
from p4xdp.frontend.lexer import END, IDENTIFIER, Token, tokenize
from p4xdp.frontend.names import Names
from p4xdp.frontend.source import Source
from p4xdp.frontend.syntax import P4Program
from p4xdp.frontend.tree import TreeBuilder

TYPE_IDENTIFIER = "TYPE_IDENTIFIER"
TYPE_ARGUMENTS = "TYPE_ARGUMENTS"
LONGEST_TYPE_ARGUMENTS = 500
BUILDERS = frozenset(name for name in vars(TreeBuilder) if not name.startswith("_"))


def parse(source: Source, diagnostics: Diagnostics) -> P4Program:
    """Return the program's tree; raises CompileError."""
    program = _Parser(tokenize(source, diagnostics), diagnostics).program()
    diagnostics.stop_on_error()
    return program


class _Parser:
    def __init__(self, tokens: list[Token], diagnostics: Diagnostics) -> None:
        self.tokens = tokens
        self.diagnostics = diagnostics
        self.names = Names()
        self.tables = grammar.tables(BUILDERS)
        builder = TreeBuilder(self.names, diagnostics)
        self.rules: list[tuple[str, int, int, Any, tuple[int, ...]]] = [
            (origin, length, what, getattr(builder, name) if name else None, kept)
            for origin, length, what, name, kept in self.tables.rules
        ]
        self.states = [self.tables.start]
        self.values: list[Any] = []
        self.begins: list[int] = []

    def program(self) -> P4Program:
        actions = self.tables.actions
        tokens, states, names = self.tokens, self.states, self.names
        index = 0
        while True:
            token = tokens[index]
            kind = token.kind
            row = actions[states[-1]]
            if kind == IDENTIFIER:
                known = names.top if tokens[index - 1].kind == "." else names.now
                kind = known.get(token.text, IDENTIFIER)
            elif kind == "<" and TYPE_ARGUMENTS in row and self._opens_type_arguments(index):
                kind = TYPE_ARGUMENTS
            action = row.get(kind)
            if action is None:
                action = self._second_try(index, kind, row)
                if action is None:
                    return self._fail(index)
            if action < 0:
                self._reduce(~action, index)
                if kind == END and states[-1] == self.tables.end:
                    program: P4Program = self.values[-1]
                    return program
                continue
            states.append(action)
            self.values.append(token)
            self.begins.append(index)
            if kind == "{":
                names.enter()
            elif kind == "}":
                names.leave()
            index += 1

    def _reduce(self, rule: int, index: int) -> None:
        origin, length, what, build, kept = self.rules[rule]
        states, values, begins = self.states, self.values, self.begins
        begin = begins[-length] if length else index
        children = values[-length:] if length else []
        if what == grammar.PASS:
            value = children[kept[0]]
        elif what == grammar.BUILD:
            first = self.tokens[begin].span
            span = first if begin >= index - 1 else first.to(self.tokens[index - 1].span)
            value = build(span, *[children[k] if k >= 0 else None for k in kept])
        else:
            value = [children[k] for k in kept]
            if what == grammar.LIST_GROW:
                value[0].extend(value[1:])
                value = value[0]
        if length:
            del states[-length:], values[-length:], begins[-length:]
        states.append(self.tables.gotos[states[-1]][origin])
        values.append(value)
        begins.append(begin)

    def _second_try(self, index: int, kind: str, row: dict[str, int]) -> int | None:
        """Read a token that does not fit in the other way it can be read."""
        token = self.tokens[index]
        if kind == TYPE_ARGUMENTS:
            return row.get("<")
        if kind == ">>" and ">" in row:
            self.tokens[index : index + 1] = _halves(token)
            return row[">"]
        return None

    def _opens_type_arguments(self, index: int) -> bool:
        """Tell whether the `<` at `index`, behind an expression, begins type arguments.

        It does when the matching `>` is followed by `(` and only types stand between; a list of
        several must begin with what is known to be a type, as in `f(a < b, c > (d))`.
        """
        depth = 0
        several = False
        for place in range(index, min(index + LONGEST_TYPE_ARGUMENTS, len(self.tokens))):
            kind = self.tokens[place].kind
            if kind == "<":
                depth += 1
            elif kind in (">", ">>"):
                depth -= len(kind)
                if depth <= 0:
                    called = self.tokens[place + 1].kind == "("
                    return depth == 0 and called and (not several or self._is_type(index + 1))
            elif kind == ",":
                several = True
            elif kind not in _IN_TYPES:
                return False
        return False

    def _is_type(self, index: int) -> bool:
        token = self.tokens[index]
        if token.kind == IDENTIFIER:
            return self.names.now.get(token.text) == TYPE_IDENTIFIER
        return token.kind in _IN_TYPES and token.kind not in ("[", "(", "INTEGER")

    def _fail(self, index: int) -> P4Program:
        token = self.tokens[index]
        self.diagnostics.error("syntax", token.span, f"unexpected `{token.text}`")
        return P4Program(())


_IN_TYPES = frozenset(
    """IDENTIFIER INTEGER bool error string int bit varbit match_kind void tuple list _
    . [ ] ( ) + - * / % & | ^ << ++""".split()
)


def _halves(token: Token) -> list[Token]:
    span = token.span
    if span.end_column - span.column == 2:
        middle = span.column + 1
        left = Span(span.file, span.line, span.column, span.line, middle)
        right = Span(span.file, span.line, middle, span.line, span.end_column)
    else:
        left = right = span
    return [Token(">", ">", left), Token(">", ">", right)]
