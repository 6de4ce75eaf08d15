"""Questions asked in other ways: as a statement with a gap, or carelessly."""

from __future__ import annotations

import random
import re

__all__ = ["reworded"]

GAP = 0.35
"""Share of the questions that fit which are asked as a statement with a gap."""
CARELESS = 0.12
"""Share of questions in lower case and without a question mark."""

_ASKED = re.compile(
    r"(?P<wh>[Ww]hat|[Ww]here|[Ww]hen|[Ww]ho|[Ww]hom|[Ww]hy|[Hh]ow) (?P<aux>did|does|do) "
    r"(?P<who>(?:[A-Z][\w']*)(?: (?:and )?[A-Z][\w']*){0,2}) (?P<verb>[a-z]+)(?P<rest>(?: [^?]*?)?) ?\??"
)


def reworded(question: str, random_: random.Random) -> str:
    """`question`, at times asked otherwise: "What did Ann buy?" as "Ann bought what?"."""
    if random_.random() < GAP:
        question = _with_gap(question) or question
    if random_.random() < CARELESS:
        question = question.rstrip(" ?").lower()
    return question


def _with_gap(question: str) -> str | None:
    """The statement that the answer would complete; None for a question of another form."""
    from lemminflect import getInflection

    found = _ASKED.fullmatch(question)
    if found is None:
        return None
    tag = {"did": "VBD", "does": "VBZ", "do": "VBP"}[found["aux"]]
    inflected = getInflection(found["verb"], tag=tag)
    if not inflected:
        return None
    return f"{found['who']} {inflected[0]}{found['rest']} {found['wh'].lower()}?"
