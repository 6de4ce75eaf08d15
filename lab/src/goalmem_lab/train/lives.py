"""Conversations of the laboratory: lives with questions and statements, and single excerpts with both.

A life is a conversation over weeks, as people write; each of its questions names the words that answer it, and each of its statements is
entailed, contradicted or not said. An excerpt is one turn with the one that it replies to. docs/judge.md describes both layouts.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from goalmem.errors import FormatError, NotFoundError
from goalmem.models.protocol import Excerpt, Statement
from goalmem.questions.perspective import name_asker
from goalmem_lab.train.documents import Document, Line, Mark, Question
from goalmem_lab.train.token_overlap import best_f1

YES_NO = ("yes", "no")
HELD_OUT = 5
"""One life in so many is left out of training."""


class Label(StrEnum):
    """What an excerpt says of a statement."""

    ENTAILED = "entailed"
    CONTRADICTED = "contradicted"
    NOT_SAID = "not-said"
    UNSUPPORTED = "unsupported"
    """Contradicted or not said: which of them is not known."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement, an excerpt, and what the one says of the other."""

    statement: Statement
    excerpt: Excerpt
    label: Label
    contrasted: bool = False
    """Whether it is of a note with wrong answers: most of these come in pairs that differ in few words."""


@dataclass(frozen=True, slots=True)
class Life:
    """A conversation as it is stored, with its statements."""

    name: str
    content: Mapping[str, Any]
    statements: Sequence[Mapping[str, Any]]
    reading: Sequence[Mapping[str, Any]] = ()
    """More questions, to read for: each with the turn and the words that answer it, or with the turn that only seems to."""
    whether: Sequence[Mapping[str, Any]] = ()
    """Questions of yes or no, each with the turn that decides it; of those that none does, with one that seems to."""

    @property
    def turns(self) -> dict[str, Excerpt]:
        """Every turn by its name (`s01:3`), behind the end of the one before it."""
        found = {}
        for session in self.content["sessions"]:
            before = ""
            for place, message in enumerate(session["messages"]):
                speaker = message.get("name") or message["role"]
                text = one_line(message["content"])
                said = datetime.fromisoformat(session["at"])
                found[f"{session['session']}:{place}"] = Excerpt(text, speaker, said, before)
                before = f"{speaker}: {text}"
        return found


def one_line(text: str) -> str:
    """Line breaks as blanks, one for one: places in the text stay."""
    return re.sub(r"[\r\n\t]", " ", text)


def read_lives(folder: Path) -> list[Life]:
    """The lives in `folder/train`, by name, with what `statements`, `questions` and `whether` beside it hold of them.

    Raises NotFoundError when there are none, FormatError when one is in another layout.
    """
    files = sorted((folder / "train").glob("*.json"))
    if not files:
        raise NotFoundError(
            f"There are no lives in {folder / 'train'}.",
            "Name the folder of the laboratory that holds train/ and statements/.",
        )
    return [_life(file, folder) for file in files]


def _life(file: Path, folder: Path) -> Life:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        statements = folder / "statements" / file.name
        stated = json.loads(statements.read_text(encoding="utf-8")) if statements.exists() else []
        reading, whether = (_lines(folder / kind / f"{file.stem}.jsonl") for kind in ("questions", "whether"))
        life = Life(file.stem, content, stated, reading, whether)
        document_of(life)
        list(claims_of(life))
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise FormatError(
            f"{file} is no life as docs/judge.md describes it ({type(error).__name__}: {error}).",
            "Mend the file, or leave it out.",
        ) from error
    return life


