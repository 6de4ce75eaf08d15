"""What is encoded for benchmarks is what a memory stores, and is made once."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

from goalmem import Memory
from goalmem.errors import InputError
from goalmem.store import open_store
from goalmem_lab.evals.corpus import Corpora
from goalmem_lab.evals.encoded import SPACE, Told, _program
from goalmem_lab.evals.encoding_cache import FILE, EncodingCache
from goalmem_lab.evals.progress import ignore

MAY = datetime(2024, 5, 1, tzinfo=UTC)
JUNE = datetime(2024, 6, 1, tzinfo=UTC)
SISTER = Told(
    "one",
    MAY,
    [
        {"role": "user", "name": "Maya", "content": "My sister Ines moved to Porto. She adores sardines."},
        {"role": "user", "name": "Leo", "content": "Lucky her!", "id": "m2", "caption": "a harbour at dawn"},
    ],
)
VISIT = Told(
    "two", JUNE, [{"role": "user", "name": "Maya", "content": "I visited my sister. She showed me the river."}]
)


class Counting:
    """Any embedder or analyzer, and how many texts reach it."""

    def __init__(self, behind):
        self.behind, self.texts = behind, 0

    def __getattr__(self, name):
        return getattr(self.behind, name)

    def embed(self, texts):
        self.texts += len(texts)
        return self.behind.embed(texts)

    def docs(self, texts, names=()):
        self.texts += len(texts)
        return self.behind.docs(texts, names)


def rows(corpus):
    return list(corpus.store.index_rows(SPACE))


def test_a_conversation_is_stored_as_a_memory_stores_it(embedder, analyzer, tmp_path):
    place = tmp_path / "memory.goalmem"
    with Memory(place, embedder=embedder, analyzer=analyzer) as memory:
        for told in (SISTER, VISIT):
            memory.add(told.messages, session=told.session, at=told.at, space=SPACE)
    with closing(open_store(place, model=embedder.name, dimension=embedder.dimension)) as store:
        stored = list(store.index_rows(SPACE))
    with Corpora(embedder, tmp_path) as corpora, corpora.filled([SISTER, VISIT], linked=True) as corpus:
        assert rows(corpus) == stored


def test_what_is_in_the_cache_is_neither_embedded_nor_parsed_again(embedder, analyzer, tmp_path):
    with Corpora(embedder, tmp_path, analyzer) as corpora, corpora.filled([SISTER, VISIT]) as corpus:
        first = rows(corpus)
    models = Counting(embedder), Counting(analyzer)
    with Corpora(models[0], tmp_path, models[1]) as corpora, corpora.filled([SISTER, VISIT]) as corpus:
        assert rows(corpus) == first
    assert [model.texts for model in models] == [0, 0]


def test_a_session_of_another_day_is_the_same_content(embedder, analyzer, tmp_path):
    counted = Counting(analyzer)
    ticks = []
    with Corpora(embedder, tmp_path, counted) as corpora:
        corpora.prepare([SISTER, Told("other", JUNE, SISTER.messages)], lambda *tick: ticks.append(tick))
        assert ticks == [("sessions read", 1, 1)]
        before = counted.texts
        with corpora.filled([Told("other", JUNE, SISTER.messages)]) as corpus:
            assert {row.session for row in rows(corpus)} == {"other"}
            assert {row.at for row in rows(corpus)} == {JUNE.timestamp()}
    assert counted.texts == before


def test_sessions_read_before_a_kill_are_kept(embedder, analyzer, tmp_path):
    def kill(what, done, total):
        raise KeyboardInterrupt

    with Corpora(embedder, tmp_path, analyzer) as corpora, pytest.raises(KeyboardInterrupt):
        corpora.prepare([SISTER, VISIT], kill)
    counted = Counting(analyzer)
    with Corpora(embedder, tmp_path, counted) as corpora:
        corpora.prepare([SISTER], ignore)
    assert counted.texts == 0


def test_vectors_are_those_of_their_model(embedder, analyzer, tmp_path):
    class Other(type(embedder)):
        name = "other"

        def embed(self, texts):
            return -super().embed(texts)

    vectors = []
    for model in (embedder, Other()):
        with Corpora(model, tmp_path, analyzer) as corpora, corpora.filled([VISIT]) as corpus:
            vectors += [row.vector for row in rows(corpus)]
    assert vectors[0] != vectors[1]


def test_features_of_other_code_are_not_found(embedder, analyzer, tmp_path, monkeypatch):
    with Corpora(embedder, tmp_path, analyzer) as corpora:
        corpora.prepare([VISIT], ignore)
    monkeypatch.setattr("goalmem_lab.evals.encoded.code_version", lambda: b"tomorrow's")
    counted = Counting(analyzer)
    with Corpora(embedder, tmp_path, counted) as corpora:
        corpora.prepare([VISIT], ignore)
    assert counted.texts == 1


def test_a_reading_comes_back_as_it_was(tmp_path):
    for _ in range(2):
        cache = EncodingCache(tmp_path)
        cache.keep_reading(b"key", b"[]")
        assert cache.reading(b"key") == b"[]"
        assert cache.reading(b"other") is None
        cache.close()


def test_what_code_says_of_itself_is_no_part_of_its_version():
    plain = b"X = 1\ndef f(a):\n    return a\n"
    told = b'"""About."""\nX = 1  # one\n"""More."""\n\ndef f(a):\n    """Same."""\n    return a\n'
    assert _program(told) == _program(plain)
    assert _program(plain.replace(b"1", b"2")) != _program(plain)


@pytest.mark.parametrize("content", [b"no database at all, but long enough to be looked at" * 20, None])
def test_a_cache_that_cannot_be_used_is_said(tmp_path, content):
    if content is None:
        (tmp_path / FILE).mkdir()
    else:
        (tmp_path / FILE).write_bytes(content)
    with pytest.raises(InputError, match=r"--cache"):
        EncodingCache(tmp_path)


def test_two_processes_may_share_the_cache(tmp_path):
    one, other = EncodingCache(tmp_path), EncodingCache(tmp_path)
    one.keep_reading(b"a", b"x")
    other.keep_reading(b"b", b"y")
    assert one.reading(b"b") == b"y"
    assert other.reading(b"a") == b"x"
    for cache in (one, other):
        cache.close()
    assert sqlite3.connect(tmp_path / FILE).execute("PRAGMA integrity_check").fetchone() == ("ok",)
