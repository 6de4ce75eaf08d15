"""LoCoMo asked: figures by category, abstention, evidence, proofs, goals or none, and going on after an interruption."""

import json
from pathlib import Path

import pytest

from goalmem.engine.events import Event
from goalmem.errors import FormatError, InputError
from goalmem.models.minilm import MiniLM
from goalmem.proof.document import Proof
from goalmem_lab.evals import asked_run, locomo_ask
from goalmem_lab.evals.answer_figures import figures_of, replies_of
from goalmem_lab.evals.asked_run import Run
from goalmem_lab.evals.locomo import evaluate as evaluate_mode
from goalmem_lab.evals.memories import Memories
from goalmem_lab.evals.question_run import REPLIES, Watch
from goalmem_lab.evals.selection import Selection
from goalmem_lab.evals.ways import Way

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


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Stores are filled once for all tests here."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def evaluate(cache, analyzer):
    def measure(path, **options):
        with Memories(MiniLM(), cache, analyzer, way=options.pop("way", None)) as memories:
            return locomo_ask.evaluate(path, memories, Run(**options))

    return measure


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([SAID]), encoding="utf-8")
    return path


@pytest.fixture
def figures(talk, evaluate, tmp_path):
    return evaluate(talk, state=tmp_path / "state")


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
    assert figures["realised_breadth"] == {"0": 4}


def test_leaving_open_is_right_for_what_cannot_be_answered_alone(figures):
    assert figures["abstention"]["adversarial"] == 1.0
    assert figures["abstention"]["answered"] == pytest.approx(2 / 3, abs=1e-4)
    assert figures["by_category"]["adversarial"]["f1"] == 1.0


def test_cited_turns_are_compared_with_the_evidence(figures):
    assert figures["evidence_recall"] == 1.0


def test_a_limit_takes_the_first(talk, tmp_path, evaluate):
    assert evaluate(talk, selection=Selection(limit=1), state=tmp_path / "state")["questions"] == 1


def test_of_chosen_categories_alone(talk, tmp_path, evaluate):
    chosen = Selection(categories=frozenset({"temporal", "adversarial"}))
    figures = evaluate(talk, selection=chosen, state=tmp_path / "state")
    assert {name: part["questions"] for name, part in figures["by_category"].items() if part["questions"]} == {
        "temporal": 1,
        "adversarial": 1,
    }


def test_with_goals_and_without_the_same_questions_are_compared(talk, tmp_path, evaluate):
    figures = evaluate(talk, way=Way(goals="both"), state=tmp_path / "state", save=tmp_path / "run.jsonl")
    assert figures["gain_low"] <= figures["gain"] <= figures["gain_high"]
    assert figures["gain"] == pytest.approx(figures["f1"] - figures["f1_without"], abs=1e-3)
    assert figures["without_goals"]["questions"] == figures["questions"] == 3
    rows = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [(r["id"], r["goals"]) for r in rows] == [
        (f"talk-1/{n}", goals) for n in range(4) for goals in (True, False)
    ]


