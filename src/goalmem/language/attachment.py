"""Repairs of the parser's tree, each of one construction that it attaches wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from goalmem.language.gapping import ORPHAN, mark_gaps
from goalmem.language.lexicon import coarse_type, is_a, is_known
from goalmem.language.name_masking import is_title
from goalmem.language.phrase_segments import is_first_name, kind_of
from goalmem.language.words.modifiers import SUPPOSING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["attached"]

DETERMINING = frozenset({"det", "poss", "nummod"})
PAID_TO = frozenset("owe give pay lend send charge hand transfer".split())
"""Verbs with an amount and who gets it (VerbNet 13.1, 13.3, 54.5)."""
ASKING_HOW = frozenset({"where", "when", "how", "why"})
FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
SUBJECTS = ("nsubj", "nsubjpass", "csubj", "expl")
TO_VERB = 4
"""Levels of the tree between a conjunct and its verb."""


def attached(doc: Doc) -> Doc:
    """The same document, its tree repaired."""
    parsed = [word.head.i for word in doc]
    for word in doc:
        _attach_actor(word)
        _attach_next_subject(word)
        _part_subjects(word)
    mark_gaps(doc)
    for word in doc:
        _correct_lemma(word)
        _attach_contrast(word)
        _attach_title(word)
        _attach_amount_spent(word)
        _attach_object(word)
        _attach_conjunct(word)
        _attach_listed(word)
        _attach_source(word)
        _attach_second_thing(word)
        _attach_second_receiver(word)
        _attach_second_circumstance(word)
        _join_compound(word)
        _attach_after_price(word)
        _attach_subject(word)
        _attach_predicate(word)
        _attach_participle(word)
        _attach_stranded(word)
        _attach_creditor(word)
        _attach_owned(word)
        _attach_condition(word)
        _attach_proviso(word)
        _attach_not_only(word)
        _attach_compared(word)
        _attach_genitive(word)
    _undo_circles(doc, parsed)
    return doc


def _undo_circles(doc: Doc, parsed: Sequence[int]) -> None:
    """Put words that were attached in a circle, from which no root can be reached, back to where the parser had them."""
    rooted = [word.head.i == word.i for word in doc]
    waiting = list(range(len(doc)))
    while waiting:
        path = dict.fromkeys([waiting[-1]])
        place = waiting[-1]
        while not rooted[place] and (place := doc[place].head.i) not in path:
            path[place] = None
        if rooted[place]:
            waiting.pop()
            for word in path:
                rooted[word] = True
        else:  # Each word is put back once at most.
            for word in path:
                doc[word].head = doc[parsed[word]]


def _attach_actor(name: Token) -> None:
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


def _attach_next_subject(verb: Token) -> None:
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


def _part_subjects(verb: Token) -> None:
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


def _correct_lemma(word: Token) -> None:
    """The lemma of `hates` is `hate`, and that of `rides` is `ride`: the parser's rules only cut the ending off."""
    from goalmem.language.inflection import getLemma

    if word.pos_ == "VERB" and word.text.isalpha():
        lemmas = getLemma(word.lower_, "VERB", lemmatize_oov=False)
        if lemmas and word.lemma_ not in lemmas:
            word.lemma_ = lemmas[0]


def _attach_contrast(no: Token) -> None:
    """In `Ana won, not Tom` and `Leo is my boss, not Ida`, the last word is excluded, and neither the verb denied nor the boss called Ida."""
    doc = no.doc
    if (
        no.lower_ != "not"
        or not 1 < no.i < len(doc) - 1
        or doc[no.i - 1].text not in (",", "–", "—")
        or no.dep_ == "preconj"
    ):
        return
    name = next((t for t in doc[no.i + 1 : no.sent.end] if t.pos_ in ("PROPN", "NOUN", "PRON")), None)
    if name is None or any(t.pos_ in ("VERB", "AUX", "PUNCT") for t in doc[no.i + 1 : name.i]):
        return
    behind = name.right_edge.i + 1
    ends = behind >= no.sent.end or doc[behind].is_punct
    of_verb = name.head.pos_ in ("VERB", "AUX") and name.dep_ in ("appos", "npadvmod", "oprd", "dep")
    of_predicate = name.dep_ == "appos" and name.head.dep_ in ("attr", "acomp") and name.head.pos_ != "PROPN"
    if ends and name.head.i < no.i and (of_verb or of_predicate):
        no.head, no.dep_, name.dep_ = name, "cc", "dep"


def _attach_title(word: Token) -> None:
    """A title behind a noun and a comma is in apposition to it: `the book, "Dune"`."""
    if word.i > 1 and is_title(word) and word.nbor(-1).text == "," and word.dep_ != "conj":
        noun = word.nbor(-2)
        if noun.pos_ == "NOUN" and not word.is_ancestor(noun):
            word.head, word.dep_ = noun, "appos"


