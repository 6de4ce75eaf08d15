"""The meaning of words for unification: entities by name and alias, nouns by kind, verbs by synonym."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from goalmem.language.exclusions import APART
from goalmem.language.lexicon import (
    base_form,
    is_a,
    is_chiefly,
    is_known,
    may_share,
    related,
    share_commonest,
)
from goalmem.language.name_statements import GOING_BY
from goalmem.language.terms import WORD_PART
from goalmem.language.words.function_words import SITUATING
from goalmem.language.words.modifiers import COMPARING, COMPLEMENTARY_STATES, EVALUATING, LASTING, PRIVATIVE, SUCCESSIVE
from goalmem.language.words.nouns import (
    ADDRESS_WORDS,
    GENERATIONS,
    IDENTIFIERS,
    KIN_WORDS,
    VALUED,
)
from goalmem.language.words.pronouns import DETERMINERS, POSSESSIVES
from goalmem.language.words.verbs import ALTERNATING, DISLIKING, HOMES, LIKING_OR_FANCYING, RELOCATING, SITUATED
from goalmem.logic.unify import SENSE_OPEN, FramePart
from goalmem.sources.clause_parts import is_clause, same_clause
from goalmem.sources.kinds import DERIVED, KIND, SYNONYM, instance, known_instance, same_noun, says_nothing
from goalmem.sources.narrower_phrases import (
    adds_nothing,
    denies_less,
    denies_part,
    is_completed_otherwise,
    is_determined_otherwise,
    is_graded_otherwise,
    is_incomplete,
    is_numbered_otherwise,
    leaves_out,
)
from goalmem.sources.numbers import NUMBER_WORDS
from goalmem.sources.qualifiers import restricting
from goalmem.sources.roles import role_fit
from goalmem.sources.short_names import SHORT_NAME, ends_at, is_short_for, said_of_name, share_name

RELATED = re.compile(
    r"\b(?:about|above|around|at|behind|below|beside|between|beyond|by|for|from|in|into|near|of|off|on|onto|opposite|outside|over|past|than|through"
    r"|to|towards?|under|via|with|without)\b|['’]s?\s",
    re.IGNORECASE,
)
"""Words before a name to which a phrase only relates its head: the price of N is not N."""
NAMES_BESIDE = re.compile(r"\b(?:and|or) ([A-Z]\w*(?: [A-Z]\w*)*)")
"""A name that is coordinated with the one before it."""
OF_OWNER = re.compile(r"the (?P<noun>\w+) of (?P<owner>(?-i:[A-Z])[\w'’-]*(?: (?-i:[A-Z])[\w'’-]*)*)\.?", re.IGNORECASE)
"""`the mother of Finn`, who is Finn's mother."""
OWNED_BY = re.compile(r"\w(?:['’]s|s['’]) \w")
"""Whose something is: the neighbour's dog."""
HAD = "had"
"""How a part is resolved that somebody has because it is theirs."""
OFTEN_SHARED = 0.2
"""Least share of a verb's uses in a sense for which another verb stands: arriving is often meant by `come`, telephoning less often by `call`.
Chosen by reading WordNet's pairs of everyday verbs."""
UNOWNED = 0.45
"""Score of a match if the goal names an owner and the fact does not."""
ANOTHER = frozenset({"another", "other", "else"})
SINGLE = re.compile(r"(?:an?|one) ", re.IGNORECASE)
INANIMATE = frozenset(
    "stuffed chocolate plush toy rubber wooden plastic china glass stone paper inflatable cuddly gummy ceramic bronze marzipan sugar".split()
)
"""Modifiers by which an animal is none: `a stuffed tiger`."""
OF_NO_KIN = frozenset("work sugar office".split())
"""Modifiers by which a word for a relative means somebody else: `my work wife`."""
AMOUNTS = ("containerful", "unit of measurement", "indefinite quantity")
"""Kinds of nouns for an amount of something."""


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

    def corefer(self, one: str, other: str) -> bool:
        """True if two names are those of the same."""
        return self.canonical(one) == self.canonical(other)

    def same(self, goal: FramePart, fact: FramePart) -> tuple[float, str]:
        """Return how surely the fact's part names the same as the goal's part, and how."""
        if is_clause(goal) and is_clause(fact):
            return (1.0, "same") if same_clause(goal, fact) else (0.0, "")
        if goal.resolved == HAD and "'s " not in fact.entity:
            # Who has exams on two days has none in particular.
            one = fact.head in WORD_PART.findall(fact.text.casefold())
            return self._same_kind(replace(goal, entity=""), fact) if one else (0.0, "")
        if (
            is_numbered_otherwise(goal, fact)
            or is_determined_otherwise(goal, fact)
            or is_completed_otherwise(goal, fact)
            or is_graded_otherwise(goal, fact)
        ):
            return 0.0, ""
        if is_other_compound(goal, fact):
            return 0.0, ""
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
                return self._same_name(goal, fact)
            if held.startswith(APART) != wanted.startswith(APART) or GENERATIONS & (
                {*wanted.split()} ^ {*held.split()}
            ):
                return 0.0, ""
            if goal.resolved == "owner" and SINGLE.match(goal.text) and SINGLE.match(fact.text):
                return self._same_kind(
                    replace(goal, entity=""), replace(fact, entity="")
                )  # A beagle of mine is a dog of mine.
            if "'s " not in held + wanted and share_name(wanted, held):
                return (SHORT_NAME, "name") if is_short_for(wanted, held, fact.type) else (0.0, "")
        return self._named_within(goal, fact, wanted)

    def _same_name(self, goal: FramePart, fact: FramePart) -> tuple[float, str]:
        """As `same`, of two parts with the same name."""
        if goal.resolved != "owner" and not self._described(said_of_name(goal), fact):
            return 0.0, ""  # Who speaks a little Dutch need not speak fluent Dutch.
        if goal.resolved in ("alias", "owner") and SINGLE.match(goal.text):
            named = {*WORD_PART.findall(goal.entity.casefold()), goal.head}
            if not self._described(restricting(m for m in goal.modifiers if m not in named), fact):
                return 0.0, ""  # A black cat is not the grey one that is called Smudge.
        told = SUCCESSIVE.intersection(goal.modifiers).difference(WORD_PART.findall(goal.entity.casefold()))
        if told and goal.resolved == "owner" and fact.start >= 0 and not self._described(told, fact):
            return 0.0, ""  # Ann's new dentist need not be her former dentist.
        if goal.resolved == "owner" and fact.resolved == "owner" and self._is_another(goal, fact):
            return 0.0, ""
        if not {*_names_beside(goal)} <= {*WORD_PART.findall(f"{fact.text} {fact.entity}".casefold())}:
            return 0.0, ""  # Between Uma and Viktor is not between Uma and Wanda.
        plain = fact.entity.casefold() == goal.entity.casefold()
        return 1.0, (fact.resolved or "same") if plain else "alias"

    def _named_within(self, goal: FramePart, fact: FramePart, wanted: str) -> tuple[float, str]:
        """As `same`, of a part that may have the goal's name among its words, or its noun without its owner."""
        inside = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w|['’]s?\b)", fact.text.casefold())
        alone = inside and "'s " not in wanted and not RELATED.search(fact.text[: inside.start()])
        if inside and alone and ends_at(fact, inside.end()):
            return (0.9, "same") if not fact.entity else (0.6, "same")
        if (of := OF_OWNER.fullmatch(fact.text)) and self.canonical(f"{of['owner']}'s {of['noun']}") == wanted:
            return 1.0, "same"
        # `his birthday` is somebody's, and it is not known whose; the neighbour's is not mine.
        someones = OWNED_BY.search(fact.text) or not POSSESSIVES.isdisjoint(WORD_PART.findall(fact.text.casefold()))
        if goal.resolved != "owner" or fact.entity or someones:
            return 0.0, ""
        sure, how = self._same_kind(goal, fact)
        return sure * UNOWNED, how

    def _is_another(self, goal: FramePart, fact: FramePart) -> bool:
        """True if modifiers distinguish two possessions: my red bag, and my blue one."""
        named = {*WORD_PART.findall(f"{goal.entity} {fact.entity}".casefold())}
        own, told = ([m for m in p.modifiers if m != p.head and m not in named] for p in (goal, fact))
        if fact.head == "name":  # A maiden name is no current name, whatever the question says about names.
            return {*own} - GOING_BY != {*told} - GOING_BY
        return bool(own and told) and not self._described(own, fact)

    def _same_kind(self, goal: FramePart, fact: FramePart) -> tuple[float, str]:
        sure, how = same_noun(goal.head, fact.head)
        if (
            goal.role == fact.role == "attribute"
            and {goal.text.casefold(), fact.text.casefold()} in COMPLEMENTARY_STATES
        ):
            return KIND, "opposite"
        if not goal.modifiers and is_some_of(goal.head, fact):
            return 1.0, "same"
        if how == "is-a" and goal.resolved == "event" and related(goal.head, "v") and related(fact.head, "v"):
            return 0.0, ""  # A flight is a kind of move, but rarely the move in question.
        if fact.role == "attribute" and leaves_out(goal, fact):
            return 0.0, ""  # Who is short of money is not short.
        if ANOTHER.intersection(said := _words(goal)).difference(_words(fact)):
            return 0.0, ""
        if goal.head not in said and goal.resolved == "owner" and SINGLE.match(fact.text):
            return 0.0, ""  # One colleague does not speak for all.
        if not sure or excluding(goal.head).intersection(_words(fact)).difference(said):
            return 0.0, ""
        if goal.role in ("subject", "for") and _is_one(goal) and _is_counted(fact):
            return 0.0, ""  # The price of two lamps is not the price of one.
        owner = WORD_PART.findall(goal.entity.casefold())
        wanted = [m for m in goal.modifiers if m != goal.head and m not in owner]
        if not wanted:
            return sure, how
        return (sure, how) if self._described(wanted, fact) else (0.0, "")

    def _described(self, wanted: Iterable[str], fact: FramePart) -> bool:
        """True if a fact has all modifiers of the goal: a car need not be a red one."""
        return all(any(_describes_same(m, w) for w in fact.words) for m in wanted)

    def predicate(self, goal: str, fact: str) -> tuple[float, str]:
        """Return how surely the fact's predicate entails the goal's, and how."""
        if goal == fact:
            return 1.0, "same"
        if goal == "be" or fact == "be":
            return 0.0, ""
        if goal == "prefer":
            return 0.0, ""  # Who likes tea need not prefer it.
        if goal in LIKING_OR_FANCYING | DISLIKING and fact in LIKING_OR_FANCYING | DISLIKING:
            return (
                (KIND, "synonym")
                if (goal in LIKING_OR_FANCYING) == (fact in LIKING_OR_FANCYING)
                else (KIND, "opposite")
            )
        if (goal in RELOCATING) != (fact in RELOCATING):
            return 0.0, ""  # Going to a place is not moving there, though WordNet has one sense for both.
        if lacks_particle(goal, fact):
            return 0.0, ""  # Who cut a hedge need not have cut it down.
        if share_commonest(goal, fact, "v") or may_share(goal, fact, "v", OFTEN_SHARED):
            return SYNONYM, "synonym"
        if may_share(goal, fact, "v"):
            return SYNONYM, SENSE_OPEN
        if fact in related(goal, "v") or goal in related(fact, "v"):
            return DERIVED, "derived"
        return 0.0, ""  # Opposites and converses (buy, sell; win, lose) have as high a cosine as synonyms.

    def role(self, goal: FramePart, fact: FramePart, predicate: str) -> float:
        """See `roles.role_fit` (`unify.Lexicon`)."""
        return role_fit(goal, fact, predicate)

    def instance(self, part: FramePart, type: str) -> float:
        """Score of the part as an instance of the type, in [0, 1]; 0 if it is known to be something else."""
        return instance(part, type, self.cosine)

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

    def situates(self, predicate: str, place: FramePart, part: FramePart) -> bool:
        """True if what the verb is about is in or near the thing that a part names (`unify.Lexicon`)."""
        if predicate not in SITUATED or not {place.role, part.role} <= SITUATING or says_nothing(part):
            return False
        owned = not part.entity or "'s " in part.entity  # my coat
        return owned and self.determined(part) and is_a(part.head, "artifact")

    def adds_nothing(self, part: FramePart) -> bool:
        """See `narrower_phrases.adds_nothing` (`unify.Lexicon`)."""
        return adds_nothing(part)

    def is_incomplete(self, adjective: FramePart, beside: Collection[str]) -> bool:
        """See `narrower_phrases.is_incomplete` (`unify.Lexicon`)."""
        return is_incomplete(adjective, beside)

    def narrows(self, goal: FramePart | None, fact: FramePart) -> bool:
        """See `narrower_phrases.denies_less` (`unify.Lexicon`)."""
        if goal is not None and same_noun(goal.head, fact.head)[1] == "is-a":
            return True  # Who has no beagle may have another dog.
        if goal is not None and goal.entity and fact.entity and self.corefer(goal.entity, fact.entity):
            return denies_part(goal, fact)  # The additional words are those of the same name.
        return denies_less(goal, fact)

    def lasts(self, time: str) -> bool:
        """True if what is denied at a time has been so until now (`unify.Lexicon`)."""
        return LASTING.match(time) is not None

    def determined(self, part: FramePart) -> bool:
        """True if a part is a noun phrase with a determiner (`unify.Lexicon`)."""
        first, _, rest = part.text.partition(" ")
        return bool(rest) and first.casefold() in DETERMINERS

    def describes(self, part: FramePart) -> bool:
        """True if a part says only of what sort something is (`unify.Lexicon`)."""
        return SINGLE.match(part.text) is not None

    def genuine(self, part: FramePart, kind: str) -> bool:
        """True if the part's words say that it is of the kind, and more than that: of Tom not that he is a sister, of two cats not which."""
        named = part.entity or part.head != kind.split()[-1] or restricting(part.modifiers)
        excluded = excluding(kind.split()[-1]).intersection(_words(part)).difference(kind.split())
        return bool(named) and not excluded and known_instance(part, kind)


def lacks_particle(goal: str, fact: str) -> bool:
    """True if the goal's verb has a particle, and the fact the same verb without it or with another: `cut down`, `cut`."""
    return " " in goal and goal.split(" ")[0] == fact.split(" ")[0]


def _names_beside(part: FramePart) -> list[str]:
    """The words of other names in a part, after `and` or `or`, in lower case."""
    _, _, behind = part.text.partition(part.entity)
    return [w.casefold() for found in NAMES_BESIDE.finditer(behind) for w in found[1].split()]


def _describes_same(asked: str, told: str) -> bool:
    """True if two modifiers surely say the same: a staging server is no production server."""
    sure, how = same_noun(asked, told)
    return sure > 0 and how != SENSE_OPEN and (how != "is-a" or is_chiefly(told, asked))


def is_some_of(noun: str, part: FramePart) -> bool:
    """True for an amount of what a noun names: `5 mg of amlodipine`, `two cups of coffee`."""
    measure, _, what = part.text.casefold().rpartition(" of ")
    counted = part.type == "quantity" or any(is_a(part.head, kind) for kind in AMOUNTS)
    return bool(measure) and counted and noun in (what, base_form(what))


def _called(name: str) -> list[str]:
    """Other names for a relative or an address, the plain noun first: `ann's mother`, `ann's mum`; none for any other name."""
    owner, mark, noun = name.rpartition("'s ")
    alike = (*KIN_WORDS.values(), *ADDRESS_WORDS.values()) if mark else ()
    group = next((words for words in alike if noun in words), [])
    return [f"{owner}'s {word}" for word in group]


def is_other_compound(goal: FramePart, fact: FramePart) -> bool:
    """True if a fact's noun with the word before it is a compound that is nothing of the noun's kind: a hot dog is no dog."""
    words = WORD_PART.findall(fact.text.casefold())
    if goal.head != fact.head or len(words) < 2 or words[-1] != fact.head or words[-2] in _words(goal):
        return False
    compound = " ".join(words[-2:])
    return is_known(compound, "n") and not is_a(compound, fact.head)


def excluding(noun: str) -> frozenset[str]:
    """Modifiers with which something is not what the noun says."""
    if is_a(noun, "relative"):
        return PRIVATIVE | OF_NO_KIN
    return PRIVATIVE | INANIMATE if is_a(noun, "animal") else PRIVATIVE


def _words(part: FramePart) -> frozenset[str]:
    return frozenset(WORD_PART.findall(part.text.casefold()))


def _is_one(part: FramePart) -> bool:
    """True if a part names one thing: its last word is a singular noun."""
    return part.text.casefold().split()[-1:] == [part.head]


def _is_counted(part: FramePart) -> bool:
    """True if a part names several things, with a number."""
    return any(NUMBER_WORDS.get(m, 0) > 1 or (m.isdigit() and m != "1") for m in part.modifiers)
