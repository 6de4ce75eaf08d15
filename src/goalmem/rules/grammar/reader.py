"""The grammar: an exact reader of controlled rule English.

What it reads it reads rightly; every other sentence comes back with the reason why it cannot be read. It is
deterministic and takes time linear in the text. The English that it reads is described in docs/rules.md.

A handwritten recursive descent parser rather than a generated one: nearly every English word may be a noun, a verb or
an adjective, so that a context-free grammar would be ambiguous throughout. The form of the words, evidence in the text
itself (`words.TextEvidence`) and a dictionary resolve this; what remains ambiguous is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from goalmem.cancellation import checkpoint
from goalmem.language.lexicon import is_known
from goalmem.language.morphology import with_article
from goalmem.logic.terms import Variable
from goalmem.rules import english
from goalmem.rules.english import THING
from goalmem.rules.grammar.reference import NAMES, Fold
from goalmem.rules.grammar.sentence import StatedClause, read_sentence
from goalmem.rules.grammar.text import TextSentence, UnreadableError, sentences, words_of
from goalmem.rules.grammar.words import SentenceWords, TextEvidence
from goalmem.rules.terms import SLOT, Clause, Literal, Reading, Unread


class GrammarReader:
    """Reads controlled rule English without any model. Deterministic, and safe to use from several threads."""

    name = "grammar"

    def read(self, text: str) -> Reading:
        """The clauses of a text, sentence by sentence, followed by the implied ones (`implied`). Does not raise for
        unreadable sentences.
        """
        evidence = TextEvidence(text)
        clauses: list[Clause] = []
        unread: list[Unread] = []
        folds: list[tuple[Fold, int]] = []
        for sentence in sentences(text):
            checkpoint()
            try:
                said = _said(sentence, evidence)
            except UnreadableError as error:
                unread.append(Unread(sentence.text, sentence.start, sentence.end, str(error)))
                continue
            for each in said:
                folds += [(fold, len(clauses)) for fold in each.folds]
                clauses.append(Clause(each.head, each.body, sentence.text, sentence.start, sentence.end))
        clear = _without_two_names(clauses, unread)
        if len(clear) < len(clauses):
            numbers = {id(c): n for n, c in enumerate(clear)}
            folds = [(f, numbers[id(clauses[n])]) for f, n in folds if id(clauses[n]) in numbers]
        return Reading((*clear, *implied(clear, folds)), tuple(sorted(unread, key=lambda u: u.start)))

    def read_statement(self, text: str) -> Literal | None:
        """The statement or question `text` as a literal, with a variable for what is asked; None if a theory cannot
        decide it.
        """
        found = list(sentences(_BEFORE.sub("", _BEHIND.sub("", text))))
        if len(found) != 1:
            return None
        try:
            return _literal(words_of(found[0].text))
        except UnreadableError:
            return None


def _said(sentence: TextSentence, evidence: TextEvidence) -> list[StatedClause]:
    if sentence.text.endswith("?"):
        raise UnreadableError("it is a question")
    return read_sentence(words_of(sentence.text), evidence)


def _without_two_names(clauses: list[Clause], unread: list[Unread]) -> list[Clause]:
    """The clauses without those of sentences that use another name for a constant of a fact."""
    names = two_names(clauses)
    if not names:
        return clauses
    why: dict[int, Unread] = {}
    for clause in clauses:
        for literal in (clause.head, *clause.body):
            for term in literal.terms:
                if term in names:
                    reason = f"{str(term)!r} is {names[str(term)]}, as another sentence says: use that name"
                    why.setdefault(clause.start, Unread(clause.text, clause.start, clause.end, reason))
    unread += why.values()
    return [c for c in clauses if c.start not in why]


# -- statements to decide and questions ------------------------------------------------------------------------------

_CHOICE = r"(?:true or false|true,? false,? or unknown|yes or no|right or wrong)"
_BEHIND = re.compile(rf"\s*[:,;.?]?\s*(?:is (?:this|that|it) )?\(?{_CHOICE}\)?\s*\??\s*$", re.IGNORECASE)
_BEFORE = re.compile(rf"^\s*{_CHOICE}\s*[:?,]\s*", re.IGNORECASE)
_ASKED = {"who": english.PERSON, "whom": english.PERSON, "what": english.THING}
_WHICH = ("which", "what")
_SOME = {**english.FREE_PRONOUNS, **english.GENERIC_PRONOUNS}
HOLE = "Xx"
"""Name that marks the queried position."""


def _literal(words: list[str]) -> Literal | None:
    low = [w.lower() for w in words]
    if low[0] in _ASKED:
        return _asked(words, low, 1, _ASKED[low[0]])
    if low[0] in _WHICH and low[1:2] and low[1] in english.GENERIC_NOUNS:
        return _asked(words, low, 2, english.GENERIC_NOUNS[low[1]])
    if low[0] not in english.AUXILIARIES:
        head = _stated(words)
        return head if head is not None and head.ground else None
    if low[1:2] == ["not"]:  # `Isn't Bob kind?` is asked by who thinks that he is
        return None
    some = [k for k, w in enumerate(low) if w in _SOME]
    if some:  # whether anyone exists is the same question as who it is
        words = [*words[: some[0]], HOLE, *words[some[0] + 1 :]]
    head = _stated(_told(words))
    return _opened(head, _SOME[low[some[0]]]) if some else head


def _stated(words: list[str] | None) -> Literal | None:
    if words is None:
        return None
    said = read_sentence(words, TextEvidence())
    return said[0].head if len(said) == 1 and not said[0].body else None


def _opened(head: Literal | None, type_: str) -> Literal | None:
    """The literal with a variable where it has `HOLE`."""
    if head is None or HOLE not in head.terms:
        return None
    variable = Variable("x", type_)
    return Literal(head.predicate, tuple(variable if t == HOLE else t for t in head.terms), head.negated)


def _asked(words: list[str], low: list[str], start: int, type_: str) -> Literal | None:
    """`Who is kind?`, `What does the bear eat?`, `Who lives in Paris?`."""
    if start < len(low) and _object_asked(words, low, start):
        told = _told(words[start:])
        return _opened(_stated([*told, HOLE]), type_) if told else None
    return _opened(_stated([HOLE, *words[start:]]), type_)


def _object_asked(words: list[str], low: list[str], start: int) -> bool:
    """True for `does the bear eat` and `is Bob allergic to`, false for `is kind` and `can fly`."""
    if low[start] in english.DO:
        return low[start + 1 : start + 2] != ["not"]
    if low[start] in english.BE:
        return low[-1] == "to" or low[-1] in english.PREPOSITIONS
    return low[start] in english.MODALS and SentenceWords(words, TextEvidence(), opening=False).starts_noun(start + 1)


def _told(words: list[str]) -> list[str] | None:
    """A question as a statement: `Does the bear chase the lion` -> the bear does chase the lion."""
    auxiliary, rest = words[0].lower(), words[1:]
    if len(rest) <= 1:
        return None
    end = _subject_end(rest, auxiliary)
    return [*rest[:end], auxiliary, *rest[end:]]


def _subject_end(words: list[str], auxiliary: str) -> int:
    """End of the subject of a question: a capitalised name, or else the split that leaves words for the predicate."""
    asked = SentenceWords(words, TextEvidence(), opening=False)
    start = 1 if asked.low[0] in english.DETERMINERS else 0
    end = start
    if asked.capital(end) or asked.low[end] in english.PRONOUNS:
        end += 1
        while end < asked.size - 1 and asked.capital(end):
            end += 1
        return end
    while end < asked.size and not (asked.ended(end) or asked.continues(end) or asked.low[end] == "not"):
        end += 1
    be = auxiliary in english.BE or auxiliary in ("has", "have", "had")
    if be and end < asked.size and (asked.low[end] in (*english.ARTICLES, "not", "the") or end - start <= 1):
        return end
    if be and end < asked.size and not is_known(asked.low[end - 1], "a"):
        return end
    return max(1, end - 1)


# -- implications of sentences, added only if a rule of the text asks for them ---------------------------------------
# - `the bald eagle` is a bald eagle and an eagle, and `Bob's mother` is a mother of Bob.
# - Who owns Rex, and Rex is a dog, owns a dog.
# - `The circuit has a switch`, where the text goes on about `the switch`: it has the switch.
# Each such clause carries the sentence that says it.

_IS_A = re.compile(rf"{SLOT} is an? ([^{SLOT}]+?)( of {SLOT})?")
_OWNED = re.compile(r"(?:the (?P<noun>.+?) of (?P<owner>.+)|(?P<owner_s>.+?)'s (?P<noun_s>.+))")


def implied(clauses: Sequence[Clause], folds: Sequence[tuple[Fold, int]]) -> list[Clause]:
    """The clauses that are implied; `folds` with the number of the clause that they come from."""
    asked = {literal.predicate for c in clauses for literal in c.body}
    bridges = list(_bridges(clauses, folds, asked))
    asked |= {literal.predicate for c in bridges for literal in c.body}
    said = {c.head for c in clauses if not c.body}
    named = {c.head: c for c in (*_definite(clauses, folds), *_named(clauses, asked))}
    return [*(c for c in named.values() if c.head not in said), *bridges]


def two_names(clauses: Sequence[Clause]) -> dict[str, str]:
    """Constants such as `Lisbon's mayor`, where a fact says who that is, with the name that the fact gives."""
    holders: dict[tuple[str, str], str] = {}
    for clause in clauses:
        found = _IS_A.fullmatch(clause.head.predicate)
        if found and found[2] and not clause.body and clause.head.ground and not clause.head.negated:
            holders[found[1], str(clause.head.terms[1])] = str(clause.head.terms[0])
    named = {c: _OWNED.fullmatch(c) for c in _mentions(clauses)} if holders else {}
    keys = {c: (m["noun"] or m["noun_s"], m["owner"] or m["owner_s"]) for c, m in named.items() if m}
    return {c: holders[key] for c, key in keys.items() if holders.get(key, c) != c}


def _mentions(clauses: Iterable[Clause]) -> dict[str, Clause]:
    """Every constant, with the clause that names it first."""
    found: dict[str, Clause] = {}
    for clause in clauses:
        for literal in (clause.head, *clause.body):
            for term in literal.terms:
                if isinstance(term, str):
                    found.setdefault(term, clause)
    return found


def _named(clauses: Sequence[Clause], asked: set[str]) -> Iterator[Clause]:
    """The type of a constant according to its name, if a rule asks for it."""
    nouns = {m[1]: p for p in asked if (m := _IS_A.fullmatch(p)) and not m[2]}
    roles = {m[1]: p for p in asked if (m := _IS_A.fullmatch(p)) and m[2]}
    for constant, clause in _mentions(clauses).items() if nouns or roles else ():
        owned = _OWNED.fullmatch(constant) if roles or nouns else None
        role = (owned["noun"] or owned["noun_s"]) if owned else ""
        if owned and role in roles:
            head = Literal(roles[role], (constant, owned["owner"] or owned["owner_s"]))
            yield _like(clause, head)
        words = (role or constant.removeprefix("the ")).split() if owned or constant.startswith("the ") else []
        for start in range(len(words)):
            noun = " ".join(words[start:])
            if noun in nouns:
                yield _like(clause, Literal(nouns[noun], (constant,)))


def _bridges(clauses: Sequence[Clause], folds: Sequence[tuple[Fold, int]], asked: set[str]) -> Iterator[Clause]:
    """`_ owns a dog` follows from `_ owns _` and `_ is a dog`, where a rule asks for it and something says the latter."""
    stated = {c.head.predicate for c in clauses}
    done: set[str] = set()
    for fold, number in folds:
        if fold.predicate not in asked or fold.open not in stated or fold.predicate in done:
            continue
        done.add(fold.predicate)
        slots = fold.open.count(SLOT)
        variables = [Variable(NAMES[n], fold.noun if n == fold.place and fold.noun else THING) for n in range(slots)]
        others = [v for n, v in enumerate(variables) if n != fold.place]
        body = [Literal(fold.open, tuple(variables))]
        if fold.of:
            owner = Variable(NAMES[slots], THING)
            others.insert(fold.place, owner)
            body.append(Literal(f"{SLOT} is {with_article(fold.noun)} of {SLOT}", (variables[fold.place], owner)))
        elif fold.noun:
            body.append(Literal(f"{SLOT} is {with_article(fold.noun)}", (variables[fold.place],)))
        clause = clauses[number]
        yield Clause(Literal(fold.predicate, tuple(others)), tuple(body), clause.text, clause.start, clause.end)


def _definite(clauses: Sequence[Clause], folds: Sequence[tuple[Fold, int]]) -> Iterator[Clause]:
    """Resolves `a switch` in a fact to the constant that the text calls `the switch` or `Bob's switch`, if a rule
    refers to it.
    """
    body = [literal for c in clauses for literal in c.body]
    asked = {b.predicate for b in body}
    facts = [(f, n) for f, n in folds if f.noun and not clauses[n].body and not clauses[n].head.negated]
    facts = [(f, n) for f, n in facts if clauses[n].head.predicate == f.predicate and f.open in asked]
    brought = [f.noun for f, _ in facts]
    mentioned = _mentions(clauses) if facts else {}
    for fold, number in facts:
        terms = [str(t) for t in clauses[number].head.terms]
        owner = [terms.pop(fold.place)] if fold.of else []
        constant = f"the {fold.noun}"
        if owner or constant not in mentioned or brought.count(fold.noun) > 1:
            if not any(b.predicate == fold.open and isinstance(b.terms[fold.place], Variable) for b in body):
                continue
            constant = " of ".join([f"{terms[0]}'s {fold.noun}", *owner])
        terms.insert(fold.place, constant)
        yield _like(clauses[number], Literal(fold.open, tuple(terms)))
        kind = f"{SLOT} is {with_article(fold.noun)}" + (f" of {SLOT}" if owner else "")
        if kind in asked:
            yield _like(clauses[number], Literal(kind, (constant, *owner)))


def _like(clause: Clause, head: Literal) -> Clause:
    return Clause(head, (), clause.text, clause.start, clause.end)
