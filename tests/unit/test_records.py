"""Records behave like frozen, slotted dataclasses."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from p4xdp.records import asdict, dataclass, field, fields, is_dataclass, replace


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


@dataclass(slots=True)
class Open:
    name: str
    later: int = field(init=False)
    items: list[int] = field(default_factory=list, repr=False)


@dataclass(slots=True)
class Wider(Open):
    extra: int = 0

    def double(self) -> int:
        return 2 * self.extra


@dataclass(frozen=True)
class Roomy:
    name: str = "x"


def test_a_record_that_is_not_frozen_can_change_and_has_no_hash() -> None:
    wider = Wider("a", extra=2)
    wider.extra += 1
    wider.later = 5
    assert (wider.double(), wider.later, wider.items) == (6, 5, [])
    assert repr(wider) == "Wider(name='a', later=5, extra=3)"
    with pytest.raises(TypeError):
        hash(wider)
    with pytest.raises(AttributeError):
        wider.unknown = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        Open("a", later=1)  # type: ignore[call-arg]


def test_without_slots_there_is_a_dictionary() -> None:
    assert vars(Roomy("a")) == {"name": "a"}
    assert Roomy() == Roomy("x")
    assert Roomy.name == "x"


def test_standard_fields_are_understood() -> None:
    @dataclass(slots=True)
    class Mixed:
        items: list[int] = dataclasses.field(default_factory=list)
        size: int = dataclasses.field(default=3, repr=False)

    assert repr(Mixed()).endswith(".Mixed(items=[])")
    assert Mixed().size == 3


def test_records_inside_records_become_dicts() -> None:
    assert asdict(Bag([1], size=2)) == {"items": [1, 2], "label": "", "size": 2}
    assert asdict(Leaf("a")) == {"name": "a", "weight": 1, "place": {"line": 0}}


def test_the_standard_functions_work() -> None:
    leaf = Leaf("a", 2)
    assert dataclasses.replace(leaf, weight=3) == Leaf("a", 3)
    assert [f.name for f in dataclasses.fields(leaf)] == ["name", "weight", "place"]
    assert [f.compare for f in dataclasses.fields(leaf)] == [True, True, False]
    assert dataclasses.is_dataclass(Leaf)
    assert dataclasses.asdict(leaf) == asdict(leaf)


def test_our_functions_do_what_the_standard_ones_do() -> None:
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


def test_a_record_needs_no_options() -> None:
    @dataclass
    class Counter:
        value: int = 0

    counter = Counter()
    counter.value += 1
    assert counter == Counter(1)
