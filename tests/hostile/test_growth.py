"""Whatever a message, a question or a text of rules repeats, its cost grows with its length: no faster, and without an end in recursion.

Processor time is compared at two lengths. What takes next to none at the longer one is cheap however it grows. Where the
growth looks too steep both are measured three times, and the least counts: another program's work is in the others.
`make test-slow` tries many more texts.
"""

import math
import re
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem import Memory
from goalmem.errors import GoalmemError
from goalmem.graph.entity_names import implied_kind
from goalmem.io.conversation import Options
from goalmem.io.documents.markdown_blocks import markdown_document
from goalmem.io.transcript import transcript
from goalmem.language.name_masking import LENT, PROBED, replacements
from goalmem.language.sentences import sentence_spans
from goalmem.language.words.changes import LABELLED, NEW_ROLE
from goalmem.sources.certainty.reservations import IRONY, RATHER
from goalmem.sources.passages.span_values import SEGMENT
from goalmem.sources.passages.type_fit import DURATION, MONEY
from goalmem.sources.passages.yes_no import ASKING
from goalmem.sources.spans import LONGEST_SENTENCE, sentence_around, whole_words
from goalmem.sources.state.attribute_events import LATELY, ORIGIN
from tests.cases import examples, one_in

UNITS = (
    "and ", "and that ", "that ", "because ", "if ", "not ", "or ", "neither nor ", "who said ", "before ", "the day after ",
    '"a" ', "“so” ", "(a) ", "( ", "((", "[x] ", "{}", "<b>", "**a** ", ", ", "a, ", "; ", "a: ", ". ", "? ", "...", "!", "- ", "-", "— ",
    "Anna ", "Anna and ", "Mr. ", "'s ", "brother's ", "her sister ", "my ", "my name is Anna. ", "Anna likes tea. ", "I like tea. ",
    "2024-03-01 ", "March 3, 2024, ", "3/4/2024, ", "last Monday ", "two weeks ago, ", "tomorrow and ", "from 3 to 4 ", "in 1999 ",
    "at 5 pm ", "every Monday ", "half past ", "7 ", "7", "1.5 ", "1st ", "$5 ", "5% ", "http://a.b/c?d=e ", "a@b.c ", "cat", "un-", "don't ",
    " ", "\n", " \n", "\r\n", "\t", "\u00a0", "\u200d", "e\u0301", "😀", "😀 ", "猫", "سلام ", "- tea\n", "1. tea\n", "I said \"I ",
    "Remember that. ", "it's true that ", "thanks ", "lol ", "w/ ", "+ ", "Tom and Leo ", "the saw to Leo and ",
)  # fmt: skip
"""Structures that a text may repeat: words that join, quotes, brackets, marks, names, dates, numbers, blanks, other scripts."""
CHEAP = 0.2
"""Processor seconds below which growth is not looked at."""
TIMES = 4
"""How much longer the longer text is."""
STEEPEST = 1.6
"""The exponent that is too much: a square has 2. A line's is up to 1.2 while caches fill."""
END = " So does Anna."
mixtures = st.lists(st.tuples(st.sampled_from(UNITS), st.sampled_from([1, 1, 2, 5, 20])), min_size=1, max_size=3).map(
    lambda chosen: "".join(unit * times for unit, times in chosen)
)
few = examples(1, 50)


def repeated(unit: str, length: int) -> str:
    """A text of that length between two sentences that are read."""
    return f"I like tea. {(unit * (length // len(unit) + 1))[:length]}{END}"


