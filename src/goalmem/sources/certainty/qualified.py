"""Qualifications of a clause. A modifier that is not known to leave the statement unchanged makes it uncertain.

So do hearsay, rumour, intention and irony, by which a speaker does not vouch for it (Chafe 1986, "Evidentiality in English").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from goalmem.language import lexicon
from goalmem.language.sentences import CLAUSE_BREAK
from goalmem.language.verb_forms import forms_of, verb_bases
from goalmem.language.words.doubts import FORMERLY, NEUTRAL, PRIVATIVE
from goalmem.language.words.modifiers import HEARSAY
from goalmem.language.words.verbs import CLAIMING, DOUBTING, REPORTS
from goalmem.records import Argument, Fact

TOLD = frozenset({4, 9, 10})
"""Lexicographer files of WordNet (lexnames(5WN)) for acts, thoughts, and communication."""
FICTIVE = (
    "game",
    "dream",
    "fiction",
    "story",
    "performance",
    "dramatic composition",
    "model",
    "imagination",
    "simulation",
    "musical composition",
    "movie",
    "joke",
)
ADVERBIAL = frozenset({"manner", "frequency", "degree"})
"""Roles of adverbs."""
LESS = frozenset({"without", "except", "besides", "minus", "plus", "per", "excluding", "including"})
"""Prepositions that add to a statement or exclude something from it."""
EXCEPTED = re.compile(r"\b(?:except|but|apart from|aside from|save for|other than|bar)\b", re.IGNORECASE)
MERELY = re.compile(
    r"(?:\bam|\bis|\bare|['’](?:m|s|re))\s+(?:just|only|merely|basically|practically|such|kind of|sort of|almost)\b(?!\W+\d)",
    re.IGNORECASE,
)
"""Adverbs of similarity (downtoners: Quirk et al. 1985, section 8.111)."""
UNTIL = re.compile(r"(?:until|till?|through|for)\b", re.IGNORECASE)
"""Begins a duration."""
UNDERWAY = re.compile(r"\bbeing\b|\b(?:is|are|was|were|am|'s|'re)\s+getting\b", re.IGNORECASE)


def qualified(fact: Fact, *, state: bool) -> str:
    """The words by which a fact holds only partly, once, in fiction, or in a way that is not understood.

    `state`: if it describes a state rather than an event; then its manner matters, too.
    """
    subject = fact.arg("subject")
    if subject is not None and subject.text and subject.text in fact.text:
        behind = fact.text[fact.text.index(subject.text) + len(subject.text) :]
        if (found := EXCEPTED.match(behind.strip())) is not None:
            return found[0]
    if idiom := _idiom(fact):
        return idiom
    if not fact.polarity:  # Only the reason may be denied.
        return next((a.text for a in fact.args if a.role == "because"), "")
    for argument in fact.args:
        before = subject is not None and 0 <= argument.start < subject.start
        if words := _limit(argument, fronted=before) if state else _limit_of_event(argument):
            return words
    found = FORMERLY.search(fact.text) if state else None
    found = found or (MERELY.search(fact.text) if state else None)
    found = found or (UNDERWAY.search(fact.text) if state else None)
    return found[0] if found is not None else ""


def _limit_of_event(argument: Argument) -> str:
    """The words of an argument by which an event did not happen, or only nearly, or only in fiction."""
    text = argument.text.casefold()
    placed = argument.role in ("in", "on", "at", "as", "for") and argument.type != "time"
    absent = argument.role in ("with", "of", "in", "for") and text.startswith("no ")
    nearly = argument.role in ADVERBIAL and argument.type != "quantity" and text in PRIVATIVE
    return argument.text if absent or nearly or (placed and is_fictive(argument.head)) else ""


def _limit(argument: Argument, *, fronted: bool) -> str:
    """The words of an argument that restrict a state to a place or time, or that are not understood."""
    text, role = argument.text.casefold(), argument.role
    if words := _limit_of_event(argument):
        return words
    if role in LESS:
        return f"{role} {argument.text}"
    told = {*re.findall(r"[a-z]+", text)}
    adverb = role in ADVERBIAL and argument.type != "quantity"
    limited = (
        (fronted and role in ("in", "on", "at", "as") and argument.type != "time")
        or (role == "time" and UNTIL.match(text) is not None)
        or (role == "complement" and is_fictive(text.split()[0] if text else ""))
        or (role == "in" and lexicon.is_mainly(argument.head, "body part"))
        or (adverb and not told <= NEUTRAL and not re.search(r"\d", text))
    )
    return argument.text if limited else ""


def _idiom(fact: Fact) -> str:
    """The verb with its object, if together they are an idiom: `kick the bucket`."""
    thing = fact.arg("object")
    phrase = f"{fact.predicate} {thing.text.casefold()}" if thing is not None else ""
    return phrase if phrase and lexicon.is_known(phrase, "v") else ""


def is_fictive(head: str) -> bool:
    """True if a noun names fiction: a game, a dream, a novel."""
    told = bool({*lexicon.supersenses(head, "n")[:1]} & TOLD)
    return told and any(lexicon.is_a(head, kind) or head == kind for kind in FICTIVE)


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
SAID_SO = re.compile(
    r"[^.!?;]{0,40}?,?\s(?:or so|so|or at least that is what)\s(?!I\b)[\w'’-]+\s(?:says?|said|claims?|claimed|reckons?|thinks?|tells? me|told me)\b"
)
"""Behind a statement, that somebody else says so."""
IN_VAIN = re.compile(
    r",?\s*(?:but|yet|though|although|only)\s(?:it|they)(?:['’](?:s|re)|\sis|\sare)?\s?(?:still\b|keeps?\b|(?:wo|does|do|has|have)(?:n['’]?t|\snot)\b)",
    re.IGNORECASE,
)
"""Behind a statement, that what was done had no effect: `fixed the boiler, but it's still cold`."""
RATHER = re.compile(r"[\s,;–—-]*\bor rather\b", re.IGNORECASE)
"""Behind a statement, that it is put right."""
UNDECIDED = re.compile(r"\beither\b", re.IGNORECASE)
OR_ANOTHER = re.compile(r",?\s+or\s+(?!so\b|whatever\b|something\b|else\b)\w", re.IGNORECASE)
"""An alternative behind a statement: `is Mabs or Doreen`."""


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
        or next((found[0].strip() for found in _beside(fact, content) if found is not None), "")
    )


def _beside(fact: Fact, content: str) -> Iterator[re.Match[str] | None]:
    """Words in or behind a fact that leave it to another speaker or to an alternative."""
    yield SAID_SO.match(content, fact.end)
    yield IN_VAIN.match(content, fact.end)
    yield RATHER.match(content, fact.end) or RATHER.search(fact.text)
    if fact.polarity:
        yield UNDECIDED.search(fact.text)
        yield OR_ANOTHER.match(content, fact.end) if fact.kind == "identity" else None


def _tells(told: Fact, fact: Fact) -> bool:
    """True if a clause reports speech of somebody else, or to somebody else: `Bea says she is ill`."""
    what, who = told.arg("complement"), told.arg("subject")
    if told.predicate not in REPORTS or told.id == fact.id or what is None or who is None:
        return False
    if not what.start <= fact.start < fact.end <= what.end + 1:
        return False
    return not SPEAKER.fullmatch(who.text) or told.arg("object") is not None
