"""What a word refers to is found by the entity, at a cost that does not grow with all other words."""

from __future__ import annotations

from dataclasses import replace

from goalmem.language.annotations import Referent, Referents


def test_an_entity_is_found_with_what_is_its():
    referents = Referents()
    for place, entity in enumerate(("Ann", "Ann's brother", "Anna", "Ann's brother's dog", "Ben", "user's sister")):
        referents[place] = Referent(entity, "person", "name")
    assert referents.named("Ann") == [0, 1, 3]
    assert referents.named("Ann's brother") == [1, 3]
    assert referents.named("Carla") == []
    referents[1] = replace(referents[1], entity="Tom")
    assert referents.named("Ann") == [0, 3]
    assert referents.named("Tom") == [1]


def test_only_the_words_of_its_owner_are_looked_at():
    class Counted(Referents):
        looked_at = 0

        def __getitem__(self, place: int) -> Referent:
            Counted.looked_at += 1
            return super().__getitem__(place)

    referents = Counted()
    for place in range(1_000):
        referents[place] = Referent(f"Person{place}'s brother", "person", "name")
    assert referents.named("Person7's brother") == [7]
    assert Counted.looked_at < 5
