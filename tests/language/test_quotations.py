"""What a message only passes on is not told by its author: texts to work on, examples, chats, mails, code, titles."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from goalmem.language import Extractor
from goalmem.language.words import texts
from goalmem.records import Fact, Modality
from tests.language.conftest import turns_of

Tell = Callable[..., list[Fact]]

PASSED_ON = [
    "Summarise this text: My name is Olga. I was born in Kiev in 1950.",
    "Translate to French: I have two cats and live in Oslo.",
    "i need you to translate this into german: my wife is a nurse",
    "Can you rewrite this more politely: I quit my job.",
    "Could you translate this for me? I have two sons.",
    "Paraphrase the following paragraph. I live in Oslo.",
    "shorten this - I am the new director of Acme",
    "Summarize:\nI moved to Bonn in May.\n\nI work at a bakery.",
    "Write a bio: I am a chef from Lyon with 3 kids.",
    "Draft an email to my boss saying: I am sick today.",
    "Is this sentence correct: I have lived in Rome for ten years.",
    "I have two cats. Translate that into French.",
    "Example: I am 30 and I live in Wales.",
    "Here is an example: I live in Wales.",
    "Sample answer: I live in Wales.",
    "Text to translate: I live in Oslo.",
    "Lyrics: I am a rock, I am an island.",
    "Roleplay: you are my boss and I am a thief.",
    "Let's roleplay. You are my boss and I am a thief.",
    "Fwd: I am the new director.",
    "fwd - I am the new director",
    "forwarded from Ana: I am the new director",
    "From: Ana Diaz\nTo: Leo Kern\n\nHi Leo, I moved to Bonn.",
    "---------- Forwarded message ---------\nI moved to Bonn.",
    "On Mon, 3 May 2024 Ana Diaz wrote:\nI moved to Bonn.",
    "[10:32] Karl: I'm in Paris\n[10:33] Me: Lucky you",
    "Karl: I live in Rome.\nEva: I live in Oslo.",
    "karl: i'm in Paris",
    "12/05/24, 10:32 - Karl: I have two dogs",
    "Karl (10:32): I'm a nurse",
    "<karl> I'm a nurse\n<eva> I am not",
    "Karl — Today at 10:32\nI'm a nurse",
    "Q: Where do you live?\nA: I live in Rome.",
    "User: I live in Rome\nAssistant: You do",
    "// TODO: Ana moves to Rome",
    "TODO: Ana moves to Rome",
    "/* Ana lives in Rome */",
    "```\nAna lives in Rome\n```",
    "- [ ] Ana moves to Rome",
]


@pytest.mark.parametrize("text", PASSED_ON)
def test_what_is_passed_on_is_not_asserted(tell: Tell, text: str) -> None:
    told = max(text.find(": "), text.find(":\n"))
    assert not [
        f for f in tell(f"Maya: {text}") if f.start > told and f.modality is Modality.ASSERTED and f.kind == "clause"
    ]


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("My favourite film is I Am a Nurse.", "be"),
        ("I listened to I Have Two Dogs by The Cats.", "have"),
        ("We saw My Brother Is an Only Child last night.", "be"),
        ("I love the song She Has a Girlfriend Now.", "have"),
    ],
)
def test_the_words_of_a_title_are_not_asserted(tell: Tell, text: str, predicate: str) -> None:
    found = [f for f in tell(f"Maya: {text}") if f.predicate == predicate and f.modality is Modality.ASSERTED]
    assert not any(a.text in ("I", "My Brother", "She") for f in found for a in f.args if a.role == "subject")


@pytest.mark.parametrize(
    ("text", "predicate"),
    [
        ("Reminder: the rent is due on Friday", "be"),
        ("Update: I moved to Bonn", "move"),
        ("Note to self: my locker code is 4471", "be"),
        ("Write this down: my locker code is 4471.", "be"),
        ("FYI: I am the new director", "be"),
        ("About me: I am a chef from Lyon.", "be"),
        ("Help me plan a trip: I live in Oslo.", "live"),
        ("Write me a poem, I live in Oslo.", "live"),
        ("Recommend me a book: I like crime novels.", "like"),
        ("Analyse my diet: I eat two eggs every day.", "eat"),
        ("Edit: I moved to Bonn", "move"),
        ("Re: your question. I live in Bonn.", "live"),
        ("Subject: new address\nHi, I moved to Bonn.", "move"),
        ("Work: I am a nurse at Acme.\nHome: I live in Rome.", "live"),
        ("Day 1: I flew to Rome.\nDay 2: I met Karl.", "meet"),
        ("Karl: I moved to Bonn", ""),
        ("Maya: I moved to Bonn", "move"),
        ("@karl: I moved to Bonn", "move"),
        ("[10:32] I moved to Bonn", "move"),
        ("Tom, I moved to Bonn", "move"),
        ("I Live In Oslo And I Have Two Cats.", "live"),
        ("Hi. I Have two dogs at home.", "have"),
    ],
)
def test_what_is_only_announced_is_asserted(tell: Tell, text: str, predicate: str) -> None:
    found = {f.predicate for f in tell(f"Maya: {text}") if f.kind != "possession" and f.modality is Modality.ASSERTED}
    assert predicate in found if predicate else not found


def test_a_quoted_text_ends_with_its_quotation_marks(tell: Tell) -> None:
    facts = tell('Maya: Translate "I have two cats" into French. I live in Oslo.')
    assert [f.predicate for f in facts if f.modality is Modality.ASSERTED and f.kind == "clause"] == ["live"]


@pytest.mark.parametrize(
    "line", ["hi\n", "Karl: I am\n", "translate this a b c ", "// a\n", "[ ] a\n", "I Am ", "[10:32] ", "\n\n "]
)
def test_time_grows_with_the_length(extractor: Extractor, line: str) -> None:
    def seconds(times: int) -> float:
        start = time.process_time()
        extractor.extract(turns_of((f"Maya: {line * times}",)))
        return time.process_time() - start

    seconds(50)
    assert seconds(800) < 30 * max(seconds(100), 0.02)


@pytest.mark.parametrize(
    "opening", ["Karl", "10:32", "[10:32] Karl, ", "Translate this", "Fwd", "Example", "<", "- [ ]", "//"]
)
@pytest.mark.parametrize("blank", [" ", "\n", "-", "a ", "I "])
def test_a_long_run_behind_an_opening_takes_no_longer(opening: str, blank: str) -> None:
    text = f"{opening}{blank * 20_000}x"
    start = time.process_time()
    for form in (
        texts.ASKED_OF_TEXT,
        texts.ASKED_OF_THE_ABOVE,
        texts.LABELLED_TEXT,
        texts.PLAY,
        texts.FORWARDED,
        texts.CODE,
        texts.CHAT_LINE,
    ):
        form.search(text)
    assert time.process_time() - start < 2
