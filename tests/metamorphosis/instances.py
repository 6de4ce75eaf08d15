"""Turns with a question each, and what the answer must not (or must) be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.metamorphosis.kinds import Kind
from tests.metamorphosis.words import SEEN, UNSEEN, Deed, State, Words

TRIES = 40
"""Combinations of words tried for one new instance."""


@dataclass(frozen=True)
class Instance:
    """A turn, a question, and the value that the answer must not give (of a turn that states: must give)."""

    kind: str
    speaker: str
    turn: str
    question: str
    value: str
    """In lower case; `yes` for a yes/no question."""

    def says(self, known: bool, text: str) -> bool:
        """Whether an answer gives the value."""
        low = re.split(r"\b(?:except|apart from|but)\b", text.casefold())[0]
        low = re.sub(rf"\b(?:another|different|other) {re.escape(self.value)}\b", "", low)  # somebody else of the name
        return known and (low.startswith("yes") if self.value == "yes" else self.value in low)


def instances(kind: Kind, count: int = 25, *, unseen: bool = False) -> list[Instance]:
    """The first `count` different instances of a kind; fewer where its words do not suffice. Always the same ones."""
    words, wordings = (UNSEEN, kind.unseen) if unseen else (SEEN, kind.seen)
    found: dict[tuple[str, str], Instance] = {}
    for n in range(count * TRIES):
        made = _instance(kind, words, wordings[n % len(wordings)], n // len(wordings) + n % len(wordings))
        found.setdefault((made.turn, made.question), made)
        if len(found) == count:
            break
    return list(found.values())


def _instance(kind: Kind, words: Words, wording: str, n: int) -> Instance:
    woman, man = words.others[n // 2 % len(words.others)], words.men[n // 3 % len(words.men)]
    first = kind.who == "speaker" or (kind.who == "both" and n % 2 == 0)
    who = words.speaker if first else woman
    fields = {**_person(first, who), "man": man, "woman": woman if kind.who != "both" or first else "Petra"}
    if kind.about in ("deed", "gift"):
        deed, at = _pick(words.gifts if kind.about == "gift" else words.deeds, n)
        asked = _asked_of_gift if kind.about == "gift" else _asked_of_deed
        fields |= _forms(deed, at)
        question, value = asked(kind, deed, fields, who, n // 2)
    else:
        question, value = _asked_of_holding(kind, words, fields, who, n)
    turn = wording.format(**fields)
    return Instance(kind.name, words.speaker, turn[0].upper() + turn[1:], question, value)


def _person(first: bool, who: str) -> dict[str, str]:
    if first:
        own = {"reflexive": "myself", "my_": "My", "me_": "I"}
        return {**own, "S": "I", "s": "I", "my": "my", "me": "me", "am": "am", "have": "have", "do": "do"}
    own = {"reflexive": "herself", "my_": f"{who}'s", "me_": who}
    return {**own, "S": who, "s": "she", "my": "her", "me": who, "am": "is", "have": "has", "do": "does"}


def _pick(deeds: Sequence[Deed], n: int) -> tuple[Deed, int]:
    return deeds[n * 7 % len(deeds)], n


def _forms(deed: Deed, n: int) -> dict[str, str]:
    obj, other = (deed.objects[(n + k) % len(deed.objects)] for k in (0, 1))
    return {
        "base": deed.base,
        "Base": deed.base.capitalize(),
        "past": deed.past,
        "participle": deed.participle,
        "ing": deed.ing,
        "obj": obj,
        "other": other,
        "bare": obj.split(" ", 1)[1],
    }


def _asked_of_deed(kind: Kind, deed: Deed, fields: dict[str, str], who: str, n: int) -> tuple[str, str]:
    del kind
    obj = fields["obj"]
    match n % 4:
        case 0 | 2:
            return f"What did {who} {deed.base}?", _head(obj)
        case 1:
            return f"Did {who} {deed.base} {obj}?", "yes"
        case _:
            return f"Who {deed.past} {obj}?", who.casefold()


def _asked_of_gift(kind: Kind, deed: Deed, fields: dict[str, str], who: str, n: int) -> tuple[str, str]:
    obj, man = fields["obj"], fields["man"]
    match n % 4:
        case 0:
            return f"What did {who} {deed.base} {man}?", _head(obj)
        case 1:
            return f"Did {who} {deed.base} {man} {obj}?", "yes"
        case 2:
            return f"Who {deed.past} {man} {obj}?", who.casefold()
        case _:
            return f"What did {who} {deed.base}?", _head(obj)


def _asked_of_holding(kind: Kind, words: Words, fields: dict[str, str], who: str, n: int) -> tuple[str, str]:
    """What is asked of a state, a habit, an ailment or an event, whose words it adds to the fields."""
    half = n // 2 % 2
    if kind.about == "event":
        event = words.events[n * 5 % len(words.events)]
        fields["event"] = event
        return (f"Did {who} attend {event}?", "yes") if half else (f"What did {who} attend?", _head(event))
    if kind.about == "ailment":
        adjective, value = words.ailments[n % len(words.ailments)]
        fields |= {"adjective": adjective, "value": value}
        what, _, preposition = adjective.rpartition(" ")
        if half:
            return f"Is {who} {adjective} {value}?", "yes"
        return f"What is {who} {what} {preposition}?", _head(value)
    states = words.habits if kind.about == "habit" else words.states
    state = states[n * 3 % len(states)]
    value = state.values[n % len(state.values)]
    first = fields["S"] == "I"
    fields |= {"base": state.base, "past": state.past, "ing": state.ing, "obj": value}
    fields["verb"] = state.base if first else state.present
    if kind.about == "former":
        return f"Did {who} ever {state.base} {value}?", "yes"
    return (f"Does {who} {state.base} {value}?", "yes") if half else (_question(state, who), _head(value))


def _question(state: State, who: str) -> str:
    return state.asked.format(who=who)


def _head(phrase: str) -> str:
    return phrase.split()[-1].casefold()


def all_instances(kinds: Sequence[Kind], count: int, *, unseen: bool = False) -> Iterator[Instance]:
    """Those of every kind."""
    for kind in kinds:
        yield from instances(kind, count, unseen=unseen)
