"""Expressions by which a speaker does not vouch for a clause: hearsay, rumour, intention, irony.

Chafe 1986, "Evidentiality in English". What the clause above says of one is read with it (`factivity`); these leave a clause stated, but unsure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from goalmem.language.sentences import CLAUSE_BREAK
from goalmem.language.verb_forms import forms_of, verb_bases
from goalmem.language.words.modifiers import HEARSAY
from goalmem.language.words.verbs import CLAIMING, DOUBTING, REPORTS
from goalmem.records import Fact

IRONY = re.compile(
    r"(?:^sure,|\b(?:yeah,? right|yeah,? sure|as if|of course not|oh,? sure|sure thing)[,.!: ]+)\s*(?:\w+ ){0,2}$",
    re.IGNORECASE,
)
"""Introductions of a statement that is not meant (echoic irony: Sperber & Wilson 1981)."""
PURPOSE = re.compile(
    r"\b(?:went|go(?:es|ne|ing)?|came|comes?|ran|drove|walked|headed|set (?:off|out)|popped|nipped|rushed|flew|rang|called|waited|stopped)\b"
    r"[^,.;]{0,40}?\bto (?P<verb>\w+)",
    re.IGNORECASE,
)
"""A purpose, which may not have been reached (rationale clauses: Quirk et al. 1985, section 15.48)."""
RUMOURED = HEARSAY | {"rumour", "rumor", "rumours", "rumors", "gossip", "hearsay"}
HEARD = re.compile(r"\b(?:hear|hears|heard)\b", re.IGNORECASE)
SPEAKER = re.compile(r"i|we", re.IGNORECASE)


def unvouched(fact: Fact, beside: Iterable[Fact], content: str) -> str:
    """The words by which the speaker does not vouch for a fact; empty if there are none.

    `beside`: the facts of its turn; `content`: what the turn says.
    """
    before = CLAUSE_BREAK.split(content[: fact.start])[-1]
    irony = IRONY.search(content, 0, fact.start)
    purpose = PURPOSE.search(content[: fact.end], len(content[: fact.start]) - len(before))
    if purpose is not None and purpose["verb"].casefold() not in forms_of(fact.predicate.split()[0]):
        purpose = None
    words = re.findall(r"[a-z]+", f"{before} {fact.text}".casefold())
    return (
        next((told.text for told in beside if _tells(told, fact)), "")
        or (purpose[0] if purpose is not None else "")
        or next((w for w in words if w in RUMOURED), "")
        or next(iter(sorted(verb_bases(before) & (DOUBTING | CLAIMING))), "")
        or next((a.text for a in fact.args if a.role == "according to"), "")
        or (heard[0] if (heard := HEARD.search(before)) is not None else "")
        or (irony[0].strip() if irony is not None else "")
    )


def _tells(told: Fact, fact: Fact) -> bool:
    """True if a clause reports speech of somebody else, or to somebody else: `Bea says she is ill`."""
    what, who = told.arg("complement"), told.arg("subject")
    if told.predicate not in REPORTS or told.id == fact.id or what is None or who is None:
        return False
    if not what.start <= fact.start < fact.end <= what.end + 1:
        return False
    return not SPEAKER.fullmatch(who.text) or told.arg("object") is not None