def _attach_amount_spent(word: Token) -> None:
    """Of who `spent 4 days there`, the days are what was spent."""
    if word.dep_ == "npadvmod" and word.head.lemma_ == "spend" and any(t.dep_ == "nummod" for t in word.lefts):
        word.dep_ = word.dep_ if any(t.dep_ == "dobj" for t in word.head.children) else "dobj"


def _attach_object(name: Token) -> None:
    """In `I met Ida last week`, the name directly behind the verb is its object, no time."""
    verb = name.head
    timed = name.ent_type_ in ("DATE", "TIME") or coarse_type(name.lower_) == "time"
    if name.dep_ != "npadvmod" or name.tag_ != "NNP" or timed or verb.pos_ != "VERB" or name.left_edge.i != verb.i + 1:
        return
    if not any(t.dep_ in ("dobj", "nsubjpass", "auxpass") for t in verb.children):
        name.dep_ = "dobj"


def _attach_conjunct(word: Token) -> None:
    """In `allergic to nuts and shellfish`, a noun that is taken for a verb is coordinated with the noun before it."""
    named = is_known(word.lower_, "n") and not is_known(word.lower_, "v")
    if word.dep_ != "conj" or word.pos_ != "VERB" or not named or any(word.children):
        return
    noun = next((t for t in reversed(word.doc[word.head.i : word.i]) if t.dep_ == "pobj"), None)
    if noun is not None and all(t.dep_ in ("cc", "punct", "conj") for t in word.doc[noun.i + 1 : word.i]):
        word.head, word.tag_, word.pos_ = noun, "NN", "NOUN"


def _attach_listed(thing: Token) -> None:
    """In `a latte, a scone, and a tea`, the second of three indefinite things is one of a list, no apposition to the first."""
    first = thing.head
    last = next((t for t in thing.children if t.dep_ == "conj" and any(c.dep_ == "cc" for c in thing.children)), None)
    if thing.dep_ != "appos" or last is None or any(t.pos_ == "PROPN" for t in (first, thing, last)):
        return
    if all(any(d.lower_ in ("a", "an", "some") or d.pos_ == "NUM" for d in t.lefts) for t in (first, thing, last)):
        thing.dep_ = "conj"


def _attach_source(prep: Token) -> None:
    """In `borrowed a drill and a saw from Tom`, both came from Tom."""
    last = prep.head
    if prep.dep_ != "prep" or prep.lower_ not in ("from", "to") or last.dep_ != "conj":
        return
    first = next((t for t in last.conjuncts if t.dep_ == "dobj"), None)
    if first is None or first.i > last.i:
        return
    named = any(t.dep_ == "pobj" and t.pos_ in ("PROPN", "PRON") for t in prep.children)
    if named and not any(t.dep_ == "prep" for t in first.children):
        prep.head = first.head


def _attach_second_thing(thing: Token) -> None:
    """In `lent the drill to Tom and the saw to Leo`, the saw stands beside the drill, and only the saw went to Leo."""
    behind = thing.doc[thing.i + 1] if thing.i + 1 < len(thing.doc) else None
    before = thing.left_edge.i - 1
    if thing.dep_ != "conj" or not _is_determined(thing) or before < 1 or thing.doc[before].dep_ != "cc":
        return
    if behind is None or behind.dep_ not in ("prep", "dative"):
        return
    verb = _verb_above(thing)
    first = next((t for t in verb.children if t.dep_ == "dobj"), None) if verb is not None else None
    if first is None or not _is_determined(first):
        return
    named = thing.doc[before - 1]
    prep = named.head
    alike = prep.lower_ == behind.lower_ and {prep.dep_, behind.dep_} <= {"prep", "dative"}
    if (
        not alike
        or named.dep_ != "pobj"
        or _is_determined(named)
        or not first.i < prep.i
        or prep.head not in (first, verb)
    ):
        return
    for noun, of in ((first, prep), (thing, behind)):
        of.head, of.dep_ = noun, prep.dep_
    thing.head = first
    if thing.pos_ != "NOUN":
        thing.pos_, thing.tag_, thing.lemma_ = "NOUN", "NN", thing.lower_


