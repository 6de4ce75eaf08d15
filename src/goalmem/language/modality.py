"""The modality and polarity of clauses.

Of one clause, in this order: who says it (a quotation), in what sentence (a question, a joke, an order), with which
auxiliaries (will, would, might), in which clause (`embedding`). The first
that is not plain assertion decides.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause, TurnReading, around, depth, merged
from goalmem.language.clauses import dependents, finite_form, has_got, is_asked, subject_of
from goalmem.language.entities import noun_type
from goalmem.language.factivity import embed
from goalmem.language.operators import (
    adverbial_modality,
    follows_rather_than,
    has_negative_adverb,
    is_on_condition,
    is_superlative,
    is_supposition,
)
from goalmem.language.quotations import passed_on
from goalmem.language.verb_forms import contracted
from goalmem.language.words.doubts import is_doubtful
from goalmem.language.words.function_words import FUTURE, NEGATIONS, OPEN_MODALS
from goalmem.language.words.modifiers import ADDITIVE, CONDITIONS, CONFIRMING
from goalmem.language.words.pronouns import FIRST_SINGULAR, NO_ONE
from goalmem.records import DOCUMENT, HEADING, PART, Modality

if TYPE_CHECKING:
    from spacy.tokens import Token


FUTURE_DAYS = re.compile(
    r"\b(?:next(?! (?:to|door)\b)|tomorrow|upcoming|coming|soon|tonight|later (?:today|this))\b|\bin (?:a|an|\w+) (?:few )?(?:day|week|month|year)s?\b",
    re.IGNORECASE,
)
_QUOTE = re.compile(r"\"[^\"\n]+\"|(?:(?<=^)|(?<=[:,(] )|(?<=\n))'(?=\w)(?:[^'\n]|'(?=\w))+'(?!\w)")
_ANNOUNCED = re.compile(
    r"\b(?!I\b|i\b|we\b|We\b)(\w+) (?:said|says|wrote|writes|told me|tells me|texted|texted me|replied|answered|asked|shouted|whispered): ?(?=[^\s\"'])[^\n.!?]*"
)
"""Words after a colon that somebody else said."""
_BLOCK = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_LEAD = re.compile(r"^.*:[ \t]*\n", re.MULTILINE)
"""A line that introduces the following ones."""
_JOKE = re.compile(
    r"(?<![\w'])(?:(?:i'm |i am |i was |im )?(?:just |only )?(?:kidding|joking)|jk|j/k|lol jk|/s|haha,? no+|just messing with you)(?![\w/])",
    re.IGNORECASE,
)
_NO_JOKE = re.compile(
    r"\b(?:not|n't|no|never|stop|without|all|aside)\s+(?:just |only |even |really |actually )?$", re.IGNORECASE
)
TELLING, KNOWING = frozenset({"tell", "mention"}), frozenset({"know", "realize", "realise", "remember", "note"})
_SPEECH_WORDS = 3
"""Minimum number of quoted words that may be speech."""


def find_quotations(reading: TurnReading) -> None:
    """Annotate quoted speech, quoted lines and texts that are passed on, and what a document does not vouch for; quoted titles are
    not speech.
    """
    text = reading.text
    quoted = [m.span() for pattern in (_BLOCK, _ANNOUNCED) for m in pattern.finditer(text)]
    for m in _QUOTE.finditer(text):
        titles = bisect_right(reading.titles, m.end(), key=itemgetter(0))
        title = titles and m.start() <= reading.titles[titles - 1][1]
        if not title and len(m.group().split()) >= _SPEECH_WORDS:
            quoted.append(m.span())
    quoted += _unvouched(reading) if reading.turn.role == DOCUMENT else passed_on(reading)
    reading.quoted = merged(quoted)


def _unvouched(reading: TurnReading) -> Iterator[tuple[int, int]]:
    """The parts of a document that it does not assert: tables, code and quotations; text under a heading such as
    `Myths`, or after a line such as `Never:`; without an author, the first person.
    """
    turn, text = reading.turn, reading.text
    if turn.metadata.get(PART) or is_doubtful(str(turn.metadata.get(HEADING, ""))):
        yield 0, len(text)
        return
    leads = (line for line in _LEAD.finditer(text) if is_doubtful(line.group()))
    yield from ((line.end(), len(text)) for line in leads)
    if not turn.author:
        personal = (s for s in reading.doc.sents if not FIRST_SINGULAR.isdisjoint(t.lower_ for t in s))
        yield from ((s.start_char, s.end_char) for s in personal)


def judge(reading: TurnReading) -> None:
    """Settles tense, polarity and modality of every clause, matrix clauses first, and marks the semi-auxiliaries."""
    jokes = _joking(reading)
    for clause in sorted(reading.clauses, key=depth):
        head = clause.verb
        _verb_group(clause)
        embed(clause)
        if follows_rather_than(head):
            clause.polarity = False
        clause.offers = clause.polarity and _one_of_several(clause)
        if clause.modality in (Modality.ASSERTED, Modality.PLANNED) and (is_supposition(head) or clause.offers):
            clause.offers = clause.offers and not is_supposition(head)
            clause.modality = Modality.HYPOTHETICAL
        clause.meant = clause.modality
        if reading.is_quoted(head):
            clause.modality = clause.meant = Modality.QUOTED
        elif around(jokes, head.idx) is not None:
            clause.modality = clause.meant = Modality.JOKE
        elif _is_order(clause):
            clause.modality = clause.meant = Modality.COMMAND
        if clause.modality in (Modality.COMMAND, Modality.HYPOTHETICAL) and _gives_own_name(head):
            clause.modality = clause.meant = Modality.ASSERTED
        unsaid = (Modality.QUOTED, Modality.JOKE, Modality.HYPOTHETICAL, Modality.CONDITIONAL, Modality.REPORTED)
        if is_asked(head) and clause.modality not in unsaid and not (_told_before(clause) or _presupposed(clause)):
            clause.modality = Modality.QUESTION


def _gives_own_name(verb: Token) -> bool:
    """`Please call me Sam`, `you can call me Sam`: who says so is called so from then on (a declaration: Searle 1979, chapter 1)."""
    behind = verb.doc[verb.i + 1 : verb.i + 3]
    return (
        verb.lemma_.lower() == "call"
        and len(behind) > 1
        and behind[0].lower_ == "me"
        and behind[1].tag_ == "NNP"
        and behind[1].ent_type_ not in ("DATE", "TIME")
        and not any(t.dep_ == "mark" or t.lower_ in ("would", "might") for t in verb.children)
    )


# --- the sentence -----------------------------------------------------------------------------------------------------


def _told_before(clause: Clause) -> bool:
    """`I moved to Lisbon, remember?`: a statement put before the question that is asked about it.

    `You live in Rome, right?` asks whether it is so (statements about what the other knows: Labov & Fanshel 1977, Therapeutic Discourse).
    """
    head = clause.head
    if head is None or clause.link not in ("ccomp", "parataxis") or head.head.i < head.i:
        return False
    if head.head.lower_ in CONFIRMING:
        return False
    subject = subject_of(head)
    finite = finite_form(head)
    return subject is not None and finite is not None and subject.i < finite.i and subject.tag_ not in ("WP", "WDT")


def _presupposed(clause: Clause) -> bool:
    """`Did I tell you that I moved?`, `did you know that Tom is back?`: it is asked whether it is known, not whether it is so."""
    head, above = clause.head, clause.matrix
    if head is None or above is None or above.head is None or clause.link != "ccomp" or not above.polarity:
        return False
    asker = subject_of(above.head)
    verbs = (
        KNOWING
        if asker is not None and asker.lower_ == "you"
        else TELLING
        if asker is not None and asker.lower_ == "i"
        else ()
    )
    content = any(t.tag_ in ("WP", "WDT", "WRB", "WP$") or t.lower_ in ("if", "whether") for t in head.lefts)
    return above.head.lemma_ in verbs and subject_of(head) is not None and not content


def _joking(reading: TurnReading) -> list[tuple[int, int]]:
    """The sentence with the sign of a joke, and the one before it."""
    text, found = reading.text, []
    signs = [m.start() for m in _JOKE.finditer(text) if not _NO_JOKE.search(text, max(0, m.start() - 20), m.start())]
    sents = [(s.start_char, s.end_char) for s in reading.doc.sents] if signs else []
    for sign in signs:
        here = bisect_right(sents, sign, key=itemgetter(0)) - 1
        if here >= 0 and sign < sents[here][1]:
            found += sents[max(0, here - 1) : here + 1]
    return merged(found)


def _one_of_several(clause: Clause) -> bool:
    """`Lars or Kofi broke it`: not asserted of either."""
    joined = [c.token for p in clause.parts for c in p.conjuncts if c.token is not None]
    joined += [t.head for t in joined if t.head.pos_ == "ADP"]
    return any(t.lower_ in ("or", "either") for token in joined for t in token.children if t.dep_ in ("cc", "preconj"))


def _is_order(clause: Clause) -> bool:
    """A bare verb without a subject at the top, or coordinated with one; `let's`."""
    head = clause.verb
    subject = clause.part("subject")
    if subject and (subject.start >= 0 or subject.resolved != "addressee") and clause.link != "conj":
        return False
    if clause.link == "conj" and clause.matrix is not None and subject_of(head) is None:
        if _disagrees(clause, clause.matrix):
            return True
        return clause.matrix.modality is Modality.COMMAND and head.tag_ in ("VB", "VBP")
    first = next((t for t in (*head.lefts, head) if t.dep_ == "aux" or t.i == head.i), head)
    return clause.matrix is None and first.tag_ in ("VB", "VBP", "NN") and subject_of(head) is None


def _disagrees(clause: Clause, above: Clause) -> bool:
    """`Wen is hosting, bring snacks`: after a third person a bare verb is an order of its own."""
    head = clause.verb
    finite = finite_form(above.verb) if above.head is not None else None
    bare = head.tag_ in ("VB", "VBP") and not any(t.dep_ in ("aux", "auxpass") or t.tag_ == "TO" for t in head.children)
    return bare and finite is not None and finite.tag_ == "VBZ" and finite.i == above.verb.i


# --- the verb group ---------------------------------------------------------------------------------------------------


def _verb_group(clause: Clause) -> None:
    head = clause.verb
    finite = finite_form(head)
    auxiliaries = [t for t in dependents(head) if t.dep_ in ("aux", "auxpass")]
    modal = next((contracted(t) for t in auxiliaries if t.tag_ == "MD"), "")
    if modal == "'d" and head.tag_ == "VBN" and not any(t.tag_ == "VB" for t in auxiliaries):
        modal, finite, clause.tense = "", None, "past"
    perfect_modal = modal and any(t.lemma_ == "have" for t in auxiliaries)
    clause.polarity = not _denied(clause)
    if finite is not None:
        clause.tense = "past" if finite.tag_ == "VBD" else "present"
    if (
        finite is not None
        and not has_got(head)
        and finite.lemma_ == "have"
        and finite.i != head.i
        and head.tag_ == "VBN"
    ):
        clause.tense = "past"
    if modal in FUTURE:
        clause.tense, clause.modality = "future", Modality.PLANNED
    elif modal in ("can", "ca", "cannot"):
        clause.modality = _ability(clause)
    elif modal == "could" and not clause.polarity and not perfect_modal:
        clause.tense = "past"
    elif modal in OPEN_MODALS:
        clause.modality = Modality.HYPOTHETICAL
    elif clause.tense == "present" and _arranged(head):
        clause.tense, clause.modality = "future", Modality.PLANNED
    if any(t.dep_ == "mark" and t.lower_ in CONDITIONS for t in head.children) or _inverted(head):
        clause.modality = Modality.HYPOTHETICAL
    if modal in ("would", "'d") and head.lemma_ in ("love", "like", "prefer", "hate"):
        clause.predicate = "want" if head.lemma_ != "hate" else clause.predicate
        clause.modality = Modality.ASSERTED
    _limit(clause)


def _limit(clause: Clause) -> None:
    """The modality that adverbs, a proviso or a degree give a clause."""
    if clause.modality is Modality.ASSERTED:
        clause.modality = adverbial_modality(clause) or clause.modality
    stated = clause.modality in (Modality.ASSERTED, Modality.PLANNED)
    if stated and (is_on_condition(clause) or is_superlative(clause.verb)):
        clause.modality = Modality.HYPOTHETICAL


def _inverted(head: Token) -> bool:
    """`Had I known, …`, `Were I rich, …`: a condition without a conjunction (Quirk et al. 1985, section 15.36)."""
    subject, finite = subject_of(head), finite_form(head)
    return (
        subject is not None
        and finite is not None
        and finite.lower_ in ("had", "were", "should")
        and finite.i < subject.i
        and finite.i == finite.sent.start
        and not is_asked(head)
    )


def _ability(clause: Clause) -> Modality:
    """`can't` denies; `I can speak Spanish` is an ability that one has; `you can`, `we can` are possibilities."""
    subject, taken = subject_of(clause.verb), clause.part("subject")
    able = subject is not None and (subject.lower_ in ("i", "he", "she") or subject.pos_ == "PROPN")
    able = able or (subject is not None and noun_type(subject) in ("person", "animal"))
    able = able or (taken is not None and taken.resolved == "name")
    return Modality.ASSERTED if able or not clause.polarity else Modality.HYPOTHETICAL


def _arranged(head: Token) -> bool:
    """`I'm moving next month`, `my flight leaves tomorrow`: a present tense with a future time."""
    own = [t for t in head.children if t.dep_ in ("npadvmod", "prep", "advmod", "dobj")]
    return any(
        FUTURE_DAYS.search(head.doc[t.left_edge.i : t.right_edge.i + 1].text)
        for t in own
        if t.dep_ != "dobj" or t.ent_type_ == "DATE"
    )


def _denied(clause: Clause) -> bool:
    """Negated by a particle, an adverb, or a `no` in an argument; "not only" is no negation."""
    head = clause.verb
    if has_negative_adverb(head):
        return True
    said = [t for t in head.children if t.pos_ != "PUNCT"]  # not the `n't` of `Don't forget that I moved`
    words = [t for t in said if t.dep_ in ("neg", "advmod", "preconj") or t.lower_ in NEGATIONS]
    words += [t for a in head.children if a.dep_ in ("aux", "auxpass") for t in a.children if t.dep_ == "neg"]
    words = [t for t in words if not _is_contrast(t, head)]
    subject = subject_of(head)
    if head.tag_ in ("VBD", "VBZ") and subject is not None:
        words = [t for t in words if t.i > subject.i]  # "Don't, you had a fever"
    for word in words:
        following = head.doc[word.i + 1].lower_ if word.i + 1 < len(head.doc) else ""
        if word.lower_ in NEGATIONS and following not in ADDITIVE:
            return True
        if word.lower_ in ("longer", "more") and any(t.lower_ == "no" for t in word.children):
            return True
    own = [p.token for p in clause.parts if p.token is not None and p.role in ("object", "subject", "attribute")]
    own = [t for t in own if t.head.i == head.i and not _appended(t)]
    return any(t.lower_ in NO_ONE or has_no(t) for t in own)


def _is_contrast(word: Token, head: Token) -> bool:
    """True for the `not` of `it was Greta, not me`, which denies what stands behind it only."""
    doc = word.doc
    after_comma = word.lower_ == "not" and word.i > head.i + 1 and doc[word.i - 1].text == ","
    behind = doc[word.i + 1].pos_ if word.i + 1 < len(doc) else ""
    said = any(head.i < t.i < word.i and t.dep_ in ("attr", "dobj", "pobj", "acomp") for t in head.children)
    said = said or (
        head.dep_ == "relcl" and not any(t.i > word.i for t in head.subtree)
    )  # "it was Imke who won, not Rolf"
    return after_comma and said and behind in ("PRON", "PROPN", "NOUN", "DET")


def _appended(token: Token) -> bool:
    """A clause after a conjunction of its verb adds something: "I'm allergic to nuts, so no cake for me"."""
    return any((t.dep_ == "cc" or t.lower_ == "so") and token.head.i < t.i < token.i for t in token.head.children)


def has_no(token: Token) -> bool:
    """True for `no cats`, and for `neither` before a noun."""
    return any(t.dep_ in ("det", "preconj", "cc") and t.lower_ in ("no", "neither") for t in token.lefts)
