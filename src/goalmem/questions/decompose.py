"""Convert a parsed question into goals: atomic subgoals with typed variables, most decomposed first.

Questions are split where the syntax marks it: at relative clauses, possessors, temporal clauses and dates. Every split adds a variable that
links the parts (Goal-Mem, decomposition).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from goalmem.language.name_statements import says_how_called
from goalmem.language.words.modifiers import TIME_MARKS
from goalmem.language.words.nouns import EARNING, OCCUPATION
from goalmem.language.words.pronouns import OWNERS
from goalmem.logic.terms import Aggregate, Constraint, Goal, Variable
from goalmem.questions.clause_split import (
    described_noun,
    head_of,
    noun_type,
    owner_of,
    rank_of,
    relative_statement,
    split_dates,
    split_phrases,
    split_time_clauses,
    time_clause,
)
from goalmem.questions.dimensions import measure_of, measured, measured_statement
from goalmem.questions.draft import Draft, Item, atom_of, full_name, is_being
from goalmem.questions.syntax import FINITE_TAGS, ParsedQuestion
from goalmem.questions.wh import CLOCK_TIME, AnswerKind, words

if TYPE_CHECKING:
    from spacy.tokens import Token


ORDERING = ("before", "after")
RANKING = (AnswerKind.VALUE, AnswerKind.PLACE, AnswerKind.NUMBER, AnswerKind.REASON, AnswerKind.MANNER)
"""Kinds of answer that may be the first or last of several."""


def goals_of(question: ParsedQuestion, *, asker: str, anchor: datetime) -> list[Goal]:
    """Alternative goals for the question, most decomposed first, without duplicates."""
    shapes = [*shapes_of(question), *(["stated"] if names_order(question) else [])]
    goals = [
        build(question, shape, asker=asker, anchor=anchor, split_owners=split_owners)
        for split_owners in (True, False)
        for shape in shapes
    ]
    goals += converse_goals(question, asker, anchor)
    # Readings with a doubtful owner come last.
    return list(dict.fromkeys(goal for goal, _ in sorted(goals, key=lambda g: g[1])))


def names_order(question: ParsedQuestion) -> bool:
    """True if a question says before or after what something was, which may also have been said in these words."""
    return question.asked not in (AnswerKind.DURATION, AnswerKind.AGO) and any(
        op in ORDERING for op, _ in split_time_clauses(question)[1]
    )


def converse_goals(question: ParsedQuestion, asker: str, anchor: datetime) -> list[tuple[Goal, bool]]:
    """`Did Ann eat before she went out?` as `she went out after Ann ate`; none for any other question."""
    rest, clauses = split_time_clauses(question)
    if question.asked is not AnswerKind.WHETHER or len(clauses) != 1 or clauses[0][0] not in ORDERING:
        return []
    op, tokens = clauses[0]
    if not any(t.tag_ in FINITE_TAGS or t.tag_ == "VBG" for t in tokens):
        return []
    draft = draft_for(question, asker=asker, anchor=anchor)
    other = time_clause(question, tokens, draft, False, None)
    own = split_phrases([*question.subject, f" {question.verb} ", *rest], draft, False)
    converse = ORDERING[1 - ORDERING.index(op)]
    atom = atom_of((*other, f" {converse} ", *own), draft)
    return [(Goal(question.doc.text, (atom,), None, Aggregate.WHETHER), draft.doubtful)]


def shapes_of(question: ParsedQuestion) -> tuple[str, ...]:
    """The forms that an answer may have in memory, preferred first."""
    match question.asked:
        case AnswerKind.COUNT:
            return ("count",) if question.type == "time" or question.among else ("number", "count")
        case AnswerKind.DURATION:
            if any(t.lower_ in TIME_MARKS for t in question.rest):
                return ("span", "length")
            if measured(question):
                return ("length", "dimension")
            return ("length", "since") if lasts_until_now(question) else ("length",)
        case AnswerKind.AGO:
            return ("since",)
        case AnswerKind.NUMBER if question.total and question.type == "amount":
            return ("sum", "plain")
        case AnswerKind.NUMBER if measured(question):
            return ("dimension",)
        case AnswerKind.VALUE if measured(question):
            return ("plain", "dimension")
        case AnswerKind.VALUE if names_occupation(question):
            return ("plain", "occupation")
        case _:
            return ("plain",)


def lasts_until_now(question: ParsedQuestion) -> bool:
    """True if a state is asked for that lasts until now: in the present, but not of a length (`How long is the film?`).

    What lasted in the past need not last until now (Quirk et al. 1985, section 4.18).
    """
    finite = next((t for t in question.doc if t.tag_ in FINITE_TAGS), None)
    if finite is None or finite.tag_ == "VBD":
        return False
    return finite.lemma_ != "be" or any(t.tag_ in ("VBN", "VBG") for t in question.rest)


def build(
    question: ParsedQuestion, shape: str, *, asker: str, anchor: datetime, split_owners: bool
) -> tuple[Goal, bool]:
    """One goal for one form of the answer, and whether it has a doubtful owner."""
    draft = draft_for(question, asker=asker, anchor=anchor)
    if (ranked := ranked_noun(question)) is not None:
        return ranked_goal(question, ranked, draft, split_owners), draft.doubtful
    of_dimension = shape == "dimension"
    answer = draft.variable(measure_of(question)) if of_dimension else answer_variable(question, shape, draft)
    rest, clauses = split_time_clauses(question) if shape != "stated" else (list(question.rest), [])
    rest, dates = split_dates(rest, anchor)
    gap = (
        question.gap
        if question.asked not in (AnswerKind.TIME, AnswerKind.PLACE) or question.stranded is not None
        else ""
    )
    items = place_answer(question, rest, answer if gap else None, shape, asker)
    if of_dimension and answer is not None:
        items = measured_statement(question, answer, draft)
    time = None
    if answer is not None and answer.type == "time":
        time = answer
    elif dates or clauses or shape in ("span", "since") or question.order:
        time = Variable("t", "time")
    draft.clause = frozenset(t for _, tokens in clauses for t in tokens)
    items = split_phrases(items, draft, split_owners, identity_nouns(question, rest))
    items += [] if of_dimension else circumstance(question, shape, answer, gap)
    if time is not None and time not in items:
        items += [" on ", time]
    draft.atoms.insert(0, tuple(items))
    if time is not None:
        draft.constraints += [Constraint(time.name, op, d) for op, d in dates]
        for n, (op, tokens) in enumerate(clauses):
            other = Variable("u" if n == 0 else f"u{n}", "time")
            draft.atoms.append((*time_clause(question, tokens, draft, split_owners, answer), " on ", other))
            draft.constraints.append(Constraint(time.name, op, other.name))
    if answer is not None and owned_by_someone(question.among):
        draft.atoms.append(one_of(answer, question, draft, split_owners))
    atoms = tuple(atom_of(items, draft) for items in draft.atoms)
    compares = any(op in ORDERING for op, _ in clauses)
    aggregate = Aggregate(draft.order) if draft.order else aggregate_of(question, shape, compares=compares)
    goal = Goal(question.doc.text, atoms, answer, aggregate, tuple(draft.constraints), unit_of(question))
    return goal, draft.doubtful


def draft_for(question: ParsedQuestion, *, asker: str, anchor: datetime) -> Draft:
    """An empty draft that can resolve pronouns."""
    used = iter(("x", "y", "z", "w", "v", *(f"v{n}" for n in range(100))))
    head = next((t for t in question.subject if t.pos_ == "PROPN"), None)
    if head is None and question.subject:
        head = next((t for t in question.doc if is_being(t)), None)
    ranks = question.asked in RANKING and not question.order
    return Draft(used, asker, anchor, main=full_name(head) if head is not None else "", ranks=ranks)


def identity_nouns(question: ParsedQuestion, rest: Sequence[Token]) -> list[Token]:
    """Nouns on both sides of `is` whose identity is asked, and which therefore stay whole."""
    if question.verb not in ("is", "was", "are", "were"):
        return []
    sides = [asked_subject(question)]
    if question.asked is AnswerKind.WHETHER:
        if rest and rest[0].pos_ in ("ADP", "VERB"):
            return []
        sides.append(list(rest))
    return [head for head in map(head_of, sides) if head is not None]


def ranked_noun(question: ParsedQuestion) -> Token | None:
    """The noun of `What was the last book that Ann read?`, whose relative clause the question asks about."""
    identity = question.verb in ("is", "was", "are", "were") and question.gap in ("subject", "object")
    if question.asked is not AnswerKind.VALUE or question.type not in ("thing", "person") or not identity:
        return None
    tokens = list(question.subject or question.rest)
    head = described_noun(tokens)
    alone = head is not None and head == head_of(tokens) and not (question.subject and question.rest)
    return head if head is not None and alone and rank_of(head) else None


def ranked_goal(question: ParsedQuestion, head: Token, draft: Draft, split_owners: bool) -> Goal:
    """Read `What was the last book that Ann read?` as the latest `(x:book)` of `Ann read (x:book) on (t:time)`."""
    answer, time = draft.variable(noun_type(head, ranked=True)), Variable("t", "time")
    clause = next(c for c in head.children if c.dep_ in ("relcl", "acl"))
    rest, dates = split_dates([t for t in clause.subtree if not t.is_punct], draft.anchor)
    items = split_phrases(relative_statement(clause, rest, answer), draft, split_owners)
    draft.atoms.insert(0, (*items, " on ", time))
    constraints = tuple(Constraint(time.name, op, d) for op, d in dates)
    atoms = tuple(atom_of(items, draft) for items in draft.atoms)
    return Goal(question.doc.text, atoms, answer, Aggregate(rank_of(head)), constraints)


def owned_by_someone(phrase: Sequence[Token]) -> bool:
    """True for `Ann's friends`, not for `the books`."""
    return any(t.dep_ == "poss" for t in phrase)


def one_of(answer: Variable, question: ParsedQuestion, draft: Draft, split_owners: bool) -> tuple[Item, ...]:
    """The atom of `which of Ann's friends`: `(x:friend) is Ann's friend`."""
    *before, head = question.among
    phrase: list[Item] = [*before, f" {words([head], singular=True)} "]
    return (answer, " is ", *split_phrases(phrase, draft, split_owners))


def answer_variable(question: ParsedQuestion, shape: str, draft: Draft) -> Variable | None:
    """The answer variable with its type; None for yes/no questions and for results computed from times."""
    if question.asked is AnswerKind.WHETHER or shape in ("span", "since"):
        return None
    if question.asked is AnswerKind.TIME or (question.asked is AnswerKind.COUNT and question.type == "time"):
        return Variable("t", "time")
    if shape == "number":
        return draft.variable(f"number of {question.type}")
    if shape == "length":
        return draft.variable("duration")
    if question.asked is AnswerKind.MANNER:
        return draft.variable("manner")
    if asks_occupation(question) or shape == "occupation":
        return draft.variable("occupation")
    if asks_activity(question):
        return draft.variable("activity")
    if question.type == "thing" and names_owner(question):
        return draft.variable("name")
    if question.type == "thing" and question.verb.split()[-1] in ("cost", "costs"):
        return draft.variable("amount")
    if question.type == "thing" and asks_age(question):
        return draft.variable("age")
    if question.type == "person" and (is_named(question) or asks_employer(question)):
        return draft.variable("person or animal" if is_named(question) else "person or place or organization")
    return draft.variable(question.type)


def asks_occupation(question: ParsedQuestion) -> bool:
    """`What does X do (for a living)?`, `What does X work as?`."""
    if question.gap != "object" or question.type != "thing":
        return False
    if question.verb in ("works", "work"):
        return question.stranded is not None and question.stranded.lower_ == "as"
    living = not question.rest or question.rest[-1].lemma_.lower() in EARNING
    return question.verb in ("does", "do") and living


def names_occupation(question: ParsedQuestion) -> list[Token]:
    """The X of `What is X's job?`; empty for other questions."""
    head = head_of(question.subject)
    identity = question.gap == "object" and question.verb == "is" and question.type == "thing" and not question.rest
    if head is None or not identity or head.lemma_.lower() not in OCCUPATION:
        return []
    has_modifier = any(t.dep_ in ("amod", "compound") and t.head == head for t in question.subject)
    return [] if owner_of(head) is None or has_modifier else before_noun(question, head)


def asks_age(question: ParsedQuestion) -> bool:
    """`What is X's age?`."""
    head = head_of(question.subject)
    identity = question.gap == "object" and question.verb == "is" and not question.rest
    return identity and head is not None and head.lower_ == "age"


def asks_activity(question: ParsedQuestion) -> bool:
    """`What did X do …?`: any activity of X answers it."""
    return (
        question.gap == "object"
        and question.verb.split()[-1] in ("did", "do", "done", "doing")
        and question.type in ("thing", "activity", "activities")
    )


def is_named(question: ParsedQuestion) -> bool:
    """`Who is Rex?`: the name may be an animal's."""
    identity = question.verb in ("is", "was") and question.gap == "object" and not question.rest
    return identity and bool(question.subject) and all(t.pos_ == "PROPN" for t in question.subject)


