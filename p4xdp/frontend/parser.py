"""Tokens to the syntax tree.

In: a `Source`. Out: `syntax.P4Program`. A loop drives the LALR tables of `grammar`; each reduction
calls the method of `tree.TreeBuilder` that is named like the rule. It uses no recursion, so that
nesting costs neither stack nor more than linear time.
"""

from __future__ import annotations

from typing import Any

from p4xdp.diagnostics import MOST_ERRORS, Diagnostics, Span
from p4xdp.frontend import grammar
from p4xdp.frontend.lexer import END, IDENTIFIER, Token, tokenize
from p4xdp.frontend.names import Names
from p4xdp.frontend.source import Source
from p4xdp.frontend.syntax import P4Program
from p4xdp.frontend.syntax_errors import SyntaxErrors
from p4xdp.frontend.tree import TreeBuilder

TYPE_IDENTIFIER = "TYPE_IDENTIFIER"
TYPE_ARGUMENTS = "TYPE_ARGUMENTS"
LONGEST_TYPE_ARGUMENTS = 500
BUILDERS = frozenset(name for name in dir(TreeBuilder) if not name.startswith("_"))


def parse(source: Source, diagnostics: Diagnostics) -> P4Program:
    """Return the program's tree; raises CompileError."""
    program = _Parser(source, diagnostics).program()
    diagnostics.stop_on_error()
    return program


