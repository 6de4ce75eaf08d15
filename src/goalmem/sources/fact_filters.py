"""What can be told of a fact without a model: whether it is about whom the subgoal names, meant as so, and still so.

A model says that words entail a subgoal; these checks can only take that back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from snowballstemmer import stemmer

from goalmem.language import find_times
from goalmem.language.lexicon import related, same_verb, synonyms
from goalmem.language.sentences import sentence_spans
from goalmem.language.words.function_words import EMPTY, NEGATIVES_QUOTED
from goalmem.language.words.pronouns import FIRST_QUOTED, SECOND_QUOTED
from goalmem.language.words.verbs import DISLIKING, HOPES_OF_GOALS, LIKING_OR_FANCYING, SUPPOSING
from goalmem.logic.terms import Atom, Binding, Derivation
from goalmem.records import Fact, Modality
from goalmem.sources.assertion import is_past
from goalmem.sources.candidates import Candidate
from goalmem.sources.history import Slots
from goalmem.sources.similarity import Wording

__all__ = ["Saying"]

QUOTATION = re.compile(r"(?:(?<=\s)|^)[\"'“‘].{3,}?[\"'”’](?=[\s.,;!?]|$)")
"""Words that somebody only quotes."""
OWNS = re.compile(r"['’]s\b|s['’](?:\s|$)|\bof\b", re.IGNORECASE)
"""What makes a thing or a person somebody's."""
SAID_SO = frozenset({Modality.ASSERTED})
HALF = frozenset(
    {Modality.PLANNED, Modality.WISH, Modality.HYPOTHETICAL, Modality.QUOTED, Modality.COMMAND, Modality.REPORTED}
)
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


_STEM = stemmer("english").stemWord