def asks_employer(question: ParsedQuestion) -> bool:
    """`Who does X work for?`, `Who is X's employer?`: usually not a person."""
    head = head_of(question.subject)
    works = question.verb.split()[-1] in ("works", "work", "worked", "working")
    stranded = question.stranded.lower_ if question.stranded is not None else ""
    return (works and stranded == "for") or (head is not None and head.lemma_.lower() == "employer")


def names_owner(question: ParsedQuestion) -> bool:
    """`What is the name of X?`, `What is X's name?`."""
    head = head_of(question.subject)
    if head is None or head.lemma_.lower() != "name" or question.verb not in ("is", "was", "are", "were"):
        return False
    return says_how_called(head)


def place_answer(
    question: ParsedQuestion, rest: Sequence[Token], answer: Variable | None, shape: str, asker: str
) -> list[Item]:
    """The statement's words in order, with the answer in its gap."""
    subject: list[Item] = list(asked_subject(question))
    if len(subject) == 1 and names_owner(question):  # `What's my name?`: I am called so.
        own = asked_subject(question)[0].lower_
        subject = [asker if own in ("my", "our") else OWNERS.get(own, subject[0])]
    if asks_occupation(question) and answer is not None:
        return [*subject, " works as ", answer]
    if shape == "occupation" and answer is not None:
        who: list[Item] = [asker if t.lower_ in ("my", "our") else t for t in names_occupation(question)]
        return [*who, " works as ", answer]
    if names_several(question) and answer is not None:
        *before, head = (t for t in asked_subject(question) if not (t.tag_ == "CD" or t.dep_ == "nummod"))
        return [answer, " is ", *before, f" {words([head], singular=True)} "]
    verb: list[Item] = [f" {question.verb} "]
    if answer is None:
        return [*subject, *verb, *rest]
    asked: list[Item] = [answer, " ", *question.tail, " "] if question.tail else [answer]
    if question.gap == "subject":
        return [*asked, *verb, *rest]
    if question.gap == "owner":
        return [answer, "'s ", *question.owned, *verb, *rest]
    if question.owned:
        return [*subject, *verb, answer, "'s ", *question.owned, *rest]
    if question.stranded is None:
        indirect = leading_object(rest)
        return [*subject, *verb, *rest[:indirect], " ", *asked, " ", *rest[indirect:]]
    if question.stranded in rest:
        at = list(rest).index(question.stranded) + 1
        return [*subject, *verb, *rest[:at], " ", *asked, " ", *rest[at:]]
    return [*subject, *verb, *rest, f" {question.stranded.lower_} ", *asked]