class _Parser:
    """The automaton: its stack of states, the value and the first token of each symbol on it."""

    def __init__(self, source: Source, diagnostics: Diagnostics) -> None:
        self.tokens = tokenize(source, diagnostics)
        self.diagnostics = diagnostics
        self.errors = SyntaxErrors(source, self.tokens, diagnostics)
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
        self.failed_at = -1

    def program(self) -> P4Program:
        actions = self.tables.actions
        tokens, states, names = self.tokens, self.states, self.names
        index = 0
        while True:
            token = tokens[index]
            kind = token.kind
            row = actions[states[-1]]
            if kind == IDENTIFIER:
                kind = self._name_kind(token, index, row)
            elif kind == "<" and TYPE_ARGUMENTS in row and self._opens_type_arguments(index):
                kind = TYPE_ARGUMENTS
            action = row.get(kind)
            if action is None:
                action = self._second_try(index, kind, row)
                if action is None:
                    index = self._recover(index)
                    continue
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

    # Names and angle brackets

    def _name_kind(self, token: Token, index: int, row: dict[str, int]) -> str:
        """Return whether a name is a type; report one that is undeclared but must be a type."""
        known = self.names.top if self.tokens[index - 1].kind == "." else self.names.now
        kind = known.get(token.text)
        if kind is None:
            if not self._must_be_type(index, row):
                return IDENTIFIER
            self._undeclared(token)
            return TYPE_IDENTIFIER
        if kind == IDENTIFIER and IDENTIFIER not in row and TYPE_IDENTIFIER in row:
            self._undeclared(token)
            return TYPE_IDENTIFIER
        return kind

    def _must_be_type(self, index: int, row: dict[str, int]) -> bool:
        if TYPE_IDENTIFIER not in row:
            return False
        if IDENTIFIER not in row:
            return True
        following = self.tokens[index + 1].kind
        if "if" in row:
            return following == IDENTIFIER
        return "struct" in row and following == "("

    def _undeclared(self, token: Token) -> None:
        """Report an undeclared type, once, and take it for a type from here on."""
        self.errors.undeclared_type(token, self.names.now)
        self.names.declare_missing_type(token.text)

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
        angles = brackets = 0
        several = False
        for place in range(index, min(index + LONGEST_TYPE_ARGUMENTS, len(self.tokens))):
            kind = self.tokens[place].kind
            if brackets or (kind in _BRACKETS and (kind == "[" or angles > 1)):
                brackets += _BRACKETS.get(kind, 0)
            elif kind == "<":
                angles += 1
            elif kind in (">", ">>"):
                angles -= len(kind)
                if angles <= 0:
                    called = self.tokens[place + 1].kind == "("
                    return angles == 0 and called and (not several or self._is_type(index + 1))
            elif kind == ",":
                several = True
            elif kind not in (_IN_WIDTHS if angles > 1 else _IN_TYPES):
                return False
        return False

    def _is_type(self, index: int) -> bool:
        token = self.tokens[index]
        if token.kind == IDENTIFIER:
            return self.names.now.get(token.text) == TYPE_IDENTIFIER
        return token.kind in _TYPE_WORDS

    # Errors

    def _recover(self, index: int) -> int:
        """Report that the token at `index` does not fit; return the token to go on with."""
        fitting = self._fitting()
        if self._lacks_semicolon(index, fitting):
            self.errors.missing_semicolon(index)
            self.tokens.insert(index, Token(";", ";", self.tokens[index - 1].span))
            self.failed_at = index + 1
            return index
        if self._reads_as_cast(index):
            self.errors.undeclared_type(self.tokens[index - 2], self.names.now)
        elif self._reads_as_variable(index):
            self.errors.top_level_variable(self.tokens[index - 1])
        elif fitting <= {"(", ".", "<"} and self._is_type(index - 1):
            self.errors.type_for_value(self.tokens[index - 1])
        else:
            self.errors.unexpected(index, fitting)
        self.failed_at = index
        return self._next_declaration(index)

    def _lacks_semicolon(self, index: int, fitting: set[str]) -> bool:
        if ";" not in fitting or fitting & {"if", "struct"} or index in (0, self.failed_at):
            return False
        before, token = self.tokens[index - 1].span, self.tokens[index]
        return (before.file, before.end_line) != (token.span.file, token.span.line) or (
            token.kind in ("}", END)
        )

    def _reads_as_variable(self, index: int) -> bool:
        """Tell whether a declaration that began like a function goes on like a variable."""
        if len(self.begins) < 2 or self.tokens[index].kind not in ("=", ";"):
            return False
        declared = {token.kind for token in self.tokens[self.begins[1] : index]}
        words = ("{", "(", "extern", "typedef", "type", "const", "parser", "control", "package")
        return index - self.begins[1] > 1 and not declared.intersection(words)

    def _reads_as_cast(self, index: int) -> bool:
        """Tell whether a name in parentheses stands before an operand: `(name) operand`."""
        if index < 3:
            return False
        kinds = [token.kind for token in self.tokens[index - 3 : index]]
        operand = self.tokens[index].kind in (IDENTIFIER, "INTEGER", "true", "false")
        return operand and kinds == ["(", IDENTIFIER, ")"]

    def _fitting(self) -> set[str]:
        """Return the terminals that can stand here."""
        row = self.tables.actions[self.states[-1]]
        return {terminal for terminal in row if self._fits(terminal)}

    def _fits(self, terminal: str) -> bool:
        actions, gotos, rules = self.tables.actions, self.tables.gotos, self.tables.rules
        depth = len(self.states)
        added: list[int] = []
        while True:
            state = added[-1] if added else self.states[depth - 1]
            action = actions[state].get(terminal)
            if action is None:
                return False
            if action >= 0:
                return True
            origin, length, *_ = rules[~action]
            taken = min(length, len(added))
            del added[len(added) - taken :]
            depth -= length - taken
            state = added[-1] if added else self.states[depth - 1]
            added.append(gotos[state][origin])
            if added[-1] == self.tables.end:
                return terminal == END

    def _next_declaration(self, index: int) -> int:
        """Drop the declaration that does not parse; return where the next one begins."""
        begin = self.begins[1] if len(self.begins) > 1 else index
        if len(self.diagnostics.errors) >= MOST_ERRORS:
            begin = index = len(self.tokens) - 1
        self.names.leave_all()
        del self.states[2:], self.values[1:], self.begins[1:]
        depth = 0
        for place in range(begin, len(self.tokens)):
            token = self.tokens[place]
            if token.kind == END:
                return place
            anew = token.span.column == 1 and token.kind in _DECLARATION_WORDS
            if anew and place >= index and place > begin:
                return place
            if token.kind == "{":
                depth += 1
            elif token.kind == "}":
                depth -= 1
            if place >= index and depth <= 0 and token.kind in (";", "}"):
                return place + 1
        return len(self.tokens) - 1


_TYPE_WORDS = frozenset("bool error string int bit varbit match_kind void tuple list _ .".split())
_IN_TYPES = _TYPE_WORDS | {IDENTIFIER}
_IN_WIDTHS = _IN_TYPES | frozenset("INTEGER + - * / % & | ^ << ++ |+| |-| ~ !".split())
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_DECLARATION_WORDS = frozenset(
    """action const control enum error extern header header_union match_kind package parser struct
    typedef ANNOTATION_NAME""".split()
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
