"""Split a statement at what its syntax marks: temporal clauses, dates, relative clauses, owners."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from goalmem.language import find_times
from goalmem.language.lexicon import is_a, is_known
from goalmem.language.morphology import inflect
from goalmem.language.tense import times_of
from goalmem.language.words.modifiers import LASTING_MARKS, RANKS, TIME_MARKS
from goalmem.language.words.nouns import OWNED, RELATED
from goalmem.language.words.pronouns import RELATIVES
from goalmem.logic.interval import Grain, Interval
from goalmem.logic.terms import Variable
from goalmem.questions.draft import Draft, Item
from goalmem.questions.syntax import ParsedQuestion, plain
from goalmem.questions.wh import words

if TYPE_CHECKING:
    from spacy.tokens import Token


BEFORE_NOUN = ("amod", "compound", "advmod", "nummod")


def split_time_clauses(question: ParsedQuestion) -> tuple[list[Token], list[tuple[str, list[Token]]]]:
    """The statement without its temporal clauses, and each clause with its relation to the main event."""
    rest, clauses = list(question.rest), []
    for token in question.rest:
        op = TIME_MARKS.get(token.lower_)
        if op is None or token not in rest or is_of_verb(token):
            continue
        tokens = clause_behind(token, rest)
        if tokens and not is_calendar(tokens):
            clauses.append((op, tokens))
            rest = [t for t in rest if t != token and t not in tokens]
    return rest, clauses


def is_of_verb(mark: Token) -> bool:
    """True if a temporal word is part of a verb: `looks after`, `takes after` (prepositional verbs: Quirk et al. 1985, section 16.5)."""
    verb = mark.head
    return (
        mark.dep_ in ("prep", "prt") and verb.pos_ == "VERB" and is_known(f"{verb.lemma_.lower()} {mark.lower_}", "v")
    )


def clause_behind(mark: Token, rest: Sequence[Token]) -> list[Token]:
    """The clause or phrase that a temporal word introduces, including the word."""
    if mark.dep_ == "mark" or mark.dep_ == "advmod":
        clause = mark.head
        if clause.dep_ not in ("advcl", "relcl", "ccomp") and clause.i < mark.i:
            return []
        return [t for t in clause.subtree if t.i > mark.i and t in rest]
    if mark.dep_ in ("prep", "pcomp"):
        return [t for t in mark.subtree if t.i > mark.i and t in rest]
    return []


def is_calendar(tokens: Sequence[Token]) -> bool:
    """True if the words are only a date (`2020`, `last May`)."""
    text = text_of(tokens)
    found = find_times(text, datetime(2020, 1, 1))
    return bool(found) and sum(f.end - f.start for f in found) >= 0.7 * len(text)


def time_clause(
    question: ParsedQuestion, tokens: Sequence[Token], draft: Draft, split_owners: bool, answer: Variable | None
) -> list[Item]:
    """A temporal clause as a statement of its own: a participle gets the main subject, a noun phrase gets `happened`."""
    head = next((t for t in tokens if t.head not in tokens), tokens[0])
    items: list[Item] = list(tokens)
    if head.pos_ in ("VERB", "AUX") and head.tag_ == "VBG" and not has_subject(head, tokens):
        subject: list[Item] = list(question.subject) or ([answer] if answer is not None else [])
        past = inflect(head.lemma_.lower(), "VBD", head.text)
        items = [*subject, f" {past} ", *(t for t in tokens if t.i != head.i)]
    elif head.pos_ not in ("VERB", "AUX"):
        items = [*tokens, " happened "]
    return split_phrases(items, draft, split_owners)


def has_subject(verb: Token, tokens: Sequence[Token]) -> bool:
    """True if the verb has a subject among the tokens."""
    return any(c.dep_ in ("nsubj", "nsubjpass") and c in tokens for c in verb.children)


def split_dates(rest: Sequence[Token], anchor: datetime) -> tuple[list[Token], list[tuple[str, Interval]]]:
    """The statement without calendar expressions, and how an event's time lies to each: `before`, `after` or `overlaps` an interval."""
    kept = list(rest)
    dates: list[tuple[str, Interval]] = []
    if not rest:
        return kept, dates
    for mention in times_of(rest[0].doc, anchor.replace(tzinfo=None)):
        inside = [t for t in kept if mention.start <= t.idx < mention.end]
        before = next((t for t in kept if inside and t.i == inside[0].i - 1 and t.pos_ == "ADP"), None)
        if inside:
            first = before if before is not None else inside[0]
            dates.append(lies_to(first.lower_, mention.interval, anchor.replace(tzinfo=None)))
            kept = [t for t in kept if t not in inside and t != before]
    return kept, dates


