"""The wording of a clause in the third person, with resolved references: `Maya adopted a beagle named Biscuit`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause, Part, TurnReading
from goalmem.language.clauses import dependents, finite_form, is_perfect
from goalmem.language.morphology import inflect
from goalmem.language.verb_forms import contracted
from goalmem.language.words.function_words import DENYING, MODALS
from goalmem.language.words.pronouns import NOMINATIVE
from goalmem.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Token


WRITTEN = {
    "n't": "not",
    "nt": "not",
    "'ll": "will",
    "ca": "can",
    "wo": "will",
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "gon": "going",
    "na": "to",
    "wan": "want",
}
SINGULAR = {"am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "'m": "is", "'re": "is", "'ve": "has"}
BARE = ("manner", "place", "frequency")
_SHORT = 8
"""A span of fewer characters holds no clause, so no verb that must agree."""
_OPENER = re.compile(r"\b((?:in|on|at|by|during|around|before|after|from|over|to|for|until)(?: the)?) $", re.IGNORECASE)
ORDER = ("indirect", "object", "attribute", "complement")


def third_person(verb: str) -> str:
    """The third person singular of a verb in the present: `carry` -> carries."""
    if verb in SINGULAR:
        return SINGULAR[verb]
    if verb == "be":
        return "is"
    if verb in MODALS or verb in ("had", "did", "was", "has", "is", "does"):
        return verb
    first, _, rest = verb.partition(" ")
    if first.endswith(("s", "sh", "ch", "x", "z", "o")):
        first += "es"
    elif first.endswith("y") and first[-2:-1] not in "aeiou":
        first = first[:-1] + "ies"
    else:
        first += "s"
    return f"{first} {rest}".strip()


def past(verb: str) -> str:
    """The past tense of a verb with its particle: `pick up` -> picked up."""
    first, _, particle = verb.partition(" ")
    return f"{inflect(first, 'VBD', first)} {particle}".strip()


def described(reading: TurnReading, part: Part) -> str:
    """A participant as the statement names it."""
    if part.token is None or part.start < 0:
        return part.entity or part.text
    if part.entity and (
        part.token.pos_ in ("PRON", "PROPN") or part.resolved in ("speaker", "addressee", "pronoun", "presumed")
    ):
        return part.entity
    text = _spelled(reading, part)
    named = part.resolved in ("alias", "name") and part.entity.lower() not in text.lower()
    if named and text.lower().startswith(("a ", "an ")):
        return f"{text} named {part.entity}"
    return part.entity if named else text


def _spelled(reading: TurnReading, part: Part) -> str:
    """The span as said, with its pronouns resolved."""
    content = reading.turn.content
    words: list[str] = []
    at = part.start
    said = reading.words(part.start, part.end)
    agreeing = _agreeing(reading, said[0]) if part.end - part.start > _SHORT and said else ()
    for token in said:
        end = token.idx + len(token)
        referent = reading.referents.get(token.i) if token.pos_ == "PRON" or token.tag_ == "PRP$" else None
        if referent is not None and referent.entity:
            words += [
                content[at : token.idx],
                referent.entity + ("'s" if token.tag_ == "PRP$" or token.dep_ == "poss" else ""),
            ]
            at = end
        elif token.i in agreeing:
            words += [content[at : token.idx].rstrip(), " ", third_person(_written(token))]
            at = end
    text = " ".join(("".join(words) + content[at : part.end]).split())
    return NOMINATIVE.get(text, text) if part.role == "subject" else text if words else _lowered(reading, part, text)


def _agreeing(reading: TurnReading, within: Token) -> set[int]:
    """Finite verbs of a word's sentence whose subject turns from first or second person into third."""
    found = set()
    for clause in reading.clauses_in(within.sent):
        surface = clause.part("object") or clause.part("indirect") if clause.passive else clause.part("subject")
        if clause.head is None or surface is None or surface.resolved not in ("speaker", "addressee"):
            continue
        finite = finite_form(clause.head)
        if finite is not None and (finite.tag_ == "VBP" or contracted(finite) in ("were", "'ll", "'d")):
            found.add(finite.i)
    return found


def _lowered(reading: TurnReading, part: Part, text: str) -> str:
    """Without the capital that only the place at the start of a sentence gave it."""
    first = next(iter(reading.words(part.start, part.end)), None)
    at_start = first is not None and first.idx == part.start and first.is_sent_start
    if first is None or not at_start or (len(first) < 2 and first.lower_ != "a"):
        return text
    name = first.pos_ == "PROPN" or first.ent_type_ in ("PERSON", "GPE", "ORG", "LOC", "FAC")
    return text if name or first.lower_ == "i" else text[:1].lower() + text[1:]