def asked_subject(question: ParsedQuestion) -> list[Token]:
    """The subject; of `the name of X` and `X's name`, the X."""
    head = head_of(question.subject)
    if head is None or not names_owner(question):
        return list(question.subject)
    of = next((c for c in head.children if c.lower_ == "of"), None)
    if of is not None:
        return [t for t in question.subject if t.i > of.i]
    return before_noun(question, head)


def before_noun(question: ParsedQuestion, head: Token) -> list[Token]:
    """The words of the subject before a noun, without the mark of its possessor: `my sister` of `my sister's job`."""
    own = owner_of(head)
    return [t for t in question.subject if t.i < head.i and not (t.dep_ == "case" and t.head == own)]


def leading_object(rest: Sequence[Token]) -> int:
    """The number of tokens of an object before the asked one (`give John …`)."""
    # After `gave something`, parsers take the name for an apposition.
    if not rest or rest[0].dep_ not in ("dative", "dobj", "iobj", "appos") or rest[0].pos_ not in ("PROPN", "PRON"):
        return 0
    return 1


def circumstance(question: ParsedQuestion, shape: str, answer: Variable | None, gap: str) -> list[Item]:
    """The answer as a circumstance at the end of the statement."""
    if answer is None or (gap and shape != "length"):
        return []
    preposition = question.stranded.lower_ if question.stranded is not None and question.gap == "" else ""
    match question.asked:
        case AnswerKind.PLACE if preposition:
            return []
        case AnswerKind.PLACE:
            return [" in ", answer]
        case AnswerKind.CLOCK:
            return [" at " if answer.type == CLOCK_TIME else " on ", answer]
        case AnswerKind.REASON:
            return [" because of ", answer]
        case AnswerKind.MANNER:
            return [" like ", answer]
        case AnswerKind.DURATION:
            return [" for ", answer]
    return []


