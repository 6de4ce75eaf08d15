"""Readers of the public layouts: FriendsQA, Molweni, SQuAD 2.0, XQuAD and QAMR.

FriendsQA: Yang and Choi (SIGDIAL 2019), Apache-2.0. Molweni: Li et al. (COLING 2020), Apache-2.0. SQuAD 2.0: Rajpurkar
et al. (ACL 2018), CC BY-SA 4.0. XQuAD: Artetxe et al. (ACL 2020), CC BY-SA 4.0. QAMR: Michael et al. (NAACL 2018), MIT.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goalmem.errors import FormatError, NotFoundError
from goalmem_lab.train.documents import Document, Line, Mark, Question


@dataclass(frozen=True, slots=True)
class Corpus:
    """A data file: its name in the data folder, and how it is read."""

    file: str
    read: Callable[[Any], Iterator[Document]]


def read_corpus(folder: Path, corpus: Corpus) -> list[Document]:
    """The documents of one file.

    Raises NotFoundError when it is not in `folder`, FormatError when it is not in the corpus's published layout.
    """
    path = folder / corpus.file
    try:
        documents = list(corpus.read(json.loads(path.read_text(encoding="utf-8"))))
    except FileNotFoundError as error:
        raise NotFoundError(
            f"The training data lack {corpus.file}: there is no {path}.",
            "Pass --data a folder with the files that docs/reader.md names.",
        ) from error
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise FormatError(
            f"{path} is not in the layout that {corpus.file} is published in ({type(error).__name__}: {error}).",
            "Fetch the file again from where docs/reader.md says.",
        ) from error
    if not documents:
        raise FormatError(f"{path} holds no documents.", "Fetch the file again from where docs/reader.md says.")
    return documents


def _friendsqa(content: Any) -> Iterator[Document]:
    for entry in content["data"]:
        for paragraph in entry["paragraphs"]:
            lines = [
                (", ".join(turn["speakers"]), turn["utterance"])
                for turn in paragraph["utterances:"]  # the colon is in the published files
            ]
            yield Document(
                corpus="friendsqa",
                group=entry["title"],
                lines=tuple(Line(f"{speaker}: {text}", speaker) for speaker, text in lines),
                questions=tuple(
                    Question(qa["question"], tuple(_friendsqa_mark(lines, answer) for answer in qa["answers"]))
                    for qa in paragraph["qas"]
                ),
            )


def _friendsqa_mark(lines: list[tuple[str, str]], answer: Any) -> Mark:
    """An answer is a speaker's name, or a run of an utterance's blank-separated tokens, both ends included."""
    place = answer["utterance_id"]
    speaker, text = lines[place]
    if answer["is_speaker"]:
        return Mark(place, 0, len(speaker))
    tokens = list(re.finditer(r"\S+", text))
    before = len(speaker) + 2
    return Mark(place, before + tokens[answer["inner_start"]].start(), before + tokens[answer["inner_end"]].end())


def _molweni(content: Any) -> Iterator[Document]:
    for number, dialogue in enumerate(content["data"]["dialogues"]):
        lines = tuple(Line(f"{turn['speaker']}: {turn['text']}", turn["speaker"]) for turn in dialogue["edus"])
        if " ".join(line.text for line in lines).lower() != dialogue["context"].lower():
            raise ValueError(f"the context of dialogue {number} is not its turns")
        yield Document("molweni", f"dialogue {number}", lines, _asked(dialogue["qas"], lines), closed=True)


def _squad(content: Any) -> Iterator[Document]:
    for entry in content["data"]:
        for paragraph in entry["paragraphs"]:
            lines = tuple(Line(sentence) for sentence in _sentences(paragraph["context"]))
            group = entry.get("title") or paragraph["context"][:40]
            yield Document("squad", group, lines, _asked(paragraph["qas"], lines), closed=True)


def _sentences(text: str) -> list[str]:
    """Consecutive sentences that, with one character between each two, make up `text`."""
    return re.split(r"(?<=[.!?][\"')\]])\s(?=[A-Z\"'(])|(?<=[a-z0-9][.!?])\s(?=[A-Z\"'(])", text)


def _asked(qas: Any, lines: tuple[Line, ...]) -> tuple[Question, ...]:
    """Questions whose answers are given by their place in the lines joined by one character."""
    questions = []
    for qa in qas:
        if not qa.get("is_impossible", False):
            marks = (_mark(lines, answer) for answer in qa["answers"])
            found = tuple(dict.fromkeys(mark for mark in marks if mark))
            if found:
                questions.append(Question(qa["question"], found))
            continue
        plausible = (_mark(lines, answer) for answer in qa.get("plausible_answers", ()))
        questions.append(Question(qa["question"], near=next((mark.line for mark in plausible if mark), 0)))
    return tuple(questions)


def _mark(lines: tuple[Line, ...], answer: Any) -> Mark | None:
    """The answer's place in its line; None for one that reaches over lines or is not where it is said to be."""
    start = answer["answer_start"]
    for number, line in enumerate(lines):
        if start < len(line.text):
            end = start + len(answer["text"])
            same = line.text[start:end].lower() == answer["text"].lower()
            return Mark(number, start, end) if same and answer["text"] else None
        start -= len(line.text) + 1
    return None