def statement(reading: TurnReading, clause: Clause, parts: tuple[Part, ...]) -> str:
    """The clause with these participants, as one sentence without a full stop."""
    by_role: dict[str, Part] = {}
    for p in parts:
        by_role.setdefault(p.role, p)
    subject = by_role.get("subject")
    surface = (by_role.get("object") or by_role.get("indirect")) if clause.passive else subject
    words = [described(reading, surface)] if surface else []
    words.append(_verbs(clause, surface))
    core = [by_role[r] for r in ORDER if r in by_role and by_role[r] is not surface]
    words += [described(reading, p) for p in core]
    said = [p for p in (*core, surface) if p is not None and p.start >= 0]
    adjuncts = [p for p in parts if p.role not in (*ORDER, "subject", "owner")]
    for p in sorted(adjuncts, key=lambda p: (p.role == "time", p.start)):
        if not any(s.start <= p.start < s.end for s in said):
            words.append(_adjunct(reading, p))
            said.append(p)
    if clause.passive and subject:
        words.append(f"by {described(reading, subject)}")
    text = " ".join(" ".join(w for w in words if w).split())
    return text[:1].upper() + text[1:]


def _adjunct(reading: TurnReading, part: Part) -> str:
    if part.role == "time":
        opener = _OPENER.search(reading.turn.content, 0, part.start) if part.start > 0 else None
        return f"{opener.group(1).lower() if opener else ''} {described(reading, part)}".strip()
    text = described(reading, part)
    return text if part.role in BARE or text.startswith(f"{part.role} ") else f"{part.role} {text}"


def _verbs(clause: Clause, subject: Part | None) -> str:
    head = clause.head
    denied = "" if clause.polarity else "not "
    if head is None:
        return _bare(clause)
    finite = finite_form(head)
    if finite is None or clause.past_habit:
        return _nonfinite(clause, head, denied, subject)
    group = [t for t in dependents(head) if t.dep_ in ("aux", "auxpass", "neg", "prt") or t.lower_ == "never"]
    if denied and not any(t.lower_ in ("not", "n't", "never", "no") for t in group) and not _denying(clause):
        did = "did" if clause.tense == "past" else "do" if _is_plural(subject) else "does"
        return f"{'was' if did == 'did' else 'is'} not" if clause.predicate == "be" else f"{did} not {clause.predicate}"
    told = clause.part("subject")
    one = told is not None and len(told.conjuncts) > 1 and not _is_plural(subject)
    changed = one or (subject is not None and (subject.resolved in ("speaker", "addressee") or subject.start < 0))
    words = []
    for token in sorted([*group, head], key=lambda t: t.i):
        word = _written(token)
        if token.i == finite.i and changed and token.tag_ in ("VBP", "VBD"):
            word = third_person(word) if token.tag_ == "VBP" else SINGULAR.get(word, word) if word == "were" else word
        words.append(word)
    return " ".join(words).replace("can not", "cannot")


def _bare(clause: Clause) -> str:
    """The predicate of a clause that has no verb in the turn."""
    verb, denied = clause.predicate, "" if clause.polarity else "not "
    if clause.past_habit:
        return f"used {denied}to {verb}"
    if clause.modality is Modality.PLANNED:
        return f"will {denied}{verb}"
    if clause.passive and clause.participle:
        return f"{'was' if clause.tense == 'past' else 'is'} {denied}{clause.participle}"
    if verb == "be":
        return f"{'was' if clause.tense == 'past' else 'is'} {denied}".strip()
    if clause.tense == "past":
        return f"did not {verb}" if denied else past(verb)
    return f"does not {verb}" if denied else third_person(verb)


def _written(token: Token) -> str:
    lower = contracted(token)
    if lower in ("'s", "'d"):
        head = token.head
        done = is_perfect(head) or any(t.lower_ == "been" for t in head.children)
        willing = any(t.tag_ == "VB" for t in head.children if t.dep_ in ("aux", "auxpass"))
        if lower == "'s":
            return "has" if token.lemma_ == "have" or done else "is"
        return "had" if head.tag_ == "VBN" and not willing else "would"
    return WRITTEN.get(lower, lower)


def _nonfinite(clause: Clause, head: Token, denied: str, subject: Part | None) -> str:
    lemma = clause.predicate
    if clause.past_habit:
        return f"used {denied}to {lemma}"
    if clause.modality is Modality.PLANNED:
        return f"will {denied}{lemma}"
    if clause.modality is Modality.WISH:
        return f"would {denied}like to {lemma}"
    was = (
        ("were" if _is_plural(subject) else "was") if clause.tense == "past" else "are" if _is_plural(subject) else "is"
    )
    if head.tag_ == "VBG":
        particle = "" if " " not in lemma else lemma.split(" ", 1)[1]
        return f"{was} {denied}{head.lower_} {particle}".strip()
    if clause.passive:
        return f"{was} {denied}{head.lower_}"
    if clause.tense == "past":
        return f"did not {lemma}" if denied else past(lemma)
    if _is_plural(subject):
        return f"do not {lemma}" if denied else lemma
    return f"does not {lemma}" if denied else third_person(lemma)


def _denying(clause: Clause) -> bool:
    """True if an argument or adverb already expresses the negation: "has no siblings", "no longer works"."""
    return any(
        t.lower_ in DENYING
        for p in clause.parts
        if p.token is not None and p.role != "complement"
        for t in (p.token, *p.token.lefts)
    )


def _is_plural(part: Part | None) -> bool:
    token = part.token if part is not None else None
    return token is not None and (
        token.tag_ in ("NNS", "NNPS") or token.lower_ in ("they", "them", "others", "these", "those")
    )
