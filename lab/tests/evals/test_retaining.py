"""Parts of Retaining that our search lacks: each moves up what it says, and leaves the rest as it was."""

from datetime import UTC, datetime

import numpy as np
import pytest

from goalmem.retrieve.search import ScoredTurns
from goalmem.retrieve.settings import Weights
from goalmem_lab.evals.corpus import FULL, Corpora, Variant
from goalmem_lab.evals.encoded import Told
from goalmem_lab.evals.retaining import PARTS, Found, enriched_text, searched

MAY = datetime(2023, 5, 8, tzinfo=UTC)
SAID = (
    "I adopted a beagle called Biscuit.",
    "Leo repaired the racing bicycle.",
    "The beagle sleeps on the sofa.",
    "I painted the kitchen yellow.",
)


@pytest.fixture
def corpus(embedder, analyzer, tmp_path):
    told = [Told(f"s{n}", MAY, [{"role": "user", "name": "Maya", "content": text}]) for n, text in enumerate(SAID)]
    with Corpora(embedder, tmp_path, analyzer) as corpora, corpora.filled(told) as filled:
        yield filled


def found(corpus, scores, question="Who?", **signals):
    """Turns of sessions of their own, best first."""
    scores = np.array(scores, dtype=np.float32)
    turns = ScoredTurns(
        [row.turn for row in corpus.store.index_rows("eval")][: len(scores)],
        np.arange(len(scores), dtype=np.int32),
        scores,
        {name: np.array(values, dtype=np.float32) for name, values in signals.items()},
    )
    return Found(corpus, question, turns, Weights())


def raised(part, given):
    return (PARTS[part](given) - given.turns.scores) > 1e-6


def test_the_first_five_by_vector_are_anchored(corpus):
    given = found(corpus, np.linspace(1, 0.4, 7), dense=[0, 0.1, 0.7, 0.6, 0.5, 0.4, 0.3])
    assert raised("anchoring", given).tolist() == [False, False, True, True, True, True, True]


def test_only_what_no_other_signal_finds_is_protected(corpus):
    given = found(corpus, [1, 0.9, 0.8], dense=[0.5, 0.5, 0.5], logic=[0.1, 0, 0], lexical=[0, 0.3, 0.1])
    assert raised("protection", given).tolist() == [False, False, True]


def test_a_session_that_an_intruder_displaced_takes_the_fifth_place(corpus):
    dense = [0.9, 0.8, 0.7, 0.6, 0.1, 0.5, 0.4, 0.3, 0.2]
    given = found(corpus, np.linspace(1, 0.2, 9), dense=dense)
    order = np.argsort(-PARTS["session-preservation"](given), kind="stable")
    assert order[:6].tolist() == [0, 1, 2, 3, 5, 4]
    calm = found(corpus, np.linspace(1, 0.2, 9), dense=sorted(dense, reverse=True))
    assert not raised("session-preservation", calm).any()


def test_noun_phrases_count_only_within_the_time_of_the_question(corpus):
    given = found(corpus, [1, 0.9], time=[0.1, 1.0], bridge=[0.5, 0.5])
    lowered = PARTS["filter-then-phrase"](given) < given.turns.scores - 1e-6
    assert lowered.tolist() == [True, False]
    assert not raised("filter-then-phrase", found(corpus, [1, 0.9], bridge=[0.5, 0.5])).any()


def test_turns_that_name_somebody_who_says_nothing_move_up(corpus):
    told = [turn.content for turn in corpus.turns([row.turn for row in corpus.store.index_rows("eval")])]
    given = found(corpus, [1, 0.9, 0.8, 0.7], "What did Leo repair for Maya?")
    assert [text for text, up in zip(told, raised("other-names", given), strict=True) if up] == [SAID[1]]


def test_a_turn_is_found_by_what_analysis_found_in_it(corpus):
    texts = [enriched_text(reading) for reading in corpus.readings.values()]
    assert any("Maya adopted" in text and "Biscuit" in text for text in texts)
    given = found(corpus, [1, 0.9, 0.8, 0.7], "Maya adopted", dense=[0, 0, 0, 0])
    assert raised("enriched-text", given).any()


@pytest.mark.parametrize("part", PARTS)
def test_what_a_part_does_not_move_is_ranked_as_by_the_search(corpus, part):
    plain = [hit.turn.id for hit in searched(corpus, FULL, "q", "yellow kitchen", k=4)]
    assert sorted(hit.turn.id for hit in searched(corpus, Variant(added=part), "q", "yellow kitchen", k=4)) == sorted(
        plain
    )
