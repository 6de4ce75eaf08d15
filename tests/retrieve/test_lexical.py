import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.retrieve import lexical
from goalmem.retrieve.lexical import Postings

K1, B = 1.2, 0.75
DOCUMENTS = st.lists(st.lists(st.integers(0, 12), max_size=12), max_size=25)


def postings_of(documents, sizes):
    """Add documents in batches of the given sizes, then the rest."""
    postings, start = Postings(), 0
    for size in [*sizes, len(documents)]:
        batch = documents[start : start + size]
        tokens = np.array([t for d in batch for t in d], dtype=np.uint64)
        rows = np.repeat(np.arange(start, start + len(batch), dtype=np.int32), [len(d) for d in batch])
        postings = postings.with_rows(tokens, rows)
        start += len(batch)
    return postings


def by_the_book(documents, query):
    """BM25 as Robertson and Zaragoza give it, with Lucene's idf."""
    average = max(sum(map(len, documents)) / max(len(documents), 1), 1.0)
    scores = []
    for document in documents:
        counts, score = Counter(document), 0.0
        for term in set(query):
            holding = sum(term in d for d in documents)
            idf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
            tf = counts[term]
            score += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * len(document) / average))
        scores.append(score)
    return scores


def scored(documents, query, sizes=()):
    lengths = np.array([len(d) for d in documents], dtype=np.float32)
    return postings_of(documents, sizes).bm25(query, lengths, k1=K1, b=B, most_terms=64)


@given(DOCUMENTS, st.lists(st.integers(0, 14), max_size=6), st.lists(st.integers(0, 7), max_size=6))
def test_scores_are_bm25_however_rows_came_in(documents, query, sizes):
    scores, most = scored(documents, query, sizes)
    assert scores.tolist() == pytest.approx(by_the_book(documents, query), rel=1e-4, abs=1e-5)
    assert all(score <= most + 1e-5 for score in scores)


@given(DOCUMENTS, st.lists(st.integers(0, 14), max_size=6), st.integers(1, 4))
def test_long_lists_are_scored_piece_by_piece(documents, query, piece):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexical, "SCORED_POSTINGS", piece)
        scores, _ = scored(documents, query)
    assert scores.tolist() == pytest.approx(by_the_book(documents, query), rel=1e-4, abs=1e-5)


@given(DOCUMENTS, st.lists(st.integers(0, 7), max_size=6))
def test_postings_grown_are_postings_made_at_once(documents, sizes):
    grown, whole = postings_of(documents, sizes), postings_of(documents, ())
    for term in range(14):
        found = [
            [(int(row), int(count)) for part in postings.find(term) for row, count in zip(*part, strict=True)]
            for postings in (grown, whole)
        ]
        assert found[0] == found[1] == sorted((n, d.count(term)) for n, d in enumerate(documents) if term in d)


@given(DOCUMENTS, st.lists(st.integers(0, 7), max_size=6))
def test_segments_stay_few(documents, sizes):
    segments = postings_of(documents, sizes).segments
    assert all(len(a.rows) >= 2 * len(b.rows) for a, b in pairwise(segments))


def test_of_a_very_long_query_the_rarest_terms_count():
    documents = [[1, 2], [1, 3], [1, 4]]
    lengths = np.array([2, 2, 2], dtype=np.float32)
    scores, _ = postings_of(documents, ()).bm25([1, 4], lengths, k1=K1, b=B, most_terms=1)
    assert scores.argmax() == 2
    assert scores[0] == 0


def test_a_word_of_one_text_counts_for_more_than_a_word_of_all():
    scores, _ = scored([[1, 2], [1, 3], [1, 4]], [1, 3])
    assert scores.argmax() == 1


def test_words_that_nobody_said_do_not_crowd_out_those_that_were():
    query = [*range(100, 200), 3]
    scores, most = scored([[3, 4], [4]], query)
    assert scores[0] > 0
    assert scores[1] == 0
    assert most > scores[0]