def test_a_saved_run_has_the_proof_of_every_answer(talk, tmp_path, evaluate):
    evaluate(talk, state=tmp_path / "state", save=tmp_path / "run.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [r["known"] for r in rows] == [Proof.from_json(json.dumps(r["proof"])).status != "unknown" for r in rows]
    assert rows[0].items() >= {"question": "What did Petra adopt?", "gold": "a beagle", "f1": 1.0}.items()
    assert rows[0]["cited"] == ["D1:1"]
    assert set(rows[0]["found"]) == {"D1:1", "D1:2"}


def test_a_file_that_cannot_be_written_is_said(talk, tmp_path, evaluate):
    with pytest.raises(InputError):
        evaluate(talk, state=tmp_path / "state", save=tmp_path / "nowhere" / "run.jsonl")


def test_the_mode_is_chosen_by_name(talk, tmp_path, cache, analyzer):
    asked = evaluate_mode(
        talk,
        mode="ask",
        selection=Selection(limit=1),
        embedder=MiniLM(),
        cache=cache,
        analyzer=analyzer,
        state=tmp_path,
    )
    assert asked["f1"] == 1.0


def test_progress_is_told(talk, tmp_path, evaluate):
    ticks = []
    evaluate(talk, selection=Selection(limit=1), state=tmp_path / "state", progress=lambda *tick: ticks.append(tick))
    assert {what for what, _, _ in ticks} == {"sessions of talk-1", "questions"}
    assert all(0 <= done <= total for _, done, total in ticks)


def test_what_was_answered_before_an_interruption_is_not_asked_again(talk, tmp_path, monkeypatch, evaluate):
    asked = []
    ask = asked_run.row_of

    def interrupted(memory, question, *options, **named):
        asked.append(int(question.id.partition("/")[2]))
        if len(asked) == 3:
            raise KeyboardInterrupt
        return ask(memory, question, *options, **named)

    monkeypatch.setattr(asked_run, "row_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        evaluate(talk, state=tmp_path / "state")
    figures = evaluate(talk, state=tmp_path / "state")
    assert asked == [0, 1, 2, 2, 3]
    assert figures["questions"] == 3


def test_bad_data_are_refused(talk, tmp_path, evaluate):
    talk.write_text("{", encoding="utf-8")
    with pytest.raises(FormatError):
        evaluate(talk, state=tmp_path / "state")


# -- figures of given results --------------------------------------------------------------------------------------------


def row(category, *, evidence=(), known=True, score=1.0, cited=(), verified=True):
    answerable = category != "adversarial"
    return {
        "id": f"{category}{evidence}{known}",
        "category": category,
        "goals": True,
        "answerable": answerable,
        "evidence": list(evidence),
        "known": known,
        "score": (score if known else 0.0) if answerable else float(not known),
        "cited": list(cited),
        "verified": verified,
        **dict.fromkeys(("calls", "cached", "tokens", "money", "depth", "breadth"), 0),
        "seconds": 0.1,
    }


def test_evidence_counts_only_for_questions_that_were_answered_and_have_some():
    rows = [
        row("multi-hop", evidence=["D1:1", "D1:2"], cited=["D1:1", "D9:9"]),
        row("temporal", evidence=["D1:1"], known=False),
        row("single-hop", cited=["D1:1"]),
        row("adversarial", evidence=["D1:1"]),
    ]
    assert figures_of(rows, NAMES)["evidence_recall"] == 0.5


def test_an_answer_to_what_has_none_scores_nothing():
    rows = [row("adversarial"), row("adversarial", known=False)]
    assert figures_of(rows, NAMES)["by_category"]["adversarial"]["f1"] == 0.5


def test_a_proof_that_does_not_hold_is_seen_whatever_the_question():
    rows = [row(name, known=name != "adversarial", verified=name != "adversarial") for name in NAMES]
    figures = figures_of(rows, NAMES)
    assert (figures["verified"], figures["verified_answered"]) == (0.8, 1.0)


def test_of_nothing_there_are_no_shares():
    figures = figures_of([], NAMES)
    assert (figures["questions"], figures["f1"], figures["verified"], figures["seconds_p50"]) == (0, None, None, None)


# -- other memory systems ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["function", "bm25s"])
def test_another_memory_system_finds_the_evidence(talk, tmp_path, evaluate, backend):
    if backend == "bm25s":
        pytest.importorskip("bm25s")
    way = Way(goals="both", backend=backend)
    figures = evaluate(talk, way=way, state=tmp_path / "state", save=tmp_path / "run.jsonl")
    assert figures["verified"] == 1.0
    rows = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert all(set(r["found"]) <= {"D1:1", "D1:2"} for r in rows)
    assert rows[0]["f1"] == 1.0
    assert rows[0]["cited"] == ["D1:1"]


def test_an_unknown_memory_system_is_refused(talk, tmp_path, evaluate):
    with pytest.raises(InputError, match="backend"):
        evaluate(talk, way=Way(backend="elephant"), state=tmp_path / "state")


def test_replies_of_a_chat_model_are_counted_by_call():
    watch = Watch()
    for data in (
        {"task": "refine", "finish": "stop"},
        {"task": "refine", "rejected": "no form", "again": True},
        {"task": "refine", "finish": "stop"},
        {"task": "refine", "rejected": "no form", "again": False},
        {"task": "unify", "finish": "stop"},
        {"task": "unify", "error": "gone"},
    ):
        watch(Event("model", "", data))
    counted = {"refine": (2, 2, 1), "unify": (1, 0, 1)}
    expected = {task: dict(zip(REPLIES, numbers, strict=True)) for task, numbers in counted.items()}
    assert watch.replies == expected
    assert replies_of([{"replies": watch.replies}, {"replies": watch.replies}, {}])["refine"]["rejected"] == 4
