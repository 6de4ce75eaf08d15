"""Questions answered with a scripted chat model: what it proposes counts when the code can check it, and only then."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.cases import one_in
from tests.questions.chatting import (
    AT,
    STOP,
    TOLD,
    UNREAD,
    RelayChat,
    decomposed,
    facts_in,
    reading,
    refined,
    subgoals_in,
    unifier,
    worded_as,
)

from goalmem import Answer, InputError, Memory, Settings
from goalmem.engine.events import Event
from goalmem.errors import ChatReplyError, ChatUnavailableError
from goalmem.language import Analyzer
from goalmem.models.chat import ChatModel, ChatRequest
from goalmem.proof.render import text
from goalmem.testing import FaultyChat, ScriptedChat

COUNTER = count()
RELAY = RelayChat()
"""What the memory of a test reasons with."""
SISTER = decomposed(reading("(y:person) is Ruben's sister", "(y:person) lives in (x:place)", answer="x"))
SISTER_QUESTION = "Where does Ruben's sister live?"


def of_the_sister(subgoal: str, head: str, words: str) -> list[dict[str, str]]:
    del head
    if "sister" in subgoal and "sister Ilse" in words:
        return [{"y": "Ilse"}]
    if "lives in" in subgoal and "Bruges" in words:
        return [{"y": "Ilse", "x": "Bruges"}]
    return []


def nothing(subgoal: str, head: str, words: str) -> list[dict[str, str]]:
    del subgoal, head, words
    return []


@pytest.fixture(scope="session")
def told(analyzer: Analyzer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The conversation, remembered once."""
    path = tmp_path_factory.mktemp("chat") / "told.goalmem"
    with Memory(path, analyzer=analyzer) as memory:
        memory.add(TOLD, session="one", at=AT)
    return path


@pytest.fixture
def remembering(opened: Callable[..., Memory]) -> Memory:
    """A memory of the conversation; tests give it a model."""
    RELAY.model = None
    return opened(RELAY, chat_cache=False)


@pytest.fixture
def opened(told: Path, tmp_path: Path, analyzer: Analyzer) -> Iterator[Callable[..., Memory]]:
    """Opens memories of the conversation, each a copy of its own, with some settings."""
    with ExitStack() as stack:

        def open_(chat: ChatModel | None = None, **settings: Any) -> Memory:
            path = tmp_path / f"{next(COUNTER)}.goalmem"
            shutil.copyfile(told, path)
            return stack.enter_context(Memory(path, analyzer=analyzer, settings=Settings(**settings), chat=chat))

        yield open_


def with_chat(remembering: Memory, chat: ChatModel | None) -> Memory:
    """The memory, reasoning with a model from now on."""
    RELAY.model = chat
    return remembering


def test_two_hops_are_proved_and_verify(remembering: Memory) -> None:
    chat = ScriptedChat(
        {
            "decompose": SISTER,
            "unify": unifier(of_the_sister),
            "answer": {"short": "Bruges", "full": "Ruben's sister Ilse lives in Bruges."},
        }
    )
    answer = with_chat(remembering, chat).ask(SISTER_QUESTION)
    assert (answer.text, answer.full) == ("Bruges", "Ruben's sister Ilse lives in Bruges.")
    assert remembering.verify(answer).ok
    assert chat.asked == {"decompose": 1, "unify": 1, "answer": 1}
    assert "by scripted" in text(answer.proof)
    assert answer.usage is not None
    assert answer.usage.calls == 3
    assert answer.usage.tokens > 0


def test_a_proof_is_verified_without_the_model(remembering: Memory) -> None:
    chat = ScriptedChat({"decompose": SISTER, "unify": unifier(of_the_sister), "answer": worded_as})
    answer = with_chat(remembering, chat).ask(SISTER_QUESTION)
    asked = len(chat.requests)
    with_chat(remembering, None)
    assert remembering.verify(answer.proof.to_json()).ok
    assert len(chat.requests) == asked


def test_the_model_is_told_who_asks_and_its_reading_is_on_record_for_them_alone(remembering: Memory) -> None:
    def adopted(subgoal: str, head: str, words: str) -> list[dict[str, str]]:
        return [{"x": "beagle"}] if head.startswith("Nadia") and "beagle" in words and "adopted" in words else []

    mine = decomposed(reading("(x:dog) was adopted by Nadia", answer="x"))
    chat = ScriptedChat({"decompose": mine, "unify": unifier(adopted), "answer": worded_as, "read": UNREAD})
    memory = with_chat(remembering, chat)
    answer = memory.ask("Which dog did I adopt?", speaker="Nadia")
    assert (answer.text, answer.proof.asker) == ("beagle", "Nadia")
    asked = [r.user for r in chat.requests if "Question" in r.user]
    assert asked
    assert all("(asked by Nadia" in user for user in asked)
    assert memory.verify(answer).ok
    for asker in ("", "Ruben"):
        assert not memory.verify(answer.proof.model_copy(update={"asker": asker})).ok


