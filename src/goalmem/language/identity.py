"""Possession (`my sister` -> Maya's sister), and what it presupposes: that somebody has a sister, and that Ines is that sister."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import Clause, Part, Referent, TurnReading
from goalmem.language.clauses import is_question
from goalmem.language.entities import noun_type
from goalmem.language.phrases import part
from goalmem.language.words.modifiers import BEREAVED, IMAGINED, OTHER_THAN_NAMED
from goalmem.language.words.nouns import HAVABLE, PARTNERS
from goalmem.language.words.verbs import ABSENT, DYING, GOING_FOR_GOOD, LOSING, PUT_DOWN, TAKING_ON
from goalmem.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Token

TO_VERB = 4
"""Levels of the tree between a name and its verb."""


def possessions(reading: TurnReading) -> None:
    """`my sister` -> (Maya, have, sister), once for each."""
    seen = set()
    former = {described for described, name in reading.named if _was(reading.doc[name], reading.doc[described])}
    for i, (owner, what) in reading.owned.items():
        token = reading.doc[i]
        own = possessor(token)
        referent = reading.referents[i]
        if own is None or referent.type not in HAVABLE or (owner, what) in seen or "favorite" in what:
            continue
        if any(t.lower_ in IMAGINED or (t.lower_ in BEREAVED and referent.type == "person") for t in token.lefts):
            continue
        modality = _modality(reading, token, own)
        if modality is None:
            continue
        if modality is Modality.ASSERTED and i in former:
            modality = Modality.FORMER
        seen.add((owner, what))
        who = part(reading, own, "subject")
        clause = Clause(
            None,
            "have",
            kind="possession",
            parts=[who, replace(part(reading, token, "object"), conjuncts=())],
            modality=modality,
            meant=modality,
            tense="present",
        )
        clause.statement = f"{owner} has {_article(token, what)}"
        reading.clauses.append(clause)


def _retired(reading: TurnReading) -> dict[int | str, list[Clause]]:
    """The clauses with `be` that an identity says better, by the word of their subject and by the name of both.

    `Ines is my sister` says with its resolved words that Ines is Ines, and so does `my kids are Tom and Ella`.
    """
    found: dict[int | str, list[Clause]] = {}
    for clause in reading.clauses:
        subject, attribute = clause.part("subject"), clause.part("attribute")
        if clause.kind != "clause" or clause.predicate != "be" or subject is None or attribute is None:
            continue
        if subject.token is not None and subject.token.tag_ == "NNS":
            found.setdefault(subject.token.i, []).append(clause)
        if subject.entity == attribute.entity:
            found.setdefault(subject.entity, []).append(clause)
    return found


def _single(token: Token, what: str) -> str:
    """The singular for each member: `my friends Josh and Mark` are each a friend."""
    return f"{what.removesuffix(token.lower_)}{token.lemma_.lower()}" if token.tag_ in ("NNS", "NNPS") else what


def _had(reading: TurnReading) -> dict[int, str]:
    """`We have two kids, Tom and Ella`, `we got a nanny, Ines`: the owner by each noun of a statement of possession.

    With the `brother` of `I have a sister, Pilar, and a brother, Tomás`, which parsers join to the name before it.
    """
    names: dict[int, list[int]] = {}
    joined: dict[int, list[int]] = {}
    for described, name in reading.named:
        names.setdefault(described, []).append(name)
        joined.setdefault(reading.doc[described].head.i, []).append(described)
    found: dict[int, str] = {}
    for clause in reading.clauses:
        subject, told = clause.part("subject"), clause.part("object")
        if clause.predicate not in TAKING_ON or subject is None or told is None or not subject.entity:
            continue
        tense = "present" if clause.predicate == "have" else "past"
        if not clause.polarity or clause.modality is not Modality.ASSERTED or clause.tense != tense:
            continue
        things = [t.i for p in (told, *told.conjuncts) if p.token is not None for t in (p.token, *p.token.conjuncts)]
        beside = (i for thing in things for name in names.get(thing, ()) for i in joined.get(name, ()))
        for i in chain(things, beside):
            found.setdefault(i, subject.entity)
    return found


def _one(described: Token, text: str) -> str:
    """`a kid` for `two kids` whose members are named; other words unchanged."""
    if described.tag_ not in ("NNS", "NNPS"):
        return text
    what = _single(described, description(described))
    return f"{'an' if what[:1] in 'aeiou' else 'a'} {what}"


def _article(token: Token, what: str) -> str:
    if token.tag_ in ("NNS", "NNPS"):
        return what
    return f"{'an' if what[:1] in 'aeiou' else 'a'} {what}"


def _modality(reading: TurnReading, token: Token, own: Token) -> Modality | None:
    """Presupposed in any context except a quotation, a joke, or a question about others."""
    if reading.is_quoted(token):
        return Modality.QUOTED
    above = next(iter(reading.clauses_in(token.sent)), None)
    if above is not None and above.modality is Modality.JOKE:
        return Modality.JOKE
    if (opened := _predicated(reading, token)) is not None:
        return opened
    referent = reading.referents.get(own.i)
    first = referent is not None and referent.resolved == "speaker"
    if is_question(token.sent) and not first:
        return Modality.QUESTION
    if (
        above is not None
        and above.modality in (Modality.HYPOTHETICAL, Modality.CONDITIONAL, Modality.WISH)
        and not first
    ):
        return above.modality
    return Modality.FORMER if _is_gone(reading, token) else Modality.ASSERTED


def _asks_whether(name: Token, described: Token) -> bool:
    """`Is Gareth the manager now?`, which is parsed as a phrase of its own."""
    first = name.sent[0]
    beside = min(name.left_edge.i, described.left_edge.i) == first.i + 1
    return beside and first.lemma_.lower() == "be" and is_question(name.sent)


def _predicated(reading: TurnReading, token: Token) -> Modality | None:
    """`Lars is not my boss`, `Ada could be my sister`, `I wish I had my own studio`: a predicate is not presupposed.

    None where it is said to be so, or presupposed.
    """
    told = token.dep_ in ("attr", "oprd") or any(t.lower_ == "own" and t.dep_ == "amod" for t in token.lefts)
    clause = next((c for c in reading.clauses_in(token.sent) if c.verb.i == token.head.i), None)
    if not told or clause is None or clause.modality is Modality.QUESTION:
        return None
    if clause.modality is not Modality.ASSERTED:
        return clause.modality
    return None if clause.polarity else Modality.HYPOTHETICAL


def _is_gone(reading: TurnReading, token: Token) -> bool:
    """`our hamster died`, `I sold my car`: a former possession. A relative who died remains a relative."""
    if noun_type(token) == "person":
        return False
    first = token.head if token.dep_ == "conj" else token  # `I sold my car and my bike`
    governor = first.head.head if first.dep_ == "pobj" else first.head
    done_to = first.dep_ in ("dobj", "pobj", "nsubjpass")
    words = {(governor.lemma_, t.lower_) for c in governor.rights for t in (c, *c.children)}
    lost = done_to and (governor.lemma_ in LOSING or not words.isdisjoint(PUT_DOWN))
    lost |= first.dep_ == "nsubj" and (governor.lemma_ in DYING or not words.isdisjoint(GOING_FOR_GOOD))
    beside = (*governor.children, *token.children)
    given = governor.lemma_ in ("give", "hand", "pass") and any(t.lower_ in ("to", "away") for t in beside)
    lost |= given and first.dep_ == "dobj"
    absent = first.dep_ in ("nsubj", "nsubjpass") and any(t.lower_ in ABSENT for t in (governor, *governor.rights))
    around = (c for c in reading.clauses_in(token.sent) if c.verb.i == governor.i)
    stated = [c for c in around if c.polarity and c.modality is Modality.ASSERTED]
    return (lost and any(c.tense == "past" for c in stated)) or (absent and bool(stated))


def identities(reading: TurnReading) -> None:
    """`my sister Ines` -> Ines is Maya's sister; `a dog named Biscuit` -> Biscuit is a dog."""
    had, retired = _had(reading), _retired(reading)
    for described_i, name_i in reading.named:
        described, name = reading.doc[described_i], reading.doc[name_i]
        referent = reading.referents.get(name_i)
        if referent is None or described.pos_ not in ("NOUN", "PROPN", "ADJ") or described.lemma_ == "name":
            continue
        subject, attribute = part(reading, name, "subject"), part(reading, described, "attribute")
        owned = reading.owned.get(described_i)
        if owned is None and described_i in had:
            owned = had[described_i], description(described)
        called = f"{owned[0]}'s {_single(described, owned[1])}" if owned else ""
        kind = called or _one(described, attribute.text)
        start = min(subject.start, attribute.start)
        end = max(subject.end, attribute.end)
        member = described.tag_ in ("NNS", "NNPS")  # the words speak of all of them
        attribute = Part(
            "attribute",
            "" if member else attribute.text,
            -1 if member else attribute.start,
            -1 if member else attribute.end,
            attribute.head,
            attribute.token,
            called or (kind if kind != attribute.text else ""),
            attribute.type,
            "owner" if called else "",
            attribute.modifiers,
        )
        subject = Part(
            "subject",
            subject.text,
            subject.start,
            subject.end,
            subject.head,
            subject.token,
            referent.entity,
            referent.type,
            "name",
        )
        modality = Modality.QUOTED if reading.is_quoted(name) else Modality.ASSERTED
        if _asks_whether(name, described):
            modality = Modality.QUESTION
        elif modality is Modality.ASSERTED and _was(name, described):
            modality = Modality.FORMER
        clause = Clause(
            None, "be", kind="identity", parts=[subject, attribute], modality=modality, meant=modality, tense="present"
        )
        clause.start, clause.end = start, end
        clause.statement = f"{referent.entity} is {kind}"
        for better in (*retired.get(described_i, ()), *retired.get(referent.entity, ())):
            better.light = True
        reading.clauses.append(clause)