def aggregate_of(question: ParsedQuestion, shape: str, *, compares: bool) -> Aggregate:
    """The aggregate of the answer. `compares`: the goal orders two events."""
    if question.asked is AnswerKind.WHETHER:
        ordered = any(t.lower_ in ORDERING for t in question.rest)
        return Aggregate.COMPARE if ordered and compares else Aggregate.WHETHER
    if shape == "count":
        return Aggregate.COUNT
    if shape == "sum":
        return Aggregate.SUM
    if shape in ("span", "since"):
        return Aggregate.DURATION
    if question.order == "earliest":
        return Aggregate.EARLIEST
    if question.order == "latest":
        return Aggregate.LATEST
    if is_plural(question) or names_several(question):
        return Aggregate.LIST
    return Aggregate.ONE


def is_plural(question: ParsedQuestion) -> bool:
    """True if several answers are asked for (`which books`)."""
    if question.asked is not AnswerKind.VALUE or question.type in ("thing", "person"):
        return False
    last = question.type.split()[-1]
    return any(t.lemma_.lower() == last and t.tag_ == "NNS" for t in question.doc)


def names_several(question: ParsedQuestion) -> bool:
    """`What are the names of my cats?`, `What are my cats called?`, `Who are my friends?`: one for each is asked for."""
    identified = question.verb in ("are", "were") and question.gap == "object" and not question.rest
    identified = identified and question.type != "amount"  # `How much were the shoes?` asks for one price.
    owner = head_of(asked_subject(question)) if identified or names_owner(question) else None
    return owner is not None and owner.tag_ in ("NNS", "NNPS")


def unit_of(question: ParsedQuestion) -> str:
    """The unit of a duration that is asked for."""
    return question.unit if question.asked in (AnswerKind.DURATION, AnswerKind.AGO) else ""
