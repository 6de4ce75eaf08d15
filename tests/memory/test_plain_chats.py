"""What people write in one breath: the subject of each clause, what is paid, whom a message reminds of what, and days that move."""

from __future__ import annotations

import pytest

from goalmem import Memory
from tests.cases import one_in

PROVED = [
    ("Jo's mum is doing the flowers and my brother Sam is best man.", "Who is the best man?", "Sam"),
    ("Ana washed the car and Tom fixed the bike.", "What did Ana wash?", "car"),
    ("Leo cooked rice and the kids set the table.", "What did Leo cook?", "rice"),
    ("I called the vet and the plumber and they both came.", "Who did I call?", "vet and plumber"),
    ("I like dogs and my wife likes cats.", "What do I like?", "dogs"),
    ("I like dogs and my wife likes cats.", "What does my wife like?", "cats"),
    (
        "I bought a second-hand bike today, a blue Dawes, for 120 pounds.",
        "How much did I pay for the bike?",
        "120 pounds",
    ),
    ("I bought a second-hand bike today, a blue Dawes, for 120 pounds.", "What did I buy today?", "second-hand bike"),
    ("I spent 40 euros on the lamp.", "How much did I pay for the lamp?", "40 euros"),
    ("Remind me that my review is on 14 May at 10am.", "What time is my review?", "10am"),
    ("I want you to remember that I hate tea.", "Do I hate tea?", "Yes"),
    ("I work with Priya and Max.", "Who do I work with?", "Priya and Max"),
    ("My sister was born in Lisbon.", "Where was my sister born?", "Lisbon"),
    ("I'm afraid of heights.", "What am I afraid of?", "heights"),
    ("Leo is jealous of Max.", "Who is Leo jealous of?", "Max"),
    ("I told Ana about the trip.", "Who did I tell about the trip?", "Ana"),
    ("The report was written by Ana.", "Who wrote the report?", "Ana"),
    ("I paid Tom 20 euros.", "How much did I pay Tom?", "20 euros"),
]
NOT_TOLD = [
    ("Leo is jealous of Max.", "Is Max jealous of Leo?"),
    ("I'm afraid of heights.", "Am I afraid of spiders?"),
    ("Remind me to call Tom.", "Did I call Tom?"),
    ("Remind me what Tom likes.", "What does Tom like?"),
    ("Ana washed the car and Tom fixed the bike.", "Did Tom wash the car?"),
    ("I like dogs and my wife likes cats.", "Do I like my wife?"),
]
SINCE = [
    (
        "The survey is on the 19th.",
        "Trevor can't do the 19th, now it's the 22nd.",
        "When is the survey?",
        "22 March 2026",
    ),
    (
        "My rent is due on the 5th.",
        "The gym takes its money on the 5th and the 20th now.",
        "When is my rent due?",
        "5 March 2026",
    ),
    ("We use Slack.", "The deadline is the 8th. Sorry, the 9th.", "When is the deadline?", "9 March 2026"),
    ("Leo plays the cello.", "Leo doesn't play chess any more.", "What does Leo play?", "cello"),
    ("I play tennis with Tom.", "I play tennis with Ana.", "Who do I play tennis with?", "Tom and Ana"),
]


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, PROVED))
def test_what_is_told_in_passing_is_proved(said: str, question: str, answer: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": said}], at="2026-03-02")
        found = memory.ask(question)
        assert (found.text, found.status) == (answer, "proved")
        assert memory.verify(found).ok


@pytest.mark.parametrize(("said", "question"), one_in(2, NOT_TOLD))
def test_what_is_not_told_is_not_known(said: str, question: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": said}], at="2026-03-02")
        assert memory.ask(question).status in ("unknown", "likely")


@pytest.mark.parametrize(("first", "second", "question", "answer"), SINCE)
def test_a_later_message_changes_what_it_names(first: str, second: str, question: str, answer: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": first}], at="2026-03-02")
        memory.add([{"role": "user", "content": second}], at="2026-03-05")
        assert memory.ask(question).text == answer


def test_somebody_born_twice_has_no_birthplace_that_is_known() -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": "I was born in Lisbon."}], at="2026-03-02")
        memory.add([{"role": "user", "content": "I was born in Porto."}], at="2026-03-05")
        found = memory.ask("Where was I born?")
        assert found.status == "unknown"
        assert {value.text for s in found.proof.alternatives for value in s.values().values()} == {"Lisbon", "Porto"}


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("We use Slack at work.", "We've switched to Teams.", "What do we use at work?"),
        ("Petra is the chair of the club.", "Petra stepped down, Ole took over.", "Who is the chair of the club?"),
        ("We use Slack.", "The deadline is 8 May. Oops, I meant 9 May.", "When is the deadline?"),
        ("Petra chairs the club.", "Petra stepped down and Ole took over.", "Who chairs the club?"),
    ],
)
def test_what_a_later_message_may_have_ended_is_not_proved(first: str, second: str, question: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": first}], at="2026-03-02")
        memory.add([{"role": "user", "content": second}], at="2026-03-05")
        assert memory.ask(question).status in ("likely", "unknown")