def test_another_memory_of_the_same_turns_has_no_record_of_it(
    remembering: Memory, opened: Callable[..., Memory]
) -> None:
    chat = ScriptedChat({"decompose": SISTER, "unify": unifier(of_the_sister), "answer": worded_as})
    answer = with_chat(remembering, chat).ask(SISTER_QUESTION)
    assert not opened().verify(answer).ok


def test_forgetting_the_evidence_takes_the_record_with_it(remembering: Memory) -> None:
    chat = ScriptedChat({"decompose": SISTER, "unify": unifier(of_the_sister), "answer": worded_as})
    answer = with_chat(remembering, chat).ask(SISTER_QUESTION)
    remembering.forget(turn=answer.citations[0])
    assert not remembering.verify(answer).ok


def test_forgetting_something_else_leaves_it(remembering: Memory) -> None:
    chat = ScriptedChat({"decompose": SISTER, "unify": unifier(of_the_sister), "answer": worded_as})
    answer = with_chat(remembering, chat).ask(SISTER_QUESTION)
    other = remembering.search("cello")[0].turn.id
    assert other not in answer.citations
    remembering.forget(turn=other)
    assert remembering.verify(answer).ok


@pytest.mark.parametrize(
    ("subgoal", "words", "value"),
    one_in(
        2,
        [
            ("Nadia lives in (x:place)", "My sister Ilse", "Bruges"),  # another fact holds the value
            ("Nadia lives in (x:place)", "Ilse moved", "Bruges"),  # said of somebody else
            ("Nadia lives in (x:place)", "I live in Ghent", "Mordor"),  # said nowhere
            ("Nadia bought (x:thing)", "sailing boat", "a sailing boat"),  # only supposed
            ("Ruben lives in (x:place)", "I live in Ghent", "Ghent"),  # the speaker's own
            ("Nadia has (x:person)", "beagle", "a beagle"),  # no person
            ("Nadia asked (x:place)", "Does Ilse still", "it"),  # names nothing
        ],
    ),
)
def test_a_binding_that_the_fact_does_not_bear_out_is_dropped(
    remembering: Memory, subgoal: str, words: str, value: str
) -> None:
    chat = ScriptedChat(
        {
            "decompose": decomposed(reading(subgoal, answer="x")),
            "unify": unifier(lambda s, h, w: [{"x": value}] if words in w else []),
            "refine": STOP,
            "answer": worded_as,
        }
    )
    name = "Nadia" if "Nadia" in subgoal else "Ruben"
    answer = with_chat(remembering, chat).ask(f"What does {name} do at Zork?".replace(" at Zork", ""))
    assert answer.text != value
    assert not answer.known or value not in answer.values
    assert remembering.verify(answer).ok


def test_what_does_not_hold_is_asked_again_once_with_the_reason(remembering: Memory) -> None:
    replies = iter(["Mordor", "Ghent"])

    def unify(request: object) -> dict[str, object]:
        value = next(replies)
        return unifier(lambda s, h, w: [{"x": value}] if "I live in Ghent" in w else [])(request)  # type: ignore[arg-type]

    goal = decomposed(reading("Nadia lives in (x:place)", answer="x"))
    chat = ScriptedChat({"decompose": goal, "unify": unify, "answer": worded_as})
    answer = with_chat(remembering, chat).ask("Where does Nadia live?")
    assert answer.text == "Ghent"
    again = chat.requests[2]
    assert "could not be used" in again.user
    assert "Mordor" in again.user.rpartition("could not be used")[2]
    assert again.system == chat.requests[1].system


def test_the_order_of_the_facts_decides_nothing(opened: Callable[..., Memory]) -> None:
    answers = set()
    for orders in (1, 2, 3):
        chat = ScriptedChat({"decompose": SISTER, "unify": unifier(of_the_sister), "answer": worded_as})
        answer = opened(chat, chat_orders=orders).ask(SISTER_QUESTION)
        answers.add((answer.text, answer.citations))
        assert chat.asked["unify"] == orders
    assert len(answers) == 1