def _lines(file: Path) -> list[Mapping[str, Any]]:
    """The objects of a file with one a line; none where there is no such file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def is_held_out(life: Life) -> bool:
    """Whether a life is left out of training: by a hash of its name, the same always."""
    return int.from_bytes(hashlib.sha256(life.name.encode()).digest()[:4], "big") % HELD_OUT == 0


def document_of(life: Life) -> Document:
    """The life as a document to read answers out of: questions with a span, and those that have no answer."""
    turns = life.turns
    places = {name: place for place, name in enumerate(turns)}
    lines = tuple(Line(f"{turn.speaker}: {turn.text}", turn.speaker) for turn in turns.values())
    questions = []
    for asked in life.content["questions"]:
        span, evidence = asked.get("span"), asked.get("evidence") or []
        if span:
            questions.append(Question(question_of(asked), (_mark(turns, places, span),)))
        elif not asked["answers"] and not asked.get("list"):
            near = places[evidence[0]["turn"]] if evidence else 0
            questions.append(Question(question_of(asked), near=near))
    for asked in life.reading:
        if "open" in asked:
            questions.append(Question(question_of(asked), near=places[asked["open"]]))
        else:
            questions.append(Question(question_of(asked), (_mark(turns, places, asked),)))
    return Document("lives", life.name, lines, tuple(questions), closed=True)


def question_of(asked: Mapping[str, Any]) -> str:
    """A question as a reader and a judge are shown it."""
    return name_asker(asked["question"], asked.get("asker") or "")


def _mark(turns: Mapping[str, Excerpt], places: Mapping[str, int], quoted: Mapping[str, str]) -> Mark:
    """Where quoted words stand in the line of their turn."""
    turn = turns[quoted["turn"]]
    start = turn.text.index(one_line(quoted["quote"])) + len(turn.speaker) + 2
    return Mark(places[quoted["turn"]], start, start + len(quoted["quote"]))


def claims_of(life: Life) -> Iterator[Claim]:
    """The statements of a life over the turns that bear on them, and its questions that are answered by yes or no."""
    turns = life.turns
    for stated in life.statements:
        cited = [evidence["turn"] for evidence in stated.get("evidence") or []]
        if cited:
            yield Claim(Statement(stated["statement"], ""), excerpt_of(turns, cited), Label(stated["label"]))
    for asked in life.content["questions"]:
        cited = [evidence["turn"] for evidence in asked.get("evidence") or []]
        answer = asked["answers"][0].lower() if asked["answers"] else ""
        if cited and answer in YES_NO:
            yield from either(question_of(asked), answer, excerpt_of(turns, cited))
        elif cited and answer and not asked.get("list") and len(cited) <= 2:
            yield Claim(Statement(question_of(asked), asked["answers"][0]), excerpt_of(turns, cited), Label.ENTAILED)
    for asked in life.whether:
        yield from either(question_of(asked), asked["answer"], turns[asked["turn"]])


def either(question: str, answer: str, excerpt: Excerpt) -> Iterator[Claim]:
    """A question of yes or no as two claims: its answer is entailed, the other contradicted; neither is said where it is open."""
    for said in YES_NO:
        decided = Label.ENTAILED if said == answer else Label.CONTRADICTED
        yield Claim(Statement(question, said), excerpt, decided if answer in YES_NO else Label.NOT_SAID)


def excerpt_of(turns: Mapping[str, Excerpt], cited: Sequence[str]) -> Excerpt:
    """One turn behind the one that it replies to; two of them as if the later replied to the earlier."""
    first, last = turns[min(cited)], turns[max(cited)]
    if first == last:
        return last
    return Excerpt(last.text, last.speaker, last.said, f"{first.speaker}: {first.text}")


def read_notes(folder: Path) -> tuple[list[Document], list[Claim]]:
    """The excerpts in `folder/*.jsonl`: their questions as documents to read, and what is claimed of them.

    Raises FormatError for a line in another layout.
    """
    documents: list[Document] = []
    claims: list[Claim] = []
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            try:
                content = json.loads(line)
                documents.append(_note_document(f"{file.stem}:{number}", content))
                contrasted = "wrong" in content
                claims += (replace(claim, contrasted=contrasted) for claim in _note_claims(content))
            except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
                raise FormatError(
                    f"{file}, line {number}, is no excerpt as docs/judge.md describes it ({type(error).__name__}: {error}).",
                    "Mend the line, or take it out.",
                ) from error
    return documents, claims


def _note_document(name: str, content: Mapping[str, Any]) -> Document:
    speaker, text = content["speaker"], one_line(content["text"])
    before = one_line(content["before"])
    lines = [Line(before, before.partition(":")[0])] if ":" in before[:40] else []
    lines.append(Line(f"{speaker}: {text}", speaker))
    questions = []
    for asked, answer in content["qa"]:
        start = lines[-1].text.find(answer)
        if answer.lower() not in YES_NO and start >= 0:
            questions.append(Question(asked, (Mark(len(lines) - 1, start, start + len(answer)),)))
    questions += [Question(asked, near=len(lines) - 1) for asked, *_ in content["open"]]
    return Document("notes", name, tuple(lines), tuple(questions), closed=True)


def _note_claims(content: Mapping[str, Any]) -> Iterator[Claim]:
    excerpt = Excerpt(
        one_line(content["text"]),
        content["speaker"],
        datetime.fromisoformat(content["date"]) if content.get("date") else None,
        one_line(content["before"]),
    )
    labels = {"entailed": Label.ENTAILED, "contradicted": Label.CONTRADICTED, "not_said": Label.NOT_SAID}
    for key, label in labels.items():
        for statement in content[key]:
            yield Claim(Statement(statement, ""), excerpt, label)
    spans = [answer for _, answer in content["qa"] if answer.lower() not in YES_NO]
    for asked, answer in content["qa"]:
        if answer.lower() in YES_NO:
            yield from either(asked, answer.lower(), excerpt)
            continue
        yield Claim(Statement(asked, answer), excerpt, Label.ENTAILED)
        other = spans[(spans.index(answer) + 1) % len(spans)]
        if not best_f1(other, [answer]):
            yield Claim(Statement(asked, other), excerpt, Label.UNSUPPORTED)
    for asked, other in content.get("wrong", ()):
        yield Claim(Statement(asked, other), excerpt, Label.UNSUPPORTED)
    for asked, tempting in content["open"]:
        for said in YES_NO if tempting.lower() in YES_NO else (tempting,):
            yield Claim(Statement(asked, said), excerpt, Label.NOT_SAID)
