"""What a profile says holds at its time, was said by the turn that it names, and can be read alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import pytest

from goalmem import InputError, Memory
from goalmem.answering.profile import TOPICS, ProfileBuilder
from goalmem.language import Analyzer
from goalmem.models.protocol import Excerpt, Statement, Verdict

TOLD = [
    "I live in Oslo and I work as a nurse.",
    "My sister Ines is a carpenter. I hate ferries.",
    "I am allergic to peanuts.",
    "I used to smoke. I almost bought a yacht. Should I buy a tent?",
    "If I had money I would buy a horse. Leo says I own a castle.",
    "It is over there. He gave it to me.",
]
MOVED = ["I live in Bergen now. I have a red canoe."]


@pytest.fixture(scope="module")
def told(module_memory: Callable[..., Memory]) -> Memory:
    """What Nadia said in spring and in autumn; tests must not write to it."""
    memory = module_memory()
    for day, texts in (("2024-04-01", TOLD), ("2024-10-01", MOVED)):
        memory.add([{"role": "user", "name": "Nadia", "content": t} for t in texts], at=day, session=day)
    return memory


def said(memory: Memory, who: str | None = None, **given: object) -> str:
    """The sentences of a profile."""
    return " ".join(s.text for s in memory.profile(who, **given).statements)


def test_what_holds_now_is_said_and_what_was_replaced_is_not(told: Memory):
    now, then = said(told), said(told, at="2024-05-01")
    assert "Bergen" in now
    assert "Oslo" not in now
    assert "Oslo" in then
    assert "Bergen" not in then
    assert "canoe" not in then


@pytest.mark.parametrize("word", ["smoke", "yacht", "tent", "horse", "castle", "over there", " it "])
def test_what_is_only_mentioned_is_not_said(told: Memory, word: str):
    assert word not in said(told)


def test_a_statement_names_the_turn_that_says_it(told: Memory):
    profile = told.profile("Nadia")
    assert profile.statements
    for statement in profile.statements:
        assert told.turn(statement.turn).speaker == "Nadia"
        assert 0.0 <= statement.certainty <= 1.0
        assert statement.topic in TOPICS
    assert [topic for topic in TOPICS if topic in profile.topics] == list(profile.topics)
    assert sum(map(len, profile.topics.values())) == len(profile.statements) == profile.total


def test_statements_are_under_their_topics(module_memory: Callable[..., Memory]):
    memory = module_memory()
    told = [
        "I work at Harbour School.",
        "I have a red canoe.",
        "I am allergic to nuts.",
        "My sister is Ida.",
    ]
    memory.add([{"role": "user", "name": "Nadia", "content": t} for t in told])
    topics = {s.text.rstrip("."): s.topic for s in memory.profile("Nadia").statements}
    assert topics["Nadia works at Harbour School"] == "work"
    assert topics["Nadia has a red canoe"] == "belongings"
    assert topics["Nadia is allergic to nuts"] == "health"
    assert topics["Ida is Nadia's sister"] == "people"


def test_whom_one_has_is_part_of_it(told: Memory):
    assert "Ines" in said(told) or "sister" in said(told)


def test_the_limit_keeps_the_newest(told: Memory):
    one = told.profile(limit=1)
    assert len(one.statements) == 1
    assert one.statements[0].said == max(s.said for s in told.profile().statements)
    assert one.total == told.profile().total


def test_of_whom_nothing_is_known_nothing_is_said(told: Memory):
    profile = told.profile("Zora")
    assert (profile.who, profile.statements, profile.total) == ("Zora", (), 0)


@pytest.mark.parametrize("given", [{"limit": 0}, {"limit": "3"}, {"who": " "}, {"space": ""}, {"at": "some day"}])
def test_bad_input_is_refused(told: Memory, given: dict[str, object]):
    with pytest.raises(InputError):
        told.profile(**given)


class Strict:
    """A judge who believes nothing, and counts what it is asked."""

    name = "strict"
    asked = 0

    def judge(self, pairs: Sequence[tuple[Statement, Excerpt]]) -> list[Verdict]:
        """Not said, every one."""
        self.asked += len(pairs)
        return [Verdict(0.0, 0.0, 1.0)] * len(pairs)


def test_what_the_judge_does_not_find_said_is_left_out_and_each_is_judged_once(told: Memory):
    judge = Strict()
    portraits = ProfileBuilder(judge)
    pipeline = told._parts.pipeline
    from goalmem.sources.similarity import Similarity

    similarity = Similarity(pipeline.store.aliases("default"), pipeline.cosine)
    at = datetime.fromisoformat("2024-11-01T00:00:00+00:00")
    for _ in range(2):
        assert portraits.profile(pipeline.store, "Nadia", similarity, "default", at).statements == ()
    assert 0 < judge.asked < 20


@pytest.mark.parametrize(
    ("said", "left_out"),
    [
        ("I wrote him, and I bought a kayak.", "wrote"),
        ("I know myself. I bought a kayak.", "knows"),
        ('Mama said "my grandfather is a tailor". I bought a kayak.', "grandfather"),
        ("I eat eggs, cheese, all fine. I bought a kayak.", "all fine"),
    ],
)
def test_what_was_guessed_quoted_or_loosely_said_is_left_out(analyzer: Analyzer, said: str, left_out: str):
    with Memory(analyzer=analyzer) as memory:
        memory.add([{"role": "user", "name": "Levon", "content": "Arman is a dentist."}], session="s", at="2024-05-01")
        memory.add([{"role": "user", "name": "Nadia", "content": said}], session="s", at="2024-05-01")
        texts = [statement.text for statement in memory.profile("Nadia").statements]
    assert "Nadia bought a kayak." in texts
    assert not [text for text in texts if left_out in text]


def profile_of(analyzer: Analyzer, *days: tuple[str, str]) -> list[str]:
    """The sentences of the profile of Nadia, who said this on these days, as of the last one."""
    with Memory(analyzer=analyzer) as memory:
        for day, text in days:
            memory.add({"role": "user", "name": "Nadia", "content": text}, session=day, at=day)
        return [statement.text for statement in memory.profile("Nadia").statements]


@pytest.mark.parametrize(
    "said",
    [
        "I am hungry.",
        "I am exhausted today.",
        "I have to feed the goat.",
        "I am in the bath right now.",
        "I am peeling potatoes.",
        "I need a ladder.",
        "I am an idiot.",
        "I have no idea.",
        "I have got news.",
        "I voted for Ida.",
        "That is my street.",
        "My dears, hello.",
        "I have a fever.",
        "I can bring a chair.",
    ],
)
def test_what_is_so_for_the_moment_is_no_part_of_a_profile(analyzer: Analyzer, said: str):
    assert profile_of(analyzer, ("2024-05-01", f"{said} I own a kayak.")) == ["Nadia owns a kayak."]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("I speak Danish.", "Nadia speaks Danish."),
        ("I was born in Turin in 1985.", "Nadia was born in Turin in 1985."),
        ("I am from Ghana.", "Nadia is from Ghana."),
        ("My birthday is on 9 June.", "Nadia's birthday is on 9 June."),
        ("I am vegetarian.", "Nadia is vegetarian."),
        ("I don't eat pork.", "Nadia does not eat pork."),
        ("I have two kids.", "Nadia has two kids."),
        ("I play the violin.", "Nadia plays the violin."),
        ("I studied law at Oxford.", "Nadia studied law at Oxford."),
        ("I own a bakery.", "Nadia owns a bakery."),
        ("We have a cat called Milo.", "Nadia has a cat named Milo."),
        ("I moved to Porto last week.", "Nadia moved to Porto (the week of 22 April 2024)."),
    ],
)
def test_what_lasts_is(analyzer: Analyzer, said: str, known: str):
    assert known in profile_of(analyzer, ("2024-05-01", said))


@pytest.mark.parametrize(
    ("before", "later", "word"),
    [
        ("I have a canoe.", "I sold the canoe.", "canoe"),
        ("I love cheese.", "I don't like cheese any more.", "loves"),
        ("I am a nurse.", "I quit my job.", "nurse"),
        ("I am married.", "We got divorced.", "married"),
        ("My husband is Leo.", "Leo and I got divorced.", "husband"),
        ("I live in Rome.", "I moved to Turin.", "Rome"),
        ("I am learning Polish.", "The weather is nice.", "Polish"),
    ],
)
def test_what_is_over_is_left_out(analyzer: Analyzer, before: str, later: str, word: str):
    then = ("2024-01-01", before)
    assert word in " ".join(profile_of(analyzer, then))
    assert word not in " ".join(profile_of(analyzer, then, ("2024-06-01", later)))


def test_what_is_said_of_something_else_ends_nothing(analyzer: Analyzer):
    days = ("2024-01-01", "I am allergic to nuts. My brother is Ivo."), ("2024-06-01", "I quit my job. I sold my car.")
    known = profile_of(analyzer, *days)
    assert {"Nadia is allergic to nuts.", "Ivo is Nadia's brother."} <= {*known}


@pytest.mark.parametrize("said", ["My wifes are here.", "My brother in law is kind.", "My brothers wedding is loud."])
def test_whom_nobody_has_is_not_read_into_misspelt_words(analyzer: Analyzer, said: str):
    assert profile_of(analyzer, ("2024-01-01", said)) == []


def test_a_profile_is_of_all_names_of_somebody(analyzer: Analyzer):
    assert "Nadia speaks Danish." in profile_of(analyzer, ("2024-01-01", "I'm Nadia Lund. I speak Danish."))
