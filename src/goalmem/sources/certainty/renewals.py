"""Amounts that a later statement gives anew without saying of what: `I weigh 90 kilos`, and then `I am down to 85`.

The earlier amount no longer answers. The new one does where it can only be of this: of the amounts that are told of the person, it follows
this one alone in the direction that the words give, and is of its order of magnitude.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from goalmem.language.morphology import singular
from goalmem.language.words.endings import CHANGING_NUMBERS, REACHING_NUMBERS
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.certainty.later_statements import MOST, Statements
from goalmem.sources.certainty.replacements import lasts
from goalmem.sources.numbers import number_in
from goalmem.sources.state.attribute_events import MOVED

BARE_NUMBER = re.compile(
    r"(?:(?:up|down|back) to )?(?P<number>\d[\d.,]*|[a-z]+)(?P<rate> (?:a|an|per|each|every) \w+)?", re.IGNORECASE
)
"""An amount that does not say of what."""
NUMBER = re.compile(r"\d[\d.,]*\d|\d|[^\W\d_]+")
"""The number at the start of an amount."""
RETURNING = frozenset({"back", "again"})
"""Particles of an amount that was the same before."""
WITHIN = 5.0
"""By how many times a new amount is larger or smaller than the one before it, at most; of another it is probably another thing."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """A later statement with a new amount."""

    told: Fact
    amount: Argument
    """The amount as it stands there."""
    held: Argument
    """The amount of the earlier fact."""

    def renewed(self, fact: Fact) -> Fact:
        """The earlier fact with the new amount, in the earlier unit."""
        held = replace(self.held, text=self.text)
        said = fact.text.replace(self.held.text, self.text)
        return replace(fact, text=said, args=tuple(held if a is self.held else a for a in fact.args))

    @property
    def words(self) -> str:
        """The words of the new amount."""
        bare = BARE_NUMBER.fullmatch(self.amount.text)
        return bare["number"] if bare is not None else MOVED.sub("", self.amount.text).strip()

    @property
    def text(self) -> str:
        """The earlier amount with the new number: `85 kilos`."""
        if BARE_NUMBER.fullmatch(self.amount.text) is None:
            return self.words
        return NUMBER.sub(lambda _: self.words, self.held.text, count=1)


def renewals(fact: Fact, statements: Statements) -> Iterator[Renewal]:
    """The later statements about the same person or thing with a number that may be an amount of the fact, the newest first."""
    held = amounts_of(fact)
    if not held:
        return
    for told in reversed(told_since(fact, statements)):
        if (amount := new_amount(told, held)) is not None:
            yield Renewal(told, amount, next((a for a in held if singular(a.head) == singular(amount.head)), held[0]))


def follows_alone(renewal: Renewal, fact: Fact, statements: Statements) -> bool:
    """True if a new amount can be of this fact, and of no other that was told of the person by then."""
    if not is_plausible(renewal.amount, renewal.held, renewal.told) or not says_no_more(renewal):
        return False
    if singular(renewal.amount.head) == singular(renewal.held.head):
        return True
    others = statements.told(entity=fact.subject, newest=MOST) if fact.subject else []
    return not any(
        is_plausible(renewal.amount, other, renewal.told)
        for f in others
        if f.id != fact.id and statements.is_after(renewal.told, f) and new_amount(f, [renewal.held]) is None
        for other in amounts_of(f)
        if singular(other.head) != singular(renewal.held.head)
    )


def says_no_more(renewal: Renewal) -> bool:
    """True if a statement gives the new amount and nothing else but times: who hit 70 on the motorway speaks of another amount."""
    others = (a for a in renewal.told.args if a.role not in ("subject", "manner") and a.type != "time")
    return all(renewal.amount.text in a.text or a.head in RETURNING for a in others)


def is_plausible(new: Argument, old: Argument, told: Fact) -> bool:
    """True if an amount may have become another: it went where the words say, not too far, and is for the same period."""
    now, was = number_in(new.text), number_in(old.text)
    if now is None or was is None or now == was or not 1 / WITHIN <= now / max(was, 1e-9) <= WITHIN:
        return False
    moved = MOVED.search(told.text)
    words = moved.group().casefold() if moved is not None else told.predicate
    if ("down" in words and now > was) or (words.startswith("up") and now < was):
        return False
    bare = BARE_NUMBER.fullmatch(new.text)
    return bare is None or not bare["rate"] or old.text.casefold().endswith(bare["rate"].casefold())


def amounts_of(fact: Fact) -> Sequence[Argument]:
    """The amounts that a lasting statement gives."""
    counted = fact.slot.startswith("count ")
    if not (counted or lasts(fact)):
        return ()
    others = [a for a in fact.args if a.role != "subject" and a.type != "time"]
    return [a for a in others if counted or a.type == "quantity" or a.text[:1].isdigit()]


def told_since(fact: Fact, statements: Statements) -> list[Fact]:
    """What is said later of the subject of a fact, by its name or by its noun: `my channel`, and then `the channel`."""
    told = statements.told(entity=fact.subject, newest=MOST) if fact.subject else []
    subject = fact.arg("subject")
    if subject is not None and subject.type != "person" and subject.head:
        own = (f for later in statements.later(fact, [subject.head]) for f in later.facts)
        known = {f.id for f in told}
        told += [f for f in own if f.id not in known and _is_of_noun(f, subject.head)]
    return [f for f in statements.in_order(told) if statements.is_after(f, fact)]


def _is_of_noun(fact: Fact, noun: str) -> bool:
    subject = fact.arg("subject")
    return subject is not None and subject.head == noun and not subject.entity


def new_amount(told: Fact, held: Iterable[Argument]) -> Argument | None:
    """The amount that a statement says another has changed to, alone or of one of these nouns: `I'm down to 85`, `I hit 70`."""
    if not told.polarity or told.modality is not Modality.ASSERTED:
        return None
    roles: Collection[str] = ()
    if MOVED.search(told.text) is not None:
        roles = {"to", "up to", "down to", "back to", "attribute"}
    elif not REACHING_NUMBERS.isdisjoint(told.predicate.split()[:1]):
        roles = {"object"}
    elif not CHANGING_NUMBERS.isdisjoint(told.predicate.split()[:1]):
        roles = {"to"}
    nouns = {singular(a.head) for a in held}
    amounts = (a for a in told.args if a.role in roles)
    return next(
        (a for a in amounts if (a.type == "quantity" and BARE_NUMBER.fullmatch(a.text)) or singular(a.head) in nouns),
        None,
    )
