"""A graph answers what it holds and nothing that is only near it: questions beside their twins that it cannot answer.

`twins/` has five small graphs (`*.psv`) with questions (`*.tsv`: question, tab, answers apart by `|`; none for a twin). The
`held` ones were written before the judge was and are not looked at when it is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.graph.critic import Query
from goalmem.graph.protocol import Hop
from goalmem.graph.relation_meaning import Shape, meaning_of
from goalmem.graph.topic_question import Role, question_of
from goalmem.graph.walk_judge import WalkEnds, WalkJudge
from goalmem.proof.document import Proof
from goalmem.settings import Settings

TWINS = Path(__file__).parent / "twins"
GRAPHS = ("films", "rivers", "music", "kitchen", "firms")
PATIENT = Settings(ask_seconds=120)
LEAST_RIGHT = {"": 0.94, ".held": 0.85}
"""Share of the questions that the graphs answer; .944 and .933 before there was a judge."""
MOST_TWINS = {"": 0.01, ".held": 0.05}
JUDGE = WalkJudge()


def refusal(question: str, topic: str, *hops: Hop, ends: tuple[str, ...] = ("Ann Poe",)) -> str:
    start = question.index(topic)
    return JUDGE.refusal(Query(question, topic, (start, start + len(topic))), hops, WalkEnds(ends))


@pytest.fixture(scope="module")
def graphs(module_memory: Callable[..., Memory]) -> Memory:
    """A memory with each of the graphs in a space of its name."""
    memory = module_memory(settings=PATIENT)
    for name in GRAPHS:
        memory.import_graph(TWINS / f"{name}.psv", space=name)
    return memory


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("part", ["", ".held"])
def test_what_a_graph_cannot_answer_is_not_answered_and_what_it_can_is(graphs: Memory, part: str, every: int) -> None:
    right = asked = answered = twins = 0
    for name in GRAPHS:
        for line in (TWINS / f"{name}{part}.tsv").read_text().splitlines()[::every]:
            question, gold = line.split("\t")
            answer = graphs.ask(question, space=name)
            if answer.known:
                assert graphs.verify(Proof.from_json(answer.proof.to_json())).ok
            asked, right = asked + bool(gold), right + (bool(gold) and set(answer.values) == set(gold.split("|")))
            twins, answered = twins + (not gold), answered + (not gold and answer.known)
    assert answered <= MOST_TWINS[part] * twins
    assert right >= LEAST_RIGHT[part] * asked


DIRECTED, ACQUIRED, BORN = Hop("directed_by"), Hop("acquired"), Hop("bornIn")


@pytest.mark.parametrize(
    ("question", "hop", "ends"),
    [
        ("Who directed Kites?", DIRECTED, "Ann Poe"),
        ("Who was Kites directed by?", DIRECTED, "Ann Poe"),
        ("Who is the director of Kites?", DIRECTED, "Ann Poe"),
        ("Which films did Kites direct?", DIRECTED.back, "Rain"),
        ("What is Kites the director of?", DIRECTED.back, "Rain"),
        ("Which company did Kites acquire?", ACQUIRED, "Rain"),
        ("Who was acquired by Kites?", ACQUIRED, "Rain"),
        ("Who bought Kites?", ACQUIRED.back, "Rain"),
        ("Where was Kites born?", BORN, "Porto"),
        ("Who was born in Kites?", BORN.back, "Ann Poe"),
        ("What is the capital of Kites?", Hop("capital_of", inverse=True), "Porto"),
        ("How long is the river Kites?", Hop("length_km"), "312"),
        ("When did Kites open?", Hop("openingYear"), "1911"),
    ],
)
def test_a_relation_that_entails_what_is_asked_is_accepted_the_right_way_round_only(
    question: str, hop: Hop, ends: str
) -> None:
    assert refusal(question, "Kites", hop, ends=(ends,)) == ""
    if meaning_of(hop.relation).shape is not Shape.NOUN:
        assert refusal(question, "Kites", hop.back, ends=(ends,))


@pytest.mark.parametrize(
    ("question", "hop", "ends"),
    [
        ("Who produced Kites?", DIRECTED, "Ann Poe"),
        ("Who did not direct Kites?", DIRECTED, "Ann Poe"),
        ("Who directed Kites in 1950?", DIRECTED, "Ann Poe"),
        ("Who directed Kites and Rain?", DIRECTED, "Ann Poe"),
        ("Who directed the sequel of Kites?", DIRECTED, "Ann Poe"),
        ("Who first directed Kites?", DIRECTED, "Ann Poe"),
        ("Was Kites directed by a woman?", DIRECTED, "Ann Poe"),
        ("Why did she direct Kites?", DIRECTED, "Ann Poe"),
        ("When was Kites directed?", DIRECTED, "Ann Poe"),
        ("Where was Kites directed?", DIRECTED, "Ann Poe"),
        ("How old is Kites?", DIRECTED, "Ann Poe"),
        ("When was Kites born?", BORN, "Porto"),
        ("Where was Kites founded?", Hop("founded_in"), "1998"),
        ("Who is the director of Kites?", Hop("assistant_director"), "Ann Poe"),
        ("What does Kites flow from?", Hop("flows_into"), "Rain"),
        ("How deep is Kites?", Hop("length_km"), "312"),
        ("In what month was Kites released?", Hop("release_year"), "1950"),
        ("What game does Kites play?", Hop("plays"), "cello"),
        ("Which city is the capital of Kites?", Hop("is_in", inverse=True), "Porto"),
    ],
)
def test_a_relation_that_is_only_near_what_is_asked_is_refused(question: str, hop: Hop, ends: str) -> None:
    assert refusal(question, "Kites", hop, ends=(ends,))
    assert refusal(question, "Kites", hop.back, ends=(ends,))


def test_each_hop_of_a_walk_is_asked_for_by_words_of_its_own() -> None:
    back = (DIRECTED, DIRECTED.back)
    assert not refusal("Which films share a director with Kites?", "Kites", *back, ends=("Rain",))
    assert not refusal("What did the director of Kites direct?", "Kites", *back, ends=("Rain",))
    language = Hop("in_language")
    assert refusal("Which language does the director of Kites speak?", "Kites", *back, language, ends=("Dutch",))
    assert not refusal("What is the language of the films directed by Kites?", "Kites", DIRECTED.back, language)


def test_a_name_is_read_as_a_relation_is_meant() -> None:
    shapes = {
        r: meaning_of(r).shape for r in ("directed_by", "acquired", "flowsInto", "population", "capital of", "ceo")
    }
    assert shapes == {
        "directed_by": Shape.PASSIVE,
        "acquired": Shape.ACTIVE,
        "flowsInto": Shape.ADVERBIAL,
        "population": Shape.NOUN,
        "capital of": Shape.NOUN_OF,
        "ceo": Shape.PASSIVE,
    }
    ranges = {r: meaning_of(r).range for r in ("written by", "release_year", "birthPlace", "length_km", "works_for")}
    assert ranges == {
        "written by": "person", "release_year": "time", "birthPlace": "place", "length_km": "number", "works_for": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("question", "role"),
    [
        ("who directed [topic]", Role.OBJECT),
        ("which films did [topic] direct", Role.AGENT),
        ("films directed by [topic]", Role.BY),
        ("when was the film [topic] directed", Role.PASSIVE),
        ("the director of [topic]", Role.OWNER),
        ("which film is [topic] the director of", Role.HOLDER),
        ("who works for [topic]", Role.AFTER),
    ],
)
def test_the_topic_has_a_role_beside_what_is_asked(question: str, role: Role) -> None:
    assert [m.role for m in question_of(question).mentions if not m.kind] == [role]


def test_yes_needs_an_edge_that_says_it_of_these_two() -> None:
    with Memory(settings=PATIENT) as memory:
        memory.import_graph(
            [
                ("Bergen", "is_in", "Norway"),
                ("Oslo", "capital_of", "Norway"),
                ("The Lanterns", "has_member", "Leo Marsh"),
                ("Tracks", "recorded_by", "The Lanterns"),
            ]
        )
        assert memory.ask("Is Bergen in Norway?").text == "Yes"
        assert memory.ask("Is Leo Marsh a member of The Lanterns?").text == "Yes"
        for question in (
            "Is Bergen the capital of Norway?",
            "Is Norway in Bergen?",
            "Is Leo Marsh a member of Tracks?",
            "Is Leo Marsh the manager of The Lanterns?",
            "Did Leo Marsh leave The Lanterns?",
        ):
            assert not memory.ask(question).known, question
