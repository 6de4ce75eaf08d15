"""The chat reader: any chat model reads the sentences that the grammar does not.

A model's clauses are proposals. Each statement must be readable by the grammar, each name and word must occur in the
sentence, up to inflection, and each variable of a conclusion must occur in its conditions. Otherwise the request is
repeated once with the reason; after that the sentence counts as unread.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from goalmem.errors import ChatError
from goalmem.language.terms import WORD_PART, stem
from goalmem.logic.terms import Variable
from goalmem.models.chat import ChatModel, ChatRequest, object_in
from goalmem.models.chat_prompts import prompt
from goalmem.rules.grammar.reader import GrammarReader
from goalmem.rules.grammar.text import TextSentence, UnreadableError, sentences
from goalmem.rules.grammar.words import STOPS
from goalmem.rules.terms import SLOT, Clause, Literal, Reading, Unread

ATTEMPTS = 2
"""A reply that cannot be used is asked for once more, with the reason."""
MOST_TOKENS = 512
MOST_CLAUSES = 32
MOST_CHARS = 2_000
"""Longer sentences are not sent to a model."""
_VARIABLE = re.compile(r"\(\s*([a-z]\w?)\s*:\s*([a-z][a-z ]{0,30}?)\s*\)")


class ClauseReply(BaseModel):
    """A clause in a reply."""

    model_config = ConfigDict(extra="forbid", strict=True)

    head: str
    body: list[str]


class ClausesReply(BaseModel):
    """The clauses of a sentence."""

    model_config = ConfigDict(extra="forbid", strict=True)

    clauses: list[ClauseReply]


class StatementReply(BaseModel):
    """The statement behind a question; empty if a theory cannot decide it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    statement: str


Reply = TypeVar("Reply", bound=BaseModel)
Made = TypeVar("Made")


class ChatReader:
    """`RuleReader` over any chat model. As deterministic and as safe to use from several threads as the model is."""

    name = "chat"

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._exact = GrammarReader()
        """The exact reader is tried first; its readings are final."""

    def read(self, text: str) -> Reading:
        """The clauses of a text. A model is asked about each sentence that is not read exactly, one call a sentence."""
        reading = self._exact.read(text)
        unread = {u.start: u for u in reading.unread}
        clauses, left = list(reading.clauses), []
        before = ""
        for sentence in sentences(text):
            if sentence.start in unread:
                try:
                    clauses += self._clauses(sentence, before)
                except UnreadableError as error:
                    left.append(Unread(sentence.text, sentence.start, sentence.end, str(error)))
            before = sentence.text
        return Reading(tuple(sorted(clauses, key=lambda c: c.start)), tuple(left))

    def read_statement(self, text: str) -> Literal | None:
        """The statement or question as a literal, read by the model if the exact reader fails; None if it is neither."""
        exact = self._exact.read_statement(text)
        if exact is not None or not text.strip() or len(text) > MOST_CHARS:
            return exact

        def made(reply: StatementReply) -> Literal | None:
            return _literal(reply.statement, text) if reply.statement.strip() else None

        try:
            return self._asked("read_question", f"Question: {_quoted(text)}", StatementReply, made)
        except UnreadableError:
            return None

    def _clauses(self, sentence: TextSentence, before: str) -> list[Clause]:
        if len(sentence.text) > MOST_CHARS:
            raise UnreadableError(f"it is too long for a model ({len(sentence.text)} characters; at most {MOST_CHARS})")
        given = f"The sentence before it: {_quoted(before)}\n" if before else ""

        def made(reply: ClausesReply) -> list[Clause]:
            return list(_checked(reply, sentence, before))

        found = self._asked("read_rules", f"{given}Sentence: {_quoted(sentence.text)}", ClausesReply, made)
        if not found:
            raise UnreadableError("the chat model found no fact or rule in it")
        return found

    def _asked(self, task: str, material: str, form: type[Reply], made: Callable[[Reply], Made]) -> Made:
        """The parsed reply of the model. Raises UnreadableError if two replies were invalid."""
        reason = ""
        for _ in range(ATTEMPTS):
            again = f"\n\nYour last reply cannot be used: {reason}. Reply again, with JSON only." if reason else ""
            request = ChatRequest(
                task=task,
                system=prompt(task, "goalmem.rules"),
                user=material + again,
                schema=form.model_json_schema(),
                schema_name=task,
                max_tokens=MOST_TOKENS,
            )
            try:
                return made(form.model_validate_json(object_in(self._model.reply(request).text)))
            except ChatError as error:
                raise UnreadableError(f"the chat model could not be asked ({error})") from error
            except ValidationError as error:
                reason = f"it is not the JSON that was asked for ({error.error_count()} problems)"
            except UnreadableError as error:
                reason = str(error)
        raise UnreadableError(f"the chat model's reading of it cannot be used: {reason}")


