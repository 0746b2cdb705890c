"""The parse tables: built from p4.lark by lark, kept in a cache, used by `parser`.

In: the grammar text. Out: `Tables`, plain dicts of ints and strings, so that a compile that finds
them in the cache never imports lark. Terminals go by the text that stands for them (`;`,
`control`) or by their name when they stand for many texts (`IDENTIFIER`).
"""

from __future__ import annotations

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
    key = files.digest("\0".join(parts).encode())
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
    lark = load_grammar(text)
    table = lark.parser.parser._parse_table
    rules = sorted(set(lark.rules), key=str)
    order = _numbered(table)
    actions, gotos = _rows(lark, table, order, {rule: n for n, rule in enumerate(rules)})
    lists = {r.origin.name for r in rules if _is_list_step(r) and not _builder(r, builders)}
    plans = [_plan(rule, builders, lists) for rule in rules]
    _skip_passes(actions, gotos, plans)
    terminals = sorted({name for row in actions for name in row})
    start, end = (order[of["start"]] for of in (table.start_states, table.end_states))
    return start, end, actions, gotos, plans, terminals


def _numbered(table: Any) -> dict[int, int]:
    """Return a number for each of lark's states that is the same in every run."""
    from lark.parsers.lalr_analysis import Shift

    order = {table.start_states["start"]: 0}
    queue = list(order)
    for state in queue:
        for _, (action, to) in sorted(table.states[state].items()):
            if action is Shift and to not in order:
                order[to] = len(order)
                queue.append(to)
    return order


def _rows(
    lark: Lark, table: Any, order: dict[int, int], number: dict[Rule, int]
) -> tuple[list[dict[str, int]], list[dict[str, int]]]:
    """Return the actions and the gotos of all states, terminals by their text."""
    from lark.parsers.lalr_analysis import Shift

    spelling = {t.name: t.pattern.value for t in lark.terminals if t.pattern.type == "str"}
    nonterminals = {rule.origin.name for rule in number}
    actions: list[dict[str, int]] = [{} for _ in order]
    gotos: list[dict[str, int]] = [{} for _ in order]
    for state, place in order.items():
        for name, (action, to) in sorted(table.states[state].items()):
            if name in nonterminals:
                gotos[place][str(name)] = order[to]
            else:
                terminal = sys.intern(spelling.get(name, name))
                actions[place][terminal] = order[to] if action is Shift else ~number[to]
    return actions, gotos


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