@dataclass(frozen=True)
class Saying:
    """Objections to a fact, of one space."""

    wording: Wording
    slots: Slots
    names: Collection[str]
    """Names that the space knows, in lower case: of who speaks, and of entities."""
    speakers: Collection[str]
    """Names of who speaks, in lower case."""

    def objection(
        self,
        ground: Atom,
        bindings: Sequence[Binding],
        candidate: Candidate,
        facts: Sequence[Fact],
        *,
        denies: bool,
        history: bool,
    ) -> str:
        """Why a fact cannot say the ground atom (or, when `denies`, its opposite); empty when nothing speaks against it.

        `bindings` are those that this fact gives, `facts` what was read from its turn; with `history`, what was replaced
        counts, too.
        """
        own = {b.value.text.casefold() for b in bindings if b.derivation is not Derivation.GIVEN}
        spans = [s for s in (_place(b, candidate) for b in bindings) if s is not None]
        near = [f for f in facts if f.start < candidate.end and candidate.start < f.end]
        # The clauses that hold the values say them, not what else the turn tells.
        clauses = [f for f in near if any(a < f.end and f.start < b for a, b in spans)] if spans else near
        if missing := self._missing_name(ground, own, candidate, clauses, spans):
            return f"it does not speak of {missing}"
        if not spans and not touches(_literal(ground), _heard(candidate)):
            # Nothing of it is quoted, as where a time is only the day of the telling: then it must speak of the matter.
            return "it speaks of something else"
        told = tightest(clauses, spans)
        return (
            self._of_another(ground, own, candidate, told)
            or self._unmeant(ground, told, candidate, spans, denies=denies)
            or self._replaced(ground, told, history=history)
        )

    def _missing_name(
        self,
        ground: Atom,
        own: Collection[str],
        candidate: Candidate,
        clauses: Sequence[Fact],
        spans: Sequence[tuple[int, int]],
    ) -> str:
        """A known name of the atom that the fact neither names nor stands for (condition 1)."""
        text = _literal(ground)
        dated = [(m.start, m.end) for m in find_times(text, candidate.turn.at.replace(tzinfo=None))]
        for name in self.names_in(text, dated):
            if name in own or any(name in o.split() for o in own):
                continue
            if not self._speaks_of(name, text, candidate, clauses, spans):
                return name.title()
        return ""

    def _of_another(self, ground: Atom, own: Collection[str], candidate: Candidate, told: Sequence[Fact]) -> str:
        """Whose the words are, where an atom about the speaker is held against what these tell of somebody else.

        "My cousin Selin visited Malta" speaks of its speaker, and says nothing of where they were (condition 1). What
        belongs to the speaker ("Emre's cousin") may be that somebody.
        """
        text = _literal(ground)
        named = {self.wording.canonical(n) for n in self.names_in(text)}
        if self.wording.canonical(candidate.turn.speaker) not in named or OWNS.search(text):
            return ""
        subjects = [a.entity for f in told for a in f.args if a.role == "subject" and a.entity and a.type == "person"]
        fitting = [s for s in subjects if s.casefold() in own or any(self._is(n, s) for n in named)]
        return f"it is said of {subjects[0]}" if subjects and not fitting else ""

    def names_in(self, text: str, dated: Sequence[tuple[int, int]] = ()) -> list[str]:
        """The known names in a text, in lower case, the longest of those that overlap."""
        words = [m for m in WORD.finditer(text) if m.group()[0].isupper()]
        found: list[tuple[int, int]] = []
        for n, first in enumerate(words):
            for last in reversed(words[n : n + 4]):
                start, end = first.start(), last.end()
                end -= 2 if text[start:end].endswith(("'s", "’s")) else 0
                taken = any(start < b and a < end for a, b in [*found, *dated])
                if not taken and text[start:end].casefold() in self.names:
                    found.append((start, end))
        return [text[a:b].casefold() for a, b in found]

    def _speaks_of(
        self,
        name: str,
        text: str,
        candidate: Candidate,
        clauses: Sequence[Fact],
        spans: Sequence[tuple[int, int]],
    ) -> bool:
        """Whether the fact is about whom a name names: its speaker, whom it addresses, or somebody it speaks of."""
        wanted = self.wording.canonical(name)
        speaker = self.wording.canonical(candidate.turn.speaker)
        if any(self._is(wanted, a.entity) for f in clauses for a in f.args if a.entity):
            return True
        said = sentence_of(candidate, spans)
        words = {w.casefold().replace("’", "'").removesuffix("'s") for w in WORD.findall(said)}
        if wanted == speaker or name in speaker.split():
            # What somebody says without a word of themselves is of them where it takes up what is asked.
            return bool(words & FIRST_QUOTED) or touches(text, QUOTATION.sub(" ", said))
        if candidate.before is not None:
            other = self.wording.canonical(candidate.before.speaker)
            if wanted == other and words & SECOND_QUOTED:
                return True
            words |= {w.casefold() for w in WORD.findall(candidate.before.content)}
        others = {a for a, c in self.wording.aliases.items() if c.casefold() == wanted}
        named = any(set(n.split()) <= words for n in (name, wanted, *others))
        # Of who speaks here, a name alone is mostly whom the words are said to: what they tell is of the speaker.
        return named and not (name in self.speakers and candidate.turn.speaker.casefold() in self.speakers)

    def _is(self, wanted: str, entity: str) -> bool:
        held = self.wording.canonical(entity)
        return held == wanted or wanted in held.replace("'s", "").split() or held in wanted.split()

    def _unmeant(
        self,
        ground: Atom,
        facts: Sequence[Fact],
        candidate: Candidate,
        spans: Sequence[tuple[int, int]],
        *,
        denies: bool,
    ) -> str:
        text = sentence_of(candidate, spans)
        if text.endswith("?") and not facts:
            return "it is a question"
        if (WORD.findall(text.casefold()) or [""])[0] in SUPPOSING:
            return "it is only supposed"
        words = {w.casefold().replace("’", "'") for p in ground.parts if isinstance(p, str) for w in WORD.findall(p)}
        allowed = SAID_SO | HALF if words & HOPES_OF_GOALS else SAID_SO
        if is_past(_literal(ground)):
            allowed |= {Modality.FORMER}
        meant = [f for f in facts if f.modality in allowed]
        if facts and not meant:
            return f"it is {facts[0].modality.value}, not stated as so"
        said = {w.casefold().replace("’", "'") for w in WORD.findall(text)}
        negative = bool(said & NEGATIVES_QUOTED) or any(w.endswith("n't") for w in said)
        if denies and not negative and not any(not f.polarity for f in meant):
            return "nothing in it is denied"
        if (
            not denies
            and not words & NEGATIVES_QUOTED
            and meant
            and (not any(f.polarity for f in meant) or opposed(words, meant))
        ):
            return "it denies this"
        return ""

    def _replaced(self, ground: Atom, facts: Sequence[Fact], *, history: bool) -> str:
        """What was said later in place of what the atom takes up."""
        text = _literal(ground)
        words = {w.casefold() for w in WORD.findall(text)}
        for fact in facts if not history else ():
            newer = self.slots.superseded_by(fact)
            if newer is not None and (set(fact.slot.split()) <= words or touches(text, fact.predicate)):
                return f"later it was said: “{newer.text}”"
        return ""


