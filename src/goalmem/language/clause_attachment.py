"""Repairs of clauses: what is a subject, a predicate, or the conjunction before a clause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalmem.language.phrase_segments import is_first_name
from goalmem.language.words.modifiers import SUPPOSING

if TYPE_CHECKING:
    from spacy.tokens import Token

ASKING_HOW = frozenset({"where", "when", "how", "why"})
FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
SUBJECTS = ("nsubj", "nsubjpass", "csubj", "expl")


def attach_actor(name: Token) -> None:
    """In `yesterday Tom cooked dinner` and `Leo won, followed by Ida`, a name directly before a finite verb is its subject."""
    verb = name.head
    if (
        name.dep_ not in ("npadvmod", "compound")
        or verb.pos_ != "VERB"
        or name.pos_ != "PROPN"
        or name.i + 1 != verb.i
        or not is_first_name(name)
    ):
        return
    if verb.tag_ in ("VBD", "VBZ") and not any(t.dep_ in SUBJECTS for t in verb.children):
        name.dep_ = "nsubj"


def attach_next_subject(verb: Token) -> None:
    """In `Jo does the flowers and my brother is best man`, what stands before a finite verb of its own is its subject, and no second object."""
    if verb.dep_ != "conj":
        return
    finite = next((t for t in (verb, *verb.lefts) if t.tag_ in FINITE), None)
    before = verb.doc[verb.left_edge.i - 1] if verb.left_edge.i > verb.sent.start else None
    if finite is None or before is None or any(t.dep_ in SUBJECTS for t in verb.children):
        return
    noun = before
    while noun.dep_ != "conj" and noun.head.i != noun.i and noun.head.right_edge.i == before.i:
        noun = noun.head
    joined = noun.head
    marks = [t for t in joined.children if t.dep_ == "cc" and t.i < noun.i]
    if noun.dep_ != "conj" or noun.pos_ not in ("NOUN", "PROPN", "PRON") or not marks or joined.dep_ in SUBJECTS:
        return
    if noun.right_edge.i != before.i or marks[-1].i != noun.left_edge.i - 1 or not verb.head.is_ancestor(joined):
        return
    marks[-1].head, noun.head, noun.dep_ = verb.head, verb, "nsubj"


def part_subjects(verb: Token) -> None:
    """In `I like dogs and my wife likes cats`, a singular verb has the second noun alone as its subject; the first is the object before it."""
    if verb.dep_ != "ccomp" or not (verb.tag_ == "VBZ" or verb.lower_ == "was"):
        return
    above = verb.head
    first = next((t for t in verb.lefts if t.dep_ == "nsubj"), None)
    if first is None or not above.i < first.i:
        return
    if any(t.dep_ in ("mark", "aux") for t in verb.lefts) or any(t.dep_ == "dobj" for t in above.children):
        return
    second = next((t for t in first.children if t.dep_ == "conj"), None)
    mark = next((t for t in first.children if t.dep_ == "cc" and t.lower_ == "and"), None)
    if second is None or mark is None or second.tag_ not in ("NN", "NNP") or second.right_edge.i != verb.i - 1:
        return
    second.head, second.dep_ = verb, "nsubj"
    first.head, first.dep_ = above, "dobj"
    mark.head, verb.dep_ = above, "conj"


def attach_subject(name: Token) -> None:
    """In `told my sister Anna left`, a name before a finite complement without a subject is its subject."""
    told = name.head
    if name.dep_ != "appos" or name.pos_ != "PROPN" or told.i != name.i - 1 or told.dep_ not in ("dobj", "dative"):
        return
    if name.i + 1 == len(name.doc):
        return
    verb = name.nbor()
    clause = next((t for t in told.head.children if t.dep_ == "ccomp" and t.left_edge.i == verb.i), None)
    finite = verb.tag_ in ("VBD", "VBZ", "VBP", "MD")
    if clause is not None and finite and not any(t.dep_ in ("nsubj", "nsubjpass", "expl") for t in clause.children):
        name.head, name.dep_ = clause, "nsubj"


def attach_predicate(adjective: Token) -> None:
    """In `Is my tea cold?`, the adjective behind the noun is what is asked of it, and no head of it."""
    be, noun = adjective.head, adjective.doc[adjective.i - 1] if adjective.i else adjective
    if adjective.tag_ != "JJ" or be.lemma_ != "be" or be.i != be.sent.start or be.i >= adjective.left_edge.i:
        return
    if noun.dep_ != "compound" or noun.head.i != adjective.i or noun.pos_ != "NOUN":
        return
    for child in [t for t in adjective.lefts if t.i < noun.i]:
        child.head = noun
    noun.head, noun.dep_, adjective.dep_ = be, "nsubj", "acomp"


def attach_participle(done: Token) -> None:
    """In `Where was my sister born?`, the participle behind the noun is the verb, and no relative clause."""
    noun, be = done.head, done.head.head
    if (done.tag_, done.dep_, be.lemma_) != ("VBN", "acl", "be") or not be.i < noun.i < done.i or be.head.i != be.i:
        return
    asked = be.sent[0]
    if asked.lower_ not in ASKING_HOW or asked.i + 1 != be.i or not be.sent[-1].is_punct:
        return
    done.head, done.dep_ = done, "ROOT"
    for child in list(be.children):
        if child.i != done.i:
            child.head = done
    be.head, be.dep_, be.pos_ = done, "auxpass", "AUX"
    noun.head, noun.dep_ = done, "nsubjpass"
    asked.head, asked.dep_, asked.pos_, asked.tag_ = done, "advmod", "SCONJ", "WRB"


def attach_stranded(word: Token) -> None:
    """In `What is Ann going as?`, the last word is the preposition of the first."""
    if word.dep_ != "advmod" or word.tag_ != "IN" or not all(t.is_punct for t in word.doc[word.i + 1 :]):
        return
    asked = next((t for t in word.head.lefts if t.tag_ == "WP" and t.dep_ == "pobj"), None)
    if asked is not None:
        word.dep_, word.pos_, asked.head = "prep", "ADP", word


def attach_condition(word: Token) -> None:
    """The `provided` of `I fly provided the visa arrives` is a conjunction, and not what somebody did."""
    if word.lower_ not in SUPPOSING or word.dep_ not in ("advcl", "dep", "dobj"):
        return
    clause = next((t for t in word.rights if t.dep_ in ("ccomp", "advcl")), None)
    if clause is None or clause.left_edge.i != word.i + 1 or not any(t.dep_ in SUBJECTS for t in clause.lefts):
        return
    if any(t.dep_ in SUBJECTS or t.dep_ in ("aux", "auxpass") for t in word.children):
        return
    above, before = word.head, [t for t in word.lefts if t.dep_ == "amod"]
    clause.head, clause.dep_ = above, "advcl"
    for noun in before:  # `buy the flat provided that …`
        noun.head, noun.dep_, noun.pos_, noun.tag_ = above, word.dep_, "NOUN", "NN"
    for other in [*word.children]:
        other.head = clause
    word.head, word.dep_, word.pos_, word.tag_ = clause, "mark", "SCONJ", "IN"


def attach_proviso(word: Token) -> None:
    """In `I'll help providing Tom pays me`, Tom pays, and nobody provides him."""
    doc, obj = word.doc, next((t for t in word.rights if t.dep_ == "dobj"), None)
    if word.lower_ not in SUPPOSING or obj is None or obj.left_edge.i != word.i + 1 or obj.right_edge.i + 1 >= len(doc):
        return
    verb = doc[obj.right_edge.i + 1]
    finite = verb.tag_ in ("VBZ", "VBP", "VBD", "MD") or verb.pos_ == "AUX"
    if verb.tag_ == "MD" or (verb.pos_ == "AUX" and verb.dep_ in ("aux", "auxpass")):
        verb = verb.head
    if not finite or verb.i < obj.i or any(t.dep_ in SUBJECTS for t in verb.children):
        return
    above = word.head
    obj.head, obj.dep_ = verb, "nsubj"
    verb.head, verb.dep_ = above if above.i != verb.i else word.head, "advcl"
    word.head, word.dep_, word.pos_, word.tag_ = verb, "mark", "SCONJ", "IN"


def attach_genitive(name: Token) -> None:
    """In `my car is red and Ana's is blue`, Ana's is the subject of the verb behind it."""
    behind = name.i + 2
    if behind >= len(name.doc) or name.nbor().tag_ != "POS" or name.nbor().head.i != name.i:
        return
    verb = name.doc[behind]
    if name.dep_ not in ("conj", "dobj", "attr", "appos") or verb.tag_ not in ("VBZ", "VBD", "VBP", "MD"):
        return
    if verb.dep_ == "conj" and not any(t.dep_ in SUBJECTS for t in verb.children):
        name.head, name.dep_ = verb, "nsubj"
