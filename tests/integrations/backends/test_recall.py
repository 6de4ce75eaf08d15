"""What one question finds of another system, as reasoning reads it: the same laws as a store's."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from goalmem.integrations.backends import Backend, CallableBackend, Passage
from goalmem.integrations.backends.calls import BackendCaller, CallAllowance
from goalmem.integrations.backends.recall import MOST_PARTS, BackendRecall, BlockReader, worth
from goalmem.language import Analyzer, Extractor
from goalmem.records import Modality
from tests.integrations.backends.conftest import ASKED, PASSAGES, Rows

QUESTION = "Where does Ruben's sister live?"
SPACE = "default"


@pytest.fixture
def recall(analyzer: Analyzer) -> Callable[[Backend], BackendRecall]:
    """A view of a backend, after the question was asked."""

    def made(backend: Backend) -> BackendRecall:
        view = BackendRecall(
            BackendCaller(backend), BlockReader(lambda: Extractor(analyzer)), SPACE, ASKED, CallAllowance(60)
        )
        view.seed(QUESTION)
        return view

    return made


def test_facts_satisfy_every_condition(recall: Callable[[Backend], BackendRecall]):
    view = recall(Rows())
    every = view.facts(SPACE)
    assert every == sorted(every, key=lambda f: (f.said, f.turn, f.start, f.id))
    assert {f.turn for f in view.facts(SPACE, turns=["row-1"])} == {"row-1"}
    assert view.facts(SPACE, turns=[]) == []
    lives = view.facts(SPACE, entity="ilse", predicate="live")
    assert [f.statement for f in lives if f.modality is Modality.ASSERTED] == ["Ilse lives in Ghent"]
    assert view.facts(SPACE, ids=[lives[0].id]) == lives[:1]
    assert view.facts(SPACE, entity="Ilse", predicate="live", newest=1) == lives[-1:]
    assert {f.slot for f in view.facts(SPACE, slot="residence")} == {"residence"}


def test_names_are_those_of_what_the_question_finds(recall: Callable[[Backend], BackendRecall]):
    view = recall(Rows())
    assert view.aliases(SPACE)["ruben's sister"] == "Ilse"
    assert view.entities(SPACE)["Ilse"][0] == "person"
    assert set(view.speakers(SPACE)) == {"Nadia", "Ruben"}


def test_nothing_is_known_of_another_space(recall: Callable[[Backend], BackendRecall]):
    view = recall(Rows())
    other = "petra"
    assert not view.rank(QUESTION, space=other)
    assert not view.turns(other, ["row-1"])
    assert not view.session_turns(other, "row-1")
    assert not view.facts(other)
    assert not view.entities(other)
    assert not view.aliases(other)
    assert not view.speakers(other)
    assert view.version(other) == (0, 0)


def test_a_search_is_made_once(recall: Callable[[Backend], BackendRecall]):
    rows = Rows()
    view = recall(rows)
    assert [view.rank("olives", space=SPACE, k=3) for _ in range(3)].count(view.rank("olives", space=SPACE, k=3)) == 3
    assert rows.queries.count("olives") == 1


def test_what_is_found_for_a_subgoal_does_not_depend_on_other_searches(recall: Callable[[Backend], BackendRecall]):
    def search(query: str, k: int) -> list[Passage]:
        return [p for p in PASSAGES if ("olives" in query) == ("olives" in p.text)][:k]

    fresh, used = recall(CallableBackend(search)), recall(CallableBackend(search))
    used.rank("Nadia likes olives", space=SPACE, k=40)
    assert used.facts(SPACE, entity="Nadia") != fresh.facts(SPACE, entity="Nadia")
    for query in ("Where does Ilse live?", "Nadia can't stand olives"):
        one, other = (view.found_for(query, 40) for view in (fresh, used))
        for of in ({"entity": "Nadia"}, {"predicate": "live"}, {"slot": "residence"}, {}):
            assert one.facts(SPACE, **of) == other.facts(SPACE, **of)
    assert fresh.found_for("Nadia likes olives", 40).facts(SPACE, entity="Nadia") == used.facts(SPACE, entity="Nadia")


def test_only_the_turns_of_one_passage_have_an_order(recall: Callable[[Backend], BackendRecall]):
    talk = Passage("Maya: Hi!\nTom: Hello.\nMaya: How are you?", "talk")
    view = recall(Rows([talk, replace(PASSAGES[0], session="one"), replace(PASSAGES[1], session="one")]))
    assert [t.speaker for t in view.session_turns(SPACE, "talk")] == ["Maya", "Tom", "Maya"]
    assert [t.id for t in view.session_turns(SPACE, "talk", first=1, last=1)] == ["talk#2"]
    assert [t.id for t in view.session_turns(SPACE, "talk", first=-1)] == ["talk#3"]
    assert view.session_turns(SPACE, "one") == []


def test_of_a_long_passage_the_nearest_turns_are_read(recall: Callable[[Backend], BackendRecall]):
    lines = [f"Tom: The weather was fine on day {n}." for n in range(200)]
    lines[150] = "Ruben: My sister Ilse lives in Bruges."
    view = recall(Rows([Passage("\n".join(lines), "long")]))
    ranked = view.rank(QUESTION, space=SPACE, k=40)
    assert ranked[0].turn == "long#151"
    assert len(ranked) == MOST_PARTS
    assert any(f.object == "Bruges" or "Bruges" in f.statement for f in view.facts(SPACE))


def test_who_came_first_has_an_id(recall: Callable[[Backend], BackendRecall]):
    talk = Passage("Maya: Hi!\nTom: Hello.", "talk")
    other = Passage("I live in Ghent.", "talk#2", "Ruben")
    for rows, text in (([talk, other], "Hello."), ([other, talk], "I live in Ghent.")):
        view = recall(CallableBackend(lambda query, k, rows=rows: rows))
        assert view.turns(SPACE, ["talk#2"])["talk#2"].text == text
        assert all(view.turns(SPACE, [f.turn])[f.turn].content[f.start : f.end] == f.text for f in view.facts(SPACE))


def test_subgoals_may_be_searched_at_once(recall: Callable[[Backend], BackendRecall]):
    view = recall(Rows())
    queries = [f"Who likes olives {n}?" for n in range(8)]

    def work(query: str) -> int:
        return len(view.rank(query, space=SPACE, k=5)) + len(view.facts(SPACE, entity="Nadia"))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, queries))


def test_places_are_worth_less_and_less():
    values = [worth(place) for place in range(1, 2000)]
    assert values[0] == 1
    assert values == sorted(values, reverse=True)
    assert values[-1] == 0


def test_what_was_read_is_kept_within_a_limit(analyzer: Analyzer):
    reader = BlockReader(lambda: Extractor(analyzer), kept=100)
    blocks = [d for p in PASSAGES for d in [block_of(p)]]
    first = [reader.read(block) for block in blocks]
    assert [reader.read(block) for block in blocks] == first
    assert reader._characters <= 100


def block_of(passage: Passage):
    from goalmem.integrations.backends.documents import document_of

    (block,) = document_of(passage, SPACE).blocks
    return block
