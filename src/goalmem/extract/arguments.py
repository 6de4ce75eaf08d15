"""Who and what takes part in a clause: its arguments with their spans, and those it shares or leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.extract.clauses import subject_of
from goalmem.extract.complements import DOUBTFUL
from goalmem.extract.entities import noun_type
from goalmem.extract.reading import Clause, Part, Reading

if TYPE_CHECKING:
    from spacy.tokens import Token

__all__ = ["fill_arguments", "implied_part", "part", "span"]

OUTSIDE = frozenset("relcl acl appos conj cc preconj parataxis advcl ccomp xcomp punct dep intj".split())
"""Dependents that are no part of an argument's span: they say something of their own."""
NOMINAL = (
    "NOUN",
    "PROPN",
    "PRON",
    "NUM",
    "ADJ",
    "DET",
    "X",
    "SYM",
    "VERB",
    "ADV",
    "INTJ",
    "ADP",
    "AUX",
    "PART",
    "SCONJ",
)
ROLES = {"dobj": "object", "attr": "attribute", "acomp": "attribute", "oprd": "attribute"}
CARRIERS = frozenset({"acomp", "dobj", "attr", "oprd", "pobj", "npadvmod", "advmod", "xcomp", "prt"})
"""Dependents whose own prepositional phrases are offered to the clause too; attachment is where parsers err most, and
"I bought a dress at the mall" and "good at chess" say something of the clause."""
SUBJECT_CONTROL = frozenset({"promise"})
FREQUENT = frozenset(
    "always usually often sometimes rarely frequently regularly occasionally daily weekly monthly yearly once twice seldom".split()
)
INTENSIFIERS = frozenset(
    "so very really too just even also still pretty quite as not n't never more most only actually".split()
)


def fill_arguments(reading: Reading) -> None:
    """Gives every clause its arguments, matrix clauses first, so that shared ones are there to inherit."""
    for clause in sorted(reading.clauses, key=_depth):
        if clause.head is None:
            continue
        clause.parts = list(_own(reading, clause))
        _one_subject(clause)
        _antecedent(reading, clause)
        if not clause.part("subject"):
            _share_subject(reading, clause)
    for clause in reading.clauses:
        _complement(reading, clause)


def _one_subject(clause: Clause) -> None:
    subjects = [p for p in clause.parts if p.role == "subject"]
    clause.parts = [p for p in clause.parts if p.role != "subject" or p is subjects[-1]]


def _depth(clause: Clause) -> tuple[int, int]:
    depth, above = 0, clause.matrix
    while above is not None:
        depth, above = depth + 1, above.matrix
    return depth, clause.head.i if clause.head is not None else 0


def _own(reading: Reading, clause: Clause) -> Iterator[Part]:
    head = clause.head
    assert head is not None
    existential = any(t.dep_ == "expl" and t.lower_ == "there" for t in head.children)
    for token in head.children:
        match token.dep_:
            case "nsubj" if token.pos_ in ("INTJ", "ADV") or (token.pos_ == "ADJ" and not list(token.lefts)):
                continue
            case "nsubj" if not clause.passive or token.tag_ not in ("WDT", "WP"):
                yield part(reading, token, "subject")
            case "nsubjpass" if not clause.passive:
                yield part(reading, token, "subject")
            case "nsubj" | "nsubjpass":
                given = any(t.dep_ == "dobj" for t in head.children)
                yield part(reading, token, "indirect" if given else "object")
            case "dobj" | "attr" | "acomp" | "oprd":
                role = "subject" if existential and token.dep_ == "attr" else ROLES[token.dep_]
                yield part(reading, token, role)
            case "csubj" if not clause.passive:
                yield part(reading, token, "subject", whole=True)
            case "dative":
                target = next((t for t in token.children if t.dep_ == "pobj"), token)
                yield part(reading, target, "indirect")
            case "agent":
                yield from (part(reading, t, "subject") for t in token.children if t.dep_ == "pobj")
            case "npadvmod" if token.pos_ != "PROPN" and token.lemma_ != "thank":
                often = (
                    any(t.dep_ == "det" and t.lower_ in ("every", "each") for t in token.lefts)
                    or token.lower_ in FREQUENT
                )
                yield part(reading, token, "frequency" if often else "manner")
            case "advmod":
                yield from _adverb(reading, token)
    yield from _prepositions(reading, clause)


def _adverb(reading: Reading, token: Token) -> Iterator[Part]:
    if token.tag_ == "WRB" or token.lower_ in INTENSIFIERS or token.text == "course":
        return
    role = "frequency" if token.lower_ in FREQUENT else "place" if token.lower_ in PLACES else "manner"
    yield part(reading, token, role)


