"""From a question taken apart to goals: atomic subgoals with typed variables, most decomposed first.

What is split off is what the syntax itself marks: relative clauses, possessors, temporal clauses and dates. Every
split gives a variable that ties the parts together (Goal-Mem, decomposition).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from goalmem.extract import find_times
from goalmem.extract.lexicon import is_a
from goalmem.logic.interval import Interval
from goalmem.logic.terms import Aggregate, Atom, Constraint, Goal, Variable
from goalmem.reasoners.question import Asked, Question, inflect, plain, words

if TYPE_CHECKING:
    from spacy.tokens import Token

__all__ = ["goals_of"]

Item: TypeAlias = "Token | Variable | str"
TIME_MARKS = {
    "after": "after",
    "before": "before",
    "when": "overlaps",
    "while": "overlaps",
    "since": "after",
    "until": "before",
    "once": "after",
    "during": "overlaps",
}
"""How the main event lies to that of the clause behind the word."""
RELATIVIZERS = frozenset({"who", "whom", "that", "which", "whose", "where"})
OWNED = ("person", "animal", "group", "pet", "relative")
"""Possessed nouns that stand for someone: worth finding out who before going on."""
THIRD_PERSON = frozenset({"he", "she", "him", "her", "his", "hers", "they", "them", "their", "it", "its"})
FIRST_PERSON = frozenset({"i", "me", "my", "mine", "we", "us", "our"})
EMPTY_LIVING = frozenset({"living", "work", "job"})


@dataclass
class Draft:
    """Atoms and constraints of one goal while it is built."""

    names: Iterator[str]
    asker: str
    anchor: datetime
    antecedent: str = ""
    atoms: list[tuple[Item, ...]] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)

    def variable(self, type: str) -> Variable:
        """A variable with a name not used yet."""
        return Variable(next(self.names), type)


def goals_of(question: Question, *, asker: str, anchor: datetime) -> list[Goal]:
    """Alternative goals for the question, the most decomposed first; equal ones once."""
    goals = [
        build(question, shape, asker=asker, anchor=anchor, split_owners=split_owners)
        for split_owners in (True, False)
        for shape in shapes_of(question)
    ]
    return list(dict.fromkeys(goals))


def shapes_of(question: Question) -> tuple[str, ...]:
    """The forms an answer may take in memory, preferred first."""
    match question.asked:
        case Asked.COUNT:
            return ("number", "count")
        case Asked.DURATION:
            return ("span", "length") if any(t.lower_ in TIME_MARKS for t in question.rest) else ("length", "since")
        case Asked.AGO:
            return ("since",)
        case _:
            return ("plain",)


def build(question: Question, shape: str, *, asker: str, anchor: datetime, split_owners: bool) -> Goal:
    """One goal for one shape of the answer."""
    used = iter(("x", "y", "z", "w", "v", *(f"v{n}" for n in range(100))))
    draft = Draft(used, asker, anchor, antecedent_of(question))
    answer = answer_variable(question, shape, draft)
    rest, clauses = split_time_clauses(question)
    rest, dates = split_dates(rest, anchor)
    gap = question.gap if question.asked not in (Asked.TIME, Asked.PLACE) or question.stranded is not None else ""
    items = place_answer(question, rest, answer if gap else None)
    time = None
    if question.asked is Asked.TIME and answer is not None:
        time = answer
    elif dates or clauses or shape in ("span", "since") or question.order:
        time = Variable("t", "time")
    asked_itself = (
        head_of(asked_subject(question)) if question.verb in ("is", "was", "are", "were") and answer else None
    )
    items = split_phrases(items, draft, split_owners, asked_itself)
    items += circumstance(question, shape, answer, gap)
    if time is not None and time not in items:
        items += [" on ", time]
    draft.atoms.insert(0, tuple(items))
    if time is not None:
        draft.constraints += [Constraint(time.name, "overlaps", d) for d in dates]
        for n, (op, tokens) in enumerate(clauses):
            other = Variable("u" if n == 0 else f"u{n}", "time")
            draft.atoms.append((*time_clause(question, tokens, draft, split_owners, answer), " on ", other))
            draft.constraints.append(Constraint(time.name, op, other.name))
    atoms = tuple(atom_of(items, draft) for items in draft.atoms)
    return Goal(
        question.doc.text,
        atoms,
        answer,
        aggregate_of(question, shape, compares=any(op in ("before", "after") for op, _ in clauses)),
        tuple(draft.constraints),
        unit_of(question),
    )


def answer_variable(question: Question, shape: str, draft: Draft) -> Variable | None:
    """The answer variable with its type; None for yes/no and for what is computed from times."""
    if question.asked is Asked.WHETHER or shape in ("span", "since"):
        return None
    if question.asked is Asked.TIME:
        return Variable("t", "time")
    if shape == "number":
        return draft.variable(f"number of {question.type}")
    if shape == "length":
        return draft.variable("duration")
    if question.asked is Asked.MANNER:
        return draft.variable("manner")
    if asks_occupation(question):
        return draft.variable("occupation")
    if asks_activity(question):
        return draft.variable("activity")
    if question.type == "thing" and names_owner(question):
        return draft.variable("name")
    return draft.variable(question.type)


def asks_occupation(question: Question) -> bool:
    """`What does X do (for a living)?`."""
    return bool(
        question.gap == "object"
        and question.verb in ("does", "do")
        and question.type == "thing"
        and (not question.rest or question.rest[-1].lemma_.lower() in EMPTY_LIVING)
    )


def asks_activity(question: Question) -> bool:
    """`What did X do …?`: any of X's doings answers."""
    return (
        question.gap == "object"
        and question.verb.split()[-1] in ("did", "do", "done", "doing")
        and question.type in ("thing", "activity", "activities")
    )