def _attach_second_circumstance(thing: Token) -> None:
    """In `drink coffee in the morning and tea at night`, tea stands beside coffee, and is drunk only at night.

    What `gapping` has not made a clause of is left out.
    """
    doc, first = thing.doc, thing.head
    prep = first.head
    behind = doc[thing.i + 1] if thing.i + 1 < len(doc) else None
    if thing.dep_ != "conj" or first.dep_ != "pobj" or prep.dep_ != "prep" or behind is None or behind.dep_ != "prep":
        return
    verb = _verb_above(thing)
    other = next((t for t in behind.children if t.dep_ == "pobj"), None)
    given = doc[prep.i - 1] if prep.i else None
    if verb is None or other is None or given is None or kind_of(thing) == kind_of(first):
        return
    timed = kind_of(first) == kind_of(other) == "time"
    acts = next((t for t in verb.lefts if t.dep_ == "nsubj"), given) if given == verb else given
    alike = kind_of(first) == kind_of(other) != "" or kind_of(acts) == kind_of(thing) != ""
    alike |= all(t.pos_ == "PROPN" for t in (acts, first, thing, other))
    if not timed and not (alike and prep.lower_ == behind.lower_):
        return
    if given.dep_ == "dobj" and given.head == verb and prep.head in (given, verb):
        thing.head, prep.head, behind.head = given, given, thing
        before = doc[thing.left_edge.i - 1]
        before.head = given if before.dep_ == "cc" else before.head
    elif given.dep_ == "pobj" and timed:
        thing.dep_ = behind.dep_ = ORPHAN
    elif given == verb:  # `Ana works at Selkon and Tom at Orbit`
        before = doc[thing.left_edge.i - 1]
        before.head = verb if before.dep_ == "cc" else before.head
        thing.head, thing.dep_, behind.head = verb, ORPHAN, thing


def _attach_second_receiver(who: Token) -> None:
    """In `gave Ida a lamp and Max a clock`, only Max got the clock."""
    behind = who.doc[who.i + 1] if who.i + 1 < len(who.doc) else None
    if (
        who.dep_ != "conj"
        or who.doc[who.left_edge.i - 1].dep_ != "cc"
        or behind is None
        or behind.dep_ not in DETERMINING
    ):
        return
    verb = _verb_above(who)
    if verb is None:
        return
    objects = [t for t in verb.children if t.dep_ in ("dative", "dobj") and t.i < who.i]
    pairs = ((a, b) for a, b in pairwise(objects) if b.dep_ == "dobj" and b.left_edge.i == a.i + 1)
    receiver, given = next(pairs, (None, None))
    beside = (*who.children, *verb.children)
    second = next((t for t in beside if t.left_edge.i == who.i + 1 and t.dep_ in ("appos", "npadvmod", "dobj")), None)
    if receiver is None or given is None or second is None or not (_is_determined(given) and _is_determined(second)):
        return
    second.head, second.dep_ = given, "conj"
    for noun, of in ((given, receiver), (second, who)):
        of.head, of.dep_ = noun, "dative"


def _verb_above(noun: Token) -> Token | None:
    """The verb a few levels above a conjunct: with more there are more than two pairs."""
    return next((t for t in islice(noun.ancestors, TO_VERB) if t.pos_ == "VERB"), None)


def _is_determined(noun: Token) -> bool:
    return any(t.dep_ in DETERMINING for t in noun.lefts)


def _join_compound(doing: Token) -> None:
    """A noun and a gerund modify the noun behind them: a `bird watching workshop` is a workshop, no bird."""
    if doing.tag_ != "VBG" or doing.dep_ not in ("acl", "advcl") or not 0 < doing.i < len(doing.doc) - 1:
        return
    if not _names_event(doing):
        return
    what, event = doing.nbor(-1), doing.nbor()
    verb = next((t for t in what.ancestors if t.pos_ in ("VERB", "AUX")), event)
    for child in [*what.children, *doing.children]:
        if child.i not in (doing.i, event.i, what.i):
            timed = child.dep_ == "prep" and any(t.ent_type_ in ("DATE", "TIME") for t in child.children)
            child.head = verb if timed or child.dep_ in ("npadvmod", "advmod") else event
    event.head, event.dep_ = (event if what.head.i == what.i else what.head), what.dep_
    what.head = doing.head = event
    what.dep_ = doing.dep_ = "compound"


def _names_event(doing: Token) -> bool:
    """True if a gerund stands between a noun and what people do with it: `bird watching workshop`; not `a man playing tennis`."""
    what, event = doing.nbor(-1), doing.nbor()
    plain = what.tag_ == event.tag_ == "NN" and event.dep_ == "dobj" and event.head.i == doing.i
    above = doing.head.i == what.i or doing.head in what.ancestors
    if not plain or not above or coarse_type(what.lower_) in ("person", "organization"):
        return False
    return any(is_a(event.lemma_, kind) for kind in ("event", "group")) and not is_a(event.lemma_, "diversion")