PLACES = frozenset(
    "here there home abroad away upstairs downstairs outside inside overseas everywhere somewhere nearby back".split()
)


def _prepositions(reading: Reading, clause: Clause) -> Iterator[Part]:
    """The clause's prepositional phrases, then those inside its arguments."""
    head = clause.head
    assert head is not None
    direct = [
        t
        for t in head.children
        if t.dep_ in ("prep", "dative", "agent") and t.pos_ in ("ADP", "SCONJ", "PART", "VERB", "ADV")
    ]
    for prep in direct:
        if prep.lower_ == "like" and clause.predicate == "like":
            yield from (p.as_("object") for p in _phrase(reading, prep))
        elif prep.dep_ == "prep":
            agent = clause.passive and prep.lower_ == "by"
            yield from (p.as_("subject") if agent and p.type not in ("time", "") else p for p in _phrase(reading, prep))
    open_ = [t for t in head.children if t.dep_ in CARRIERS] + [
        o for p in direct for o in p.children if o.dep_ == "pobj"
    ]
    for carrier in open_:
        if carrier.pos_ in ("VERB", "AUX"):
            continue
        for prep in carrier.children:
            if prep.dep_ == "prep" and prep.lower_ != "of":
                agent = clause.passive and prep.lower_ == "by" and carrier.dep_ == "dobj"
                yield from (p.as_("subject") if agent else p for p in _phrase(reading, prep))


DISCOURSE = frozenset(
    "by the way|in fact|for example|for instance|at all|as for me|in general|of course|by far".split("|")
)
"""Phrases about the talk itself."""


def _phrase(reading: Reading, prep: Token) -> Iterator[Part]:
    role = prep.lower_
    if prep.doc[prep.left_edge.i : prep.right_edge.i + 1].text.lower() in DISCOURSE:
        return
    inner = next((t for t in prep.children if t.dep_ in ("prep", "pcomp") and t.pos_ == "ADP"), None)
    target = next((t for t in prep.children if t.dep_ == "pobj"), None)
    if target is None and inner is not None:
        role, target = f"{role} {inner.lower_}", next((t for t in inner.children if t.dep_ == "pobj"), None)
    if target is not None:
        yield part(reading, target, role)
    else:
        yield from (part(reading, t, role) for t in prep.children if t.dep_ == "pcomp" and t.pos_ in ("VERB", "AUX"))


def span(token: Token, *, whole: bool = False) -> tuple[int, int]:
    """First and last token of the phrase that a word heads: without clauses, appositions and coordinated phrases,
    unless `whole`.
    """
    if whole:
        return token.left_edge.i, token.right_edge.i
    kept = {token.i}
    open_ = [token]
    while open_:
        for t in open_.pop().children:
            if t.dep_ not in OUTSIDE or (t.dep_ == "punct" and t.text in ("-", "'", '"', "$", "#", "/", "%", "&")) or (t.dep_ in ("conj", "cc") and t.head.i != token.i):
                kept.add(t.i)
                open_.append(t)
    first = last = token.i
    doc = token.doc
    while first - 1 in kept or (first - 2 in kept and doc[first - 1].is_punct):
        first -= 1
    while last + 1 in kept or (last + 2 in kept and doc[last + 1].is_punct):
        last += 1
    return _trim(token, first, last)


def _trim(token: Token, first: int, last: int) -> tuple[int, int]:
    """Without unmatched punctuation at the ends, and without a preposition whose object is a clause of its own."""
    doc = token.doc
    while last > token.i and ((doc[last].is_punct and doc[last].text not in ('"', "'", "%")) or doc[last].is_space):
        last -= 1
    while last > token.i and (
        doc[last].dep_ in ("prep", "cc", "mark") or (doc[last].tag_ == "POS" and doc[last].head.i == token.i)
    ):
        last -= 1
    while first < token.i and (
        (doc[first].is_punct and doc[first].text not in ('"', "'", "$", "#")) or doc[first].is_space
    ):
        first += 1
    return first, last


def part(reading: Reading, token: Token, role: str, *, whole: bool = False) -> Part:
    """The argument that a word heads."""
    alone = _single(reading, token, role, whole=whole)
    others = [
        t
        for t in token.conjuncts
        if t.i > token.i and t.dep_ == "conj" and t.pos_ in ("NOUN", "PROPN", "PRON", "NUM", "ADJ")
    ]
    if not others or token.pos_ not in ("NOUN", "PROPN", "PRON", "NUM", "ADJ"):
        return alone
    return replace(alone, conjuncts=(alone, *(_single(reading, t, role) for t in others)))