def names_owner(question: Question) -> bool:
    """`What is the name of X?`, `What is X's name?`."""
    head = head_of(question.subject)
    return head is not None and head.lemma_.lower() == "name" and question.verb in ("is", "was")


def place_answer(question: Question, rest: Sequence[Token], answer: Variable | None) -> list[Item]:
    """The statement's words in order, with the answer in its gap."""
    subject: list[Item] = list(asked_subject(question))
    if asks_occupation(question) and answer is not None:
        return [*subject, " works as ", answer]
    verb: list[Item] = [f" {question.verb} "]
    if answer is None:
        return [*subject, *verb, *rest]
    if question.gap == "subject":
        return [answer, *verb, *rest]
    if question.gap == "owner":
        return [answer, "'s ", *question.owned, *verb, *rest]
    if question.owned:
        return [*subject, *verb, answer, "'s ", *question.owned, *rest]
    if question.stranded is None:
        indirect = leading_object(rest)
        return [*subject, *verb, *rest[:indirect], " ", answer, " ", *rest[indirect:]]
    if question.stranded in rest:
        at = list(rest).index(question.stranded) + 1
        return [*subject, *verb, *rest[:at], " ", answer, " ", *rest[at:]]
    return [*subject, *verb, *rest, f" {question.stranded.lower_} ", answer]


def asked_subject(question: Question) -> list[Token]:
    """The subject; of `the name of X` and `X's name`, the X."""
    head = head_of(question.subject)
    if head is None or not names_owner(question):
        return list(question.subject)
    of = next((c for c in head.children if c.lower_ == "of"), None)
    if of is not None:
        return [t for t in question.subject if t.i > of.i]
    own = next((c for c in head.children if c.dep_ == "poss"), None)
    return [t for t in question.subject if t.i < head.i and not (t.dep_ == "case" and t.head == own)]


def leading_object(rest: Sequence[Token]) -> int:
    """How many tokens of the rest are an object in front of the asked one (`give John …`)."""
    if not rest or rest[0].dep_ not in ("dative", "dobj", "iobj") or rest[0].pos_ not in ("PROPN", "PRON"):
        return 0
    return 1


def circumstance(question: Question, shape: str, answer: Variable | None, gap: str) -> list[Item]:
    """The answer as a circumstance at the end of the statement."""
    if answer is None or (gap and shape != "length"):
        return []
    preposition = question.stranded.lower_ if question.stranded is not None and question.gap == "" else ""
    match question.asked:
        case Asked.PLACE if preposition:
            return []
        case Asked.PLACE:
            return [" in ", answer]
        case Asked.REASON:
            return [" because of ", answer]
        case Asked.MANNER:
            return [" like ", answer]
        case Asked.DURATION:
            return [" for ", answer]
    return []


def aggregate_of(question: Question, shape: str, *, compares: bool) -> Aggregate:
    """How the answer is made from the solutions. `compares`: the goal orders two events."""
    if question.asked is Asked.WHETHER:
        ordered = any(t.lower_ in ("before", "after") for t in question.rest)
        return Aggregate.COMPARE if ordered and compares else Aggregate.WHETHER
    if shape == "count":
        return Aggregate.COUNT
    if shape in ("span", "since"):
        return Aggregate.DURATION
    if question.order == "earliest":
        return Aggregate.EARLIEST
    if question.order == "latest":
        return Aggregate.LATEST
    if is_plural(question):
        return Aggregate.LIST
    return Aggregate.ONE