def _attach_after_price(name: Token) -> None:
    """What follows a price is in apposition to what was bought: `a bike for 380, a blue Gazelle`."""
    amount = name.head
    if name.dep_ == "appos" and amount.dep_ == "pobj" and amount.tag_ == "CD" and name.tag_ != "CD":
        bought = next((t for t in amount.head.head.children if t.dep_ == "dobj" and t.i < amount.i), None)
        name.head = bought if bought is not None else amount


def _attach_subject(name: Token) -> None:
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


def _attach_predicate(adjective: Token) -> None:
    """In `Is my tea cold?`, the adjective behind the noun is what is asked of it, and no head of it."""
    be, noun = adjective.head, adjective.doc[adjective.i - 1] if adjective.i else adjective
    if adjective.tag_ != "JJ" or be.lemma_ != "be" or be.i != be.sent.start or be.i >= adjective.left_edge.i:
        return
    if noun.dep_ != "compound" or noun.head.i != adjective.i or noun.pos_ != "NOUN":
        return
    for child in [t for t in adjective.lefts if t.i < noun.i]:
        child.head = noun
    noun.head, noun.dep_, adjective.dep_ = be, "nsubj", "acomp"


def _attach_participle(done: Token) -> None:
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


def _attach_stranded(word: Token) -> None:
    """In `What is Ann going as?`, the last word is the preposition of the first."""
    if word.dep_ != "advmod" or word.tag_ != "IN" or not all(t.is_punct for t in word.doc[word.i + 1 :]):
        return
    asked = next((t for t in word.head.lefts if t.tag_ == "WP" and t.dep_ == "pobj"), None)
    if asked is not None:
        word.dep_, word.pos_, asked.head = "prep", "ADP", word


def _attach_creditor(name: Token) -> None:
    """In `I owe Priya 50 dollars`, the name behind the verb says to whom, and is no part of the amount."""
    amount = name.head
    verb = amount.head
    if name.tag_ != "NNP" or amount.dep_ != "dobj" or name.i != verb.i + 1 or verb.lemma_ not in PAID_TO:
        return
    if name.dep_ in ("compound", "nmod", "npadvmod") and any(t.dep_ == "nummod" for t in amount.children):
        name.head, name.dep_ = verb, "dative"


def _attach_owned(owned: Token) -> None:
    """In `my friend Tom's mother is a judge`, the mother is, and the friend is part of the name of whose she is."""
    noun = owned.head
    name = next((t for t in owned.lefts if t.dep_ == "poss"), None)
    if owned.dep_ != "appos" or name is None or name.pos_ != "PROPN" or name.left_edge.i != noun.i + 1:
        return
    if noun.pos_ != "NOUN" or noun.head.i == noun.i or not any(t.dep_ in ("poss", "det") for t in noun.lefts):
        return
    owned.head, owned.dep_ = noun.head, noun.dep_
    for word in [*noun.lefts]:
        word.head = name
    noun.head, noun.dep_ = name, "compound"


def _attach_condition(word: Token) -> None:
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


def _attach_proviso(word: Token) -> None:
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


def _attach_not_only(joined: Token) -> None:
    """In `not only Tom but also Ana came`, Ana is coordinated with Tom, and both came."""
    verb = joined.head
    if joined.dep_ not in ("nsubj", "nsubjpass") or not joined.left_edge.i or verb.i < joined.i:
        return
    first = next((t for t in verb.lefts if t.dep_ == joined.dep_ and t.i < joined.i), None)
    if first is None or not any(t.dep_ == "preconj" for t in first.lefts):
        return
    if any(t.dep_ == "cc" and t.lower_ == "but" for t in first.rights):
        joined.head, joined.dep_ = first, "conj"


def _attach_compared(thing: Token) -> None:
    """In `I like tea better than coffee`, tea is what is liked, and no measure."""
    degree = thing.head
    if thing.dep_ != "npadvmod" or degree.tag_ not in ("JJR", "RBR") or thing.ent_type_ in ("DATE", "TIME"):
        return
    verb = degree.head
    beside = thing.left_edge.i == verb.i + 1 and thing.right_edge.i + 1 == degree.i
    if beside and verb.pos_ == "VERB" and not any(t.dep_ == "dobj" for t in verb.children):
        thing.head, thing.dep_ = verb, "dobj"


def _attach_genitive(name: Token) -> None:
    """In `my car is red and Ana's is blue`, Ana's is the subject of the verb behind it."""
    behind = name.i + 2
    if behind >= len(name.doc) or name.nbor().tag_ != "POS" or name.nbor().head.i != name.i:
        return
    verb = name.doc[behind]
    if name.dep_ not in ("conj", "dobj", "attr", "appos") or verb.tag_ not in ("VBZ", "VBD", "VBP", "MD"):
        return
    if verb.dep_ == "conj" and not any(t.dep_ in SUBJECTS for t in verb.children):
        name.head, name.dep_ = verb, "nsubj"