def tightest(clauses: Sequence[Fact], spans: Sequence[tuple[int, int]]) -> list[Fact]:
    """The clauses that say the values themselves: those of which a part holds a value most closely."""
    if not spans:
        return list(clauses)

    def holding(fact: Fact) -> int:
        parts = [a.end - a.start for a in fact.args for s in spans if a.start <= s[0] and s[1] <= a.end]
        return min(parts, default=fact.end - fact.start)

    least = min(map(holding, clauses), default=0)
    return [f for f in clauses if holding(f) <= least]


def opposed(words: Collection[str], facts: Sequence[Fact]) -> bool:
    """Whether a statement of liking meets one of disliking, or the other way round."""
    bases = {verb_of(w) for w in words}
    told = {f.predicate for f in facts if f.polarity}
    return bool((bases & LIKING_OR_FANCYING and told & DISLIKING) or (bases & DISLIKING and told & LIKING_OR_FANCYING))


def _literal(atom: Atom) -> str:
    return " ".join(p for p in atom.parts if isinstance(p, str))


def _heard(candidate: Candidate) -> str:
    """What is shown of a turn, with what it answers."""
    return f"{candidate.before.content if candidate.before is not None else ''} {candidate.text}"


def _place(binding: Binding, candidate: Candidate) -> tuple[int, int] | None:
    """Where in the turn the words of a binding stand."""
    at = candidate.turn.content.find(binding.span, candidate.start) if binding.span else -1
    return (at, at + len(binding.span)) if at >= 0 else None


def sentence_of(candidate: Candidate, spans: Sequence[tuple[int, int]]) -> str:
    """The sentences of the candidate that hold any of the spans; all of it where there are none."""
    sentences = [(a + candidate.start, b + candidate.start) for a, b in sentence_spans(candidate.text)]
    held = [s for s in sentences if any(a < s[1] and s[0] < b for a, b in spans)]
    return " ".join(candidate.turn.content[a:b].strip() for a, b in held) or candidate.text.strip()


def touches(statement: str, said: str) -> bool:
    """Whether words speak of anything that a statement does: share a content word, a synonym or a related one."""
    asked, told = _content(statement), _content(said)
    if not asked or {_STEM(w) for w in asked} & {_STEM(w) for w in told}:
        return True
    bases = {verb_of(w) for w in told} | told
    return any(
        same_verb(verb_of(a), t) or t in related(verb_of(a)) or t in synonyms(a, "n") for a in asked for t in bases
    )


@lru_cache(4096)
def verb_of(word: str) -> str:
    """The base form of a word, were it a verb."""
    from goalmem.language.inflection import getLemma

    found: tuple[str, ...] = getLemma(word, "VERB")
    return found[0] if found else word


def _content(text: str) -> frozenset[str]:
    words = (w.replace("’", "'").removesuffix("'s") for w in WORD.findall(text))
    return frozenset(w.casefold() for w in words if not w[0].isupper() and w.casefold() not in EMPTY)
