"""A space with indices of its own is searched in the database, and finds what a search in memory finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from goalmem.language.terms import hash_term, terms_of
from goalmem.store import open_store
from goalmem.store.protocol import IndexRow, LargeSpaces, TurnFilter
from tests.cases import one_in
from tests.retrieve.telling import Told, WordEmbedder, filtered

from .conftest import execute

TOPICS = ("garden", "violin", "harbour", "telescope", "bakery", "mountain", "chess", "library", "railway", "pottery")
VERBS = ("saw", "painted", "left", "found", "missed", "praised", "cleaned", "heard")
START = datetime(2024, 1, 1, 9, tzinfo=UTC)
SESSIONS, LINES = 40, 20


@pytest.fixture(scope="module")
def url(empty_database: Callable[[], str]) -> str:
    return empty_database()


@pytest.fixture(scope="module")
def told(url: str) -> Iterator[Told]:
    """Two spaces that say the same; one of them has indices of its own."""
    store = open_store(url, model=WordEmbedder.name, dimension=WordEmbedder.dimension)
    told = Told(store)
    chance = np.random.default_rng(5)
    for session in range(SESSIONS):
        lines = [
            (
                ("Maya", "Leo")[n % 2],
                f"In the {TOPICS[chance.integers(10)]} I {VERBS[chance.integers(8)]} the {TOPICS[chance.integers(10)]},"
                f" item {session * LINES + n}",
            )
            for n in range(LINES)
        ]
        for space in ("small", "large"):
            told.say(*lines, space=space, session=f"s{session}", at=START + timedelta(days=session))
    assert store.index_space("large")
    yield told
    store.close()


@pytest.fixture
def large(told: Told) -> LargeSpaces:
    assert isinstance(told.store, LargeSpaces)
    return told.store


def found(told: Told, query: str, space: str, **options: object) -> list[str]:
    return [hit.turn.text for hit in told.searcher.search(query, space=space, **filtered(options))]


@pytest.mark.parametrize(
    ("query", "options"),
    one_in(
        2,
        [
            ("What about item 123?", {}),
            ("Who painted the violin in the library?", {}),
            ("the telescope that Maya cleaned", {}),
            ("a garden and a railway", {"speakers": ["Leo"]}),
            ("pottery in the harbour", {"sessions": ["s3", "s4"]}),
            ("chess", {"before": START + timedelta(days=5)}),
            ("bakery", {"after": START + timedelta(days=35)}),
            ("What did Leo hear on 12 January 2024?", {"at": START + timedelta(days=20)}),
            ('"item 77"', {}),
        ],
    ),
)
def test_what_is_found_is_what_a_search_in_memory_finds(told: Told, query: str, options: dict[str, object]) -> None:
    exact, narrowed = (found(told, query, space, k=10, **options) for space in ("small", "large"))
    # Many say nearly the same here; how common a word is, is known of a sample alone.
    assert exact[0] in narrowed[:3]
    assert len(set(narrowed) & set(exact)) >= 0.7 * len(exact)


def test_only_the_space_that_was_indexed_is_searched_in_the_database(large: LargeSpaces) -> None:
    assert large.indexed("large") == SESSIONS * LINES
    assert large.indexed("small") == large.indexed("nowhere") == 0


def test_who_speaks_and_what_was_said_last(told: Told) -> None:
    assert told.searcher.speakers("large") == told.searcher.speakers("small") == ("Maya", "Leo")
    last = told.searcher.newest("large")
    assert last is not None
    assert last == f"large/{told.searcher.newest('small').partition('/')[2]}"


def test_the_nearest_are_found_and_conditions_hold(told: Told, large: LargeSpaces) -> None:
    rows = list(told.store.index_rows("large"))
    vectors = np.array([np.frombuffer(row.vector, "<f2") for row in rows], dtype=np.float32)
    wanted = WordEmbedder().embed(["the telescope in the harbour"])[0].astype("<f2")
    products = vectors @ wanted.astype(np.float32)
    near = large.nearest("large", wanted.tobytes(), 20, TurnFilter())
    places = {row.seq: place for place, row in enumerate(rows)}
    assert len(near) == 20
    assert min(products[places[seq]] for seq in near) >= np.sort(products)[-20] - 1e-2
    leos = large.nearest("large", wanted.tobytes(), 20, TurnFilter(speakers=["Leo"], after=START.timestamp() + 86_400))
    assert len(leos) == 20
    assert {rows[places[seq]].speaker for seq in leos} == {"Leo"}
    assert "s0" not in {rows[places[seq]].session for seq in leos}


@pytest.mark.parametrize(
    "within",
    [
        TurnFilter(sessions=["s3", "s17"]),
        TurnFilter(after=(START + timedelta(days=30)).timestamp(), before=(START + timedelta(days=31)).timestamp()),
        TurnFilter(speakers=["Leo"], roles=["user"], sessions=["s5"]),
        TurnFilter(sessions=["nowhere"]),
    ],
)
def test_of_the_few_that_conditions_leave_exactly_the_nearest_are_found(
    told: Told, large: LargeSpaces, within: TurnFilter
) -> None:
    rows = [row for row in told.store.index_rows("large") if meets(row, within)]
    wanted = WordEmbedder().embed(["the telescope in the harbour"])[0].astype("<f2")
    near = large.nearest("large", wanted.tobytes(), 7, within)
    products = {row.seq: float(np.frombuffer(row.vector, "<f2").astype(np.float32) @ wanted) for row in rows}
    assert len(near) == min(7, len(rows))
    assert set(near) <= products.keys()
    best = sorted(products.values(), reverse=True)[: len(near)]
    assert [products[seq] for seq in near] == pytest.approx(best, abs=1e-2)


def test_conditions_that_leave_many_walk_the_graph_and_find_as_near(
    told: Told, large: LargeSpaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    from goalmem.store.postgres import search

    wanted = WordEmbedder().embed(["the telescope in the harbour"])[0].astype("<f2")
    within = TurnFilter(after=START.timestamp(), before=(START + timedelta(days=20)).timestamp())
    vectors = {row.seq: np.frombuffer(row.vector, "<f2").astype(np.float32) for row in told.store.index_rows("large")}
    one_by_one = large.nearest("large", wanted.tobytes(), 50, within)
    monkeypatch.setattr(search, "FEW", 0)
    walked = large.nearest("large", wanted.tobytes(), 50, within)
    assert len(walked) == len(one_by_one) == 50
    # Many are equally near here, so it is not by their numbers that they are compared.
    near, exact = (sorted(float(vectors[seq] @ wanted) for seq in found) for found in (walked, one_by_one))
    assert near == pytest.approx(exact, abs=1e-2)


def meets(row: IndexRow, within: TurnFilter) -> bool:
    """Whether a turn meets a condition."""
    return (
        (within.sessions is None or row.session in within.sessions)
        and (within.speakers is None or row.speaker in within.speakers)
        and (within.roles is None or row.role in within.roles)
        and (within.after is None or row.at >= within.after)
        and (within.before is None or row.at < within.before)
    )


def test_words_find_turns_of_their_own_space(told: Told, large: LargeSpaces) -> None:
    item, garden, violin = (hash_term(terms_of(word)[0]) for word in ("123", "garden", "violin"))
    (only,) = large.worded("large", [item], [], 10, TurnFilter())
    (row,) = large.rows_around("large", [only], [], 0)
    assert row.turn == "large/s6/3"
    both = large.worded("large", [], [garden, violin], 500, TurnFilter())
    every = large.worded("large", [garden, violin], [], 800, TurnFilter())
    assert 0 < len(both) < len(every)
    assert large.worded("large", [], [], 10, TurnFilter()) == []


def test_turns_come_with_those_around_them(large: LargeSpaces) -> None:
    rows = large.rows_around("large", [], ["large/s6/0", "large/s7/10"], 2)
    assert [(row.session, row.position) for row in rows] == [("s6", n) for n in (0, 1, 2)] + [
        ("s7", n) for n in (8, 9, 10, 11, 12)
    ]


def test_what_is_added_and_forgotten_later_is_seen_at_once(told: Told, large: LargeSpaces) -> None:
    told.say(("Maya", "A zeppelin flew over the observatory"), space="large", session="new", at=START)
    assert found(told, "the zeppelin over the observatory", "large", k=1) == ["A zeppelin flew over the observatory"]
    told.store.forget("large", session="new")
    assert "zeppelin" not in found(told, "the zeppelin over the observatory", "large", k=1)[0]


def test_an_index_goes_with_its_space(told: Told, url: str) -> None:
    told.say(("Maya", "A kite"), space="brief", session="1", at=START)
    assert told.store.index_space("brief")
    assert not told.store.index_space("nowhere")
    names = "SELECT count(*) FROM pg_class WHERE relname LIKE 'large\\_%'"
    assert execute(url, names) == [(6,)]
    told.store.forget("brief")
    assert execute(url, names) == [(3,)]
    assert told.store.indexed("brief") == 0


def test_a_build_that_was_stopped_is_done_again(told: Told, url: str) -> None:
    from goalmem.store.postgres.text import key_of

    told.say(("Maya", "A kite"), space="brief", session="1", at=START)
    assert told.store.index_space("brief")
    of_space = f"SELECT indexrelid FROM pg_index WHERE indexrelid::regclass::text LIKE '%{key_of('brief').hex}'"
    execute(url, f"UPDATE pg_index SET indisvalid = false WHERE indexrelid IN ({of_space})")
    assert told.store.index_space("brief")
    assert len(execute(url, f"{of_space} AND indisvalid")) == 3
    told.store.forget("brief")