def test_what_only_one_order_gives_does_not_count(opened: Callable[..., Memory]) -> None:
    def first_fact(request: object) -> dict[str, object]:
        number, _, words = facts_in(request)[0]  # type: ignore[arg-type]
        value = "beagle" if "beagle" in words else words.split()[-1].strip(".?!")
        row = {"subgoal": 1, "fact": number, "says": "yes", "values": [{"variable": "x", "value": value}]}
        return {"bindings": [row], "conflicts": [], "unresolved": []}

    goal = decomposed(reading("Nadia dreads (x:thing)", answer="x"))
    chat = ScriptedChat({"decompose": goal, "unify": first_fact, "read": UNREAD, "refine": STOP})
    answer = opened(chat, chat_orders=3).ask("What does Nadia dread?")
    assert not answer.known or not answer.proof.judge  # the local reader may still offer something of its own


def test_what_is_not_found_is_refined(remembering: Memory) -> None:
    asked: list[str] = []

    def says(subgoal: str, head: str, words: str) -> list[dict[str, str]]:
        del head
        asked.append(subgoal)
        if "works in" in subgoal and "library" in words and "Ilse" in subgoal:
            return [{"z": "a library"}]
        return [{"y": "Ilse"}] if "sister" in subgoal and "sister Ilse" in words else []

    chat = ScriptedChat(
        {
            "decompose": decomposed(reading("(y:relative of Ruben) works in (z:place)", answer="z")),
            "unify": unifier(says),
            "refine": refined(
                "(y:relative of Ruben) is Ruben's sister", relation="entity", queries=["my sister", "at a library"]
            ),
            "answer": worded_as,
        }
    )
    events: list[Event] = []
    answer = with_chat(remembering, chat).ask("Where does a relative of Ruben work?", on_event=events.append)
    assert answer.text == "library"
    assert remembering.verify(answer).ok
    assert "Ilse works in (z:place)" in asked
    kinds = [e.kind for e in events]
    assert {"question", "goal", "subgoals", "retrieval", "refinement", "binding", "model", "proof"} <= set(kinds)
    assert kinds.index("question") < kinds.index("refinement") < kinds.index("proof")


@pytest.mark.parametrize("breadth", [1, 2, 3])
def test_a_second_refinement_is_asked_for_where_the_first_failed(opened: Callable[..., Memory], breadth: int) -> None:
    def says(subgoal: str, head: str, words: str) -> list[dict[str, str]]:
        del head
        if "works in" in subgoal and "library" in words and "Ilse" in subgoal:
            return [{"z": "a library"}]
        return [{"y": "Ilse"}] if "is Ruben's sister" in subgoal and "sister Ilse" in words else []

    told: list[list[str]] = []

    def refine(request: ChatRequest) -> dict[str, object]:
        if "Subgoal: (y:relative of Ruben) works in" not in request.user:
            return STOP
        tried = [line for line in request.user.splitlines() if line.startswith("Tried: ")]
        told.append(tried)
        angle = "(y:relative of Ruben) is Ruben's sister" if tried else "(y:relative of Ruben) lent Ruben a tent"
        return refined(angle, relation="entity")

    goal = decomposed(reading("(y:relative of Ruben) works in (z:place)", answer="z"))
    chat = ScriptedChat(
        {"decompose": goal, "unify": unifier(says), "refine": refine, "read": UNREAD, "answer": worded_as}
    )
    memory = opened(chat, ask_breadth=breadth, chat_cache=False)
    answer = memory.ask("Where does a relative of Ruben work?")
    assert memory.verify(answer).ok
    assert answer.text == ("library" if breadth > 1 else "I don't know")
    assert told == [[], ["Tried: (y:relative of Ruben) lent Ruben a tent"]][:breadth]


def test_what_the_model_calls_a_conflict_or_unresolved_is_not_proved(remembering: Memory) -> None:
    goal = decomposed(reading("Nadia relocated to (x:place)", answer="x"))
    for named in ("conflicts", "unresolved"):

        def unify(request: ChatRequest, named: str = named) -> dict[str, object]:
            said = unifier(lambda s, h, w: [{"x": "Ghent"}] if "Ghent" in w else [])(request)
            return {**said, named: [1]}

        chat = ScriptedChat({"decompose": goal, "unify": unify, "refine": STOP, "read": UNREAD})
        answer = with_chat(remembering, chat).ask("Where did Nadia relocate to?")
        assert not answer.known or not answer.proof.judge  # the local reader may still offer something of its own
        assert ("refine" in chat.asked) == (named == "unresolved")


