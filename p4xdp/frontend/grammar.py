"""The parse tables: built from p4.lark by lark, kept in a cache, used by `parser`.

In: the grammar text. Out: `Tables`, plain dicts of ints and strings, so that a compile that finds
them in the cache never imports lark. Terminals go by the text that stands for them (`;`,
`control`) or by their name when they stand for many texts (`IDENTIFIER`).
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p4xdp.frontend import cache as files
from p4xdp.records import dataclass

if TYPE_CHECKING:
    from lark import Lark
    from lark.grammar import Rule

FORMAT = "1"

BUILD, PASS, LIST_START, LIST_GROW = range(4)


@dataclass(frozen=True, slots=True)
class Tables:
    """An LALR(1) automaton.

    `actions[state][terminal]` is a state to go to, or the complement (`~`) of a rule to reduce.
    `gotos[state][nonterminal]` is the state behind a reduction.
    `rules[rule]` is (nonterminal, length, what to do, builder's name, kept children), where a
    kept child of -1 stands for an optional part that is absent.
    """

    start: int
    end: int
    actions: list[dict[str, int]]
    gotos: list[dict[str, int]]
    rules: list[tuple[str, int, int, str, tuple[int, ...]]]
    terminals: frozenset[str]


@cache
def tables(builders: frozenset[str]) -> Tables:
    """Return the tables for the grammar; `builders` names the rules that build a node."""
    text = Path(__file__).with_name("p4.lark").read_text("utf-8")
    parts = (FORMAT, sys.version, text, *sorted(builders))
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
    stored = files.load("grammar", key)
    if stored is None:
        stored = _build(text, builders)
        files.store("grammar", key, stored)
    start, end, actions, gotos, rules, terminals = stored
    return Tables(start, end, actions, gotos, rules, frozenset(terminals))


def load_grammar(text: str) -> Lark:
    """Return lark's reading of the grammar, with no lexer of its own."""
    from lark import Lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        def __init__(self, lexer_conf: Any) -> None:
            """Take lark's settings, of which none is needed."""

        def lex(self, lexer_state: Any, parser_state: Any) -> Any:
            """Give no tokens: the tables are driven by `parser`."""
            return iter(())

    return Lark(text, parser="lalr", lexer=NoLexer)


def _build(text: str, builders: frozenset[str]) -> tuple[Any, ...]:
    from lark.parsers.lalr_analysis import Shift

    lark = load_grammar(text)
    table = lark.parser.parser._parse_table
    spelling = {t.name: t.pattern.value for t in lark.terminals if t.pattern.type == "str"}
    rules = list(lark.rules)
    number = {rule: index for index, rule in enumerate(rules)}
    lists = {r.origin.name for r in rules if _is_list_step(r) and not _builder(r, builders)}
    actions: list[dict[str, int]] = []
    gotos: list[dict[str, int]] = []
    nonterminals = {rule.origin.name for rule in rules}
    for state in range(len(table.states)):
        entries = table.states[state].items()
        actions.append(
            {
                sys.intern("$END" if name == "$END" else spelling.get(name, name)): (
                    to if action is Shift else ~number[to]
                )
                for name, (action, to) in entries
                if name not in nonterminals
            }
        )
        gotos.append({name: to for name, (_, to) in entries if name in nonterminals})
    plans = [_plan(rule, builders, lists) for rule in rules]
    _skip_passes(actions, gotos, plans)
    terminals = sorted({name for row in actions for name in row})
    start, end = table.start_states["start"], table.end_states["start"]
    return start, end, actions, gotos, plans, terminals


def _is_list_step(rule: Rule) -> bool:
    return len(rule.expansion) > 0 and rule.expansion[0].name == rule.origin.name


def _builder(rule: Rule, builders: frozenset[str]) -> str:
    name = str(rule.alias or rule.origin.name)
    return name if name in builders else ""


def _plan(
    rule: Rule, builders: frozenset[str], lists: set[str]
) -> tuple[str, int, int, str, tuple[int, ...]]:
    builder = _builder(rule, builders)
    kept = _kept(rule)
    if builder:
        what = BUILD
    elif rule.origin.name in lists or not kept:
        what = LIST_GROW if _is_list_step(rule) else LIST_START
    else:
        what = PASS
        if len(kept) != 1:
            raise ValueError(f"grammar rule has no builder: {rule}")
    return str(rule.origin.name), len(rule.expansion), what, builder, kept


def _kept(rule: Rule) -> tuple[int, ...]:
    """Return the places of the children that count: no punctuation, -1 for absent options."""
    absent = rule.options.empty_indices or [False] * len(rule.expansion)
    kept = []
    place = 0
    for is_absent in absent:
        if is_absent:
            kept.append(-1)
            continue
        symbol = rule.expansion[place]
        dropped = symbol.is_term and getattr(symbol, "filter_out", False)
        if rule.options.keep_all_tokens or not dropped:
            kept.append(place)
        place += 1
    return tuple(kept)


def _skip_passes(
    actions: list[dict[str, int]],
    gotos: list[dict[str, int]],
    plans: list[tuple[str, int, int, str, tuple[int, ...]]],
) -> None:
    """Lead gotos past the states that can only pass their one child on."""
    passes: dict[int, str] = {}
    for state, row in enumerate(actions):
        targets = set(row.values())
        if len(targets) == 1 and not gotos[state] and (rule := ~targets.pop()) >= 0:
            origin, length, what, _, _ = plans[rule]
            if what == PASS and length == 1:
                passes[state] = origin
    for row in gotos:
        for name in row:
            while row[name] in passes:
                row[name] = row[passes[row[name]]]
