"""Facts as sentences: which can be read alone, in which words, and between which words of their turn they are judged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from unicodedata import category

from goalmem.answering.profile_topics import bearer
from goalmem.language.lexicon import is_known, supersenses, tagged_uses
from goalmem.language.lexnames import VerbKind
from goalmem.language.terms import STOP_WORDS
from goalmem.language.verb_forms import inflected, lemmas_of
from goalmem.language.words.function_words import ALMOST
from goalmem.language.words.profiles import KIN, OF_PARTNERS
from goalmem.language.words.pronouns import FIRST_PERSON, POSSESSIVES, SECOND_PERSON, THIRD_PERSON
from goalmem.models.protocol import Excerpt
from goalmem.records import Argument, Fact, Turn
from goalmem.sources.spans import one_line, sentence_around

LONGEST_PLAIN = 14
"""Words of a plain clause."""
SHORTEST, LONGEST = 3, 24
"""Words of a sentence that is informative and quick to read."""
SURELY = frozenset({"speaker", "name", "alias", "owner"})
"""Ways of finding a subject (`Argument.resolved`) that are seldom wrong."""
DANGLING = frozenset(THIRD_PERSON) | frozenset(
    "this that these those one ones there here something somebody someone nothing thing things same so".split()
)
"""Words that only the conversation explains: a sentence with one of them cannot be read alone."""
MINE = FIRST_PERSON | SECOND_PERSON | POSSESSIVES
LONGEST_SUFFIX = 12
IN_LAW = re.compile(r"['’]?s?[- ]in[- ]laws?\b", re.IGNORECASE)
NEXT_WORD = re.compile(r" ([a-z]+)")
DENIED_AGAIN = re.compile(r" n['’]?t$")
"""A negation that a statement has a second time, where it was written without its apostrophe: `dont`."""
CIRCUMSTANCE = frozenset({"manner", "time", "frequency"})


def excerpt_of(turn: Turn, fact: Fact) -> Excerpt:
    """The sentence of a fact."""
    start, end = sentence_around(turn.content, fact.start, fact.end)
    return Excerpt(one_line(turn.content[start:end]), turn.speaker, turn.at if turn.dated else None)


def is_readable(fact: Fact) -> bool:
    """True if a fact is a sentence that can be understood without the conversation."""
    subject, words = bearer(fact), fact.statement.casefold().split()
    others = [a for a in fact.args if a is not subject]
    if subject is None or not subject.text or subject.resolved not in SURELY:
        return False
    verb = fact.predicate.split()[0]
    return (
        SHORTEST <= len(words) <= LONGEST
        and is_known(verb, "v")
        and (verb == "speak" or supersenses(verb, "v")[:1] != (VerbKind.COMMUNICATION,))
        and (_is_told_by_verb(fact) or any(a.role not in CIRCUMSTANCE for a in others))
        and not any(_dangles(a) for a in others)
        and not any(a == b for a, b in pairwise(words))
        and not _repeats(words)
        and not any(_is_guessed(a, subject) for a in others)
        and not any(c in '?…"“(' or category(c) == "So" for c in fact.statement)
        and not any(a.head in ALMOST or (a.role == "attribute" and " and " in a.text) for a in others)
    )


def is_plain(fact: Fact) -> bool:
    """True if a fact is a short clause that begins with its subject and has no break. Such clauses are seldom misread."""
    subject = fact.arg("subject")
    return (
        fact.kind == "clause"
        and subject is not None
        and subject.start == fact.start
        and len(fact.text.split()) <= LONGEST_PLAIN
        and not set(fact.text) & set(",;:()/+=–—")
        and "." not in fact.text[:-1]
    )


def _is_told_by_verb(fact: Fact) -> bool:
    """True if a verb alone, or with a time, says enough: `got married`, `Ann's birthday is on 3 March`."""
    return fact.predicate in OF_PARTNERS or "'s " in fact.subject


def _dangles(argument: Argument) -> bool:
    """True if an argument contains an unresolved word that refers to something else."""
    if argument.entity:
        return False
    words = {w.strip(".,;:!'").casefold() for w in argument.text.split()}
    number = argument.head.isdigit() and argument.type != "time"
    return not words or number or argument.head in DANGLING or bool(words & (DANGLING | MINE))


def _is_guessed(argument: Argument, subject: Argument) -> bool:
    """True if an argument is whatever a pronoun seemed to mean, the subject itself, or a loose phrase of manner ("all fine")."""
    itself = bool(argument.entity) and (
        argument.entity == subject.entity
        or (argument.role == "attribute" and argument.entity.startswith(f"{subject.entity}'s "))
    )
    return (
        itself
        or argument.resolved in ("pronoun", "presumed")
        or (argument.role == "manner" and " " in argument.text.strip())
    )


def _repeats(words: Sequence[str]) -> bool:
    """True if two words follow each other twice: two arguments hold the same phrase."""
    pairs = list(pairwise(words))
    return len(set(pairs)) < len(pairs)


def is_misread(content: str, fact: Fact) -> bool:
    """True if the words around a fact show that it is somebody else's, or of somebody else: quoted, an in-law, `my brothers wedding`."""
    before, behind = content[: fact.start], content[fact.end :]
    if before.count('"') % 2 == 1 or before.count("“") > before.count("”"):
        return True
    if fact.kind not in ("possession", "identity"):
        return False
    held = fact.arg("object" if fact.kind == "possession" else "attribute")
    if held is None:
        return True
    around = (
        held.text,
        behind[:LONGEST_SUFFIX],
        content[max(0, held.end) :][:LONGEST_SUFFIX] if held.start >= 0 else "",
    )
    if IN_LAW.search(around[0]) or any(IN_LAW.match(rest) for rest in around[1:]):
        return True
    if any(not _is_word(word) for word in held.text.split()):
        return True
    plural = held.text.casefold().endswith(f"{held.head}s")
    if plural and f"{held.head}s" not in inflected(held.head, "NNS"):
        return True
    owned = NEXT_WORD.match(behind)
    return plural and owned is not None and tagged_uses(owned[1], "n") > tagged_uses(owned[1], "v")


def _is_word(word: str) -> bool:
    """True for a name and for a word of the language: not for `exs` or `wifes`."""
    bare = word.strip(".,;:!'’()").casefold().removesuffix("'s").removesuffix("’s")
    if word[:1].isupper() or bare in STOP_WORDS | KIN or not bare.isalpha():
        return True
    return any(is_known(lemma, pos) for lemma in {bare, *lemmas_of(bare)} for pos in "nva")


def sentence_of(fact: Fact) -> str:
    """The statement of a fact as a sentence."""
    text = DENIED_AGAIN.sub("", fact.statement.strip().rstrip(".,;:"))
    return f"{text[:1].upper()}{text[1:]}."


def shown_text(fact: Fact) -> str:
    """The sentence as it is shown: with the date for words like `last week`, and the name only once."""
    text = sentence_of(fact)
    if fact.when is not None and fact.when_text and not any(c.isdigit() for c in fact.when_text):
        words = rf"(\b(?:in|on|at|during) )?\b{re.escape(fact.when_text)}\b"
        text = re.sub(words, lambda m: f"{m[1]}{fact.when}" if m[1] else f"({fact.when})", text, count=1)
    who = bearer(fact)
    owner = f"{who.entity or who.text}'s " if who is not None else ""
    first, rest = text[: len(owner)], text[len(owner) :]
    return first + rest.replace(owner, "their ") if owner.strip("'s ") else text
