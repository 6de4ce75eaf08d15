"""The meaning of words for unification: entities by name and alias, nouns by kind, verbs by synonym.

The cosine of embeddings only ranks what may match an open type. It never makes two words the same (design.md, NL-Logic, condition 1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from goalmem.language.exclusions import APART
from goalmem.language.lexicon import (
    base_form,
    can_be,
    coarse_type,
    is_a,
    is_known,
    is_mainly,
    names_author,
    related,
    same_verb,
    synonyms,
    tagged_uses,
)
from goalmem.language.name_statements import GOING_BY
from goalmem.language.terms import WORD_PART
from goalmem.language.words.function_words import LOCATIVE_ROLES
from goalmem.language.words.modifiers import CHANGED, COMPARING, EVALUATING, PRIVATIVE
from goalmem.language.words.nouns import (
    ADDRESS_WORDS,
    ANYBODY,
    ANYTHING,
    EXCLUSIVE,
    GENERATIONS,
    IDENTIFIERS,
    KIN_WORDS,
    NO_OCCUPATION,
    NO_THINGS,
    OCCUPATION_OR_ROLE,
    OCCUPATIONS,
    OVERLAPPING,
    PROPER_KINDS,
    VALUED,
)
from goalmem.language.words.pronouns import UNNAMED
from goalmem.language.words.verbs import ALTERNATING, DISLIKING, HOMES, LIKING_OR_FANCYING, RELOCATING, SITUATED
from goalmem.logic.terms import KIND_OPEN, Alignment, Atom, Binding, Value
from goalmem.logic.unify import SITUATING, FramePart
from goalmem.models.protocol import Embedder
from goalmem.questions.wh import CLOCK_TIME, EITHER
from goalmem.records import Fact
from goalmem.sources.measures import MEASURING, is_measured
from goalmem.sources.numbers import NUMBER_WORDS, OF_NUMBER, OFTEN, clock_fit, number_in

SYNONYM, KIND, DERIVED = 0.9, 0.95, 0.8
"""Scores of matches by synonym, by kind (the fact is more specific than the goal) and by derivation."""
RELATED = re.compile(r"\b(?:about|at|by|for|from|in|of|on|to|with)\b|['’]s?\s", re.IGNORECASE)
"""Words before a name to which a phrase only relates its head: the price of N is not N."""
UNKNOWN_KIND = 0.65
"""Score of a part for a type if neither is known; the cosine adds up to 0.15."""
UNPROVED = 0.74
"""Highest score of such a part: less than a proof requires (`proof.status.PROVED_FIT`)."""
HAD = "had"
"""How a part is resolved that somebody has because it is theirs."""
UNOWNED = 0.6
"""Score of a match if the goal names an owner and the fact does not."""
MEASURED_TIME = re.compile(
    r"^\W*(?:(?:about|almost|over|nearly|a|an|the|last|past|few|\d[\d.,]*)\s+)*(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
"""A duration: with `for`, no reason."""
DETERMINED = re.compile(r"(?:an?|the|my|our|your|his|her|their|its|this|that) ", re.IGNORECASE)
"""Begins a phrase for a thing, and none for a manner: `in a box`, `in cash`."""
LIKELY = 0.95
ALTERNATIVES = " or "
"""Separates alternatives in a type."""
TOLD_BY_FORM = ANYTHING | {
    *(
        "name",
        "duration",
        "number",
        "age",
        "amount",
        "distance",
        "height",
        "size",
        "reason",
        "manner",
        "activity",
        "frequency",
    ),
    *OCCUPATION_OR_ROLE,
    *EXCLUSIVE,
    *ANYBODY,
}
"""Types whose instances are recognised by their form or clause, or that include everything."""
FIRMS = frozenset({"company", "firm", "business", "employer"})
"""Nouns for any organisation that somebody works for or buys from."""
ALIKE = {"town": ("city",), "city": ("town",)}
"""Kinds that people do not tell apart."""
AMOUNTS = ("containerful", "unit of measurement", "indefinite quantity")
"""Kinds of nouns for an amount of something."""
ROLES = {"pet": "animal"}
"""Nouns for what something is to its owner, and what it is in itself."""


@dataclass
class PhraseCosine:
    """Cosines of phrases; each phrase is embedded once."""

    embedder: Embedder
    most: int = 50_000
    _vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def learn(self, phrases: Iterable[str]) -> None:
        """Embed new phrases in one batch."""
        new = sorted({p for p in phrases if p and p not in self._vectors})
        if len(self._vectors) + len(new) > self.most:
            self._vectors = {}
        if new:
            self._vectors = {**self._vectors, **dict(zip(new, self.embedder.embed(new), strict=True))}

    def __call__(self, a: str, b: str) -> float:
        """Cosine of two phrases' vectors."""
        if not a or not b:
            return 0.0
        self.learn((a, b))
        vectors = self._vectors
        if a not in vectors or b not in vectors:
            return float(np.dot(*self.embedder.embed([a, b])))
        return float(vectors[a] @ vectors[b])