def lies_to(preposition: str, interval: Interval, now: datetime) -> tuple[str, Interval]:
    """How the time of an event lies to an interval, by the word before it: since May is from its start until now, and until May all the time."""
    if preposition == "since" and interval.start < now:
        return "since", Interval(interval.start, max(now, interval.end), Grain.SPAN)
    if interval.grain is Grain.SPAN and preposition in LASTING_MARKS:
        return "throughout", interval
    return TIME_MARKS.get(preposition, "overlaps"), interval


def split_phrases(items: Sequence[Item], draft: Draft, split_owners: bool, whole: Sequence[Token] = ()) -> list[Item]:
    """Replace described and owned nouns by variables; their descriptions become atoms of the draft.

    `whole`: nouns that the question itself asks about (`Who is Maya's sister?`), which stay.
    """
    items = list(items)
    while (head := described_noun(items)) is not None:
        items = split_relative(items, head, draft, split_owners)
    while split_owners and (head := possessed_noun(items, whole)) is not None:
        items = split_owner(items, head, draft)
    return items


def described_noun(items: Sequence[Item]) -> Token | None:
    """The first noun among the items that a relative clause describes."""
    tokens = [i for i in items if not isinstance(i, Variable | str)]
    for token in tokens:
        if token.pos_ in ("NOUN", "PROPN", "PRON") and any(
            c.dep_ in ("relcl", "acl") and c in tokens and (c.dep_ == "relcl" or c.tag_ in ("VBN", "VBG"))
            for c in token.children
        ):
            return token
    return None


def split_relative(items: list[Item], head: Token, draft: Draft, split_owners: bool) -> list[Item]:
    """Split `the dog that Maya adopted` -> variable `(y:dog)` and the atom `Maya adopted (y:dog)`."""
    clause = next(c for c in head.children if c.dep_ in ("relcl", "acl") and c in items)
    inside = [t for t in head.subtree if t in items]
    order = rank_of(head) if draft.ranks and not draft.order else ""
    variable = draft.variable(noun_type(head, ranked=bool(order)))
    statement = relative_statement(clause, [t for t in clause.subtree if t in items], variable)
    atom = split_phrases(statement, draft, split_owners)
    if order:
        draft.order = order
        atom += [" on ", Variable("t", "time")]
    draft.atoms.append(tuple(atom))
    first = items.index(inside[0])
    return [*items[:first], variable, *[i for i in items[first:] if i not in inside]]


def relative_statement(verb: Token, tokens: Sequence[Token], variable: Variable) -> list[Item]:
    """The words of a relative clause with the variable in place of the described noun."""
    pronoun = next((t for t in tokens if t.lower_ in RELATIVES and t.i < verb.i), None)
    words_ = [t for t in tokens if t != pronoun]
    if pronoun is not None and pronoun.lower_ == "whose":
        return [variable, "'s ", *words_]
    if pronoun is not None and pronoun.lower_ == "where":
        return [*words_, " in ", variable]
    if verb.dep_ == "acl" or (pronoun is not None and pronoun.dep_ in ("nsubj", "nsubjpass")):
        lead = [" was "] if verb.dep_ == "acl" else []
        return [variable, *lead, *words_]
    if not any(c.dep_ in ("nsubj", "nsubjpass") and c != pronoun for c in verb.children):
        return [variable, *words_]
    for token in reversed(words_):
        if token.dep_ == "prep" and not any(c.dep_ in ("pobj", "pcomp") and c != pronoun for c in token.children):
            at = words_.index(token) + 1
            return [*words_[:at], " ", variable, " ", *words_[at:]]
    at = words_.index(verb) + 1
    if at < len(words_) and words_[at].pos_ in ("PROPN", "PRON") and words_[at].i == verb.i + 1:
        at += 1
    return [*words_[:at], " ", variable, " ", *words_[at:]]


