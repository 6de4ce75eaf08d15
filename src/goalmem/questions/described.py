"""A question about somebody or something described, in two steps: who or what fits the description, and then the question about it by name.

`Which part of the app does the guy who wrote the postmortem work on?` asks `Which guy wrote the postmortem?` and, of the answer, `Which
part of the app does (y:guy) work on?`. Both are read out of passages, each of its own: seldom does one turn say both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from goalmem.language.lexicon import is_mainly
from goalmem.language.morphology import inflect
from goalmem.language.words.nouns import TIME_NOUNS
from goalmem.language.words.pronouns import FIRST_COMMON, INTERROGATIVES, RELATIVES
from goalmem.logic.terms import Aggregate, Atom, Goal, Variable
from goalmem.questions.clause_split import noun_type, owner_of
from goalmem.questions.syntax import main_question_word, plain
from goalmem.questions.verbs import EXPECTED, could_be_base, is_auxiliary
from goalmem.questions.wh import wh_phrase
from goalmem.questions.whole_question import CLOSES, OPENS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


ANYBODY = frozenset({"person", "people", "one", "someone", "somebody"})
"""Nouns that say no more than `who`."""
NAMING = frozenset({"name", "names", "called", "named", "relation", "related", "call"})
"""Words of questions that ask who somebody is."""
OPENING = frozenset({"who", "that", "whose"})
"""Relative pronouns that open a description of somebody."""
MOST = 2
"""Descriptions in one question that are tried."""


@dataclass(frozen=True, slots=True)
class Description:
    """A noun phrase of a question, from `start` to `end` in characters, and the question which asks what it refers to."""

    start: int
    end: int
    question: str
    type: str
    relation: str = ""
    """What the described person is, if a relation to a person describes them: `Ann's sister`."""


def described_goals(
    question: str, asked: str, answer: Variable, read: Callable[[str], Doc], asker: str
) -> Iterator[Goal]:
    """Yield the goals that first find what is described, descriptions by a clause first. `asked` may mask the names of `question`."""
    doc = read(asked)
    whom = next(n for n in "yz" if n != answer.name)
    for found in descriptions(doc, asker, read)[:MOST]:
        variable = Variable(whom, found.type)
        outer = Atom((f"{OPENS}{asked[: found.start]}", variable, f"{asked[found.end :]}{CLOSES}", answer))
        if found.relation:
            yield Goal(question, (Atom((variable, f" is {found.relation}")), outer), answer, Aggregate.ONE)
        inner = Atom((f"{OPENS}{found.question}{CLOSES}", variable))
        yield Goal(question, (inner, outer), answer, Aggregate.ONE)


def descriptions(doc: Doc, asker: str, read: Callable[[str], Doc]) -> list[Description]:
    """The descriptions in a question, those by a clause first; not of what the question itself asks for."""
    wh = main_question_word(doc)
    if wh is None or any(t.lower_ in NAMING for t in doc):
        return []
    clause = doc[wh_phrase(doc, wh).end :]
    heads = [t for t in clause if t.pos_ == "NOUN" and not is_asked_for(t, wh)]
    helpers = {t: next((h for h in clause if h.i < t.i and is_auxiliary(h)), None) for t in heads}
    found = (by_relative_clause(t, helpers[t]) or reparsed(t, helpers[t], read) for t in heads)
    by_clause = [d for d in found if d is not None]
    by_role = [d for t in heads if (d := by_relation(t, asker, helpers[t])) is not None]
    return [*by_clause, *(d for d in by_role if not any(d.start < c.end and c.start < d.end for c in by_clause))]


def reparsed(head: Token, helper: Token | None, read: Callable[[str], Doc]) -> Description | None:
    """The description by a clause after a noun for which parsers overlook it in the question, but not in the words from there on alone."""
    doc, behind = head.doc, head.doc[head.i + 1 : head.i + 2]
    if not len(behind) or not (behind[0].lower_ in OPENING or behind[0].tag_ in ("VBG", "PRP")):
        return None
    first = min((t for t in head.children if t.i < head.i), key=lambda t: t.i, default=head)
    alone = read(doc.text[first.idx :].rstrip("?! "))
    same = next((t for t in alone if t.idx == head.idx - first.idx), None)
    found = by_relative_clause(same, helper) if same is not None else None
    return replace(found, start=found.start + first.idx, end=found.end + first.idx) if found is not None else None


def is_asked_for(noun: Token, wh: Token) -> bool:
    """True for the noun of `Who is the boss?`, whose identity is asked."""
    verb = noun.head
    identity = wh.lower_ in ("who", "what", "which") and wh.head in (verb, noun)
    return identity and verb.lemma_ == "be" and noun.dep_ in ("nsubj", "attr")


def by_relative_clause(head: Token, helper: Token | None) -> Description | None:
    """`the guy who wrote the postmortem` asks `Which guy wrote the postmortem?`. `helper`: the auxiliary of the question before it."""
    clause = next((c for c in head.children if c.dep_ in ("relcl", "acl") and c.i > head.i), None)
    if clause is None or head.lemma_.lower() in TIME_NOUNS:
        return None
    own = (t for t in head.subtree if helper is None or t.doc != helper.doc or t.i > helper.i)
    inside = without_main_verb(sorted(own, key=lambda t: t.i), clause, helper)
    while inside and inside[-1].is_punct:
        inside.pop()
    if clause not in inside or inside[-1].i - inside[0].i + 1 != len(inside):
        return None
    tokens = [t for t in clause.subtree if not t.is_punct and t in inside]
    pronoun = next((t for t in tokens if t.lower_ in RELATIVES and t.i < clause.i), None)
    rest = [t for t in tokens if t != pronoun]
    type_ = noun_type(head)
    asks = "Who" if head.lemma_.lower() in ANYBODY else f"Which {type_}"
    if pronoun is not None and pronoun.lower_ == "whose":
        told: str | None = f"Whose {plain(rest)}"
    elif tokens[0] != pronoun and tokens[0].tag_ in ("IN", "WRB"):
        told = None  # `the day on which …`, `the town where …`
    else:
        said = clause_question(clause, rest, pronoun)
        told = f"{asks} {said}" if said else None
    return Description(*extent(inside), f"{told}?", "person" if asks == "Who" else type_) if told else None


def without_main_verb(inside: list[Token], clause: Token, helper: Token | None) -> list[Token]:
    """The words of a description, without the question's own verb, which parsers may take for a word of the clause:
    `does the guy who wrote the postmortem | work on`.
    """
    behind = clause.doc[inside[-1].i + 1 :]
    if helper is None or any(t.pos_ in ("VERB", "AUX") for t in behind):
        return inside
    tags = EXPECTED.get(helper.lemma_, ("VB",))
    if helper.lemma_ == "be":
        tags = ("VBG",)
    verbs = (t for t in reversed(inside) if t.i > clause.i and (t.tag_ in tags or ("VB" in tags and could_be_base(t))))
    own = next(verbs, None)
    return inside if own is None or clause.doc[own.i - 1].lower_ == "to" else [t for t in inside if t.i < own.i]


def clause_question(verb: Token, rest: Sequence[Token], pronoun: Token | None) -> str:
    """The clause after a question word: with its auxiliary first, if the described noun is not its subject; empty if that is unclear."""
    subject = next((c for c in verb.children if c.dep_ in ("nsubj", "nsubjpass") and c != pronoun), None)
    if verb.dep_ == "acl":
        return f"{'is' if verb.tag_ == 'VBG' else 'was'} {plain(rest)}" if verb.tag_ in ("VBG", "VBN") else ""
    if subject is None or subject not in rest:
        return plain(rest)
    helper = next((t for t in rest if t.head == verb and t.dep_ in ("aux", "auxpass")), None)
    if helper is None and verb.lemma_ == "be":
        helper = verb
    if helper is not None:
        return f"{helper.text} {plain([t for t in rest if t != helper])}"
    does = {"VBD": "did", "VBZ": "does"}.get(verb.tag_, "do")
    at = list(rest).index(verb)
    parts = (does, plain(rest[:at]), inflect(verb.lemma_.lower(), "VB", verb.lemma_), plain(rest[at + 1 :]))
    return " ".join(p for p in parts if p)


def by_relation(head: Token, asker: str, helper: Token | None) -> Description | None:
    """`my girlfriend`, `the owner of the clinic`, `our first dog walker` ask who that is."""
    if head.tag_ != "NN" or not is_mainly(head.lemma_.lower(), "person"):
        return None
    kept = {head, *(t for c in head.children if c.dep_ != "case" and not c.is_punct for t in c.subtree)}
    inside = sorted((t for t in kept if helper is None or t.i > helper.i), key=lambda t: t.i)
    inside = without_main_verb(inside, head, helper)
    owner = owner_of(head)
    described = owner is not None or any(c.lower_ == "of" or c.dep_ == "amod" for c in head.children)
    whole = inside[-1].i - inside[0].i + 1 == len(inside)
    vague = any(t.lower_ in INTERROGATIVES or t.pos_ in ("VERB", "CCONJ") for t in inside)
    if not described or not whole or vague or not any(t.lower_ == "the" or t == owner for t in head.children):
        return None
    relation = ""
    if owner is not None and (owner.pos_ == "PROPN" or owner.lower_ in FIRST_COMMON):
        whose = f"{asker}'s" if owner.lower_ in FIRST_COMMON else f"{owner.text}'s"
        relation = f"{whose} {plain([t for t in inside if t.i > owner.i and t.dep_ != 'case'])}"
    return Description(*extent(inside), f"Who is {plain(inside)}?", noun_type(head), relation)


def extent(tokens: Sequence[Token]) -> tuple[int, int]:
    """Start and end of tokens in the text, in characters."""
    return tokens[0].idx, tokens[-1].idx + len(tokens[-1])
