"""Values that one clause gives together are told together, and nothing else is."""

from __future__ import annotations

import pytest

from goalmem import Answer, Memory
from goalmem.proof.document import Node, Proof
from tests.cases import one_in

TOGETHER = [
    ("I went to Rome with Tom and Leo.", "Who did I go to Rome with?", "Tom and Leo"),
    ("I went to Rome with my brothers Tom and Leo.", "Who did I go to Rome with?", "Tom and Leo"),
    ("I had dinner with Ana, Ben and Carl.", "Who did I have dinner with?", "Ana, Ben and Carl"),
    ("I met my boss and Ida at the fair.", "Who did I meet at the fair?", "your boss and Ida"),
    ("Ida and Max came to my party.", "Who came to my party?", "Ida and Max"),
    ("Ida, Max and I went to the zoo.", "Who went to the zoo?", "Ida, Max and you"),
    ("I flew to Oslo and to Bergen.", "Where did I fly to?", "Oslo and Bergen"),
    ("I stayed in Rome and then in Naples.", "Where did I stay?", "Rome and Naples"),
    ("I bought a new amp and two red guitars.", "What did I buy?", "new amp and two red guitars"),
    ("I ordered a latte, a scone, and a glass of water.", "What did I order?", "latte, scone and glass of water"),
    ("Leo is allergic to nuts and shellfish.", "What is Leo allergic to?", "nuts and shellfish"),
    ("I borrowed a drill and a saw from Tom.", "What did I borrow from Tom?", "drill and saw"),
    ("Ida and Max gave me a lamp and a clock.", "What did Ida give me?", "lamp and clock"),
    ("Ida and Max gave me a lamp and a clock.", "Who gave me the lamp?", "Ida and Max"),
]
ALONE = [
    ("I bought apples but not pears.", "What did I buy?", "apples"),
    ("I wanted apples and pears but bought plums.", "What did I buy?", "plums"),
    ("I bought apples and my sister bought pears.", "What did I buy?", "apples"),
    ("I went to Rome with Tom and met Leo there.", "Who did I go to Rome with?", "Tom"),
    ("I went to Rome with Tom and to Oslo with Leo.", "Who did I go to Rome with?", "Tom"),
    ("I took a train to Oslo and a bus to Bergen.", "Where did I take the train to?", "Oslo"),
    ("I gave the lamp to Ida and the clock to Max.", "What did I give to Ida?", "lamp"),
    ("My dog Rex and cat Mia sleep all day.", "What is my dog called?", "Rex"),
    ("I adopted a dog, a poodle.", "What did I adopt?", "dog"),
]
OVER_TURNS = [
    ("I'm allergic to cats.", "I'm allergic to hay.", "What am I allergic to?", "cats and hay"),
    ("I speak Polish.", "I also speak Danish.", "What do I speak?", "Polish and Danish"),
    ("Tom likes tea.", "Tom likes cocoa.", "What does Tom like?", "tea and cocoa"),
    (
        "I bought a bike at the market.",
        "I bought a lamp at the market.",
        "What did I buy at the market?",
        "bike and lamp",
    ),
    ("I met Tom in Paris.", "I met Liv in Paris.", "Who did I meet in Paris?", "Tom and Liv"),
    ("Ana came to the party.", "Leo came to the party.", "Who came to the party?", "Ana and Leo"),
    ("I grow tomatoes.", "I grow beans.", "What do I grow?", "tomatoes and beans"),
    ("I went to Rome.", "I went to Oslo.", "Where did I go?", "Rome and Oslo"),
    ("I drive a Fiat.", "I drive a Volvo.", "What do I drive?", "Volvo"),
    ("I use Vim.", "I use Emacs.", "What do I use?", "Emacs"),
    ("I'm reading Emma.", "I'm reading Dracula.", "What am I reading?", "Dracula"),
    ("I study law.", "I study medicine.", "What do I study?", "medicine"),
]
"""What two turns give to one question: together if both hold, and the later value if it replaces the other."""


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, TOGETHER))
def test_all_that_a_clause_names_is_told(said: str, question: str, answer: str) -> None:
    with Memory() as memory:
        found = _asked(memory, said, question)
        assert (found.text, found.status) == (answer, "proved")
        assert memory.verify(found).ok


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, ALONE))
def test_what_another_clause_names_is_not(said: str, question: str, answer: str) -> None:
    with Memory() as memory:
        assert _asked(memory, said, question).text == answer


def test_either_of_two_is_not_known() -> None:
    with Memory() as memory:
        assert _asked(memory, "I bought either apples or pears.", "What did I buy?").status == "unknown"


