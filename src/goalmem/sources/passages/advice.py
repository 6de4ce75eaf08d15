"""Advice in turns, and questions for advice: `What did you suggest for the curtains?`.

Advice has few forms, each with a fixed place for what is advised (Searle 1975, "Indirect Speech Acts"; Quirk et al. 1985, sections 11.24 to
11.30): after a verb of advice or of one's own choice (`I'd suggest heavy linen`), after `my advice is`, `you should`, `how about`, and in
the imperative. Span readers look for statements and find none of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from goalmem.language.sentences import SENTENCE_BREAK
from goalmem.language.verb_forms import forms_of
from goalmem.language.words.verbs import ADVISING
from goalmem.records import Fact, Modality, Turn

_NOUNS = "advice|suggestions?|recommendations?|tips?|proposals?|counsel"
_ADVISED = "|".join(sorted({form for verb in ADVISING for form in forms_of(verb)}))
_SAID = "tell|told|ask|asked|warn|warned|remind|reminded|encourage|encouraged|urge|urged"
_WHO = r"(?P<who>you|[A-Z][\w'’-]*(?:\s[A-Z][\w'’-]*)*)"
_ASKED = (
    rf"\b(?:did|do|does|have|has|had|would|were|was)\s+{_WHO}\s+(?:\w+\s+){{0,2}}?(?:{_ADVISED})\b",
    rf"\b(?:did|do|does|have|has|had)\s+{_WHO}\s+(?:{_SAID})\s+(?:me|us|him|her|them|[A-Z]\w+)\s+(?:not\s+)?to\b",
    rf"\b(?:did|do|does)\s+{_WHO}\s+(?:say|think)\s+(?:that\s+)?(?:I|we|he|she|they)\s+(?:should|could|ought|must)\b",
    rf"\b(?P<owner>your|[A-Z][\w-]*['’]s)\s+(?:\w+\s+){{0,2}}?(?:{_NOUNS})\b",
    rf"^\W*(?:[Ww]hat|[Hh]ow|[Ww]hich(?:\s+\w+){{0,2}})\s+{_WHO}\s+(?:\w+ly\s+)?(?:{_ADVISED})\b",
)
ASKED = tuple(re.compile(form) for form in _ASKED)
"""Forms of a question for advice; not `the website that you recommended`, which describes a thing."""
ASKING = re.compile(rf"\b(?:{_ADVISED}|{_NOUNS}|{_SAID}|say|said|think|should|could)\b", re.IGNORECASE)
"""Words of such a question that are not the topic of the advice."""
_CHOICE = r"go\s+(?:for|with)|opt\s+for|start\s+with|stick\s+(?:to|with)|try|pick|choose|take|say|vote\s+for"
_FRAMES = (
    rf"\b(?:I|we)(?:['’]d|['’]ll| would| can| could| do)?(?: \w+ly| also| still)? (?:{'|'.join(sorted(ADVISING))})\b(?! (?:me|us)\b)(?: (?:to )?you(?= to\b))?(?: that\b)?(?: to\b)?",
    rf"\b(?:I|we)(?:['’]d| would)(?: \w+ly| also| still| rather)? (?:{_CHOICE})\b",
    r"\b(?:I|we)(?:['’]d| would)(?: \w+ly| also| still| rather)? (?=[a-z]+\b)(?!say|love|like|be\b|have\b|need|want|hate|think|guess|know|prefer)",
    rf"\b(?:my|our|one|a) (?:\w+ )?(?:{_NOUNS})(?: \w+){{0,4}}? (?:would be|is|was)(?: to| that)?(?= )|\b(?:my|our) (?:{_NOUNS}):",
    r"\b(?:how|what) about|\bwhy (?:not|don['’]?t (?:you|we))",
    r"\b(?:you|we)(?: really| also)? (?:should|could|might want to|may want to|ought to|had better|can)(?: also| just| always| simply)?(?= )(?! (?:not )?be (?:sure|proud|able)\b)",
    r"\b(?:you|we)['’]d better",
    r"\b(?:it['’]s|it is|it would be|it['’]d be) (?:best|better|wise|worth|safer|sensible|a good idea) (?:to )?",
)
FRAMES = tuple(re.compile(form, re.IGNORECASE) for form in _FRAMES)
"""Words before advice, the plainest first."""
REASON = re.compile(
    r"\s*(?:[;:–—]|,?\s*\b(?:since|because)\b|,\s*(?:as|so|it|that|they|this|which|he|she|then|if|and then)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
"""The end of the advice, where its reason begins."""
POLITE = re.compile(
    r"(?:please|then|so|also|first|just|simply|and|let['’]?s|,|\s|\w* ?(?:these|this|the following)\s*:)+",
    re.IGNORECASE,
)
IDLE = frozenset(
    "tell let enjoy see look congratulate say forgive excuse thank welcome wait imagine listen remember note save".split()
)
"""Imperatives that are no advice."""
LOWEST, HIGHEST = 0.31, 0.88
"""Scores of advice whose turn mentions nothing of the topic, and all of it."""
RIVALS, DIVIDED = 0.85, 0.5
"""Share of the best score from which other advice is as likely meant, and the score of each in that case."""
SHORTEST = 3
"""Characters of an advised thing."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A piece of advice in a turn: offsets in its content."""

    start: int
    end: int
    rank: int
    """How plain the advice is: 0 for a verb of advice."""


