"""Ages beside names: `two kids, Anton (7) and Mia (4)`, `my son Leo, 5, plays chess`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause, TurnReading
from goalmem.language.phrases import part
from goalmem.language.words.nouns import ANIMATE
from goalmem.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Token

OLDEST = 122
"""Years that anybody is known to have lived: what is more is no age."""
BRACKETS = ("(", ")")
ENDING = frozenset({",", ".", ";", "!", ")", "and", "&"})
"""What follows an age between commas."""


def ages(reading: TurnReading) -> None:
    """Add `Anton is 7` for each name of a being with a number in brackets, or between commas where words say who it is."""
    described = {name for _, name in reading.named}
    for i, referent in list(reading.referents.items()):
        token = reading.doc[i]
        if referent.type not in ANIMATE or not referent.entity or token.pos_ != "PROPN" or referent.plural:
            continue
        age = _age(token, apart=i in described)
        if age is None:
            continue
        modality = Modality.QUOTED if reading.is_quoted(token) else Modality.ASSERTED
        who, years = (replace(part(reading, t, r), conjuncts=()) for t, r in ((token, "subject"), (age, "attribute")))
        clause = Clause(None, "be", parts=[who, years], modality=modality, meant=modality, tense="present")
        clause.start, clause.end = who.start, max(who.end, years.end)
        reading.clauses.append(clause)


def _age(name: Token, *, apart: bool) -> Token | None:
    """The number behind a name: in brackets, or between commas if `apart`."""
    behind = [*name.doc[name.i + 1 : name.i + 4]]
    if len(behind) < 2 or not (behind[1].text.isdecimal() and int(behind[1].text) <= OLDEST):
        return None
    after = behind[2].lower_ if len(behind) > 2 else "."
    bracketed = (behind[0].text, after) == BRACKETS
    return behind[1] if bracketed or (apart and behind[0].text == "," and after in ENDING) else None