RARELY = 10
"""A noun that is this many times more often an adjective is rarely meant as a noun."""


def no_cosine(_a: str, _b: str) -> float:
    """Return 0: no similarity without embeddings."""
    return 0.0


def is_thing(head: str) -> bool:
    """True if a word is used as a noun rather than an adjective: `glad` is a flower, but rarely meant as one."""
    if not is_known(head, "a"):
        return True
    return is_known(head, "n") and tagged_uses(head, "n") * RARELY >= tagged_uses(head, "a")


QUALIFIED = re.compile(r"\w (?:by|that|who|whom|whose|which|where|when|from|with|in|at|near) \w")
"""A type with a description beyond its noun."""


@dataclass(frozen=True)
class Similarity:
    """The `Lexicon` of one space, from its aliases, WordNet, and cosines."""

    aliases: Mapping[str, str]
    """Lower-case alias -> canonical name."""
    cosine: Callable[[str, str], float]

    def canonical(self, name: str) -> str:
        """The canonical name in lower case, following aliases; `Maya's sister's dog` is resolved from the inside."""
        low = name.casefold().strip()
        for _ in range(4):
            owner, mark, owned = low.rpartition("'s ")
            if mark and owner in self.aliases:
                low = f"{self.aliases[owner].casefold()}'s {owned}"
            after = self.aliases.get(low, "") or next((self.aliases[a] for a in _called(low) if a in self.aliases), low)
            if after.casefold() == low:
                break
            low = after.casefold()
        return next(iter(_called(low)), low)

    def same(self, goal: FramePart, fact: FramePart) -> tuple[float, str]:
        """Return how surely the fact's part names the same as the goal's part, and how."""
        if goal.resolved == HAD and "'s " not in fact.entity:
            # Who has exams on two days has none in particular.
            one = fact.head in WORD_PART.findall(fact.text.casefold())
            return self._same_kind(replace(goal, entity=""), fact) if one else (0.0, "")
        if goal.entity:
            return self._same_entity(goal, fact)
        if fact.entity and (fact.resolved in ("speaker", "addressee") or fact.entity.startswith(APART)):
            return 0.0, ""
        return self._same_kind(goal, fact)

    def _same_entity(self, goal: FramePart, fact: FramePart) -> tuple[float, str]:
        wanted = self.canonical(goal.entity)
        if fact.entity:
            held = self.canonical(fact.entity)
            if held == wanted:
                told = CHANGED.intersection(goal.modifiers).difference(WORD_PART.findall(goal.entity.casefold()))
                if told and goal.resolved == "owner" and fact.start >= 0 and not self._described(told, fact):
                    return 0.0, ""  # Ann's new dentist need not be her former dentist.
                if goal.resolved == "owner" and fact.resolved == "owner" and self._is_another(goal, fact):
                    return 0.0, ""
                plain = fact.entity.casefold() == goal.entity.casefold()
                return 1.0, (fact.resolved or "same") if plain else "alias"
            if held.startswith(APART) != wanted.startswith(APART):
                return 0.0, ""
            if GENERATIONS & ({*wanted.split()} ^ {*held.split()}):
                return 0.0, ""
            if "'s " not in held + wanted and {*wanted.split()} & {*held.split()} in (
                {*wanted.split()},
                {*held.split()},
            ):
                return 0.95, "name"
        inside = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w|['’]s?\b)", fact.text.casefold())
        if inside and "'s " not in wanted and not RELATED.search(fact.text[: inside.start()]):
            return (0.9, "same") if not fact.entity else (0.6, "same")
        if goal.resolved == "owner" and not fact.entity:
            sure, how = self._same_kind(goal, fact)
            return sure * UNOWNED, how
        return 0.0, ""

    def _is_another(self, goal: FramePart, fact: FramePart) -> bool:
        """True if modifiers distinguish two possessions: my red bag, and my blue one."""
        named = {*WORD_PART.findall(f"{goal.entity} {fact.entity}".casefold())}
        own, told = ([m for m in p.modifiers if m != p.head and m not in named] for p in (goal, fact))
        if fact.head == "name":  # A maiden name is no current name, whatever the question says about names.
            return {*own} - GOING_BY != {*told} - GOING_BY
        return bool(own and told) and not self._described(own, fact)

    def _same_kind(self, goal: FramePart, fact: FramePart) -> tuple[float, str]:
        sure, how = self._nouns(goal.head, fact.head)
        if not goal.modifiers and is_some_of(goal.head, fact):
            return 1.0, "same"
        if how == "is-a" and goal.resolved == "event" and related(goal.head, "v") and related(fact.head, "v"):
            return 0.0, ""  # A flight is a kind of move, but rarely the move in question.
        if not sure or PRIVATIVE.intersection(fact.modifiers).difference(goal.modifiers):
            return 0.0, ""
        if goal.role == "subject" and _is_one(goal) and _is_counted(fact):
            return 0.0, ""  # The price of two lamps is not the price of one.
        owner = WORD_PART.findall(goal.entity.casefold())
        wanted = [m for m in goal.modifiers if m != goal.head and m not in owner]
        if not wanted:
            return sure, how
        return (sure, how) if self._described(wanted, fact) else (0.0, "")

    def _described(self, wanted: Iterable[str], fact: FramePart) -> bool:
        """True if a fact has all modifiers of the goal: a car need not be a red one."""
        return all(any(self._nouns(m, w)[0] for w in fact.words) for m in wanted)

    def _nouns(self, goal: str, fact: str) -> tuple[float, str]:
        if goal == fact:
            return 1.0, "same"
        if is_known(fact) and is_a(fact, goal):
            return KIND, "is-a"
        if fact in synonyms(goal, "n") or fact in synonyms(goal, "a"):
            return SYNONYM, "synonym"
        if fact in related(goal) or goal in related(fact):
            return DERIVED, "derived"
        return 0.0, ""

    def predicate(self, goal: str, fact: str) -> tuple[float, str]:
        """Return how surely the fact's predicate entails the goal's, and how."""
        if goal == fact:
            return 1.0, "same"
        if goal == "be" or fact == "be":
            return 0.0, ""
        if goal in LIKING_OR_FANCYING | DISLIKING and fact in LIKING_OR_FANCYING | DISLIKING:
            return (
                (KIND, "synonym")
                if (goal in LIKING_OR_FANCYING) == (fact in LIKING_OR_FANCYING)
                else (KIND, "opposite")
            )
        if (goal in RELOCATING) != (fact in RELOCATING):
            return 0.0, ""  # Going to a place is not moving there, though WordNet has one sense for both.
        if same_verb(goal, fact):
            return SYNONYM, "synonym"
        if fact in related(goal, "v") or goal in related(fact, "v"):
            return DERIVED, "derived"
        return 0.0, ""  # Opposites and converses (buy, sell; win, lose) have as high a cosine as synonyms.

    def instance(self, part: FramePart, type: str) -> float:
        """Score of the part as an instance of the type, in [0, 1]; 0 if it is known to be something else."""
        kind = type.casefold().strip()
        if QUALIFIED.search(kind):
            return 0.0  # No dictionary knows if it is the `cafe visited by Ann`.
        head = _head_of(kind)
        if says_nothing(part):
            return 0.0
        if kind.startswith(EITHER):
            return (
                1.0 if {part.head, part.entity.casefold()} & {*kind.removeprefix(EITHER).split(ALTERNATIVES)} else 0.0
            )
        if part.head == head and not part.modifiers and not part.entity:
            return 0.0  # `instruments` does not answer which instruments.
        if kind.startswith(OF_NUMBER):
            return self._counted(part, kind.removeprefix(OF_NUMBER))
        if head in ANYTHING:
            named = part.entity or part.head in ANYTHING or part.type == "quantity" or is_thing(part.head)
            return 1.0 if named and part.type != "time" and part.role not in ("time", "manner") else 0.0
        if head in ANYBODY:
            return self._person(part)
        if head == "name":
            named = part.entity[:1].isupper() or part.resolved == "name"
            owned = "'s " in part.entity or part.entity.endswith("'s")
            return 1.0 if part.entity and named and not owned else 0.0
        if head in MEASURING:
            return float(is_measured(head, part.text))
        if head in ("reason", "manner", "activity", "frequency"):
            lasting = head == "reason" and (part.type == "time" or MEASURED_TIME.search(part.text) is not None)
            once = head == "frequency" and OFTEN.search(part.text) is None
            return 1.0 if part.role != "subject" and not lasting and not once else 0.0
        if head in OCCUPATION_OR_ROLE:
            return self._occupation(part)
        return self._of_kind(part, head, kind)

    def _occupation(self, part: FramePart) -> float:
        """Score of a part as an occupation: what somebody is hired as counts, even if the noun is no person."""
        if part.entity or part.head in NO_OCCUPATION:
            return 0.0
        if part.text.casefold() == part.head and tagged_uses(part.head, "a") > tagged_uses(part.head):
            return 0.0  # `is lovely`
        hired = part.role == "as" and (is_a(part.head, "person") or not is_known(part.head))
        return 1.0 if hired or any(is_mainly(part.head, kind) for kind in OCCUPATIONS if kind != "student") else 0.0

    def known(self, part: FramePart, type: str) -> bool:
        """True if its words or a dictionary make the part an instance; for a broad type the clause decides (`instance`)."""
        kind = type.casefold().strip()
        if ALTERNATIVES in kind:
            return any(self.known(part, each) for each in kind.split(ALTERNATIVES))
        head = ROLES.get(_head_of(kind), _head_of(kind))
        if head in FIRMS and part.type == "organization":
            return True
        if kind == CLOCK_TIME or kind.startswith(OF_NUMBER) or head in TOLD_BY_FORM:
            return True
        name = part.entity.casefold()
        words = (*part.words, *WORD_PART.findall(name))
        if head in PROPER_KINDS and any(can_be(word, head) for word in (part.head, name)):
            return True
        kinds = (head, *ALIKE.get(head, ()))
        return head in words or any(is_known(w) and is_a(w, k) for w in (part.head, name) for k in kinds)

    def kinds_open(
        self, bindings: Iterable[Binding], facts: Sequence[Fact], atoms: Iterable[Atom]
    ) -> tuple[Alignment, ...]:
        """An alignment for each value from the turns of these facts that is not known to be of its variable's type.

        An atom of the goal with the type among its words asserts it: `(y:sister) is Ann's sister`.
        """
        said = {(v, word) for atom in atoms for v in atom.variables for word in _words_of(atom)}
        turns = {fact.turn for fact in facts}
        read = (b for b in bindings if b.turn in turns and b.value.number is None and b.value.interval is None)
        return tuple(
            Alignment(b.variable.type, b.value.text, KIND_OPEN, UNKNOWN_KIND)
            for b in read
            if (b.variable, _head_of(b.variable.type)) not in said
            and not self.known(_part_of(b.value, facts), b.variable.type)
        )

    def may_be(self, part: FramePart, type: str) -> bool:
        """True if the part can match the type; needs no embedding, because cosines only affect the score."""
        return replace(self, cosine=no_cosine).instance(part, type) > 0

    def alternates(self, predicate: str, done_to: FramePart) -> bool:
        """True if the verb says of its object what it says of its subject when there is no object (`unify.Lexicon`)."""
        return predicate in ALTERNATING and not (predicate in RELOCATING and done_to.head in HOMES)

    def valued(self, attribute: FramePart, part: FramePart) -> bool | None:
        """True if a part tells the value of an attribute by an adjective or a sign, False if it cannot (`unify.Lexicon`)."""
        if attribute.role != "subject" or attribute.head not in VALUED:
            return None
        if (
            part.role != "attribute"
            or COMPARING.search(part.text)
            or EVALUATING.intersection(WORD_PART.findall(part.text.casefold()))
        ):
            return False
        signs = re.search(r"[\dA-Z]", part.text) is not None
        return True if signs or attribute.head not in IDENTIFIERS else None

    def situates(self, predicate: str, part: FramePart) -> bool:
        """True if what the verb is about is in or near the thing that a part names (`unify.Lexicon`)."""
        if predicate not in SITUATED or part.role not in SITUATING or says_nothing(part):
            return False
        owned = not part.entity or "'s " in part.entity  # my coat
        return owned and DETERMINED.match(part.text) is not None and is_a(part.head, "artifact")

    def genuine(self, part: FramePart, kind: str) -> bool:
        """True unless the part's words exclude the kind."""
        return not PRIVATIVE.intersection(part.modifiers).difference(kind.split())

    def _of_kind(self, part: FramePart, head: str, kind: str) -> float:
        if kind == CLOCK_TIME:
            return clock_fit(part.text)
        if ALTERNATIVES in kind:
            return max(self.instance(part, each) for each in kind.split(ALTERNATIVES))
        head = ROLES.get(head, head)
        if head in EXCLUSIVE and is_known(part.head) and (not part.entity or "'s " in part.entity):
            # For a broad kind only a word's most common sense counts: a kid is no goat in a question about pets.
            return 1.0 if coarse_type(part.head) == head and (head != "animal" or is_mainly(part.head, head)) else 0.0
        if part.head == head or _qualifies(head, part) or (is_known(part.head) and is_a(part.head, head)):
            return 1.0
        if head in PROPER_KINDS and can_be(part.entity or part.head, head):
            return 1.0
        wanted = head if head in EXCLUSIVE else coarse_type(head)
        if wanted == "place" and head not in EXCLUSIVE and coarse_type(part.entity.casefold()) == "place":
            # Of places that dictionaries know: Spain is no city.
            return float(any(is_a(part.entity, each) for each in (head, *ALIKE.get(head, ()))))
        if wanted == "place" and part.role in LOCATIVE_ROLES and part.entity and part.resolved == "name":
            # The preposition shows that it is a place; taggers guess the type of an unknown name.
            return 1.0 if part.type in ("place", "organization") else LIKELY
        common = is_known(part.head) and part.head not in (*UNNAMED, part.entity.casefold())
        if common and is_known(head) and head not in EXCLUSIVE:
            # Two common nouns, neither a kind of the other: a brother is no teacher. The breed of a beagle is open.
            same = part.type == wanted or coarse_type(part.head) == wanted
            being = wanted == "thing" and coarse_type(part.head) in NO_THINGS
            return 0.0 if same or being or wanted in EXCLUSIVE else self._by_kind(part, kind, UNKNOWN_KIND)
        if (
            wanted == "thing"
            and part.entity
            and names_author(part.entity)
            and not (is_a(head, "creation") or is_a(head, "music"))
        ):
            return 0.0  # Brahms is no instrument.
        held = part.type or (coarse_type(part.head) if is_known(part.head) else "")
        if held == wanted and wanted in EXCLUSIVE:
            return 1.0 if part.entity or head in EXCLUSIVE else 0.9
        if wanted in EXCLUSIVE and held and frozenset({held, wanted}) not in OVERLAPPING:
            return 0.0
        return self._by_kind(part, kind, UNKNOWN_KIND)

    def _by_kind(self, part: FramePart, kind: str, base: float) -> float:
        return min(UNPROVED, base + 0.15 * max(0.0, self.cosine(kind, part.text.casefold())))

    def _person(self, part: FramePart) -> float:
        if part.role == "attribute" and is_nationality(part.text):
            return 0.0
        if part.type == "person":
            return 1.0
        if part.type in EXCLUSIVE and part.type not in ("organization", "animal"):
            return 0.0
        if is_known(part.head) and not part.entity:
            return 1.0 if is_a(part.head, "person") else 0.0
        if part.role == "indirect" and part.entity and not part.type:
            return 1.0  # A receiver is a being or an organisation (VerbNet, give-13.1).
        return UNKNOWN_KIND if part.entity and part.type != "animal" else 0.0

    def _counted(self, part: FramePart, noun: str) -> float:
        if number_in(part.text) is None:
            return 0.0
        if ALTERNATIVES in noun:
            return max(self._counted(part, each) for each in noun.split(ALTERNATIVES))
        return self._nouns(noun.split()[-1], part.head)[0]


def is_some_of(noun: str, part: FramePart) -> bool:
    """True for an amount of what a noun names: `5 mg of amlodipine`, `two cups of coffee`."""
    measure, _, what = part.text.casefold().rpartition(" of ")
    counted = part.type == "quantity" or any(is_a(part.head, kind) for kind in AMOUNTS)
    return bool(measure) and counted and noun in (what, base_form(what))


def is_nationality(text: str) -> bool:
    """True for an adjective that says where somebody is from: `German`; a boss who is German is not called so."""
    word = text.casefold()
    return is_known(word, "a") and (word.endswith(("an", "ish", "ese")) or can_be(word, "language"))


def says_nothing(part: FramePart) -> bool:
    """True if a part answers nothing until it is resolved: `it`, `whose car`."""
    unnamed = {part.text.casefold(), part.head} & UNNAMED and not (part.entity and part.resolved)
    return bool(unnamed) or (not part.entity and part.text.casefold().startswith("whose "))


def _called(name: str) -> list[str]:
    """Other names for a relative or an address, the plain noun first: `ann's mother`, `ann's mum`; none for any other name."""
    owner, mark, noun = name.rpartition("'s ")
    alike = (*KIN_WORDS.values(), *ADDRESS_WORDS.values()) if mark else ()
    group = next((words for words in alike if noun in words), [])
    return [f"{owner}'s {word}" for word in group]


def _head_of(type: str) -> str:
    """The noun of a type: `bread` for `kind of bread`."""
    return (type.casefold().split(" of ")[0].split() or ["thing"])[-1]


def _words_of(atom: Atom) -> list[str]:
    return [
        base_form(word) for part in atom.parts if isinstance(part, str) for word in WORD_PART.findall(part.casefold())
    ]


def _part_of(value: Value, facts: Sequence[Fact]) -> FramePart:
    """A value as a part of one of the facts that name it, if there is one, with the noun that says what it is: `the movie "Up"`."""
    arguments = [a for f in facts for a in f.args if a.entity and a.entity.casefold() == value.key]
    words = value.text.casefold().split()
    described = (a for a in arguments if a.resolved == "alias" and is_known(a.head) and a.head not in words)
    noun = next(described, None)
    argument = noun or next(iter(arguments), None)
    head = noun.head if noun is not None else base_form(words[-1]) if words else ""
    named = argument is not None or value.text[:1].isupper()
    held = argument.type if argument is not None else value.type
    return FramePart("object", value.text, 0, len(value.text), head, value.text if named else "", held)


def _qualifies(noun: str, part: FramePart) -> bool:
    """True if a noun modifies a following one: a cello lesson is a cello's, but `ruff for line length` is no length."""
    words = WORD_PART.findall(part.text.casefold())
    if noun not in part.modifiers:
        return False
    return noun not in words or part.head not in words or words.index(noun) < words.index(part.head)


def _is_one(part: FramePart) -> bool:
    """True if a part names one thing: its last word is a singular noun."""
    return part.text.casefold().split()[-1:] == [part.head]


def _is_counted(part: FramePart) -> bool:
    """True if a part names several things, with a number."""
    return any(NUMBER_WORDS.get(m, 0) > 1 or (m.isdigit() and m != "1") for m in part.modifiers)