def is_plural(question: Question) -> bool:
    """True when several answers are asked for (`which books`)."""
    if question.asked is not Asked.VALUE or question.type in ("thing", "person"):
        return False
    last = question.type.split()[-1]
    return any(t.lemma_.lower() == last and t.tag_ == "NNS" for t in question.doc)


def unit_of(question: Question) -> str:
    """The unit in which a duration is asked for."""
    return question.unit if question.asked in (Asked.DURATION, Asked.AGO) else ""


# -- splitting -------------------------------------------------------------------------------------------------------


def split_time_clauses(question: Question) -> tuple[list[Token], list[tuple[str, list[Token]]]]:
    """The rest without its temporal clauses, and each of those: how the main event lies to it, and its words."""
    rest, clauses = list(question.rest), []
    for token in question.rest:
        op = TIME_MARKS.get(token.lower_)
        if op is None or token not in rest:
            continue
        tokens = clause_behind(token, rest)
        if tokens and not is_calendar(tokens):
            clauses.append((op, tokens))
            rest = [t for t in rest if t != token and t not in tokens]
    return rest, clauses


def clause_behind(mark: Token, rest: Sequence[Token]) -> list[Token]:
    """The words of the clause or phrase that a temporal word introduces, from the word on."""
    if mark.dep_ == "mark" or mark.dep_ == "advmod":
        clause = mark.head
        if clause.dep_ not in ("advcl", "relcl", "ccomp") and clause.i < mark.i:
            return []
        return [t for t in clause.subtree if t.i > mark.i and t in rest]
    if mark.dep_ in ("prep", "pcomp"):
        return [t for t in mark.subtree if t.i > mark.i and t in rest]
    return []


def is_calendar(tokens: Sequence[Token]) -> bool:
    """True when the words are only a date (`2020`, `last May`)."""
    text = text_of(tokens)
    found = find_times(text, datetime(2020, 1, 1))
    return bool(found) and sum(f.end - f.start for f in found) >= 0.7 * len(text)


def time_clause(
    question: Question, tokens: Sequence[Token], draft: Draft, split_owners: bool, answer: Variable | None
) -> list[Item]:
    """A temporal clause as a statement of its own: a participle gets the main subject, a noun phrase `happened`."""
    head = next((t for t in tokens if t.head not in tokens), tokens[0])
    items: list[Item] = list(tokens)
    if head.pos_ in ("VERB", "AUX") and head.tag_ == "VBG" and not has_subject(head, tokens):
        subject: list[Item] = list(question.subject) or ([answer] if answer is not None else [])
        past = inflect(head.text, head.lemma_, "VBD")
        items = [*subject, f" {past} ", *(t for t in tokens if t.i != head.i)]
    elif head.pos_ not in ("VERB", "AUX"):
        items = [*tokens, " happened "]
    return split_phrases(items, draft, split_owners)


def has_subject(verb: Token, tokens: Sequence[Token]) -> bool:
    """True when the verb has a subject among the tokens."""
    return any(c.dep_ in ("nsubj", "nsubjpass") and c in tokens for c in verb.children)


def split_dates(rest: Sequence[Token], anchor: datetime) -> tuple[list[Token], list[Interval]]:
    """The rest without calendar expressions, and their intervals."""
    kept = list(rest)
    dates: list[Interval] = []
    if not rest:
        return kept, dates
    base, text = rest[0].idx, rest[0].doc.text[rest[0].idx : rest[-1].idx + len(rest[-1])]
    for mention in find_times(text, anchor.replace(tzinfo=None)):
        inside = [t for t in kept if mention.start <= t.idx - base < mention.end]
        before = next((t for t in kept if inside and t.i == inside[0].i - 1 and t.pos_ == "ADP"), None)
        if inside:
            dates.append(mention.interval)
            kept = [t for t in kept if t not in inside and t != before]
    return kept, dates


def split_phrases(items: Sequence[Item], draft: Draft, split_owners: bool, whole: Token | None = None) -> list[Item]:
    """Replace described and owned nouns by variables; what describes them becomes atoms of the draft.

    `whole` is a noun that is asked about itself (`Who is Maya's sister?`) and stays.
    """
    items = list(items)
    while (head := described(items)) is not None:
        items = split_relative(items, head, draft, split_owners)
    while split_owners and (head := possessed(items, whole)) is not None:
        items = split_owner(items, head, draft)
    return items