def _checked(reply: ClausesReply, sentence: TextSentence, before: str) -> Iterator[Clause]:
    """The clauses of a reply. Raises UnreadableError for the first that the sentence does not hold."""
    if len(reply.clauses) > MOST_CLAUSES:
        raise UnreadableError(f"it has more than {MOST_CLAUSES} clauses")
    for given in reply.clauses:
        head = _literal(given.head, sentence.text, before)
        body = tuple(dict.fromkeys(_literal(b, sentence.text, before) for b in given.body))
        bound = {t for literal in body for t in literal.terms}
        for term in head.terms:
            if isinstance(term, Variable) and term not in bound:
                raise UnreadableError(f"{str(term)!r} of {given.head!r} occurs in no condition")
        if head in body:
            raise UnreadableError(f"{given.head!r} is its own condition")
        yield Clause(head, body, sentence.text, sentence.start, sentence.end)


def _literal(said: str, sentence: str, before: str = "") -> Literal:
    """A statement of a reply as a literal, with all of its words in the sentence. Raises UnreadableError."""
    variables: dict[str, Variable] = {}

    def name(found: re.Match[str]) -> str:
        variables.setdefault(f"Xq{found[1]}", Variable(found[1], found[2]))
        return f"Xq{found[1]}"

    plain = _VARIABLE.sub(name, said.strip())
    negated = plain.lower().startswith("not ")
    plain = plain[4:].strip() if negated else plain
    reading = GrammarReader().read(plain[:1].upper() + plain[1:])
    if reading.unread or len(reading.clauses) != 1 or reading.clauses[0].body:
        why = reading.unread[0].reason if reading.unread else "it is not one plain statement"
        raise UnreadableError(f"{said!r} cannot be read, because {why}")
    head = reading.clauses[0].head
    terms = tuple(variables.get(t, t) if isinstance(t, str) else t for t in head.terms)
    literal = Literal(head.predicate, terms, head.negated != negated)
    _check_words(said, literal, sentence, before)
    return literal


def _check_words(said: str, literal: Literal, sentence: str, before: str) -> None:
    here = _stems(sentence)
    for word in _words([literal.predicate.replace(SLOT, " ")]):
        if word not in STOPS and not _stems(word) <= here:
            raise UnreadableError(f"{word!r} of {said!r} does not occur in the sentence")
    named = here | _stems(before)
    for word in _words([t for t in literal.terms if isinstance(t, str)]):
        if word not in STOPS and not _stems(word) <= named:
            raise UnreadableError(f"{word!r} of {said!r} does not occur in the sentence")


def _words(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        yield from WORD_PART.findall(text.lower())


def _stems(text: str) -> frozenset[str]:
    """The stems of a text's words (Porter's second stemmer): `chased` and `chases` have the same."""
    return frozenset(map(stem, WORD_PART.findall(text.lower())))


def _quoted(text: str) -> str:
    """A text as one line of data."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)
