"""What the words of a statement leave open: that it holds exactly and wholly, of just this, and on its speaker's word.

A modifier that is not known to leave the statement unchanged makes it uncertain. So do hearsay, rumour, intention and irony, by which a
speaker does not vouch for it (Chafe 1986, "Evidentiality in English").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from goalmem.language import lexicon
from goalmem.language.lexnames import NounKind
from goalmem.language.sentences import CLAUSE_BREAK
from goalmem.language.verb_forms import forms_of, is_over, is_simple_present, verb_bases
from goalmem.language.words.changes import GIVING
from goalmem.language.words.doubts import (
    APPROXIMATE,
    DEPUTIES,
    FORMERLY,
    HEDGED,
    INDIRECT,
    NEUTRAL,
    NEXT_CLAUSE,
    NONSUBSECTIVE,
    NOT_THE_SAME,
    PARTING,
    TOGETHER,
)
from goalmem.language.words.idioms import IDIOMATIC, IDIOMATIC_STATE
from goalmem.language.words.modifiers import HEARSAY
from goalmem.language.words.pronouns import POSSESSIVES, SOMEBODY
from goalmem.language.words.verbs import CLAIMING, DOUBTING, NAMING, REPORTS
from goalmem.logic.terms import Binding
from goalmem.records import Argument, Fact, Turn
from goalmem.sources.certainty.topics import is_state, words_in
from goalmem.sources.numbers import number_in
from goalmem.sources.spans import sentence_around

LOOKED_BACK = 60
"""Characters before a possession in which its verb is searched."""
ABILITY = re.compile(r"\b(?:can|could|able to|capable of)\b(?! not\b)", re.IGNORECASE)
"""Words for what is possible (Quirk et al. 1985, section 4.52)."""

PART = re.compile(
    r"(?:half|part|parts|most|some|bits?|one|two|three|(?:a|the first|the second|the other|the top|the bottom) "
    r"(?:few|third|quarter|couple|part|bit|fraction|number|half|piece))(?: of)?\s+(?:the|my|our|his|her|their|its|this|that)\b",
    re.IGNORECASE,
)
"""Quantifiers of a part (partitives: Quirk et al. 1985, section 5.5)."""
FURTHER = re.compile(r"\w+ (?:more|other|extra|additional|further)\b", re.IGNORECASE)
"""`four more`: an addition, not the total."""
LIKENED = re.compile(r"\s(?:like|similar to|the size of|comparable to)\s", re.IGNORECASE)
COMPARED = re.compile(r"\bas \w+ as\b", re.IGNORECASE)
"""Comparisons, which are about something else (equatives: Quirk et al. 1985, section 15.63)."""
PREFIXES = "(?:ex|non|anti|pseudo|pre|post|half|semi|quasi|never|not|near|mock|wannabe)"
"""Prefixes that negate or weaken a noun (Quirk et al. 1985, appendix I.20 to I.28)."""
RANKS = frozenset({"first", "second", "third"})
"""Of people: `her first husband`."""
RECURRING = re.compile(r"(?:days|ends|nights|mornings|evenings|afternoons|summer|winter)\b")

TOLD = NounKind.named("act cognition communication")
"""Kinds of nouns for what may be told."""
FICTIVE = "game,dream,fiction,story,performance,dramatic composition,model,imagination,simulation,musical composition,movie,joke".split(
    ","
)
"""Kinds of acts, thoughts and works (WordNet 3.0) that tell of nothing real."""
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

IRONY = re.compile(
    r"(?:^sure,|\b(?:yeah,? right|yeah,? sure|as if|of course not|oh,? sure|sure thing)[,.!: ]++)\s*+(?:\w+ ){0,2}$",
    re.IGNORECASE,
)
"""Introductions of a statement that is not meant (echoic irony: Sperber & Wilson 1981)."""
PURPOSE = re.compile(
    r"\b(?:went|go(?:es|ne|ing)?|came|comes?|ran|drove|walked|headed|set (?:off|out)|popped|nipped|rushed|flew|rang|called|waited|stopped)\b"
    r"[^,.;]{0,40}?\bto (?P<verb>\w+)",
    re.IGNORECASE,
)
"""A purpose, which may not have been reached (rationale clauses: Quirk et al. 1985, section 15.48)."""
LONGEST_IDIOM = 40
"""Characters around a fact that may belong to an idiom."""
BODY_PARTS = frozenset("head heart mind nose hand foot eye ear".split())
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
RATHER = re.compile(r"(?<![\s,;–—-])[\s,;–—-]*+\bor rather\b", re.IGNORECASE)
"""Behind a statement, that it is put right."""
IS_NOW = re.compile(r"\b(?:is|are|am)\b|['’](?:m|s|re)\b")
WITHIN_BOUNDS = re.compile(r"\bbetween\s+[\w.,-]+\s+and\s+$", re.IGNORECASE)
"""Before the second of two bounds."""
UNDECIDED = re.compile(r"\beither\b", re.IGNORECASE)
OR_ANOTHER = re.compile(r",?\s+or\s+(?!so\b|whatever\b|something\b|else\b)\w", re.IGNORECASE)
"""An alternative behind a statement: `is Mabs or Doreen`."""


def is_open(fact: Fact, turn: Turn, beside: Iterable[Fact], bindings: Sequence[Binding], asked: str) -> bool:
    """True if a turn leaves open whether, or of what, a fact of it holds as it is asked. `beside`: all facts of the turn."""
    return (
        is_unvouched(fact, beside, turn.content)
        or _may_be_given_up(fact, turn)
        or _is_inexact(fact, turn, bindings)
        or _is_bounded(fact, asked)
        or is_of_another(fact, asked)
        or _is_only_possible(fact, asked)
        or _is_nickname(fact)
        or any(a.resolved == "presumed" for a in fact.args)
        or is_figurative(fact, turn.content, asked)
        or (not bindings and is_restricted(fact, asked))
        or is_qualified(fact, state=is_state(fact))
    )


def is_hedged(fact: Fact, text: str) -> bool:
    """True if a comment before, behind or within a statement leaves it open: `My boss is Petra, I think`."""
    if not 0 <= fact.start < fact.end <= len(text):
        return False
    first, last = sentence_around(text, fact.start, fact.end)
    breaks = list(NEXT_CLAUSE.finditer(text, first, last))
    begins = max((m.end() for m in breaks if m.end() <= fact.start), default=first)
    ends = min((m.start() for m in breaks if m.start() >= fact.end), default=last)
    return HEDGED.search(text[begins:ends]) is not None


def nearby(fact: Fact, place: str) -> str:
    """The words that put something only near a place, with the place: `next to the shed`; empty if it is in or at it."""
    found = re.search(rf"\b{re.escape(place)}\b", fact.text, re.IGNORECASE) if place else None
    before = INDIRECT.search(fact.text[: found.start()]) if found is not None else None
    return fact.text[before.start() : found.end()].strip() if found is not None and before is not None else ""


def _may_be_given_up(fact: Fact, turn: Turn) -> bool:
    """True if a possession that is only mentioned may have been lost: `lent my tent`."""
    if fact.kind != "possession" or fact.arg("object") is None or fact.start < 0:
        return False
    before = turn.content[max(0, fact.start - LOOKED_BACK) : fact.start]
    return not verb_bases(CLAUSE_BREAK.split(before)[-1]).isdisjoint(PARTING | GIVING)


def _is_nickname(fact: Fact) -> bool:
    """True for a nickname or another use of `call`: `called him a taxi`, `call our boss the Duchess`."""
    name = fact.arg("attribute") if fact.predicate in NAMING else None
    return name is not None and re.match(r"(?:an?|the)\s", name.text, re.IGNORECASE) is not None


def _is_only_possible(fact: Fact, asked: str) -> bool:
    """True if somebody only can or could do something, and the question does not ask for that: `I can take tablets`."""
    if fact.predicate == "speak":  # who can speak a language speaks it
        return False
    return fact.polarity and ABILITY.search(asked) is None and ABILITY.search(fact.text) is not None


# -- exactly, wholly, of just this ------------------------------------------------------------------------------------


def _is_inexact(fact: Fact, turn: Turn, bindings: Sequence[Binding]) -> bool:
    """True if words make a number or a time inexact that the answer does not contain, or if an answer names nobody."""
    for b in bindings:
        if b.turn == fact.turn and b.span.casefold().startswith(SOMEBODY):
            return True
        if b.turn != fact.turn or (b.value.number is None and b.value.interval is None):
            continue
        words = b.span or b.value.text
        place = turn.content.find(words, fact.start if words in fact.text else 0)
        if place < 0:
            continue
        number = re.search(r"\d[\d.,]*", words)
        spelled = (m.start() for m in re.finditer(r"[\w-]+", words) if number_in(m[0]) is not None)
        at = place + (number.start() if number is not None else next(spelled, 0))
        end = place + (number.end() if number is not None else len(words))
        # If the answer is the interval, the words that make it inexact are lost.
        around = (APPROXIMATE.search(turn.content, 0, at) if at else None, TOGETHER.match(turn.content[end:]))
        if any(f is not None and f[0].casefold().strip() not in b.value.text.casefold() for f in around):
            return True
        if (number is None and FURTHER.match(words)) or (b.value.number is not None and _is_shared(fact, turn)):
            return True
    return False


def _is_bounded(fact: Fact, asked: str) -> bool:
    """True if a fact gives only about what number, or a bound of it, and the question asks for just this: `up to six weeks`, `six weeks`."""
    for word in re.finditer(r"[\w-]+", asked):
        if number_in(word[0]) is None:
            continue
        inexact = APPROXIMATE.search(asked, 0, word.start())
        for told in re.finditer(rf"(?<![\w-]){re.escape(word[0])}(?![\w-])", fact.text):
            before = fact.text[: told.start()]
            said = APPROXIMATE.search(before) or WITHIN_BOUNDS.search(before)
            behind = TOGETHER.match(fact.text[told.end() :])
            if (said is not None or behind is not None) and inexact is None:
                return True
    return False


def _is_shared(fact: Fact, turn: Turn) -> bool:
    """True if a number is about several subjects together."""
    subject = fact.arg("subject")
    if subject is None or subject.start < 0:
        return False
    behind = turn.content[subject.end : subject.end + 5]
    before = turn.content[max(0, subject.start - 6) : subject.start]
    return bool(re.match(r"\s*(?:and|&|or)\s", behind) or re.search(r"[^\d)\s]\s+(?:and|&|or)\s*$", before))


def is_restricted(fact: Fact, asked: str) -> bool:
    """True if a state is restricted to some times or people that the question does not mention."""
    passive = fact.arg("subject") is None and IS_NOW.search(fact.text) is not None  # "is closed on Sundays"
    if not passive and (fact.predicate != "be" or not is_state(fact)):
        return False
    return any(
        (a.type == "time" and RECURRING.search(f"{a.role} {a.text}"))
        or (a.role == "for" and a.type in ("person", "organization"))
        for a in fact.args
        if not words_in(a.text) <= words_in(asked)
    )


def is_of_another(fact: Fact, asked: str) -> bool:
    """True if a fact is only about something similar to what is asked about, or about a part of it."""
    compared = any(a.role in ("like", "than") and a.role not in words_in(asked) for a in fact.args)
    if fact.predicate == "be" and (compared or COMPARED.search(fact.text)):
        return True
    wanted = {*re.findall(r"[\w-]+", asked.casefold())}
    return any(
        (a.role == "subject" and LIKENED.search(a.text) is not None)
        or (a.role in ("subject", "object", "attribute", "complement") and _names_another(a, fact, wanted, asked))
        for a in fact.args
    )


def _names_another(argument: Argument, fact: Fact, wanted: set[str], asked: str) -> bool:
    """True if an argument names something else than the question, with a noun of the question."""
    head, subject, words = argument.head, argument.role == "subject", re.findall(r"[\w-]+", argument.text.casefold())
    if f"{head}s" in wanted and head in words and f"{head}s" not in words and len(words) > 2:
        return True  # "the downstairs bathroom" if the question asks about all bathrooms
    part = PART.match(argument.text) if subject else None
    if part is not None and not wanted >= {*part[0].casefold().split()}:
        return True
    owner = re.match(r"(.+?)['’]s? (?:\w+ )*?(\w+)$", argument.text.casefold())
    named = argument.text[:1].isupper()
    if owner is not None and not named and re.search(rf"\bthe {re.escape(owner[2])}\b", asked, re.IGNORECASE):
        return True
    compound = " ".join(words[-2:])
    own = len(words) > 1 and words[-1] in wanted and words[-2] not in wanted
    if own and lexicon.is_known(compound) and not lexicon.is_a(compound, words[-1]):
        return True
    noun = re.escape(head)
    prefixed = re.search(rf"\b(?:{PREFIXES}-\W?{noun}|{noun}-(?:to-be|elect|designate))\b", fact.text, re.IGNORECASE)
    if prefixed is not None and head in wanted and prefixed[0].casefold() not in wanted:
        return True
    apart = (
        NOT_THE_SAME
        | DEPUTIES
        | (frozenset() if subject else NONSUBSECTIVE)
        | (RANKS if argument.type == "person" else frozenset())
    )
    return bool(wanted & {*words} and apart & {*words[:-1]} - wanted)


# -- modifiers of the clause ------------------------------------------------------------------------------------------


TIED = frozenset({"when", "whenever", "if", "unless"})
"""Roles of clauses without which a statement in the present need not hold."""


def is_qualified(fact: Fact, *, state: bool) -> bool:
    """True if a fact holds only partly, once, in fiction, or in a way that is not understood.

    `state`: if it describes a state rather than an event; then its manner matters, too.
    """
    subject = fact.arg("subject")
    if subject is not None and subject.text and EXCEPTED.match(fact.text.partition(subject.text)[2].strip()):
        return True
    if _is_idiom(fact):
        return True
    present = fact.predicate == "be" and not is_over(fact.text, "be")
    if (present or is_simple_present(fact.text, fact.predicate)) and any(a.role in TIED for a in fact.args):
        return True  # `I'm happy when Ana is here`
    if not fact.polarity:  # Only the reason may be denied.
        return any(a.role == "because" for a in fact.args)
    for argument in fact.args:
        fronted = subject is not None and 0 <= argument.start < subject.start
        if _limits_event(argument) or (state and _limits_state(argument, fronted=fronted)):
            return True
    return state and any(form.search(fact.text) for form in (FORMERLY, MERELY, UNDERWAY))


def _limits_event(argument: Argument) -> bool:
    """True if by an argument an event did not happen, or only nearly, or only in fiction."""
    text = argument.text.casefold()
    placed = argument.role in ("in", "on", "at", "as", "for") and argument.type != "time"
    absent = argument.role in ("with", "of", "in", "for") and text.startswith("no ")
    nearly = argument.role in ADVERBIAL and argument.type != "quantity" and text in NONSUBSECTIVE
    return absent or nearly or (placed and is_fictive(argument.head))


def _limits_state(argument: Argument, *, fronted: bool) -> bool:
    """True if an argument restricts a state to a place or time, or is not understood."""
    text, role = argument.text.casefold(), argument.role
    told = {*re.findall(r"[a-z]+", text)}
    return (
        role in LESS
        or (fronted and role in ("in", "on", "at", "as") and argument.type != "time")
        or (role == "time" and UNTIL.match(text) is not None)
        or (role == "complement" and is_fictive(text.split()[0] if text else ""))
        or (role == "by" and text == "training")
        or (role == "in" and lexicon.is_mainly(argument.head, "body part"))
        or (role in ADVERBIAL and argument.type != "quantity" and not told <= NEUTRAL and not re.search(r"\d", text))
    )


def _is_idiom(fact: Fact) -> bool:
    """True if the verb with its object is an idiom: `kick the bucket`."""
    thing = fact.arg("object")
    return thing is not None and lexicon.is_known(f"{fact.predicate} {thing.text.casefold()}", "v")


def is_figurative(fact: Fact, content: str, asked: str) -> bool:
    """True if a fact may be meant in another way than its words: an idiom that the question does not contain."""
    subject = fact.arg("subject")
    being = subject is not None and (subject.type in ("person", "") or subject.head in BODY_PARTS)
    first, last = max(0, fact.start - LONGEST_IDIOM), fact.end + LONGEST_IDIOM
    for form in (IDIOMATIC, IDIOMATIC_STATE) if being else (IDIOMATIC,):
        for found in form.finditer(content, first, last) if fact.start >= 0 else ():
            inside = found.start() < fact.end and fact.start < found.end()
            if inside and not words_in(found[0]) - POSSESSIVES <= words_in(asked):
                return True
    return False


def is_fictive(head: str) -> bool:
    """True if a noun names fiction: a game, a dream, a novel."""
    told = bool({*lexicon.supersenses(head, "n")[:1]} & TOLD)
    return told and any(lexicon.is_a(head, kind) or head == kind for kind in FICTIVE)


# -- the speaker's word -----------------------------------------------------------------------------------------------


def is_unvouched(fact: Fact, beside: Iterable[Fact], content: str) -> bool:
    """True if the speaker does not vouch for a fact. `beside`: the facts of its turn; `content`: what the turn says."""
    before = CLAUSE_BREAK.split(content[: fact.start])[-1]
    purpose = PURPOSE.search(content[: fact.end], fact.start - len(before))
    return (
        any(_reports(told, fact) for told in beside)
        or (purpose is not None and purpose["verb"].casefold() in forms_of(fact.predicate.split()[0]))
        or not RUMOURED.isdisjoint(re.findall(r"[a-z]+", f"{before} {fact.text}".casefold()))
        or not verb_bases(before).isdisjoint(DOUBTING | CLAIMING)
        or any(a.role == "according to" for a in fact.args)
        or HEARD.search(before) is not None
        or is_hedged(fact, content)
        or IRONY.search(content, 0, fact.start) is not None
        or any(form.match(content, fact.end) for form in (SAID_SO, IN_VAIN, RATHER))
        or RATHER.search(fact.text) is not None
        or (fact.polarity and UNDECIDED.search(fact.text) is not None)
        or (fact.polarity and fact.kind == "identity" and OR_ANOTHER.match(content, fact.end) is not None)
    )


def _reports(told: Fact, fact: Fact) -> bool:
    """True if a clause reports speech of somebody else, or to somebody else: `Bea says she is ill`."""
    what, who = told.arg("complement"), told.arg("subject")
    if told.predicate not in REPORTS or told.id == fact.id or what is None or who is None:
        return False
    if not what.start <= fact.start < fact.end <= what.end + 1:
        return False
    return not SPEAKER.fullmatch(who.text) or told.arg("object") is not None