def possessed_noun(items: Sequence[Item], whole: Sequence[Token]) -> Token | None:
    """The first possessed noun that refers to someone; possessors come before their possessions."""
    for item in items:
        if isinstance(item, Variable | str) or item.pos_ != "NOUN" or item in whole:
            continue
        owned = any(c.dep_ == "poss" and (c in items or c.i < item.i) for c in item.children)
        if owned and any(is_a(item.lemma_.lower(), kind) for kind in OWNED):
            return item
    return None


def split_owner(items: list[Item], head: Token, draft: Draft) -> list[Item]:
    """`Maya's sister` -> variable `(y:sister)` and the atom `(y:sister) is Maya's sister`."""
    place = items.index(head)
    start = place
    while start and belongs_to_phrase(items[start - 1], head):
        start -= 1
    phrase = items[start : place + 1]
    variable = draft.variable(noun_type(head))
    draft.doubtful = draft.doubtful or may_classify(head)
    draft.atoms.append((variable, " is ", *phrase))
    return [*items[:start], variable, *items[place + 1 :]]


def may_classify(owner: Token) -> bool:
    """True for a possessor that may only classify what follows: `her pilot's exam`, but no relative or friend."""
    if owner.dep_ != "poss" or any(is_a(owner.head.lemma_.lower(), kind) for kind in OWNED):
        return False
    return not any(is_a(owner.lemma_.lower(), kind) for kind in RELATED)


def belongs_to_phrase(item: Item, head: Token) -> bool:
    """True for words before a noun that belong to it: its possessor (also as a variable), its adjectives."""
    if isinstance(item, Variable):
        return True
    if isinstance(item, str):
        return item.strip() == "'s"
    return item.dep_ == "case" or (head in item.ancestors and item.pos_ not in ("VERB", "AUX", "ADP"))


def head_of(tokens: Sequence[Token]) -> Token | None:
    """The noun that heads the others."""
    inside = set(tokens)
    heads = [t for t in tokens if t.head not in inside or t.head == t]
    return next((t for t in heads if t.pos_ in ("NOUN", "PROPN", "PRON")), None)


def owner_of(head: Token) -> Token | None:
    """The possessor of a noun: `Maya` of `Maya's job`."""
    return next((c for c in head.children if c.dep_ == "poss"), None)


def rank_adjective(head: Token) -> Token | None:
    """The superlative before a noun that orders by time: `last` in `the last book`."""
    ranking = [t for t in head.children if t.i < head.i and t.lower_ in RANKS and t.dep_ in BEFORE_NOUN]
    return next((t for t in ranking if t.lower_ != "recent" or any(c.lower_ == "most" for c in t.children)), None)


def rank_of(head: Token) -> str:
    """`earliest` or `latest` for a noun with such a superlative, otherwise empty."""
    adjective = rank_adjective(head)
    return RANKS[adjective.lower_] if adjective is not None else ""


def noun_type(head: Token, *, ranked: bool = False) -> str:
    """A noun with its adjectives, as a variable's type; without its superlative if it was ranked."""
    before = [t for t in head.children if t.i < head.i and t.dep_ in ("amod", "compound") and t.pos_ != "DET"]
    before = [t for t in before if not ranked or t != rank_adjective(head)]
    return words([*before, head], singular=True)


def text_of(tokens: Sequence[Token]) -> str:
    """Tokens as text, with their original spaces."""
    return plain(tokens)