def described(items: Sequence[Item]) -> Token | None:
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
    variable = draft.variable(noun_type(head))
    statement = relative_statement(clause, [t for t in clause.subtree if t in items], variable)
    atom = split_phrases(statement, draft, split_owners)
    draft.atoms.append(tuple(atom))
    first = items.index(inside[0])
    return [*items[:first], variable, *[i for i in items[first:] if i not in inside]]


def relative_statement(verb: Token, tokens: Sequence[Token], variable: Variable) -> list[Item]:
    """The words of a relative clause with the variable where the described noun belongs."""
    pronoun = next((t for t in tokens if t.lower_ in RELATIVIZERS and t.i < verb.i), None)
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


def possessed(items: Sequence[Item], whole: Token | None) -> Token | None:
    """The first possessed noun that stands for someone; possessors come before what they possess."""
    for item in items:
        if isinstance(item, Variable | str) or item.pos_ != "NOUN" or item == whole:
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
    draft.atoms.append((variable, " is ", *phrase))
    return [*items[:start], variable, *items[place + 1 :]]


def belongs_to_phrase(item: Item, head: Token) -> bool:
    """True for what stands before a noun and belongs to it: its possessor (also as a variable), its adjectives."""
    if isinstance(item, Variable):
        return True
    if isinstance(item, str):
        return item.strip() == "'s"
    return item.dep_ == "case" or (head in item.ancestors and item.pos_ not in ("VERB", "AUX", "ADP"))


# -- words ---------------------------------------------------------------------------------------------------------


def head_of(tokens: Sequence[Token]) -> Token | None:
    """The noun that the others hang on."""
    inside = set(tokens)
    heads = [t for t in tokens if t.head not in inside or t.head == t]
    return next((t for t in heads if t.pos_ in ("NOUN", "PROPN", "PRON")), None)


def noun_type(head: Token) -> str:
    """A noun with its adjectives, as a variable's type."""
    before = [t for t in head.children if t.i < head.i and t.dep_ in ("amod", "compound") and t.pos_ != "DET"]
    return words([*before, head], singular=True)


def antecedent_of(question: Question) -> str:
    """Who a third-person pronoun of the question stands for: the first name in it."""
    names = [t for t in question.doc if t.pos_ == "PROPN" and t.dep_ != "pobj"]
    if not names:
        return ""
    first = names[0]
    run = [first]
    while run[-1].i + 1 < len(question.doc) and question.doc[run[-1].i + 1].pos_ == "PROPN":
        run.append(question.doc[run[-1].i + 1])
    return " ".join(t.text for t in run)


def text_of(tokens: Sequence[Token]) -> str:
    """Tokens as text, with the spaces that they had."""
    return plain(tokens)


def atom_of(items: Sequence[Item], draft: Draft) -> Atom:
    """Items as an atom: text parts merged, pronouns replaced by who they stand for."""
    parts: list[str | Variable] = []
    for item in items:
        text: str | Variable = item if isinstance(item, Variable | str) else spoken(item, draft)
        if isinstance(text, str) and parts and isinstance(parts[-1], str):
            parts[-1] += text
        elif isinstance(text, Variable) and parts and isinstance(parts[-1], Variable):
            parts += [" ", text]
        else:
            parts.append(text)
    return Atom(tuple(tidy(parts)))


def spoken(token: Token, draft: Draft) -> str:
    """A token's text with its space; pronouns become names where it is known whose."""
    word, space = token.text, token.whitespace_ or " "
    lower = token.lower_
    possessive = token.tag_ == "PRP$"
    name = draft.antecedent if lower in THIRD_PERSON else draft.asker if lower in FIRST_PERSON else ""
    if name and token.tag_ in ("PRP", "PRP$") and lower not in ("it", "its"):
        return f"{name}'s{space}" if possessive else f"{name}{space}"
    glued = (
        not token.whitespace_
        and token.i + 1 < len(token.doc)
        and token.nbor().text in ("'s", "’s", "'", "-", "n't", ",")
    )
    glued = glued or token.text == "-"
    return word + ("" if glued else space)


def tidy(parts: Sequence[str | Variable]) -> list[str | Variable]:
    """One space between words, none at the ends or before an apostrophe."""
    out: list[str | Variable] = []
    for n, part in enumerate(parts):
        if isinstance(part, Variable):
            out.append(part)
            continue
        text = " ".join(part.split())
        lead = n > 0 and not text.startswith(("'", ",", "’"))
        trail = n + 1 < len(parts)
        text = (" " if lead else "") + text + (" " if trail else "")
        out.append(text if text.strip() else " ")
    return [p for n, p in enumerate(out) if p != " " or 0 < n < len(out) - 1]
