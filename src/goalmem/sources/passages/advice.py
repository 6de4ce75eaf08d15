"""What somebody advised, and whom a question asks for advice of: `What did you suggest for the curtains?`.

Advice is told in few forms, and what is advised stands in a fixed place of each (Searle 1975, "Indirect Speech Acts"; Quirk et al. 1985,
sections 11.24 to 11.30): behind a verb of advice or of one's own choice (`I'd suggest heavy linen`), behind `my advice is`, `you should`,
`how about`, and in the imperative. A span reader, which looks for what is so, finds none of it.
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
    rf"\b{_WHO}\s+(?:{_ADVISED})\b",
)
ASKED = tuple(re.compile(form) for form in _ASKED)
"""Forms of a question for advice."""
ASKING = re.compile(rf"\b(?:{_ADVISED}|{_NOUNS}|{_SAID}|say|said|think|should|could)\b", re.IGNORECASE)
"""Words of such a question that are not what the advice is about."""
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
"""What stands before advice, the plainest first."""
REASON = re.compile(
    r"\s*(?:[;:–—]|,?\s*\b(?:since|because)\b|,\s*(?:as|so|it|that|they|this|which|he|she|then|if|and then)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
"""Where advice ends and its reason begins."""
POLITE = re.compile(
    r"(?:please|then|so|also|first|just|simply|and|let['’]?s|,|\s|\w* ?(?:these|this|the following)\s*:)+",
    re.IGNORECASE,
)
IDLE = frozenset(
    "tell let enjoy see look congratulate say forgive excuse thank welcome wait imagine listen remember note save".split()
)
"""Imperatives that advise nothing."""
LOWEST, HIGHEST = 0.2, 0.8
"""What advice is worth whose turn speaks of nothing of the topic, and of all of it."""
RIVALS, DIVIDED = 0.85, 0.5
"""From what share of the best fit other advice is as likely meant, and what each is then worth."""
SHORTEST = 3
"""Characters of what is advised."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Words of a turn that say what is advised: offsets in its content."""

    start: int
    end: int
    rank: int
    """How plainly it is advice: 0 for a verb of advice."""


@dataclass(frozen=True, slots=True)
class AdviceQuestion:
    """A question for advice: whose."""

    by: str
    """A name; `you` for the assistant's."""

    def gave(self, turn: Turn, same: Callable[[str, str], bool]) -> bool:
        """Whether a turn is told by the one whose advice is asked for; `same` compares names."""
        return (
            turn.role == "assistant" if self.by == "you" else turn.role != "assistant" and same(self.by, turn.speaker)
        )


def advice_question(question: str) -> AdviceQuestion | None:
    """Whose advice a question asks for; None for any other question, and for one of yes or no."""
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
    """What the sentences of a turn advise, in their order; of each sentence once, by its plainest form.

    `facts`: what was read in the turn, of which the imperatives count.
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
            if (start := _imperative(text, facts, first, last)) is not None and (
                advice := _complement(text, start, last, len(FRAMES))
            ) is not None:
                yield advice


def _imperative(text: str, facts: Sequence[Fact], first: int, last: int) -> int | None:
    """Where the imperative of a sentence starts."""
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
    """What advice is asked on: the words of a question for advice without those that ask for it."""
    return re.sub(r"\byou\b", " ", ASKING.sub(" ", question), flags=re.IGNORECASE)


def worth(shares: Sequence[tuple[float, float]]) -> list[float]:
    """How likely advice is that which is asked for, by the shares in [0, 1] of the topic that its turn, with the one before, and its
    sentence speak of; of two that speak of it alike neither is.
    """
    fits = [0.7 * passage + 0.3 * sentence for passage, sentence in shares]
    best = max(fits, default=0.0)
    alone = sum(fit >= RIVALS * best for fit in fits) <= 1
    return [round((LOWEST + (HIGHEST - LOWEST) * fit) * (1.0 if alone else DIVIDED), 4) for fit in fits]
