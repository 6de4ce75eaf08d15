"""What is said of several by their names is said of each of them; a name that ends in a genitive is whole."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from goalmem.records import Fact, Modality
from tests.cases import one_in
from tests.language.finding import find, named

Tell = Callable[..., list[Fact]]

GROUPS = [
    ("kids", "kid"),
    ("cats", "cat"),
    ("brothers", "brother"),
    ("dogs", "dog"),
    ("nephews", "nephew"),
    ("parrots", "parrot"),
]
PAIRS = [("Hugo", "Ella"), ("Miso", "Tofu"), ("Kofi", "Ama"), ("Pepper", "Salt"), ("Yusuf", "Leila")]
FRAMES = [
    "I have two {group}, {a} and {b}.",
    "We have two {group}: {a} and {b}.",
    "We've got two {group}, {a} and {b}.",
]


@pytest.mark.parametrize(("group", "member"), one_in(2, GROUPS))
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("frame", FRAMES)
def test_each_of_a_group_is_a_member_of_it(
    tell: Tell, group: str, member: str, pair: tuple[str, str], frame: str
) -> None:
    facts = tell(f"Maya: {frame.format(group=group, a=pair[0], b=pair[1])}")
    told = {(named(f, "subject"), named(f, "attribute")) for f in facts if f.kind == "identity"}
    # What the parser misses stays unsaid; nobody is ever two of a kind, and two names are never one.
    assert told <= {(name, f"Maya's {member}") for name in pair}
    assert not any(" and " in named(f, "subject") for f in facts)


def test_most_members_are_found(tell: Tell) -> None:
    found = 0
    asked = list(itertools.product(GROUPS, PAIRS, FRAMES))
    for (group, member), (a, b), frame in asked:
        facts = tell(f"Maya: {frame.format(group=group, a=a, b=b)}")
        found += all(find(facts, "be", subject=name, attribute=f"Maya's {member}") for name in (a, b))
    assert found >= 0.9 * len(asked)


@pytest.mark.parametrize("name", ["St. Mary's", "Luigi's", "Sainsbury's", "McDonald's", "Harrison's"])
@pytest.mark.parametrize("frame", ["I work at {}.", "We met at {} yesterday.", "We ate at {} and went home."])
def test_a_genitive_without_a_noun_is_part_of_the_name(tell: Tell, name: str, frame: str) -> None:
    facts = tell(f"Maya: {frame.format(name)}")
    assert name in [named(f, "at") for f in facts]
    assert name.removesuffix("'s") not in [named(f, role) for f in facts for role in ("at", "object")]


@pytest.mark.parametrize("name", ["Lars", "Ines", "Jonas", "Kofi", "Mireille", "Agnes"])
@pytest.mark.parametrize("verb", ["swim", "drive", "whistle", "cook"])
def test_what_somebody_can_do_is_stated(tell: Tell, name: str, verb: str) -> None:
    facts = find(tell(f"Maya: {name} can {verb}."), verb, subject=name)
    assert [f.modality for f in facts] == [Modality.ASSERTED]
    assert not find(tell(f"Maya: {name} could {verb} if it were warm."), verb, subject=name) or all(
        f.modality is not Modality.ASSERTED for f in find(tell(f"Maya: {name} could {verb} if it were warm."), verb)
    )
