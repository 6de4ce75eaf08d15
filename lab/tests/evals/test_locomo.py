import json
from pathlib import Path

import pytest

from goalmem.errors import FormatError, InputError
from goalmem_lab.evals.locomo import evaluate
from goalmem_lab.evals.locomo_data import read_locomo
from goalmem_lab.evals.selection import Selection

KEYS = {"questions", "recall@5", "recall@10", "recall@20", "all@10", "all@20"}
DATA = Path(__file__).parents[4] / "shared" / "data" / "locomo" / "locomo_dev.json"


def test_figures_have_their_names(locomo, embedder, tmp_path):
    figures = evaluate(locomo, embedder=embedder, state=tmp_path)
    assert figures.keys() >= {*KEYS, "by_category"}
    assert [*figures["by_category"]] == ["multi-hop", "temporal", "commonsense", "single-hop", "adversarial"]
    assert all(part.keys() == KEYS for part in figures["by_category"].values())


def test_the_whole_is_over_answerable_questions_with_evidence(locomo, embedder, tmp_path):
    figures = evaluate(locomo, embedder=embedder, state=tmp_path)
    assert (figures["questions"], figures["without_evidence"]) == (3, 1)
    assert figures["recall@10"] == figures["all@10"] == 1.0
    assert figures["by_category"]["adversarial"]["questions"] == 1
    assert figures["by_category"]["commonsense"] == {"questions": 0, **dict.fromkeys(KEYS - {"questions"})}


def test_evidence_is_read_however_it_is_written(locomo):
    (conversation,) = read_locomo(locomo)
    assert [q.evidence for q in conversation.questions] == [
        ("D1:1", "D1:3"),
        ("D10:1",),
        (),
        ("D1:1",),
        ("D10:2",),
    ]


def test_sessions_come_in_order_with_their_dates(locomo):
    (conversation,) = read_locomo(locomo)
    assert [(s.session, s.at.isoformat()) for s in conversation.sessions] == [
        ("session_1", "2023-05-08T13:56:00+00:00"),
        ("session_10", "2023-07-03T09:02:00+00:00"),
    ]
    assert conversation.sessions[0].messages[2]["caption"] == "a photo of a beagle"


def test_adversarial_questions_have_no_answer(locomo):
    (conversation,) = read_locomo(locomo)
    assert [q.answer for q in conversation.questions] == ["a beagle", "2023", "the kitchen", "", "the kitchen"]


def test_a_limit_takes_the_first(locomo, embedder, tmp_path):
    assert evaluate(locomo, selection=Selection(1), embedder=embedder, state=tmp_path)["questions"] == 1


def test_an_unknown_mode_is_refused(locomo):
    with pytest.raises(InputError, match="dream"):
        evaluate(locomo, mode="dream")


def test_signals_can_be_switched_off(locomo, embedder, tmp_path):
    assert evaluate(locomo, without=["dense", "context"], embedder=embedder, state=tmp_path)["questions"] == 3
    with pytest.raises(InputError, match="magic"):
        evaluate(locomo, without=["magic"], embedder=embedder, state=tmp_path)


def test_answers_are_measured_with_every_signal(locomo, tmp_path):
    with pytest.raises(InputError, match="every signal"):
        evaluate(locomo, mode="ask", without=["dense"], state=tmp_path)


def test_state_that_cannot_be_kept_is_said(locomo, embedder, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file"):
        evaluate(locomo, embedder=embedder, state=tmp_path / "file")


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("session_1_date_time", "someday", "session_1_date_time"),
        ("session_10_date_time", None, "session_10_date_time"),
        ("session_1", [{"speaker": "Maya", "text": "Hi"}], r"session_1\[0\].*dia_id"),
        ("session_1", "Hi", "session_1"),
    ],
)
def test_bad_conversations_are_named_with_their_place(locomo, key, value, place):
    rows = json.loads(locomo.read_text())
    rows[0]["conversation"][key] = value
    locomo.write_text(json.dumps(rows))
    with pytest.raises(FormatError, match=place):
        read_locomo(locomo)


@pytest.mark.parametrize(
    "change", [{"category": 9}, {"category": "1"}, {"category": True}, {"question": None}, {"answer": []}]
)
def test_bad_questions_are_named_with_their_place(locomo, change):
    rows = json.loads(locomo.read_text())
    rows[0]["qa"][1] |= change
    locomo.write_text(json.dumps(rows))
    with pytest.raises(FormatError, match=r"qa\[1\]"):
        read_locomo(locomo)


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="the development data are not here")
def test_the_development_data_can_be_read():
    conversations = read_locomo(DATA)
    assert sum(len(c.questions) for c in conversations) == 1020
    assert sum(not q.evidence for c in conversations for q in c.questions) == 2


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="the development data are not here")
def test_search_finds_what_it_should(tmp_path):
    """The first conversation, with the real embedder: well above plain BM25 with stemming (.57)."""
    assert evaluate(DATA, selection=Selection(199), state=tmp_path)["recall@10"] > 0.74
