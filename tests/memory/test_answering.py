"""Answers with proofs that verify, honest abstention, and why not."""

from __future__ import annotations

import json

import pytest

from goalmem import InputError, Memory, ProofError
from goalmem.language import Analyzer
from tests.cases import one_in


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What did Nadia adopt?", "beagle"),
        ("When did Nadia adopt a beagle?", "3 May 2024"),
        ("Where does Ruben's sister live?", "Bruges"),
        ("Who moved to Bruges?", "Ilse"),
        ("Did Ilse move to Bruges?", "Yes"),
        ("Does Nadia like olives?", "No"),
    ],
)
def test_questions_are_answered_with_proofs_that_verify(remembered: Memory, question: str, answer: str) -> None:
    found = remembered.ask(question)
    assert found.text == answer
    assert remembered.verify(found.proof).ok
    assert found.citations


@pytest.mark.parametrize(
    "question",
    one_in(
        2,
        [
            "Where does Nadia live?",
            "What did Ruben adopt?",
            "Did Ruben learn to ski?",
            "Did Nadia buy a sailing boat?",
            "Who is Nadia's brother?",
            "Blorp the fnord?",
        ],
    ),
)
def test_what_was_not_said_is_not_known(remembered: Memory, question: str) -> None:
    answer = remembered.ask(question)
    assert (answer.status, answer.text, answer.values, answer.citations) == ("unknown", "I don't know", (), ())
    assert answer.missing
    assert remembered.verify(answer.proof).ok


def test_a_space_that_holds_nothing_is_told(remembered: Memory) -> None:
    answer = remembered.ask("What did Nadia adopt?", space="nobody")
    assert answer.status == "unknown"
    assert "the space 'nobody' holds nothing" in answer.proof.to_json()
    assert remembered.verify(answer.proof).ok
    assert remembered.search("beagle", space="nobody") == []


def test_answers_are_the_same_every_time(remembered: Memory) -> None:
    question = "Where does Ruben's sister live?"
    proofs = {remembered.ask(question).proof.to_json() for _ in range(3)}
    assert len(proofs) == 1


def test_a_proof_survives_its_own_json(remembered: Memory) -> None:
    proof = remembered.ask("What did Nadia adopt?").proof
    assert remembered.verify(proof.to_json()).ok


def test_an_altered_proof_is_rejected(remembered: Memory) -> None:
    proof = remembered.ask("What did Nadia adopt?").proof
    document = json.loads(proof.to_json())
    document["answer"] = "a poodle"
    assert not remembered.verify(json.dumps(document)).ok
    assert not remembered.verify(proof.to_json().replace("beagle", "poodle")).ok


def test_a_malformed_proof_is_an_error(remembered: Memory) -> None:
    with pytest.raises(ProofError):
        remembered.verify("{")
    with pytest.raises(ProofError):
        remembered.verify('{"version": 1}')


def test_a_proof_fails_once_its_evidence_is_forgotten(memory: Memory) -> None:
    turn = memory.add([{"role": "user", "name": "Nadia", "content": "I adopted a beagle."}]).turns[0]
    memory.add([{"role": "user", "name": "Nadia", "content": "It rained."}])
    answer = memory.ask("What did Nadia adopt?")
    assert memory.verify(answer.proof).ok
    memory.forget(turn=turn)
    assert not memory.verify(answer.proof).ok
    assert memory.ask("What did Nadia adopt?").status == "unknown"


def test_a_wish_or_a_supposition_proves_nothing_and_why_not_says_so(remembered: Memory) -> None:
    why = remembered.why_not("Did Nadia buy a sailing boat?")
    assert why.stage == "not-asserted"
    assert why.to_dict()["missing"]


def test_nothing_of_another_space_is_used(remembered: Memory) -> None:
    assert remembered.ask("What did Nadia adopt?", space="elsewhere").status == "unknown"
    assert remembered.search("beagle", space="elsewhere") == []


@pytest.mark.parametrize("bad", ["", "   "])
def test_empty_questions_are_refused(remembered: Memory, bad: str) -> None:
    with pytest.raises(InputError):
        remembered.ask(bad)
    with pytest.raises(InputError):
        remembered.search(bad)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "odd",
    [
        '"',
        "'; DROP TABLE turn; --",
        'NEAR("a" "b", 2) AND NOT c*',
        "🐶" * 50,
        "a\x00b",
        "\ud800",
        "(x:thing) [y] \\",
        "who " * 2_000,
        pytest.param("who " * 25_000, marks=pytest.mark.thorough),
    ],
    ids=["quote", "sql", "fts", "emoji", "nul", "surrogate", "logic", "long", "longest"],
)
def test_any_text_is_just_text(remembered: Memory, odd: str) -> None:
    remembered.search(odd)
    assert remembered.verify(remembered.ask(odd).proof).ok