@pytest.mark.parametrize(("first", "second", "question", "answer"), one_in(2, OVER_TURNS))
def test_values_of_several_turns_that_hold_together_are_all_told(
    first: str, second: str, question: str, answer: str
) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": first}], at="2026-03-02")
        found = _asked(memory, second, question)
        assert (found.text, found.status) == (answer, "proved")
        assert memory.verify(found).ok


def test_a_proof_that_joins_a_value_to_the_one_that_replaced_it_is_refused() -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": "I drive a Fiat."}], at="2026-03-02")
        said = _asked(memory, "I drive a Volvo.", "What do I drive?").proof
        assert said.root is not None
        children = (*said.alternatives, *said.root.children)
        assert len(children) == 2
        forged = _with_solutions(said, children)
        assert "hold together" in " ".join(c.detail for c in memory.verify(forged).failures)


@pytest.mark.parametrize("kept", [0, 1])
def test_a_proof_that_leaves_out_what_another_turn_adds_is_refused(kept: int) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": "I'm allergic to cats."}], at="2026-03-02")
        whole = _asked(memory, "I'm allergic to hay.", "What am I allergic to?").proof
        assert whole.root is not None
        one = whole.root.children[kept]
        (other,) = (c for c in whole.root.children if c is not one)
        assert not memory.verify(_with_solutions(whole, (one,))).ok
        assert not memory.verify(_with_solutions(whole, (one,), (other,))).ok


def _with_solutions(proof: Proof, root: tuple[Node, ...], others: tuple[Node, ...] = ()) -> Proof:
    """The proof of other solutions, its answer made to fit."""
    assert proof.root is not None
    values = tuple(v for c in root for v in c.values().values())
    changed = {
        "root": proof.root.model_copy(update={"children": root}),
        "alternatives": others,
        "values": values,
        "answer": " and ".join(v.text for v in values),
    }
    return proof.model_copy(update=changed).digested()


def test_a_proof_that_leaves_one_out_is_refused() -> None:
    with Memory() as memory:
        whole = _asked(memory, "I went to Rome with Tom and Leo.", "Who did I go to Rome with?").proof
        assert whole.root is not None
        first = whole.root.children[:1]
        forged = whole.model_copy(
            update={
                "root": whole.root.model_copy(update={"children": first}),
                "values": whole.values[:1],
                "answer": whole.values[0].text,
            }
        ).digested()
        assert not memory.verify(forged).ok


def test_what_is_told_together_is_in_the_order_of_its_words() -> None:
    proofs: set[tuple[str, ...]] = set()
    for said in ("I bought pears and apples.", "I bought apples and pears."):
        with Memory() as memory:
            proof: Proof = _asked(memory, said, "What did I buy?").proof
            proofs.add(tuple(v.text for v in proof.values))
    assert proofs == {("pears", "apples"), ("apples", "pears")}


def test_the_asker_is_spoken_to_and_what_a_text_calls_so_is_not() -> None:
    with Memory() as memory:
        said = ("I met my boss at the fair.", "My boss plays the harp.", "I read the user's guide.")
        memory.add([{"role": "user", "content": text} for text in said], at="2026-03-04")
        boss = memory.ask("Who did I meet at the fair?", at="2026-03-10")
        assert boss.text == "your boss"
        assert boss.values == ("your boss",)
        assert memory.ask("What did I read?", at="2026-03-10").text == "user's guide"
        for previous in (boss, (boss.question, boss.text)):
            assert memory.ask("What does he play?", previous=previous, at="2026-03-10").text == "harp"


def _asked(memory: Memory, said: str, question: str) -> Answer:
    memory.add([{"role": "user", "content": said}], at="2026-03-04")
    return memory.ask(question, at="2026-03-10")


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    one_in(
        2,
        [
            ("I lent the drill to Tom and the saw to Leo.", "What did I lend to Leo?", "saw"),
            ("I lent the drill to Tom and the saw to Leo.", "What did I lend to Tom?", "drill"),
            ("I gave Ida a lamp and Max a clock.", "What did I give Max?", "clock"),
            ("I gave my sister a lamp and my brother a clock.", "What did I give my brother?", "clock"),
            ("I told my sister the news and my brother the truth.", "Who did I tell the truth?", "your brother"),
            ("I got a lamp from Ida and a clock from Max.", "What did I get from Ida?", "lamp from Ida"),
            ("I took a train to Oslo and a bus to Bergen.", "Where did I take the bus to?", "Bergen"),
            ("We bought a tent for Leo and a stove for Ida.", "What did we buy for Ida?", "stove"),
        ],
    ),
)
def test_of_two_pairs_each_is_told_by_itself(said: str, question: str, answer: str) -> None:
    with Memory() as memory:
        found = _asked(memory, said, question)
        assert (found.text, found.status) == (answer, "proved")
