"""The people that words of a turn are about, compared with those in a question (condition 1 of unification)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from goalmem.language.exclusions import APART
from goalmem.language.lexicon import coarse_type, is_known
from goalmem.language.terms import STOP_WORDS, terms_of
from goalmem.language.times_words import MONTHS, WEEKDAYS
from goalmem.language.verb_forms import verb_bases
from goalmem.language.words import any_of
from goalmem.language.words.function_words import EMPTY_VERBS
from goalmem.language.words.nouns import AGENTS, KIN_CALLED
from goalmem.language.words.pronouns import FIRST_PERSON, FIRST_SUBJECTS, OWNS, SECOND_PERSON
from goalmem.records import ASKER, Argument, Fact, Turn
from goalmem.sources.assertion import said_by_another
from goalmem.sources.spans import sentence_around

BESIDE_ANOTHER = 0.3
"""Score of words in a clause whose subject is somebody else, if the question names a speaker: in a long conversation they answer as often as
other words."""
OTHER = 0.5
"""Score of words that name nobody, if the question names another speaker."""
NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
CALENDAR = frozenset({*MONTHS, *WEEKDAYS})
WORD = re.compile(r"\w+")
SPELT = 3
"""First letters by which a name is known in other spellings: `Yve` is `Yvette`."""
FIRST = any_of(FIRST_PERSON)
CAPITALISED = re.compile(r"(?<=\s)[A-Z]\w+")
"""Names in a question: capitalised within it."""
SECOND = any_of(SECOND_PERSON)
RELATIVE = re.compile(r"\b\w+['’]s (\w+)\b")
OWNED = re.compile(r"\b(?:my|our|(\w+)['’]s) (\w+)")
"""Owner and possession, in lower case; without a name, the owner is the asker."""


def stems_and_verbs(text: str) -> frozenset[str]:
    """The stems of a text's content words, and their base forms as verbs."""
    return frozenset(terms_of(text)) | (verb_bases(text) - EMPTY_VERBS - STOP_WORDS)


@dataclass(frozen=True)
class Participants:
    """The people of a space."""

    people: frozenset[str]
    """Lower-case names of the people who speak or are mentioned in the space."""
    canonical: Callable[[str], str]
    """Returns the canonical name of an entity, in lower case."""
    asker: str = ASKER
    """The person that `I` refers to in a question."""
    _named: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    """Cache by question: it is used for every span of every turn."""

    def shares_topic(self, question: str, sentence: str) -> bool:
        """True if a sentence shares a content word with a question, apart from names; also if the question has no content word."""
        names = {
            word for name in (*self.named(question), *CAPITALISED.findall(question)) for word in stems_and_verbs(name)
        }
        asked = stems_and_verbs(question) - names
        return not asked or bool(asked & stems_and_verbs(sentence))

    def named(self, question: str) -> frozenset[str]:
        """The people in a question, each by all possible names; the asker, if it says `I`."""
        if question not in self._named:
            self._named[question] = self._read(question)
        return self._named[question]

    def _read(self, question: str) -> frozenset[str]:
        low = question.casefold()
        words = set(re.findall(r"\w+", low))
        whole = {p for p in self.people if p in low and words >= set(re.findall(r"\w+", p))}
        # People known by a full name are mostly mentioned by the first name alone.
        given = {p: p.partition(" ")[0] for p in self.people if " " in p}
        spoken = {
            n for n in given.values() if n in words and terms_of(n) and not any(w.startswith(f"{n} ") for w in whole)
        }
        found = whole | spoken | {p for p, n in given.items() if n in spoken}
        capitalised = {m.group().casefold() for m in NAME.finditer(question)}
        doubtful = all((first := name.split()[0]) not in capitalised and is_common_word(first) for name in found)
        if FIRST.search(question) and doubtful:
            found |= {self.asker.casefold(), self.canonical(self.asker)}
        return frozenset(found)

    def same(self, who: str, entity: str) -> bool:
        """True if words of a question (`I`, `Ann`, `Ann's sister`) may refer to the entity."""
        if who.split()[0].casefold() in FIRST_SUBJECTS:
            return self.canonical(entity) == ASKER
        told, asked = self.canonical(entity), self.canonical(who)
        if OWNS.search(who):
            return True  # names alone do not say whose sister she is
        shared = set(told.split()) & {*asked.split(), *who.casefold().split()}
        return bool(shared) and "'s " not in told and not told.startswith(APART)

    def owned_by_others(self, who: str, noun: str, whom: Collection[str]) -> bool:
        """True if only somebody else's thing of the kind is mentioned: Tom's mum if the question is about Ann's mum."""
        owner, _, kind = self.canonical(f"{who}'s {noun}").rpartition("'s ")
        owners = {o for name in whom for o, _, what in [name.rpartition("'s ")] if o and what.split()[-1:] == [kind]}
        return bool(owners) and owner not in owners

    def names_own(self, owned: Iterable[tuple[str, str]], text: str) -> bool:
        """True if a text has a possession of a question, each given as owner and noun: `our au pair`."""
        owners = (("(?:my|our)" if who == self.asker else rf"{re.escape(who)}['’]s", noun) for who, noun in owned)
        return any(re.search(rf"\b{o}\s+(?:\w+\s+)?{re.escape(noun)}", text, re.IGNORECASE) for o, noun in owners)

    def about(self, question: str, turn: Turn, facts: Sequence[Fact]) -> Callable[[int, int], float]:
        """Return a function that scores how well a span of the turn fits the people in the question: 0 if it is somebody else's."""
        named = self.named(question)
        owned = [(m[1] or self.asker, m[2]) for m in OWNED.finditer(question.casefold())]
        of_asker, asker = FIRST.search(question) is not None, self.canonical(self.asker)
        relatives = {m[0]: m[1] for m in RELATIVE.finditer(question.casefold()) if coarse_type(m[1]) == "person"}

        def fit(start: int, end: int) -> float:
            near = [f for f in facts if f.start < end and start < f.end]
            whom = {self.canonical(a.entity) for f in near for a in f.args if a.entity}
            others = any(self.owned_by_others(who, noun, whom) for who, noun in owned)
            if (
                others
                or relative_of(question, near, start, end)
                or said_by_another(question, facts, start, end, self.same)
            ):
                return 0.0
            first, last = sentence_around(turn.content, start, end)
            text = turn.content[first:last]
            for who, noun in relatives.items():
                # A sentence about somebody's brother names him, or says `brother`.
                if self.canonical(who) not in whom and not re.search(rf"\b{noun}", text, re.IGNORECASE):
                    return 0.0
            if not named:
                return 1.0
            owners = {entity.partition("'s ")[0] for entity in whom if "'s " in entity}
            if named & whom or (named & owners and OWNS.search(question)) or self.names_own(owned, text):
                return 1.0
            if owners and OWNS.search(question):
                return 0.0
            # What another speaker says of themselves is theirs; a clause about somebody else may still answer.
            if agents := [a for a in agents_of(near) if not (of_asker and self.canonical(a.entity) == asker)]:
                return 0.0 if any(a.text.casefold() in FIRST_SUBJECTS for a in agents) else BESIDE_ANOTHER
            if any(re.search(rf"\b{re.escape(n)}\b(?!['’]s)", text, re.IGNORECASE) for n in named):
                return 1.0
            if turn.speaker.casefold() in named:
                return OTHER if SECOND.search(text) and not FIRST.search(text) else 1.0
            if FIRST.search(text) and not SECOND.search(text):
                return 0.0
            # What an assistant tells people about themselves is advice, or repeats what they said.
            echoed = OTHER if turn.role == "assistant" and not SECOND.search(question) else 1.0
            return echoed if SECOND.search(text) else echoed * OTHER

        return fit