def _single(reading: Reading, token: Token, role: str, *, whole: bool = False) -> Part:
    first, last = span(token, whole=whole or token.pos_ in ("VERB", "AUX"))
    title = next((t for t in reading.titles if t[0] <= token.idx < t[1]), None)
    doc = reading.doc
    start, end = doc[first].idx, doc[last].idx + len(doc[last])
    if title:
        start, end = min(start, title[0]), max(end, title[1])
    start, end = _unquoted(doc.text, start, end)
    referent = reading.referents.get(token.i)
    modifiers = tuple(
        t.lemma_.lower()
        for t in doc[first : last + 1]
        if t.i != token.i and t.pos_ in ("NOUN", "PROPN", "ADJ", "NUM", "VERB", "ADV") and not t.is_punct
    )
    return Part(
        role,
        reading.turn.content[start:end],
        start,
        end,
        token.lemma_.lower(),
        token,
        referent.entity if referent else "",
        referent.type if referent and (referent.type or referent.resolved == "name") else noun_type(token),
        referent.resolved if referent else "",
        modifiers,
    )


def _unquoted(text: str, start: int, end: int) -> tuple[int, int]:
    """Without a quotation mark that has no partner in the span."""
    if text.count('"', start, end) % 2:
        end -= text[end - 1] == '"'
        start += text[start] == '"'
    return start, max(start + 1, end)


def implied_part(name: str, role: str, how: str) -> Part:
    """A participant that is not said: the `I` of "Went hiking"."""
    return Part(role, "", -1, -1, name.lower(), None, name, "person", how)


# --- what a clause shares with another --------------------------------------------------------------------------------


def _antecedent(reading: Reading, clause: Clause) -> None:
    """A relative clause's pronoun, or gap, stands for the noun it describes."""
    head = clause.head
    assert head is not None
    if clause.link not in ("relcl", "acl") or head.head.pos_ not in ("NOUN", "PROPN", "PRON", "NUM"):
        return
    noun = head.head
    if clause.link == "acl":
        if head.tag_ == "VBG":
            clause.parts.append(part(reading, noun, "subject"))
        elif head.tag_ == "VBN" and not clause.part("object"):
            clause.parts.append(part(reading, noun, "object"))
        return
    for i, p in enumerate(clause.parts):
        if (
            (p.token is not None
            and p.token.tag_ in ("WDT", "WP"))
            or (p.token is not None and p.token.lower_ == "that" and p.token.pos_ == "PRON")
        ):
            clause.parts[i] = part(reading, _described_by(noun, p.token), p.role)
            return
    where = next((t for t in head.children if t.tag_ == "WRB"), None)
    near = [
        t
        for c in (head, *(c for c in head.children if c.dep_ in ("acomp", "dobj", "advmod", "attr")))
        for t in c.children
    ]
    stranded = next((t for t in near if t.dep_ == "prep" and not list(t.children)), None)
    if where is not None and where.lower_ == "where":
        clause.parts.append(part(reading, noun, "in"))
    elif stranded is not None:
        clause.parts.append(part(reading, noun, stranded.lower_))
    elif where is None and not clause.part("object") and not clause.passive:
        clause.parts.append(part(reading, noun, "object"))


def _described_by(noun: Token, pronoun: Token) -> Token:
    """`who` is about a person: in "a gift for my neighbor who helped" it is the neighbor, whatever the parser attached."""
    if (
        pronoun.lower_ not in ("who", "whom")
        or noun.pos_ == "PRON"
        or noun_type(noun) == "person"
        or noun.pos_ == "PROPN"
    ):
        return noun
    inside = [t for t in noun.subtree if t.i < pronoun.i and t.dep_ == "pobj" and noun_type(t) == "person"]
    return inside[-1] if inside else noun


def _share_subject(reading: Reading, clause: Clause) -> None:
    """Coordinated, controlled and participial clauses take the subject of the clause they hang on."""
    head, above = clause.head, clause.matrix
    assert head is not None
    if clause.passive and (subject_of(head) is not None or (clause.link == "acl" and clause.part("object"))):
        return
    if clause.link in ("csubj", "csubjpass", "nsubj"):
        lived = above is not None and above.head is not None and above.head.tag_ == "VBD" and head.tag_ == "VBG"
        if lived and reading.turn.speaker and not reading.is_quoted(head):
            clause.parts.insert(0, implied_part(reading.turn.speaker, "subject", "speaker"))
        return
    if above is None or clause.link in ("parataxis", "dep"):
        shared = _dropped(reading, clause)
        if shared:
            clause.parts.insert(0, shared)
        return
    if any(t.dep_ == "expl" for t in head.children):
        return
    source = above.part("subject")
    if source is not None and source.token is not None and source.token.i == head.head.i and clause.link == "acl":
        return
    if source is not None and source.head == "it" and not source.entity and clause.link in ("xcomp", "ccomp", "advcl"):
        if reading.turn.speaker and (experienced(above) or _diary(head)):
            clause.parts.insert(0, implied_part(reading.turn.speaker, "subject", "speaker"))
        return
    if clause.link in ("xcomp", "ccomp") and above.head is not None and above.head.lemma_ not in SUBJECT_CONTROL:
        source = above.part("indirect") or above.part("object") or source
        if above.passive:
            source = above.part("object") or above.part("indirect") or source
    elif above.passive and not clause.passive and clause.link == "conj":
        source = above.part("object") or source
    if source is not None and not (clause.link == "conj" and clause.part("object") and clause.passive):
        role = "object" if clause.passive and not clause.part("object") else "subject"
        clause.parts.insert(0, source.as_(role))