def test_a_rule_of_common_sense_is_shown_as_assumed_and_can_be_forbidden(remembering: Memory) -> None:
    rule = "(p:person) avoids (a:thing) if (p:person) is allergic to (a:thing)"
    chat = ScriptedChat(
        {
            "decompose": decomposed(reading("Nadia avoids (x:thing)", answer="x")),
            "unify": unifier(lambda s, h, w: [{"x": "nuts"}] if "allergic" in s and "allergic" in w else []),
            "read": UNREAD,
            "refine": lambda request: STOP if "Leave the rule empty" in request.user else refined(rule=rule),
            "answer": worded_as,
        }
    )
    answer = with_chat(remembering, chat).ask("What does Nadia avoid?")
    assert answer.text == "nuts"
    assert f"assumed rule, by scripted: {rule}" in text(answer.proof)
    assert '"source":"assumed"' in answer.proof.to_json()
    assert remembering.verify(answer).ok
    altered = answer.proof.to_json().replace("is allergic to (a:thing)", "is fond of (a:thing)")
    assert not remembering.verify(altered).ok
    assert not remembering.ask("What does Nadia avoid?", assume=False).known


def test_several_values_are_listed_and_counted(remembering: Memory) -> None:
    def instruments(subgoal: str, head: str, words: str) -> list[dict[str, str]]:
        del subgoal, head
        return [{"x": "cello"}, {"x": "flute"}] if "cello" in words else []

    for kind, expected in (("list", "cello and flute"), ("count", "2")):
        goal = decomposed(reading("Ruben plays (x:instrument)", answer="x", kind=kind))
        chat = ScriptedChat({"decompose": goal, "unify": unifier(instruments)})
        answer = with_chat(remembering, chat).ask("Which instruments does Ruben play?")
        assert answer.text == expected
        assert remembering.verify(answer).ok


def test_a_time_is_read_by_code_from_the_fact_that_the_model_names(remembering: Memory) -> None:
    goal = decomposed(reading("Nadia adopted a beagle on (t:date)", answer="t"))
    chat = ScriptedChat(
        {
            "decompose": goal,
            "unify": unifier(lambda s, h, w: [{"t": "8 May 2024"}] if "I adopted a beagle" in w else []),
            "answer": worded_as,
        }
    )
    answer = with_chat(remembering, chat).ask("When did Nadia adopt a beagle?")
    assert answer.text == "3 May 2024"
    assert remembering.verify(answer).ok


def test_yes_needs_words_and_no_needs_a_denial(remembering: Memory) -> None:
    def asked(subgoal: str, question: str, says: str, words: str) -> Answer:
        script = {
            "decompose": decomposed(reading(subgoal, kind="yesno")),
            "unify": unifier(lambda s, h, w: [{"": says}] if words in w else []),
            "refine": STOP,
            "answer": worded_as,
        }
        answer = with_chat(remembering, ScriptedChat(script)).ask(question)
        assert remembering.verify(answer).ok
        return answer

    no = asked("Ilse lives in Antwerp", "Does Ilse live in Antwerp?", "no", "No, Ilse moved")
    assert (no.text, no.status) == ("No", "likely"), "facts alone do not disprove it"
    assert asked("Ruben plays the flute", "Does Ruben play the flute?", "yes", "cello").text == "Yes"
    assert not asked("Ruben keeps a horse", "Does Ruben keep a horse?", "no", "sold my car").known
    assert not asked("Ilse misses Antwerp", "Does Ilse miss Antwerp?", "yes", "Does Ilse still").known


def test_a_wording_that_says_more_than_was_proved_is_refused(remembering: Memory) -> None:
    chat = ScriptedChat(
        {
            "decompose": SISTER,
            "unify": unifier(of_the_sister),
            "answer": {"short": "Bruges and Paris", "full": "She lives in Paris."},
        }
    )
    answer = with_chat(remembering, chat).ask(SISTER_QUESTION)
    assert answer.text == "I don't know"
    assert "paris" in answer.missing[0].reason.casefold()
    assert chat.asked["answer"] == 2
    assert remembering.verify(answer).ok