TRAINING = (
    Corpus("friendsqa_dev.json", _friendsqa),
    Corpus("molweni_test.json", _molweni),
    Corpus("squad2_half_dev.json", _squad),
    Corpus("xquad_en.json", _squad),
)
TEST = Corpus("friendsqa_test.json", _friendsqa)
QAMR = ("qamr_dev.tsv", "qamr_test.tsv")
"""Questions over single sentences; the sentences are in `qamr_sentences.tsv`."""
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
_CLOSING = re.compile(r"[,.;:!?%)\]}]+|'\w*|n't|--")


def read_qamr(folder: Path) -> list[Document]:
    """The sentences of QAMR with their questions, as many as have an answer that is one stretch of the sentence.

    Raises NotFoundError when a file is not in `folder`, FormatError when it is not in the published layout.
    """
    sentences = {row[0]: row[1].split() for row in _rows(folder / "qamr_sentences.tsv", 2)}
    asked: dict[str, dict[str, list[int]]] = {}
    for file in QAMR:
        for row in _rows(folder / file, 7):
            asked.setdefault(row[0], {})[row[5]] = [int(place) for place in row[6].split()]
    documents = []
    for name, questions in asked.items():
        text, places = _written(sentences[name])
        marks = {
            question: Mark(0, places[answer[0]][0], places[answer[-1]][1])
            for question, answer in questions.items()
            if answer and answer == list(range(answer[0], answer[-1] + 1)) and answer[-1] < len(places)
        }
        if marks:
            group = name.rsplit(":", 2)[0]
            asked_here = tuple(Question(question, (mark,)) for question, mark in marks.items())
            documents.append(Document("qamr", group, (Line(text),), asked_here))
    return documents


def _rows(path: Path, least: int) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    except FileNotFoundError as error:
        raise NotFoundError(
            f"The training data lack {path.name}: there is no {path}.",
            "Pass --data a folder with the files that docs/judge.md names.",
        ) from error
    if not rows or any(len(row) < least for row in rows):
        raise FormatError(f"{path} is not in the layout that QAMR is published in.", "Fetch the file again.")
    return rows


def _written(tokens: list[str]) -> tuple[str, list[tuple[int, int]]]:
    """A sentence of a treebank as it is written, and where each of its tokens stands in it."""
    text, places, quoted = "", [], False
    glued = True
    for token in tokens:
        shown = _BRACKETS.get(token, token)
        closes = _CLOSING.fullmatch(shown) is not None or (shown == '"' and quoted)
        if not glued and not closes:
            text += " "
        glued = shown in ("(", "[", "{", "$", "#") or (shown == '"' and not quoted)
        quoted ^= shown == '"'
        places.append((len(text), len(text) + len(shown)))
        text += shown
    return text, places