def experienced(above: Clause) -> bool:
    """`it was great [to meet Anna]`: an evaluation whose infinitive is about the speaker."""
    subject, attribute = above.part("subject"), above.part("attribute")
    return (
        above.predicate == "be"
        and subject is not None
        and subject.head == "it"
        and not subject.entity
        and attribute is not None
        and attribute.head not in DOUBTFUL
    )


def _diary(head: Token) -> bool:
    """`Researching agencies – it's been a dream`: a participle that starts the sentence."""
    return head.tag_ == "VBG" and head.left_edge.i == head.sent.start


def _dropped(reading: Reading, clause: Clause) -> Part | None:
    """Chat leaves out its I: "Went hiking", "Gonna sell it", "Love it!". A bare verb that can be an order is one."""
    head = clause.head
    assert head is not None
    if not reading.turn.speaker or clause.link not in ("", "parataxis", "ccomp", "dep") or reading.is_quoted(head):
        return None
    first = next((t for t in (*head.lefts, head) if t.dep_ in ("aux", "auxpass", "ROOT") or t.i == head.i), head)
    if any("?" in t.text for t in head.sent[-3:]):
        asked = (
            first.tag_ in ("VBD", "VBN", "VBP", "VB")
            and head.lower_ in ("got", "wan", "wanna", "want", "need", "care")
            and reading.other()
        )
        return implied_part(reading.other(), "subject", "addressee") if asked else None
    stative = head.lemma_ in STATIVE and first.tag_ in ("VB", "VBP", "NN", "NNP")
    past = first.tag_ == "VBD" or (first.tag_ == "VBN" and first.i == head.i and not clause.passive)
    auxiliary = first.tag_ in ("VBP",) and first.i != head.i and first.lower_ not in ("do", "does", "let")
    auxiliary = auxiliary or first.lower_ == "been"
    going = head.lower_ in ("gon", "wan", "got") or (
        head.tag_ == "VBG" and first.i == head.i and bool(list(head.rights))
    )
    if stative or past or auxiliary or going:
        return implied_part(reading.turn.speaker, "subject", "speaker")
    order = first.tag_ in ("VB", "VBP") and head.dep_ == "ROOT" and reading.other()
    return implied_part(reading.other(), "subject", "addressee") if order else None


STATIVE = frozenset("love like hate miss hope wish appreciate want need prefer guess doubt adore mean".split())
"""Verbs of state have no imperative (Lakoff 1966), so without a subject they are said of the speaker."""


BECAUSE = dict.fromkeys(("'cause", "cause", "cos", "coz", "cuz", "bc"), "because")


def _complement(reading: Reading, clause: Clause) -> None:
    """A clause that completes or explains another is also its argument: `started [taking pottery]`, `because …`."""
    head, above = clause.head, clause.matrix
    if head is None or above is None:
        return
    if clause.link in ("xcomp", "ccomp"):
        above.parts.append(part(reading, head, "complement", whole=True))
    elif clause.link == "advcl":
        mark = next((t for t in head.children if t.dep_ == "mark" or (t.dep_ == "advmod" and t.tag_ == "WRB")), None)
        purpose = mark is None and any(t.tag_ == "TO" for t in head.lefts)
        if mark is not None or purpose:
            found = part(reading, head, BECAUSE.get(mark.lower_, mark.lower_) if mark is not None else "to", whole=True)
            above.parts.append(_without_mark(reading, found, mark) if mark is not None else found)


def _without_mark(reading: Reading, found: Part, mark: Token) -> Part:
    start = mark.idx + len(mark)
    while start < found.end and reading.turn.content[start].isspace():
        start += 1
    return (
        replace(found, start=start, text=reading.turn.content[start : found.end])
        if found.start <= mark.idx and start < found.end
        else found
    )


def has_subject(token: Token) -> bool:
    """True when the verb has a subject of its own."""
    return subject_of(token) is not None