def test_history_tells_what_was_replaced(remembered: Memory) -> None:
    entries = [e for e in remembered.history("Nadia") if "olive" in e.fact.statement]
    assert len(entries) >= 2
    assert entries[0].superseded_by is not None
    assert entries[-1].superseded_by is None


def test_all_that_somebody_did_is_no_answer_to_what_activities_they_do(memory: Memory) -> None:
    said = "I washed the car. I fed the cat. I called Bo. I paid a bill. I lost a key. I found a coin. I read a map. I saw a fox."
    memory.add([{"role": "user", "name": "Ann", "content": said}], at="2024-05-08T10:00")
    answer = memory.ask("What activities does Ann partake in?")
    assert not answer.known or len(answer.values) <= 6
    assert memory.verify(answer).ok


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What degree did I graduate with?", "marine biology"),
        ("What time do I go swimming?", "6:15 am"),
        ("How many stamps do I have?", "24"),
        (
            "I was going through our last chat and was wondering if you could remind me where I keep the ladder?",
            "attic",
        ),
    ],
)
def test_what_people_say_of_themselves_is_told_as_it_is_now(memory: Memory, question: str, answer: str) -> None:
    told = [
        ("2024-05-01", "I graduated with a degree in marine biology, and I have 20 stamps now."),
        ("2024-05-08", "I keep the ladder in the attic. By now I have 24 stamps."),
        ("2024-05-09", "I go swimming at 6:15 am."),
    ]
    for day, text in told:
        memory.add([{"role": "user", "content": text}], session=day, at=f"{day}T09:00:00+00:00")
    found = memory.ask(question, at="2024-06-01T09:00:00+00:00")
    assert answer in found.text
    assert memory.verify(found.proof).ok


def test_what_somebodys_job_is_is_what_they_work_as(analyzer: Analyzer) -> None:
    memory = Memory(":memory:", analyzer=analyzer)
    memory.add(
        [
            {"role": "user", "name": "Bo", "content": "Rosa is my harp teacher now."},
            {"role": "user", "name": "Bo", "content": "Elm School is looking for a chemistry teacher."},
            {"role": "user", "name": "Bo", "content": "I'm going to be a chemistry teacher!"},
        ],
        at="2024-05-02T10:00:00",
    )
    assert memory.ask("What is Bo's job?").status != "proved"
    memory.add(
        [{"role": "user", "name": "Bo", "content": "I work as a chemistry teacher now."}],
        at="2024-09-02T10:00:00",
    )
    answer = memory.ask("What is Bo's job?")
    assert (answer.text, answer.status) == ("chemistry teacher", "proved")
    assert memory.verify(answer).ok


def test_whose_something_is_does_not_answer_who_it_is(analyzer: Analyzer) -> None:
    memory = Memory(":memory:", analyzer=analyzer)
    memory.add([{"role": "user", "name": "Bo", "content": "My boss called twice."}])
    assert memory.ask("Who is Bo's boss?").status == "unknown"


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("My sister Lucia lives in Graz.", "Who is Lucia?", "your sister"),
        ("Tom is my landlord.", "Who is Tom?", "your landlord"),
        ("I stopped smoking last year.", "Do I smoke?", "No"),
    ],
)
def test_first_questions_are_answered(said: str, question: str, answer: str) -> None:
    with Memory() as memory:
        memory.add({"role": "user", "content": said}, at="2026-03-10")
        found = memory.ask(question, at="2026-04-01")
        assert found.text == answer
        assert memory.verify(found).ok


@pytest.mark.parametrize(
    ("said", "question", "never"),
    [
        ("We went to Sintra on the Saturday.", "Where do I live?", "Sintra"),  # going is not moving house
        ("Production was down for 50 minutes.", "Why was production down?", "50 minutes"),  # how long is not why
        ("I use ruff for linting and line length is 100.", "Which line length do I use?", "ruff for linting"),
    ],
)
def test_what_fits_only_by_a_word_is_not_proved(said: str, question: str, never: str) -> None:
    with Memory() as memory:
        memory.add({"role": "user", "content": said}, at="2026-03-10")
        found = memory.ask(question, at="2026-04-01")
        assert found.status != "proved"
        assert not found.text.startswith(never)


def test_what_had_not_happened_when_it_was_said_is_not_denied_for_certain() -> None:
    with Memory() as memory:
        memory.add({"role": "user", "content": "Leafolk has not paid the invoice."}, at="2026-03-10")
        assert memory.ask("Did Leafolk pay the invoice?", at="2026-04-01").status in ("likely", "unknown")
