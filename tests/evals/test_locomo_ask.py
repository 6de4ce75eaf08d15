"""LoCoMo asked: figures by category, abstention, evidence, proofs, and going on after an interruption."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.errors import FormatError
from goalmem.evals import locomo_ask
from goalmem.evals.locomo_ask import evaluate, figures_of
from goalmem.evals.locomo_data import ADVERSARIAL, CATEGORIES, Question
from goalmem.extract import Analyzer
from goalmem.models.minilm import MiniLM

NAMES = ["multi-hop", "temporal", "commonsense", "single-hop", "adversarial"]
SAID = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Petra",
        "speaker_b": "Emre",
        "session_1_date_time": "6:04 pm on 13 March, 2024",
        "session_1": [
            {"speaker": "Petra", "dia_id": "D1:1", "text": "I adopted a beagle last Saturday."},
            {"speaker": "Emre", "dia_id": "D1:2", "text": "Lovely! My brother Joris moved to Leiden."},
        ],
    },
    "qa": [
        {"question": "What did Petra adopt?", "answer": "a beagle", "evidence": ["D1:1"], "category": 4},
        {"question": "When did Petra adopt a beagle?", "answer": "9 March 2024", "evidence": ["D1:1"], "category": 2},
        {"question": "What did Emre paint?", "answer": "a fence", "evidence": ["D1:2"], "category": 1},
        {"question": "What did Emre adopt?", "adversarial_answer": "a beagle", "evidence": ["D1:1"], "category": 5},
    ],
}


@pytest.fixture(scope="module", autouse=True)
def _models_loaded_once(analyzer: Analyzer) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(locomo_ask, "Memory", partial(Memory, analyzer=analyzer, embedder=MiniLM()))
        yield


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([SAID]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("ask")
    path = folder / "talk.json"
    path.write_text(json.dumps([SAID]), encoding="utf-8")
    return evaluate(path, state=folder / "state")


def test_figures_have_their_names(figures):
    assert figures.keys() >= {"questions", "f1", "by_category", "abstention", "evidence_recall", "verified"}
    assert {"seconds_p50", "seconds_ingest"} <= figures.keys()
    assert list(figures["by_category"]) == NAMES
    assert figures["abstention"].keys() == {"adversarial", "answered"}


def test_right_answers_score_and_every_proof_is_checked(figures):
    assert figures["questions"] == 3
    assert figures["by_category"]["single-hop"]["f1"] == 1.0
    assert figures["by_category"]["temporal"]["f1"] == 1.0
    assert figures["by_category"]["multi-hop"]["f1"] == 0.0
    assert figures["verified"] == 1.0


def test_leaving_open_is_right_for_what_cannot_be_answered_alone(figures):
    assert figures["abstention"]["adversarial"] == 1.0
    assert figures["abstention"]["answered"] == pytest.approx(2 / 3, abs=1e-4)
    assert figures["by_category"]["adversarial"]["f1"] == 1.0


def test_cited_turns_are_compared_with_the_evidence(figures):
    assert figures["evidence_recall"] == 1.0


def test_a_limit_takes_the_first(talk, tmp_path):
    assert evaluate(talk, limit=1, state=tmp_path / "state")["questions"] == 1


def test_progress_is_told(talk, tmp_path):
    ticks = []
    evaluate(talk, limit=1, state=tmp_path / "state", progress=lambda *tick: ticks.append(tick))
    assert {what for what, _, _ in ticks} == {"sessions of talk-1", "questions of talk-1"}
    assert all(0 < done <= total for _, done, total in ticks)


def test_what_was_answered_before_an_interruption_is_not_asked_again(talk, tmp_path, monkeypatch):
    asked = []
    ask = locomo_ask.ask

    def interrupted(memory, question):
        asked.append(question.number)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return ask(memory, question)

    monkeypatch.setattr(locomo_ask, "ask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        evaluate(talk, state=tmp_path / "state")
    figures = evaluate(talk, state=tmp_path / "state")
    assert asked == [0, 1, 2, 2, 3]
    assert figures["questions"] == 3


def test_bad_data_are_refused(talk, tmp_path):
    talk.write_text("{", encoding="utf-8")
    with pytest.raises(FormatError):
        evaluate(talk, state=tmp_path / "state")


# -- figures of given results --------------------------------------------------------------------------------------------


def result(*, known=True, f1=1.0, cited=(), verified=True):
    return {"known": known, "f1": f1 if known else 0.0, "cited": list(cited), "verified": verified, "seconds": 0.1}


def question(category, evidence=()):
    return Question(0, "?", category, "", tuple(evidence))


def test_evidence_counts_only_for_questions_that_were_answered_and_have_some():
    pairs = [
        (question(1, ["D1:1", "D1:2"]), result(cited=["D1:1", "D9:9"])),
        (question(2, ["D1:1"]), result(known=False)),
        (question(4), result(cited=["D1:1"])),
        (question(ADVERSARIAL, ["D1:1"]), result()),
    ]
    assert figures_of(pairs)["evidence_recall"] == 0.5


def test_an_answer_to_what_has_none_scores_nothing():
    pairs = [(question(ADVERSARIAL), result(f1=1.0)), (question(ADVERSARIAL), result(known=False))]
    assert figures_of(pairs)["by_category"]["adversarial"]["f1"] == 0.5


def test_a_proof_that_does_not_hold_is_seen_whatever_the_question():
    pairs = [(question(c), result(known=c != ADVERSARIAL, verified=c != ADVERSARIAL)) for c in CATEGORIES]
    assert figures_of(pairs)["verified"] == 0.8


def test_of_nothing_there_are_no_shares():
    figures = figures_of([])
    assert (figures["questions"], figures["f1"], figures["verified"], figures["seconds_p50"]) == (0, None, None, None)
