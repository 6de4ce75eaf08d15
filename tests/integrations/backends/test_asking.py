"""Questions to another system's memory: answered, proved, and checked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from goalmem import BackendError, InputError, Memory, NotFoundError
from goalmem.integrations.backends import CallableBackend, Passage
from goalmem.proof.document import Proof
from tests.integrations.backends.conftest import ASKED, AUTUMN, PASSAGES, SPRING, Over, Rows, RowsById

QUESTIONS = {
    "What did Nadia adopt?": "beagle",
    "Where does Ilse live?": "Bruges",
    "What does Ruben's sister own?": "boat",
    "Does Nadia like olives?": "No",
}


@pytest.mark.parametrize(("question", "answer"), QUESTIONS.items())
def test_a_question_is_answered_with_a_proof_that_holds(over: Over, question: str, answer: str):
    memory = over(Rows())
    found = memory.ask(question, at=ASKED)
    assert answer in found.text
    assert set(found.citations) <= {row.id for row in PASSAGES}
    assert memory.verify(found).ok


def test_a_proof_is_checked_by_another_process_over_the_same_system(over: Over):
    document = over(Rows()).ask("Where does Ilse live?", at=ASKED).proof.to_json()
    assert over(Rows()).verify(document).ok
    assert over(RowsById()).verify(document).ok


@pytest.mark.parametrize("kind", [Rows, RowsById])
def test_a_proof_does_not_hold_when_the_text_was_changed(over: Over, kind: type[Rows]):
    rows = kind()
    memory = over(rows)
    answer = memory.ask("What did Nadia adopt?", at=ASKED)
    rows.change("row-0", "I adopted a beagle last Friday!")
    assert not memory.verify(answer).ok


@pytest.mark.parametrize("kind", [Rows, RowsById])
def test_a_proof_does_not_hold_when_the_text_is_gone(over: Over, kind: type[Rows]):
    rows = kind()
    memory = over(rows)
    answer = memory.ask("What did Nadia adopt?", at=ASKED)
    rows.rows = [row for row in rows.rows if row.id != "row-0"]
    assert not memory.verify(answer).ok


@pytest.mark.parametrize("field", ["speaker", "at", "session"])
def test_a_proof_does_not_hold_when_who_or_when_was_changed(over: Over, field: str):
    changed = {"speaker": "Ruben", "at": ASKED, "session": "another"}[field]
    answer = over(Rows()).ask("What did Nadia adopt?", at=ASKED)
    other = Rows([replace(row, **{field: changed}) if row.id == "row-0" else row for row in PASSAGES])
    assert not over(other).verify(answer).ok


def test_without_ids_what_is_said_names_a_passage(over: Over):
    rows = Rows([replace(row, id=None) for row in PASSAGES])
    memory = over(rows)
    answer = memory.ask("What did Nadia adopt?", at=ASKED)
    assert "beagle" in answer.text
    assert memory.verify(answer).ok
    rows.rows[0] = replace(rows.rows[0], text="I adopted a beagle last Friday, I think.")
    assert not memory.verify(answer).ok


def test_the_same_question_gets_the_same_proof_whatever_was_asked_before(over: Over):
    memory = over(Rows())
    first = memory.ask("Where does Ilse live?", at=ASKED).proof
    for question in QUESTIONS:
        memory.ask(question, at=ASKED)
    assert memory.ask("Where does Ilse live?", at=ASKED).proof == first
    assert over(Rows()).ask("Where does Ilse live?", at=ASKED).proof == first


@pytest.mark.parametrize(
    "later", ["I quit Greek.", "Greek was a mistake, I gave up Latin.", "I stopped with Greek and Latin."]
)
def test_a_proof_holds_whatever_else_its_check_finds(over: Over, later: str):
    told = ["I teach Latin.", "I teach Greek.", later]
    rows = [Passage(text, f"row-{place}", "Nadia", ASKED) for place, text in enumerate(told)]
    # The last is found only by a search for what the first says, which a check alone makes.
    memory = over(CallableBackend(lambda query, k: rows if query == "Nadia teaches Latin" else rows[:2]))
    answer = memory.ask("What does Nadia teach?", at=ASKED)
    assert answer.text == "Latin and Greek"
    assert memory.verify(answer).ok


def test_a_later_statement_that_the_statement_itself_finds_counts(over: Over):
    rows = [
        Passage("I have a tent.", "row-0", "Nadia", SPRING),
        Passage("I gave the tent away.", "row-1", "Nadia", AUTUMN),
    ]
    memory = over(CallableBackend(lambda query, k: rows if query == "Nadia has a tent" else rows[:1]))
    assert memory.ask("What does Nadia have?", at=ASKED).status == "likely"


def test_what_was_said_after_the_day_of_asking_is_not_known_yet(over: Over):
    memory = over(Rows())
    assert memory.ask("Where does Ilse live?", at="2024-06-01").text == "Ghent"


def test_a_text_that_nobody_dated_gives_no_date(over: Over):
    memory = over(Rows([replace(row, at=None) for row in PASSAGES]))
    assert "beagle" in memory.ask("What did Nadia adopt?", at=ASKED).text
    assert not memory.ask("When did Nadia adopt a beagle?", at=ASKED).known


def test_who_speaks_is_read_in_front_of_the_words(over: Over):
    def search(query: str, k: int) -> list[str]:
        return [f"{row.speaker}: {row.text}" for row in Rows().search(query, k)]

    memory = over(search)
    answer = memory.ask("What did Nadia adopt?", at=ASKED)
    assert "beagle" in answer.text
    assert memory.verify(answer).ok


def test_a_passage_may_be_a_whole_conversation(over: Over):
    told = "\n".join(f"[{row.at:%Y-%m-%d %H:%M}] {row.speaker}: {row.text}" for row in PASSAGES if row.at)
    memory = over(lambda query, k: [{"id": "notes", "text": told}])
    answer = memory.ask("When did Nadia adopt a beagle?", at=ASKED)
    assert "3 May 2024" in answer.text
    assert answer.citations == ("notes#1",)
    assert memory.verify(answer).ok


def test_search_finds_what_the_other_system_finds(over: Over):
    hits = over(Rows()).search("olives", k=2)
    assert [hit.turn.id for hit in hits] == ["row-3", "row-4"]
    assert [hit.turn.id for hit in over(Rows()).search("olives", k=1, speakers=["Nadia"], after="2024-09-01")] == [
        "row-4"
    ]


@pytest.mark.parametrize("condition", [{"kinds": ["preference"]}, {"without": ["dense"]}])
def test_what_only_our_own_search_knows_is_refused(over: Over, condition: dict[str, list[str]]):
    with pytest.raises(InputError, match="kinds"):
        over(Rows()).search("olives", **condition)


def test_a_turn_is_looked_up_where_the_other_system_can(over: Over):
    assert over(RowsById()).turn("row-1").speaker == "Ruben"
    with pytest.raises(NotFoundError):
        over(RowsById()).turn("row-99")


def test_what_replaced_a_statement_is_seen(over: Over):
    entries = [e for e in over(Rows()).history("Ilse") if e.fact.slot == "residence"]
    assert [bool(e.superseded_by) for e in entries] == [True, False]


@pytest.mark.parametrize("call", ["forget", "stats", "spaces", "sessions"])
def test_what_belongs_to_the_other_system_is_left_to_it(over: Over, call: str):
    with pytest.raises(BackendError, match="another system"):
        getattr(over(Rows()), call)()


def test_nothing_is_exported(over: Over, tmp_path):
    with pytest.raises(BackendError, match="another system"):
        over(Rows()).export(tmp_path / "all.jsonl")


def test_another_space_is_refused(over: Over):
    with pytest.raises(BackendError, match="no space 'petra'"):
        over(Rows()).ask("Where does Ilse live?", space="petra")


def test_messages_are_handed_on_where_the_other_system_takes_them(over: Over):
    kept: dict[str | None, Passage] = {}

    def add(passages: Sequence[Passage]) -> None:
        kept.update({passage.id: passage for passage in passages})

    memory = over(CallableBackend(lambda query, k: list(kept.values())[:k], add=add))
    message = {"role": "user", "name": "Nadia", "content": "I adopted a beagle last Friday."}
    first = memory.add([message], at="2024-05-08T18:00:00")
    assert memory.add([message], at="2024-05-08T18:00:00").turns == first.turns
    answer = memory.ask("What did Nadia adopt?", at=ASKED)
    assert answer.citations == first.turns
    assert memory.verify(answer).ok


def test_messages_are_refused_where_it_does_not(over: Over):
    with pytest.raises(BackendError, match="cannot be added"):
        over(Rows()).add("I adopted a beagle.")


def test_why_not_says_what_is_missing(over: Over):
    assert over(Rows()).why_not("What did Ilse name her cat?", at=ASKED).missing


@pytest.mark.parametrize("kind", [Rows, RowsById])
def test_a_document_without_an_answer_is_checked_too(over: Over, kind: type[Rows]):
    answer = over(kind()).ask("What does Nadia's brother own?", at=ASKED)
    assert not answer.known
    assert over(kind()).verify(answer.proof.to_json()).ok


def test_a_proof_of_our_own_memory_is_not_one_of_another(over: Over, memory_of_ours: Memory):
    answer = memory_of_ours.ask("What did Nadia adopt?", at=ASKED)
    assert answer.known
    assert not over(Rows()).verify(answer).ok


@pytest.fixture
def memory_of_ours(over: Over, analyzer, embedder):
    with Memory(analyzer=analyzer, embedder=embedder) as memory:
        for row in PASSAGES[:1]:
            memory.add([{"role": "user", "name": row.speaker, "content": row.text}], at=row.at)
        yield memory


def test_a_proof_document_is_the_usual_one(over: Over):
    proof = over(Rows()).ask("What did Nadia adopt?", at=ASKED).proof
    assert Proof.from_json(proof.to_json()) == proof