def _was(name: Token, described: Token) -> bool:
    """`My boss was Petra`, `my dog was called Rex`: perhaps no longer. A relative remains one."""
    noun = described.lemma_.lower()
    if lexicon.is_a(noun, "relative") and noun not in PARTNERS:
        return False
    for subject, other in ((described, name), (name, described)):
        verb, above = subject.head, [*islice(other.ancestors, TO_VERB)]
        # of `my boss, Petra, was late` she still is
        if subject.dep_ in ("nsubj", "nsubjpass") and verb in above and subject not in above:
            finite = (verb, *(t for t in verb.children if t.dep_ in ("aux", "auxpass")))
            return any(t.lower_ in ("was", "were") for t in finite)
    return False


def possessor(token: Token) -> Token | None:
    """The word that says whose the noun is: `my`, the `sister` of `my sister's dog`, the `me` of `a friend of mine`."""
    own = next((t for t in token.children if t.dep_ == "poss"), None)
    if own is not None:
        return own
    if token.dep_ in ("compound", "amod") and token.i + 1 == token.head.i and token.head.text[:1].isupper():
        return next((t for t in token.head.lefts if t.dep_ == "poss" and t.tag_ == "PRP$"), None)
    bare = not any(t.dep_ in ("det", "nummod") for t in token.lefts) and token.pos_ != "PROPN"
    if token.dep_ == "conj" and bare and token.head.pos_ == "NOUN":  # `my brother and sister`, not `my boss and Ida`
        return possessor(token.head)
    for prep in token.children:
        if prep.dep_ == "prep" and prep.lower_ == "of":
            return next(
                (t for t in prep.children if t.dep_ == "pobj" and (t.tag_ == "PRP$" or t.lower_ == "mine")), None
            )
    return None