def about_others(sentence: str, length: int) -> str:
    """The sentence again and again, each time with names that no other has."""
    names = ("".join(letters).capitalize() for letters in permutations("lemonari", 6))
    return "".join(re.sub("_", lambda _: next(names), sentence) for _ in range(length // (len(sentence) + 1)))


def require_growth(
    work: Callable[[str], object], unit: str, length: int, made: Callable[[str, int], str] = repeated
) -> None:
    """Fail where the cost of `work` grows faster than the length of its text."""
    long = short = math.inf
    for _ in range(3):
        long = min(long, measured(work, made(unit, TIMES * length)))
        if long < CHEAP:
            return
        short = min(short, measured(work, made(unit, length)))
        if math.log(long / max(short, 0.01)) / math.log(TIMES) < STEEPEST:
            return
    pytest.fail(f"{unit!r}: {short:.2f} s, {long:.2f} s at {TIMES} times the length")


def measured(work: Callable[[str], object], text: str) -> float:
    """Processor seconds of this process until the text is used or refused."""
    began = time.process_time()
    with suppress(GoalmemError):
        work(text)
    return time.process_time() - began


@few
@given(mixtures)
def test_a_message(module_memory: Callable[..., Memory], unit: str) -> None:
    with module_memory() as memory:
        require_growth(memory.add, unit, 5_000)


OF_OTHERS = (
    "I have a sister, _, and a brother, _. ", "We have two kids, _ and _. ", "_ is _'s brother. ", "My dog is called _. ",
    "_ told me that _ likes _. ", "I gave the book to _ and _. ", "My favorite cup is _. ", "Everyone but _ came. ", "_ moved to _. ",
)  # fmt: skip
"""Sentences about somebody, who is another each time."""


@pytest.mark.parametrize("sentence", one_in(9, OF_OTHERS))
def test_a_message_about_many(module_memory: Callable[..., Memory], sentence: str) -> None:
    with module_memory() as memory:
        require_growth(memory.add, sentence, 2_000, about_others)


@pytest.mark.parametrize(("is_strange", "most"), [(True, len(LENT)), (False, PROBED)])
def test_few_of_the_names_in_a_text_are_tried(is_strange: bool, most: int) -> None:
    tried: list[str] = []

    def probe(name: str) -> bool:
        tried.append(name)
        return is_strange

    replacements(about_others("My sister _ likes tea. ", 10_000), (), probe)
    assert len(tried) == most


@few
@given(mixtures)
def test_a_question(module_memory: Callable[..., Memory], unit: str) -> None:
    with module_memory() as memory:
        memory.add("I like tea. My sister Lucia lives in Tarnholm.")
        require_growth(memory.ask, unit, 500)


FLAT = 0.5
"""The exponent that is too much for a question beside a turn of which only the start is read."""


def test_a_question_beside_one_long_turn(module_memory: Callable[..., Memory]) -> None:
    costs = {}
    for length in (100_000, 1_000_000):
        with module_memory() as memory:
            memory.add(repeated("tea told Anna because I which roof ", length))
            memory.ask("Who likes milk?")
            costs[length] = min(measured(memory.ask, question) for question in ("Who told her?", "Who told Anna?"))
    assert costs[1_000_000] < costs[100_000] * 10**FLAT


@given(st.text("ab.!?\n 猫。", max_size=200), st.integers(0, 200), st.integers(0, 20))
def test_a_sentence_is_whole_however_long_the_text_before_it(text: str, start: int, size: int) -> None:
    text = f"a{text}b"
    start = min(start, len(text) - 1)
    end = min(start + size + 1, len(text))
    before = "Anna told me. " * 1_000 + "\n"
    shift = len(before)
    alone = sentence_around(text, start, end)
    assert sentence_around(before + text, start + shift, end + shift) == (alone[0] + shift, alone[1] + shift)


def test_what_has_no_full_stop_is_not_read_from_end_to_end() -> None:
    text = "tea told Anna because " * 50_000
    first, last = sentence_around(text, 500_000, 500_003)
    assert 500_000 - LONGEST_SENTENCE <= first < 500_000 < last <= 500_003 + LONGEST_SENTENCE


@few
@given(mixtures)
def test_rules(module_memory: Callable[..., Memory], unit: str) -> None:
    with module_memory() as memory:
        require_growth(memory.add_rules, f"If someone is {unit} kind then they are nice. ", 10_000)
        require_growth(memory.add_rules, unit, 40_000)


@few
@given(mixtures)
def test_a_transcript(unit: str) -> None:
    def read(text: str) -> None:
        lines = list(enumerate(f"Maya: {text}\n{text}".splitlines(keepends=True), 1))
        list(transcript(lines, Options()))

    require_growth(read, unit, 10_000)


PLAIN: dict[str, Callable[[str], object]] = {
    "the fields above a document": lambda text: markdown_document(f"---\nauthor: A{text}\n---\n"),
    "sentences": lambda text: sentence_spans(f"{text}\0"),
    "a name in a graph": lambda text: implied_kind(f"http://{''.join(text.split())} "),
    "labels and values": lambda text: list(LABELLED.finditer(f"tea:{text}?\n{text}")),
    "a new role": lambda text: list(NEW_ROLE.finditer(text)),
    "joined words": lambda text: whole_words(text, 0, 1),
    "questions": lambda text: ASKING.sub("", text),
    "an origin": lambda text: ORIGIN.search(f"from {text}"),
    "words behind a value": lambda text: LATELY.sub("", f"tea{text}x"),
    "pieces of a span": lambda text: list(SEGMENT.finditer(text)),
    "amounts of money": lambda text: MONEY.search(text),
    "durations": lambda text: DURATION.search(text),
    "irony": lambda text: IRONY.search(f"as if {text}"),
    "what is put right": lambda text: RATHER.search(text),
}
"""What reads a text with expressions alone, in one call that nothing can end."""


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("work", PLAIN.values(), ids=PLAIN)
def test_what_is_read_by_expressions(work: Callable[[str], object], every: int) -> None:
    for unit in ("-a", "a;", "_", "1", "1.", "one ", "a ", *UNITS[::every]):
        require_growth(lambda text: work(text.removeprefix("I like tea. ").removesuffix(END)), unit, 10_000)


@pytest.mark.parametrize("unit", one_in(3, ["and ", "! ", "yes "]))
def test_a_reply(module_memory: Callable[..., Memory], unit: str) -> None:
    """What is over the budget of a message is left out of what it replies with."""

    def reply(text: str) -> None:
        said = (("Ann", "I like tea."), ("Bo", text.removeprefix("I like tea. ")))
        memory.add([{"role": "user", "name": name, "content": content} for name, content in said])

    with module_memory() as memory:
        require_growth(reply, unit, 5_000)


def test_blanks_within_a_transcript_are_gone_through_once() -> None:
    require_growth(lambda text: list(transcript([(1, f"Maya: {text}")], Options())), " ", 10_000)


def test_a_sentence_of_rules_that_is_repeated_is_kept_once(memory: Memory) -> None:
    memory.add_rules("Anna likes Ben. " * 500)
    (sentence,) = memory.rules()
    assert len(sentence.clauses) == 1


@pytest.mark.parametrize("blank", ["\n", " \n", " ", "\t", ".\n", "\r\n"])
def test_blanks_are_gone_through_once(blank: str) -> None:
    """Blanks that nothing follows, as where a long text is cut among them."""
    require_growth(lambda text: replacements(text.removesuffix(END), (), lambda _: False), blank, 4_000)


@pytest.mark.parametrize("unit", one_in(3, ["and ", '" and " ', "brother's ", "(", "that ", "not "]))
def test_nothing_ends_in_recursion(memory: Memory, unit: str) -> None:
    for use in (memory.add, memory.ask, memory.add_rules, memory.search):
        measured(use, repeated(unit, 1000 * len(unit)))