@dataclass(frozen=True, slots=True)
class AdviceQuestion:
    """A question for somebody's advice."""

    by: str
    """A name; `you` for the assistant's."""

    def gave(self, turn: Turn, same: Callable[[str, str], bool]) -> bool:
        """True if a turn is by the adviser; `same` compares names."""
        return (
            turn.role == "assistant" if self.by == "you" else turn.role != "assistant" and same(self.by, turn.speaker)
        )


def advice_question(question: str) -> AdviceQuestion | None:
    """The adviser in a question for advice; None for any other question, and for yes/no questions."""
    if not re.search(r"\b(?:what|which|how|who)\b", question, re.IGNORECASE) or re.search(
        r"\b(?:how (?:many|much|often|long|old|far)|when did|why)\b", question, re.IGNORECASE
    ):
        return None
    for form in ASKED:
        if (found := form.search(question)) is not None:
            groups = found.groupdict()
            by = groups.get("who") or re.sub(r"['’]s$", "", groups.get("owner") or "")
            return AdviceQuestion("you" if by in ("you", "your") else by)
    return None


def advice_in(text: str, facts: Sequence[Fact]) -> Iterator[Advice]:
    """Yield the advice in a turn, in order; one piece per sentence, by its plainest form.

    `facts`: the turn's facts, of which the imperatives are used.
    """
    for first, last in _sentences(text):
        if text[first:last].rstrip().endswith("?") and not re.match(
            r"\W*(?:how|what) about|\W*why (?:not|don)", text[first:last], re.IGNORECASE
        ):
            continue
        for rank, form in enumerate(FRAMES):
            if (found := form.search(text, first, last)) is not None:
                if (advice := _complement(text, found.end(), last, rank)) is not None:
                    yield advice
                break
        else:
            if (start := _imperative(facts, first, last)) is not None and (
                advice := _complement(text, start, last, len(FRAMES))
            ) is not None:
                yield advice


def _imperative(facts: Sequence[Fact], first: int, last: int) -> int | None:
    """The start of the imperative in a sentence."""
    orders = [
        f
        for f in facts
        if f.modality is Modality.COMMAND and first <= f.start and f.end <= last and f.predicate.split()[0] not in IDLE
    ]
    return min((f.start for f in orders), default=None)


def _complement(text: str, start: int, last: int, rank: int) -> Advice | None:
    lead = POLITE.match(text, start, last)
    start = lead.end() if lead is not None else start
    said = REASON.sub("", text[start:last]).rstrip(" .!?\n")
    return Advice(start, start + len(said), rank) if len(said) >= SHORTEST else None


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    first = 0
    for mark in SENTENCE_BREAK.finditer(text):
        yield first, mark.start()
        first = mark.end()
    yield first, len(text)


def topic_of(question: str) -> str:
    """The topic of a question for advice: its words without those that ask for advice."""
    return re.sub(r"\byou\b", " ", ASKING.sub(" ", question), flags=re.IGNORECASE)


def fit(first: float, second: float) -> float:
    """How well words suit a topic, from the share of it in what matters most and in what else they stand in."""
    return 0.7 * first + 0.3 * second


def worth(shares: Sequence[tuple[float, float]]) -> list[float]:
    """The probabilities that pieces of advice are the ones asked for, from the shares in [0, 1] of the topic that their turns (with the
    previous one) and sentences mention; two that mention it equally rule each other out.
    """
    fits = [fit(*each) for each in shares]
    best = max(fits, default=0.0)
    alone = sum(fit >= RIVALS * best for fit in fits) <= 1
    return [round((LOWEST + (HIGHEST - LOWEST) * fit) * (1.0 if alone else DIVIDED), 4) for fit in fits]