def description(token: Token) -> str:
    """The head of a noun phrase with the modifiers that identify its referent: `sister`, `older sister`, `pottery
    class`.
    """
    kept = [
        f"{_least(t)}{t.lower_}" if t.pos_ != "PROPN" else t.text
        for t in token.lefts
        if ((t.dep_ == "compound" or _is_noun(t)) and t.ent_type_ not in ("DATE", "TIME"))
        or (
            t.dep_ == "amod"
            and (t.tag_ in ("JJR", "JJS") or t.lower_ in OTHER_THAN_NAMED or t.lower_ in ("favorite", "favourite"))
        )
    ]
    plural = token.tag_ in ("NNS", "NNPS")
    noun = token.lower_ if plural else token.lemma_.lower() if token.pos_ == "NOUN" else token.text
    return " ".join([*kept, noun]).replace("favourite", "favorite")


def _least(adjective: Token) -> str:
    """The `least` of `my least favorite`."""
    return "least " if any(t.lower_ == "least" for t in adjective.lefts) else ""


def _is_noun(modifier: Token) -> bool:
    """A noun before a noun that was tagged as an adjective: `accordion teacher`."""
    word = modifier.lower_
    return (
        modifier.dep_ == "amod" and lexicon.is_known(word) and not lexicon.is_known(word, "a") and modifier.tag_ == "JJ"
    )


def possessed(reading: TurnReading, token: Token) -> Referent | None:
    """The referent of a possessed noun, described by its owner (`Maya's sister`) or by its name if known."""
    if token.pos_ not in ("NOUN", "PROPN"):
        return None
    owner_token = possessor(token)
    if (
        owner_token is not None
        and token.ent_type_
        and owner_token.ent_type_ == token.ent_type_
        and token.ent_iob_ == "I"
    ):
        return None  # part of one name: St. Mary's Hospital
    owner = reading.referents.get(owner_token.i) if owner_token is not None else None
    if owner is None or not owner.entity:
        return None
    what = description(token)
    reading.owned[token.i] = (owner.entity, what)
    called = f"{owner.entity}'s {what}"
    canonical = reading.canonical(called)
    if canonical == called:
        canonical = _by_kind(reading, owner.entity, token) or called
    plural = token.tag_ in ("NNS", "NNPS")
    return Referent(
        canonical, noun_type(token), "owner" if canonical == called else "alias", lexicon.gender(token.lemma_), plural
    )


def _by_kind(reading: TurnReading, owner: str, token: Token) -> str:
    """The owner's only named one of that kind: `my dog` when only `Maya's beagle` has a name. Animals alone: the word
    for a relative or a thing is not changed so freely.
    """
    if token.tag_ != "NN" or noun_type(token) != "animal":
        return ""
    prefix = f"{owner.lower()}'s "
    names = {
        canonical
        for alias, canonical in reading.aliases.items()
        if alias.startswith(prefix) and lexicon.is_a(alias.removeprefix(prefix), token.lemma_)
    }
    return names.pop() if len(names) == 1 else ""
