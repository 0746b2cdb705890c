"""Records behave like frozen, slotted dataclasses."""

from __future__ import annotations

import copy
import pickle
from dataclasses import field, fields, is_dataclass, replace

import pytest

from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    line: int


@dataclass(frozen=True, slots=True)
class Leaf:
    name: str
    weight: int = 1
    place: Place = field(default=Place(0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Other:
    name: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


@dataclass(frozen=True, slots=True)
class Named:
    name: str

    def __repr__(self) -> str:
        return f"<{self.name}>"


@dataclass(frozen=True, slots=True)
class Heavy(Leaf):
    load: int = 0


@dataclass(frozen=True, slots=True)
class Bag:
    items: list[int] = field(default_factory=list)
    label: str = field(default="", kw_only=True)
    size: int = 0

    def __post_init__(self) -> None:
        self.items.append(self.size)


def test_defaults_are_made_anew_and_can_be_named() -> None:
    assert Bag().items is not Bag().items
    assert Bag([1], 2, label="x") == Bag(items=[1], size=2, label="x")
    assert Bag([1], 2).items == [1, 2]


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(TypeError):
        Leaf()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Leaf("a", 1, Place(0), 4)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Leaf("a", wait=1)  # type: ignore[call-arg]
    assert Leaf("a").weight == 1


def test_a_record_may_extend_another() -> None:
    heavy = Heavy("a", load=2)
    assert heavy == Heavy("a", 1, load=2)
    assert heavy != Heavy("a", load=3)
    assert heavy != Leaf("a")
    assert repr(heavy) == "Heavy(name='a', weight=1, load=2)"
    assert len({heavy, Heavy("a", load=2), Heavy("a", load=3)}) == 2


def test_equality_is_by_class_and_by_the_fields_that_count() -> None:
    assert Leaf("a", place=Place(1)) == Leaf("a", place=Place(2))
    assert Leaf("a") != Leaf("b")
    other: object = Other("a")
    assert Leaf("a") != other
    assert Nothing() == Nothing()


def test_equal_records_have_equal_hashes() -> None:
    assert len({Leaf("a", place=Place(1)), Leaf("a", place=Place(2)), Leaf("b")}) == 2
    assert hash(Nothing()) == hash(Nothing())


def test_the_text_leaves_out_what_it_should() -> None:
    assert repr(Leaf("a", place=Place(1))) == "Leaf(name='a', weight=1)"
    assert repr(Named("x")) == "<x>"


def test_the_standard_functions_work() -> None:
    leaf = Leaf("a", 2)
    assert replace(leaf, weight=3) == Leaf("a", 3)
    assert [f.name for f in fields(leaf)] == ["name", "weight", "place"]
    assert is_dataclass(Leaf)
    assert copy.copy(leaf) == leaf
    assert pickle.loads(pickle.dumps(leaf)) == leaf


def test_records_match_by_position_and_have_no_dictionary() -> None:
    match Leaf("a", 2):
        case Leaf(name, weight):
            assert (name, weight) == ("a", 2)
    with pytest.raises(AttributeError):
        _ = Leaf("a").__dict__


def test_other_dataclasses_are_the_standard_ones() -> None:
    @dataclass
    class Counter:
        value: int = 0

    counter = Counter()
    counter.value += 1
    assert counter == Counter(1)
