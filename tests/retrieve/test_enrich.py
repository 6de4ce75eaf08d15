"""Features of a turn: what analysis found in it, as terms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from goalmem.language.terms import hash_term
from goalmem.records import Extraction, Modality
from goalmem.retrieve.enrich import (
    MOST_FEATURES,
    REMINISCENCE,
    entity_term,
    noun_terms,
    predicate_terms,
    terms_of_turn,
    triple_terms,
    turn_features,
)

from .reading import extracted


def terms(*lines: str) -> set[str]:
    """Terms of the last of these turns."""
    return set(terms_of_turn(extracted(*lines)[-1]))


def test_who_does_what_to_what_is_found_whole_and_in_pairs() -> None:
    found = terms("Maya: I adopted a small dog.")
    assert {"t:maya|adopt|dog", "t:maya|adopt|", "t:|adopt|dog", "t:maya||dog"} <= found


def test_a_speaker_without_a_name_is_the_role() -> None:
    assert "t:user|adopt|dog" in terms("user: I adopted a dog.")
    assert "t:assist|suggest|walk" in terms("assistant: I suggested a walk.")


def test_a_pronoun_counts_as_what_it_stands_for() -> None:
    found = terms("Maya: My sister Ines moved. She bought a bicycle.")
    assert {"e:ines", "t:ine|buy|bicycl"} <= found


def test_who_speaks_is_no_entity_of_the_turn() -> None:
    assert "e:maya" not in terms("Maya: I adopted a dog.")


def test_noun_phrases_are_found_by_head_and_neighbours() -> None:
    found = terms("user: We sold the old mountain bikes.")
    assert {"n:bike", "n:mountain bike", "n:old mountain", "n:old mountain bike"} <= found
    assert noun_terms("of the", "it") == []


def test_a_denied_predicate_is_marked_and_still_found() -> None:
    assert {"p:swim", "p:!swim"} <= terms("user: I did not swim.")
    assert "p:!swim" not in terms("user: I swam.")
    assert predicate_terms("be", negated=True) == []


def test_likes_and_dislikes_keep_their_direction() -> None:
    assert "f:+sushi" in terms("user: I really love sushi.")
    assert "f:-sushi" in terms("user: I hate sushi.")
    assert "f:-sushi" in terms("user: I don't like sushi.")


def test_turning_to_the_past_is_a_theme() -> None:
    assert REMINISCENCE in terms("user: I remember our summers at the lake.")
    assert REMINISCENCE not in terms("user: I booked a room at the lake.")


def test_what_is_only_asked_makes_no_trigram() -> None:
    made = extracted("user: I adopted a dog.")[0]
    asked = replace(made, facts=tuple(replace(fact, modality=Modality.QUESTION) for fact in made.facts))
    assert any(term.startswith("t:") for term in terms_of_turn(made))
    assert not any(term.startswith("t:") for term in terms_of_turn(asked))
    assert "n:dog" in set(terms_of_turn(asked))


def test_features_are_distinct_hashes_of_the_terms() -> None:
    made = extracted("user: I adopted a dog and a cat. The dog adopted me.")[0]
    features = np.frombuffer(turn_features(made), dtype="<u8").tolist()
    assert sorted(features) == sorted({hash_term(term) for term in terms_of_turn(made)})
    assert turn_features(made) == turn_features(made)
    assert turn_features(Extraction("nothing")) == b""


def test_a_long_turn_is_bounded_and_keeps_what_it_names() -> None:
    nouns = ["apple", "boat", "candle", "drum", "engine", "flute", "guitar", "hammer", "island", "jacket"]
    text = " ".join(f"The {a} of Oslo carried one {b} over there." for a in nouns for b in nouns if a != b)
    made = extracted(f"user: {text}")[0]
    assert len(turn_features(made)) == 8 * MOST_FEATURES
    kept = set(np.frombuffer(turn_features(made), dtype="<u8").tolist())
    named = {term for term in terms_of_turn(made) if not term.startswith("t:")}
    assert {"e:oslo", "n:boat", "n:guitar", "p:carri"} <= named
    assert {hash_term(term) for term in named} <= kept


@given(st.text(), st.text(), st.text())
def test_any_text_makes_terms(subject: str, predicate: str, object_: str) -> None:
    assert len(entity_term(subject)) <= 1
    assert all(term.startswith("n:") for term in noun_terms(subject, object_))
    found = triple_terms(subject, predicate, object_)
    assert len(found) == len(set(found))
    assert len(found) == (0, 0, 1, 4)[sum(map(bool, (subject, predicate, object_)))]
