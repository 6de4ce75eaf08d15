"""What a later turn tells in everyday words to have ended is proved no longer; a turn that only sounds like one leaves a proof as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, product

import pytest
from tests.cases import one_in

from goalmem import Memory

TOLD, SINCE, ASKED = "2025-03-04T18:30:00+00:00", "2025-05-06T18:30:00+00:00", "2025-06-01T12:00:00+00:00"
NAMES = (("Hana", "Omar"), ("Petra", "Emre"), ("Noor", "Tomas"), ("Greta", "Luca"))


@dataclass(frozen=True)
class Kind:
    """What is told first, what asks of it, and what is told later: what ends it, and what does not."""

    first: str
    question: str
    ends: tuple[str, ...]
    leaves: tuple[str, ...]
    by: tuple[str, str] = ("Teller", "Teller")
    """Who tells the first, and who tells the rest."""


KINDS = (
    Kind(
        "{a} is single.",
        "Is {a} single?",
        ("{a} got engaged to a pilot.", "{a} is seeing someone from work.", "{a} and {b} are an item now.", "{a} has tied the knot."),
        ("{a} is back from Malta.", "{a} has a new bike.", "{a}'s sister is back with her ex.", "{a} met my brother at the fair."),
    ),
    Kind(
        "{a} is a smoker.",
        "Is {a} a smoker?",
        ("{a} has kicked the habit.", "{a} hasn't touched a cigarette since March.", "{a} is off the cigarettes.", "{a} packed in smoking."),
        ("{a} has moved to a bigger desk.", "{a} doesn't eat meat.", "{a} bought new boots.", "{a} smokes on the balcony."),
    ),
    Kind(
        "{a} is vegetarian.",
        "Is {a} vegetarian?",
        ("{a} eats chicken these days.", "{a} is back on meat.", "{a} had a steak last night and loved it."),
        ("{a} cooked us a curry.", "{a} is back at work.", "{a} has taken up running."),
    ),
    Kind(
        "I have a caravan.",
        "Do I have a caravan?",
        ("I signed the caravan over to my cousin.", "The caravan went for scrap.", "We let the caravan go in the end.", "My caravan got stolen."),
        ("I washed the caravan.", "The caravan needs a new tyre.", "We took the caravan to Wales.", "I gave the caravan a good clean."),
    ),
    Kind(
        "The boiler is fixed.",
        "Is the boiler fixed?",
        ("The boiler is leaking again.", "The boiler packed up this morning.", "The boiler's back to its old tricks.", "No hot water again, the boiler has died."),
        ("The boiler is in the cellar.", "The boiler man sent his bill.", "The boiler is warm.", "We painted the boiler cupboard again."),
    ),
    Kind(
        "The bakery is open.",
        "Is the bakery open?",
        ("The bakery has gone bust.", "The bakery has shut up shop.", "They have turned the bakery into flats.", "The bakery closed for good."),
        ("The bakery has a new oven.", "I went back to the bakery.", "The bank next to the bakery closed.", "The bakery sells rye bread now."),
    ),
    Kind(
        "{a} owes me 60 pounds.",
        "How much does {a} owe me?",
        ("{a} gave me 20 of it back.", "{a} has settled up.", "{a} paid off some of the debt.", "I let {a} off half of it."),
        ("{a} cooked lunch.", "{a} gave me a lift.", "{a} came back on Monday.", "{a} sings on Fridays."),
    ),
    Kind(
        "I take a size 9 shoe.",
        "What size shoe do I take?",
        ("I need a 10 these days.", "I am a size 10 now.", "My feet have grown, a 9 is too tight."),
        ("My sister takes a size 6.", "I bought brown shoes.", "I leave my shoes at the door."),
    ),
    Kind(
        "{a} is a teacher.",
        "Is {a} a teacher?",
        ("{a} has left teaching.", "{a} runs a pub these days.", "{a} handed in her notice.", "{a} was struck off."),
        ("{a} has a new classroom.", "{a} left at six.", "{a} teaches my son.", "{a} is back from the dentist."),
    ),
    Kind(
        "I have a parrot. I have a tortoise.",
        "What pets do I have?",
        ("The parrot died.", "We rehomed the tortoise.", "I gave the parrot to Ida.", "The parrot flew off and never came back."),
        ("The parrot learned a new word.", "The tortoise is asleep again.", "I gave the parrot a bath.", "The tortoise ate a plum."),
    ),
    Kind(
        "{a} speaks Dutch and Welsh.",
        "Which languages does {a} speak?",
        ("{a} has forgotten all her Welsh.", "{a} doesn't speak Dutch any more.", "{a} gave up Welsh.", "{a} is done with Dutch."),
        ("{a} sang a Welsh song.", "{a} speaks Dutch with my neighbour.", "{a} bought a Dutch newspaper.", "{a} was late again."),
    ),
    Kind(
        "{a} is 34.",
        "How old is {a}?",
        ("I got that wrong about {a}.", "I was mistaken about {a}'s age.", "{a} says I made {a} too old."),
        ("I got the train wrong.", "{a} was wrong about the bus.", "{a} got a new phone."),
    ),
    Kind(
        "The hall has forty seats.",
        "How many seats does the hall have?",
        ("It's thirty, {a}.", "No, there are thirty seats in the hall.", "I counted thirty seats in the hall."),
        ("The hall has red curtains.", "We sang in the hall again.", "The hall was cold."),
        by=("{a}", "{b}"),
    ),
    Kind(
        "{a} is a member of the choir.",
        "Is {a} a member of the choir?",
        ("{a} dropped out of the choir.", "The choir threw {a} out.", "The choir has folded.", "{a} doesn't sing with the choir any more."),
        ("The choir sang at the fair.", "{a} dropped a plate.", "{a} walked home from the choir.", "The choir has a new piano."),
    ),
    Kind(
        "{a}'s surname is Pell.",
        "What is {a}'s surname?",
        ("{a} got married.", "{a} married a Cowie in May."),
        ("{a} met a man called Cowie.", "{a} has a new bike."),
    ),
    Kind(
        "{a} has long hair.",
        "Does {a} have long hair?",
        ("{a}'s had her hair cut short.", "{a} had her hair cut off."),
        ("{a} has brown eyes.",),
    ),
    Kind(
        "The kitchen is yellow.",
        "What colour is the kitchen?",
        ("We painted the kitchen sage green.",),
        ("We ate in the kitchen.", "The bathroom is sage green.", "We painted the fence white."),
    ),
    Kind(
        "Our boiler cover is with Homeglow.",
        "Who is our boiler cover with?",
        ("Our boiler cover is with Firefly.", "Our boiler cover is with Firefly now."),
        ("Our boiler cover is cheap.", "Our car insurance is with Firefly."),
    ),
    Kind(
        "I'm on the billing line at the call centre.",
        "Which line am I on at the call centre?",
        ("Since Easter I've been on the complaints line.", "I'm on the complaints line now."),
        ("My sister is on the late bus.",),
    ),
)  # fmt: skip


UNMET = {
    "Hana has settled up.",
    "I let Noor off half of it.",
    "My feet have grown, a 9 is too tight.",
    "Hana handed in her notice.",
    "Petra was struck off.",
    "Hana says I made Hana too old.",
    "It's thirty, Petra.",
    "The choir has folded.",
    "I washed the caravan.",
    "We took the caravan to Wales.",
    "The bakery sells rye bread now.",
    "Greta left at six.",
}
"""Later words that are not yet understood, or put in doubt what they leave as it is."""


def cases(which: str) -> Iterator[object]:
    """First words, their speaker, later ones, their speaker, and a question, with names in their places.

    Of each kind `make test` tries one in three.
    """
    names = cycle(NAMES)
    for kind in KINDS:
        for number, later in enumerate(getattr(kind, which)):
            a, b = next(names)
            lines = [text.format(a=a, b=b) for text in (kind.first, kind.by[0], later, kind.by[1], kind.question)]
            marks = [pytest.mark.xfail(strict=True, reason="not yet told apart")] if lines[2] in UNMET else []
            marks += [pytest.mark.thorough] if number % 3 else []
            yield pytest.param(*lines, id=f"{lines[0]} {lines[2]}", marks=marks)


def answers(first: str, teller: str, later: str, other: str, question: str) -> tuple[object, object]:
    """What a question is answered with before and after something is told."""
    with Memory(":memory:") as memory:
        memory.add([{"role": "user", "name": teller, "content": first}], at=TOLD)
        before = memory.ask(question, at=ASKED, speaker=teller)
        memory.add([{"role": "user", "name": other, "content": later}], at=SINCE)
        after = memory.ask(question, at=ASKED, speaker=teller)
        assert not after.known or memory.verify(after).ok
        return before, after


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("first", "teller", "later", "other", "question"), [*cases("ends")])
def test_what_is_told_to_have_ended_is_proved_no_longer(
    first: str, teller: str, later: str, other: str, question: str
) -> None:
    before, after = answers(first, teller, later, other, question)
    assert before.status == "proved"
    assert after.status != "proved" or after.text != before.text


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("first", "teller", "later", "other", "question"), [*cases("leaves")])
def test_what_only_sounds_like_an_end_leaves_a_proof(
    first: str, teller: str, later: str, other: str, question: str
) -> None:
    before, after = answers(first, teller, later, other, question)
    assert (before.status, after.status) == ("proved", "proved")
    assert after.text == before.text


BEGUN = ("I started at Tesco in 2011.", "I joined Tesco in 2011.", "I started working at Tesco in 2011.")
QUIT = ("I quit.", "I quit my job.", "I resigned last week.", "I stopped in April.")


@pytest.mark.parametrize(("begun", "later"), one_in(5, product(BEGUN, QUIT)))
def test_work_that_was_given_up_without_its_name_is_proved_no_longer(begun: str, later: str) -> None:
    assert status(begun, later, "How long have I worked at Tesco?") != "proved"
    assert status(begun, later, "Do I work at Tesco?") != "proved"


@pytest.mark.parametrize("begun", BEGUN)
def test_who_quits_something_else_still_works(begun: str) -> None:
    assert status(begun, "I quit smoking.", "Do I work at Tesco?") == status(begun, "", "Do I work at Tesco?")


def test_what_is_over_did_not_last_until_now() -> None:
    moved = "I moved to Leeds in 2011."
    assert status(moved, "", "How long have I lived in Leeds?") == "proved"
    assert status(moved, "I left Leeds in 2015.", "How long have I lived in Leeds?") != "proved"
    assert status(moved, "I moved to York in 2015.", "How long have I lived in Leeds?") != "proved"
    assert status(moved, "I left Leeds in 2015.", "How long did I live in Leeds?") != "proved"
    assert status("I worked at Tesco from 2011.", "", "How long did I work at Tesco?") != "proved"


def status(first: str, later: str, question: str) -> str:
    with Memory() as memory:
        for text, when in ((first, TOLD), (later, SINCE)):
            if text:
                memory.add([{"role": "user", "name": "Ann", "content": text}], at=when)
        return memory.ask(question, at=ASKED).status


SINCE_THEN = [
    (("I'm on 50 mg of sertraline.", "The doctor put me up to 100."), "How many mg of sertraline am I on?"),
    (("I bench 60 kilos.", "I finally hit 70."), "How much do I bench?"),
    (("I weigh 90 kilos.", "I hit 70 on the motorway."), "How much do I weigh?"),
    (("I weigh 90 kilos.", "I have 40 books.", "I'm down to 35."), "How many books do I have?"),
    (("I weigh 90 kilos.", "I'm down to 85.", "No wait, that was the old scale."), "How much do I weigh?"),
    (("I weigh 90 kilos.", "I'm down to 85."), "Do I weigh 90 kilos?"),
    (("I weigh 90 kilos.", "I'm down to 4."), "How much do I weigh?"),
    (("I'm on the waiting list for the nursery.", "I got the place!!"), "Am I on the waiting list?"),
    (("I'm looking for a flat.", "I found one!"), "Am I looking for a flat?"),
    (("I'm waiting for my visa.", "It came through today."), "Am I waiting for my visa?"),
    (("I drive a Fiat.", "I no longer drive."), "What do I drive?"),
]
ANEW = [
    (("I weigh 90 kilos.", "I'm down to 85."), "How much do I weigh?", "85 kilos"),
    (("I weigh 90 kilos.", "I'm back up to 93."), "How much do I weigh?", "93 kilos"),
    (("I weigh 90 kilos.", "I'm down to 85.", "I'm down to 83!"), "How much do I weigh?", "83 kilos"),
    (("Tove weighs 70 kilos.", "Tove is down to 66."), "How much does Tove weigh?", "66 kilos"),
    (("I have 40 subscribers.", "We're up to 60 subscribers."), "How many subscribers do I have?", "60 subscribers"),
    (
        ("My channel has 400 subscribers.", "The channel is up to 950 now."),
        "How many subscribers does my channel have?",
        "950",
    ),
    (("We have 5 hens.", "We're down to 3."), "How many hens do we have?", "3"),
    (("I smoke 20 cigarettes a day.", "I've cut down to five."), "How many cigarettes do I smoke a day?", "five"),
    (("I smoke 20 cigarettes a day.", "I'm down to 6 a day."), "How many cigarettes do I smoke a day?", "6"),
    (("I owe Leo 200 euros.", "I'm down to 120."), "How much do I owe Leo?", "120 euros"),
]
"""An amount that is given anew without what it is of."""
STILL_SO = [
    (("I weigh 90 kilos.", "My brother is down to 85."), "How much do I weigh?", "90 kilos"),
    (("My rent is 900 euros.", "My phone bill is up to 95."), "What is my rent?", "900 euros"),
    (("I have 40 subscribers.", "I'm up to 12 lessons."), "How many subscribers do I have?", "40"),
    (("I weigh 90 kilos.", "I got two."), "How much do I weigh?", "90 kilos"),
    (("I'm looking for a flat.", "I found my keys."), "Am I looking for a flat?", "Yes"),
    (("Tom did not call.", "Ana called at nine."), "Did Tom call?", "No"),
]


def told(turns: tuple[str, ...]) -> Memory:
    memory = Memory()
    for day, text in enumerate(turns, 2):
        memory.add([{"role": "user", "content": text}], at=f"2026-03-{day:02d}")
    return memory


@pytest.mark.parametrize(("turns", "question"), SINCE_THEN)
def test_what_later_words_end_without_naming_it_is_not_told(turns: tuple[str, ...], question: str) -> None:
    with told(turns) as memory:
        assert memory.ask(question).status == "unknown"


@pytest.mark.parametrize(("turns", "question", "answer"), ANEW)
def test_an_amount_that_is_given_anew_is_likely_and_cites_both(
    turns: tuple[str, ...], question: str, answer: str
) -> None:
    with told(turns) as memory:
        found = memory.ask(question)
        assert (found.status, found.text) == ("likely", answer)
        cited = [e.quote.rstrip(".!") for e in found.proof.evidence()]
        assert [turns[0].rstrip("."), turns[-1].rstrip(".!")] == cited
        assert memory.verify(found.proof).ok


@pytest.mark.parametrize(("turns", "question", "answer"), STILL_SO)
def test_words_about_something_else_end_nothing(turns: tuple[str, ...], question: str, answer: str) -> None:
    with told(turns) as memory:
        found = memory.ask(question)
        assert found.status in ("proved", "disproved"), found.text
        assert answer in found.text


NO_LONGER_SURE = [
    (
        ("I'm allergic to penicillin.", "Tests came back, no penicillin allergy after all."),
        "Am I allergic to penicillin?",
    ),
    (("I have a flat in Leith.", "Exchanged contracts, the flat is gone."), "Do I have a flat in Leith?"),
    (("I work at Aldi.", "Handed in my notice."), "Where do I work?"),
    (("Ana is pregnant.", "Ana had the baby on Sunday."), "Is Ana pregnant?"),
    (("Sara is my flatmate.", "Sara moved out and Ben moved in."), "Who is my flatmate?"),
    (("Ishbel is our medic.", "Kit is taking over from Ishbel."), "Who is our medic?"),
    (("I'm reading Dune.", "Finished Dune, on to Hyperion."), "What am I reading?"),
    (("I owe Tess 40.", "Paid Tess back."), "How much do I owe Tess?"),
]
STILL_SURE = [
    (("I'm allergic to penicillin.", "There was no penicillin in the cupboard."), "Am I allergic to nuts?", "unknown"),
    (("I have a flat in Leith.", "The bike is gone."), "Do I have a flat in Leith?", "proved"),
    (("I work at Aldi.", "My brother handed in his notice."), "Where do I work?", "proved"),
]


@pytest.mark.parametrize(("turns", "question"), NO_LONGER_SURE)
def test_what_may_be_over_is_not_proved(turns: tuple[str, ...], question: str) -> None:
    with told(turns) as memory:
        assert memory.ask(question).status in ("likely", "unknown")


@pytest.mark.parametrize(("turns", "question", "status"), STILL_SURE)
def test_words_about_something_else_leave_it_sure(turns: tuple[str, ...], question: str, status: str) -> None:
    with told(turns) as memory:
        assert memory.ask(question).status == status


def test_a_denial_is_not_told_once_somebody_unnamed_did_what_it_denies() -> None:
    with told(("Leafolk didn't pay their invoice.", "They paid on the 4th.")) as memory:
        assert "No" not in memory.ask("Did Leafolk pay their invoice?").text.split()


def test_a_judge_does_not_tell_a_denial_of_what_was_done_days_later() -> None:
    turns = (
        "Leafolk has not paid the first invoice.",
        "The deadline is in August.",
        "I need wine.",
        "I am tired.",
        "They paid on the 4th.",
    )
    with told(turns) as memory:
        assert "No" not in memory.ask("Did Leafolk pay their invoice?").text.split()
