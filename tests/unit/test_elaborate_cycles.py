"""The loops of a state graph: every cycle passes through the head of a loop around all of it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from p4xdp.frontend.elaborate.cycles import Graph, endless_heads, loop_heads


def cycles(graph: Graph, path: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the simple cycles that can be walked on from `path`."""
    found = []
    for target in graph[path[-1]]:
        if target in path:
            found.append(path[path.index(target) :])
        else:
            found += cycles(graph, (*path, target))
    return found


def edges(text: str) -> Graph:
    """Return the graph of a text like `a-b-c b-a`."""
    graph: dict[str, list[str]] = {name: [] for name in text if name.isalpha()}
    for path in text.split():
        for source, target in pairwise(path.split("-")):
            graph[source].append(target)
    return graph


@pytest.mark.parametrize(
    "text",
    [
        "a-b-c",
        "a-a",
        "a-b-c-b c-d",
        "a-b-c-b c-a",
        "a-b-c-d-c d-b d-a",
        "a-b-c-b a-c",
        "a-b-d-b a-c-d d-c b-c",
        "a-b-c-d-e-c e-b b-e d-a",
    ],
)
def test_every_cycle_has_a_head(text: str) -> None:
    graph = edges(text)
    heads = loop_heads(graph, "a")
    assert heads.keys() == graph.keys()
    for cycle in cycles(graph, ("a",)):
        around = set(heads[cycle[0]]).intersection(*(heads[state] for state in cycle))
        assert around & set(cycle)


def test_states_outside_of_loops_have_no_head() -> None:
    assert loop_heads(edges("a-b-c-b c-d"), "a") == {"a": (), "b": ("b",), "c": ("b",), "d": ()}


def test_loops_are_nested() -> None:
    heads = loop_heads(edges("a-b-c-b c-a"), "a")
    assert heads == {"a": ("a",), "b": ("a", "b"), "c": ("a", "b")}


@pytest.mark.parametrize(
    ("text", "advancing", "endless"),
    [
        ("a-b-c", "", ""),
        ("a-b-c-b", "", "b"),
        ("a-b-c-b", "c", ""),
        ("a-b-c-b", "a", "b"),
        ("a-a-b-a b-b", "a", "b"),
        ("a-a-b-a b-b", "ab", ""),
        ("a-b-d-a a-c-d", "b", "a"),
        ("a-b-d-a a-c-d", "bc", ""),
        ("a-b-c-b c-a", "a", "b"),
        ("a-b-c-b c-a", "c", ""),
    ],
)
def test_a_loop_is_endless_if_a_way_around_does_not_advance(
    text: str, advancing: str, endless: str
) -> None:
    graph = edges(text)
    heads = loop_heads(graph, "a")
    found = endless_heads(graph, heads, lambda loop: set(advancing) & set(loop))
    assert "".join(sorted(found)) == endless
