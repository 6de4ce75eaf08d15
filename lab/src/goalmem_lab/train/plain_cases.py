"""Plain cases: a few messages of one person, a question, and its answer; in half of some, a later message gives the value anew.

A line of JSON a case: `said`, `question`, `answer` (null where the messages do not say it), and `changed`, where a later message seems to give
the value anew: whether it does. Or a line a chat: `said` with `by` and `text` of each message, several `questions`, each with its answer, and perhaps
`statements`, each with its `label` and the places of the messages that decide it (`turns`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from goalmem.errors import FormatError
from goalmem.memory import Memory
from goalmem.models.protocol import Excerpt, Statement
from goalmem.sources.numbers import IN_WORDS, number_in
from goalmem.sources.passages.effort import FOR_ONE
from goalmem_lab.train.lives import Claim, Label, one_line
from goalmem_lab.train.offers import Inquired, inquired
from goalmem_lab.train.token_overlap import best_f1

DAY = datetime(2026, 3, 2, tzinfo=UTC)
APART = timedelta(days=3)
"""Between two messages."""
RIGHT = 0.5
"""Token F1 from which an answer is right."""
NUMBER = re.compile(r"\d[\d.,:]*\d|\d")
ANOTHER = 0.3
"""Token F1 up to which an offer is another answer; between the two it is one that is cut otherwise."""
TAUGHT = ("told", "simple", "others", "dev", "taught", "chats")
"""Files that the judge learns from."""
ASSISTANT = "Assistant"
LABELS = {"entailed": Label.ENTAILED, "contradicted": Label.CONTRADICTED, "unsupported": Label.NOT_SAID}


def read_cases(path: Path) -> list[Mapping[str, Any]]:
    """The cases of a file, those of a chat one by one. Raises FormatError for a line that is none."""
    return [case for line in _read_lines(path, ("said",)) for case in _cases_of(line)]


def _read_lines(path: Path, keys: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            content = json.loads(line)
            if not all(content[key] for key in keys) or not _cases_of(content):
                raise ValueError("nothing is said or asked")
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(f"{path}, line {number}: {error}.", "Give said, question and answer a line.") from error
        yield content


def _cases_of(line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "questions" in line:
        return [
            {"said": line["said"], "question": each["question"], "answer": each["answer"]} for each in line["questions"]
        ]
    return [line] if line["question"] else []


@contextmanager
def told(case: Mapping[str, Any]) -> Iterator[tuple[Memory, datetime]]:
    """A memory of what is said in a case, and when its question is asked: messages of one person days apart, or a chat at once."""
    with Memory() as memory:
        if isinstance(case["said"][0], str):
            for place, said in enumerate(case["said"]):
                memory.add([{"role": "user", "content": said}], at=(DAY + place * APART).isoformat())
            yield memory, DAY + (len(case["said"]) - 1) * APART + timedelta(hours=23)
        else:
            memory.add([_message(said) for said in case["said"]], at=(DAY + timedelta(hours=9)).isoformat())
            yield memory, DAY + timedelta(hours=23)


def _message(said: Mapping[str, str]) -> dict[str, str]:
    if said["by"] == ASSISTANT:
        return {"role": "assistant", "content": said["text"]}
    return {"role": "user", "name": said["by"], "content": said["text"]}


def is_right(answer: str, gold: str) -> bool:
    """True if an answer is the accepted one: most of its words, or its number with at most one word more."""
    told, wanted = (IN_WORDS.sub(_in_digits, text) for text in (answer, gold))
    numbers = [NUMBER.findall(text) for text in (told, wanted)]
    alone = len(numbers[0]) == 1 and numbers[0] == numbers[1][:1]
    return best_f1(told, [wanted]) >= RIGHT or (alone and len(told.split()) <= len(wanted.split()) + 1)


def _in_digits(words: re.Match[str]) -> str:
    number = number_in(words.group())
    return words.group() if number is None else f"{number:g}"


def taught_cases(folder: Path) -> list[Mapping[str, Any]]:
    """The cases that the judge learns from, of those files of a folder that there are. Raises FormatError for a line that is none."""
    files = (folder / f"{name}.jsonl" for name in TAUGHT)
    return [case for file in files if file.is_file() for case in read_cases(file)]


def stated_in_chats(path: Path) -> list[Claim]:
    """The statements about the chats of a file, each over the message that decides it, behind the one before; none where there is no file.

    Raises FormatError for a line that is none.
    """
    if not path.is_file():
        return []
    return [
        Claim(Statement(stated["text"], ""), excerpt_in_chat(chat["said"], stated["turns"]), LABELS[stated["label"]])
        for chat in read_chats(path)
        for stated in chat.get("statements", ())
        if stated["turns"]
    ]


def read_chats(path: Path) -> Iterator[Mapping[str, Any]]:
    """The chats of a file. Raises FormatError for a line that is none."""
    return _read_lines(path, ("said", "questions"))


def excerpt_in_chat(said: Sequence[Mapping[str, str]], turns: Sequence[int]) -> Excerpt:
    """The last of the messages named, behind the first of them, or behind the one before it."""
    first, last = min(turns), max(turns)
    before = first if first < last else last - 1
    shown = f"{said[before]['by']}: {said[before]['text']}" if before >= 0 else ""
    return Excerpt(one_line(said[last]["text"]), said[last]["by"], DAY, one_line(shown))


def plain_claims(
    cases: Sequence[Mapping[str, Any]], report: Callable[[int, int], None] = lambda done, all_: None
) -> list[Claim]:
    """What a memory of each case offers as the answer, entailed where it is right; and the answer, where the likeliest offer is not it."""
    claims: list[Claim] = []
    done = 0
    for _, of_one in groupby(cases, key=lambda case: id(case["said"])):
        asked = list(of_one)
        with told(asked[0]) as (memory, when):
            for case in asked:
                found = inquired(memory, {"question": case["question"]}, when.isoformat())
                if found is not None:
                    claims += _claims(found, case["answer"])
        done += len(asked)
        report(done, len(cases))
    return claims


def _claims(found: Inquired, gold: str | None) -> Iterator[Claim]:
    passages, first = found.passages, False
    offered, _ = passages.judged.likeliest(found.question, found.variable, found.turns)
    for place, (_, proposal, _) in enumerate(offered[: FOR_ONE.judged]):
        pair = passages.judged.judge.pair(found.question, proposal)
        if gold is not None and any(is_right(text, gold) for text in (proposal.value.text, proposal.span)):
            first = first or place == 0
            yield Claim(*pair, Label.ENTAILED)
        elif gold is None or best_f1(proposal.span, [gold]) <= ANOTHER:
            yield Claim(*pair, Label.UNSUPPORTED)
    for ranked in found.turns if gold is not None and not first else ():
        turn = passages.memory.turn(ranked.turn)
        at = turn.content.casefold().find(gold.casefold()) if turn is not None and gold is not None else -1
        if turn is not None and gold is not None and at >= 0:
            excerpt = passages.texts.excerpt(turn, at, at + len(gold))
            yield Claim(Statement(passages.texts.worded(found.question), gold), excerpt, Label.ENTAILED)