def is_common_word(name: str) -> bool:
    """True for a name that, in lower case, may be none: `smart`, which was taken for one in some message. Not for `mum`."""
    kin = any(name == one or name in called for one, called in KIN_CALLED.items())
    return not kin and any(is_known(name, part) for part in "nva")


def agents_of(facts: Iterable[Fact]) -> list[Argument]:
    """The subjects of clauses that are known persons, animals or groups."""
    subjects = (a for f in facts for a in f.args if a.role == "subject" and a.entity)
    return [a for a in subjects if AGENTS & {a.type, coarse_type(a.head)}]


def names_unknown(question: str, texts: Iterable[str]) -> bool:
    """True if a question names something that none of the texts mentions, not even in another spelling."""
    found = {m.group().casefold(): m.start() for m in NAME.finditer(question)}
    names = {n for n, start in found.items() if n not in CALENDAR and (start or not (n in STOP_WORDS or is_known(n)))}
    if not names:
        return False
    said = {word[:SPELT].casefold() for text in texts for word in WORD.findall(text)}
    return any(name[:SPELT] not in said for name in names)


def relative_of(question: str, facts: Sequence[Fact], start: int, end: int) -> bool:
    """True if the clause around the words is about somebody's relative or pet, but the question is about that somebody: Dad's boss, not
    Dad.
    """
    around = [f for f in facts if any(a.start <= start and end <= a.end for a in f.args if a.role != "subject")]
    return all_of_relatives(question, around)


def done_by_relative(question: str, facts: Sequence[Fact]) -> bool:
    """True if somebody's relative or pet does what a yes/no question is about, and nobody else: Ann's sister bought a lamp, not Ann."""
    verbs = verb_bases(question) - EMPTY_VERBS
    return all_of_relatives(question, [f for f in facts if f.predicate.split()[0] in verbs])


def all_of_relatives(question: str, facts: Sequence[Fact]) -> bool:
    """True if the subjects of all clauses are relatives or pets of somebody in the question, which does not mention them."""
    words = {*re.findall(r"\w+", question.casefold())}
    subjects = [s for f in facts if f.kind == "clause" and (s := f.arg("subject")) is not None]

    def apart(subject: Argument) -> bool:
        owner, mark, noun = subject.entity.casefold().rpartition("'s ")
        called = {noun.rpartition(" ")[2], *next((kin for kin in KIN_CALLED.values() if noun in kin), ())}
        named = owner.rpartition("'s ")[2] in words and not called & words
        return bool(mark) and named and bool(AGENTS & {subject.type, coarse_type(subject.head)})

    return bool(subjects) and all(map(apart, subjects))