def test_an_invented_sentence_is_left_out(remembering: Memory) -> None:
    chat = ScriptedChat(
        {
            "decompose": SISTER,
            "unify": unifier(of_the_sister),
            "answer": {"short": "Bruges", "full": "Ilse has lived in Bruges with Pierre since 1999."},
        }
    )
    answer = with_chat(remembering, chat).ask(SISTER_QUESTION)
    assert (answer.text, answer.full) == ("Bruges", "")


@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize("seed", one_in(2, range(4)))
def test_a_faulty_model_makes_answers_fewer_and_never_wrong(remembering: Memory, share: float, seed: int) -> None:
    good = ScriptedChat({"decompose": SISTER, "unify": unifier(of_the_sister), "answer": worded_as, "refine": STOP})
    chat = FaultyChat(good, share=share, seed=seed)
    answer = with_chat(remembering, chat).ask(SISTER_QUESTION)
    assert answer.text in ("Bruges", "I don't know")
    assert remembering.verify(answer).ok


def test_without_the_model_the_local_reasoner_answers(remembering: Memory) -> None:
    gone = ScriptedChat(lambda _: ChatUnavailableError("The server is gone.", "Start it."))
    answer = with_chat(remembering, gone).ask(SISTER_QUESTION)
    assert answer.text == remembering.ask(SISTER_QUESTION, reasoner="local").text == "Bruges"
    assert len(gone.requests) == 1  # what is not there is not asked again


def test_a_server_that_dies_in_the_middle_costs_nothing_but_its_answers(remembering: Memory) -> None:
    dying = ScriptedChat({"decompose": SISTER, "unify": ChatUnavailableError("The server is gone.", "Start it.")})
    answer = with_chat(remembering, dying).ask(SISTER_QUESTION)
    assert answer.text == "Bruges"
    assert remembering.verify(answer).ok


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_no_call_is_made_beyond_the_budget(opened: Callable[..., Memory], calls: int) -> None:
    refinement = refined("(y:person) knows Ruben")
    chat = ScriptedChat({"decompose": SISTER, "unify": unifier(nothing), "refine": refinement})
    memory = opened(chat, ask_calls=calls, chat_cache=False)
    assert memory.verify(memory.ask("Where does Ruben's sister live now?")).ok
    assert len(chat.requests) <= calls


def test_a_dry_run_asks_nothing(remembering: Memory) -> None:
    chat = ScriptedChat({})
    estimate = with_chat(remembering, chat).ask(SISTER_QUESTION, dry_run=True)
    assert chat.requests == []
    assert 0 < estimate.calls <= estimate.most_calls
    assert 0 < estimate.tokens <= estimate.most_tokens


def test_kept_replies_are_not_asked_for_again(opened: Callable[..., Memory]) -> None:
    chat = ScriptedChat({"decompose": SISTER, "unify": unifier(of_the_sister), "answer": worded_as})
    memory = opened(chat)
    first = memory.ask(SISTER_QUESTION)
    asked = len(chat.requests)
    second = memory.ask(SISTER_QUESTION)
    assert len(chat.requests) == asked
    assert second.usage is not None
    assert (second.usage.calls, second.usage.cached) == (0, 3)
    assert (second.proof.root, second.text) == (first.proof.root, first.text)


def test_without_goals_one_call_reads_the_answer(remembering: Memory) -> None:
    def read(request: object) -> dict[str, object]:
        facts = [n for n, _, words in facts_in(request) if "I live in Ghent" in words]  # type: ignore[arg-type]
        return {"values": ["Ghent"], "facts": facts}

    chat = ScriptedChat({"read": read})
    answer = with_chat(remembering, chat).ask("Where does Nadia live?", goals=False)
    assert answer.text == "Ghent"
    assert remembering.verify(answer).ok
    assert chat.asked == {"read": 1}
    wrong = ScriptedChat({"read": {"values": ["Mordor"], "facts": [1]}})
    unread = with_chat(remembering, wrong).ask("Where does Nadia live?", goals=False)
    assert unread.text in ("Ghent", "I don't know")  # without a usable reply, what is there without the model
    assert wrong.asked == {"read": 2}


def test_recall_ranks_what_the_proof_rests_on_first(remembering: Memory) -> None:
    chat = ScriptedChat({"decompose": SISTER, "unify": unifier(of_the_sister)})
    found = with_chat(remembering, chat).recall(SISTER_QUESTION, k=4)
    assert {"My sister", "Ilse moved"} <= {
        w for h in found[:3] for w in ("My sister", "Ilse moved") if w in h.turn.text
    }


def test_what_the_goals_leave_open_is_refined_before_the_question_is_read(remembering: Memory) -> None:
    def read(request: object) -> dict[str, object]:
        facts = [n for n, _, words in facts_in(request) if "I live in Ghent" in words]  # type: ignore[arg-type]
        return {"facts": facts, "values": ["Ghent"]}

    goal = decomposed(reading("Nadia resides in (x:place)", answer="x"))
    chat = ScriptedChat({"decompose": goal, "unify": unifier(nothing), "read": read, "refine": STOP})
    answer = with_chat(remembering, chat).ask("Where does Nadia live?")
    assert answer.text == "Ghent"
    assert remembering.verify(answer).ok
    assert list(dict.fromkeys(r.task for r in chat.requests)) == ["decompose", "unify", "refine", "read"]
    assert not remembering.verify(answer.proof.to_json().replace("Ghent", "Liège")).ok


def test_without_wording_the_answer_is_as_it_was_proved(opened: Callable[..., Memory]) -> None:
    chat = ScriptedChat({"decompose": SISTER, "unify": unifier(of_the_sister)})
    answer = opened(chat, chat_wording=False).ask(SISTER_QUESTION)
    assert (answer.text, answer.full) == ("Bruges", "")
    assert chat.asked == {"decompose": 1, "unify": 1}


def test_a_model_that_only_takes_apart_is_asked_once(opened: Callable[..., Memory]) -> None:
    chat = ScriptedChat({"decompose": {**SISTER, "queries": ["I moved to Bruges."]}})
    memory = opened(chat, chat_reads=False)
    answer = memory.ask(SISTER_QUESTION)
    assert answer.text == "Bruges"
    assert memory.verify(answer).ok
    assert chat.asked == {"decompose": 1}
    assert memory.ask(SISTER_QUESTION, dry_run=True).calls == 1
    memory.ask(SISTER_QUESTION, goals=False)
    assert chat.asked == {"decompose": 1}
    broken = opened(ScriptedChat({}), chat_reads=False)
    assert broken.ask(SISTER_QUESTION).text == "Bruges"


def test_no_more_facts_are_shown_than_are_set(opened: Callable[..., Memory]) -> None:
    chat = ScriptedChat({"decompose": SISTER, "unify": unifier(nothing), "read": UNREAD, "refine": STOP})
    opened(chat, chat_facts=3, chat_cache=False).ask(SISTER_QUESTION)
    shown = [len(facts_in(r)) for r in chat.requests if r.task in ("unify", "read")]
    assert shown
    assert max(shown) <= 3


def test_recall_takes_one_call(remembering: Memory) -> None:
    chat = ScriptedChat({"decompose": {**SISTER, "queries": ["I moved to Bruges."]}, "unify": unifier(of_the_sister)})
    found = with_chat(remembering, chat).recall(SISTER_QUESTION, k=2)
    assert any("Bruges" in h.turn.text for h in found)
    assert chat.asked == {"decompose": 1}


def test_a_memory_closes_its_own_connections_and_no_others(
    opened: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Closing(ScriptedChat):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    given, connected = Closing({}), Closing({})
    mine = opened(given)
    mine.ask(SISTER_QUESTION)
    mine.close()
    monkeypatch.setattr("goalmem.models.connect.connect_chat", lambda _: connected)
    other = opened(chat_url="http://127.0.0.1:1", chat_model="m")
    other.ask(SISTER_QUESTION)
    assert connected.requests
    other.close()
    other.close()
    assert (given.closed, connected.closed) == (0, 1)


def test_a_model_that_is_not_there_cannot_be_asked_for(opened: Callable[..., Memory]) -> None:
    memory = opened()
    with pytest.raises(InputError):
        memory.ask(SISTER_QUESTION, reasoner="chat")
    with pytest.raises(InputError):
        memory.ask(SISTER_QUESTION, reasoner="oracle")  # type: ignore[call-overload]
    chat = ScriptedChat(lambda _: ChatReplyError("Nothing.", "None."))
    opened(chat).ask(SISTER_QUESTION, reasoner="local")
    assert chat.requests == []


def test_all_open_subgoals_are_asked_about_in_one_call(remembering: Memory) -> None:
    chat = ScriptedChat({"decompose": SISTER, "unify": unifier(of_the_sister), "answer": worded_as})
    with_chat(remembering, chat).ask(SISTER_QUESTION)
    assert [s for _, s in subgoals_in(chat.requests[1])] == [
        "(y:person) is Ruben's sister",
        "(y:person) lives in (x:place)",
    ]
