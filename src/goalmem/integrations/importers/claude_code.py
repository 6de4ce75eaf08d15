"""Claude Code's transcripts: JSON lines of one session each, in `~/.claude/projects/<project>/<session>.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath, PurePosixPath
from typing import Any

from goalmem.integrations.importers.json_stream import elements
from goalmem.integrations.importers.portions import moment, portions, said, short_id
from goalmem.integrations.importers.protocol import Chat, Export, Place, Reading, Sample, text_of
from goalmem.io.conversation import MESSAGES_AT_ONCE

SPEAKING = ("user", "assistant")
"""Types of lines that hold a message."""
MARKS = {"isSidechain": "subagent", "isMeta": "notice", "isCompactSummary": "summary", "isApiErrorMessage": "notice"}
"""Fields that mark lines without speech, and their category."""
TOOLS = ("tool_use", "tool_result", "server_tool_use", "web_search_tool_result")
OWN_WORDS = re.compile(
    r"<(system-reminder|local-command-\w+|command-\w+|bash-\w+|user-prompt-submit-hook|ide_\w+|task-notification)>.*?</\1>",
    re.DOTALL,
)
"""Text that the program inserts into user messages: reminders, commands and their output, the editor's state."""
INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]*\]")
ABOUT = ({"summary", "leafUuid"}, {"messageId", "snapshot"})
"""Fields of lines that name no session."""
ENDING = ".jsonl"
REMEDY = "Pass a transcript as Claude Code wrote it"


class ClaudeCode:
    """Reads a transcript, or a folder of them (`~/.claude/projects`): the dialogue of user and assistant.

    A session is a session, named after the folder that it was begun in. Each line has an id of its own, so a transcript that has
    grown, or a session that was resumed, adds what is new. What sub-agents did is left out.
    """

    name = "claude-code"
    title = "Claude Code"

    def recognises(self, sample: Sample) -> bool:
        """Lines with a type name their session, or the line that they sum up."""
        return any(_is_theirs(value) for value in sample.values)

    def read(self, export: Export, reading: Reading) -> Iterator[Chat]:
        """Session by session."""
        for name in export.names:
            if name.lower().endswith(ENDING) or len(export.names) == 1:
                with export.open(name) as stream:
                    yield from _Transcript(PurePosixPath(name).stem, reading).read(
                        elements(stream, export.label(name), reading, ())
                    )


def _is_theirs(value: object) -> bool:
    """True if a value is a line of a transcript: of the chain of messages, or about the session."""
    if not isinstance(value, Mapping) or not isinstance(value.get("type"), str):
        return False
    named = "sessionId" in value and not value.keys() & {"content", "data", "message"}
    return "parentUuid" in value or named or any(about <= value.keys() for about in ABOUT)


class _Transcript:
    """Reads lines one after the other, and keeps messages until there are enough of a session."""

    def __init__(self, stem: str, reading: Reading) -> None:
        self.stem = stem
        self.reading = reading
        self.titles: dict[str, str] = {}
        self.waiting: dict[str, list[dict[str, Any]]] = {}
        self.places: dict[str, Place] = {}

    def read(self, lines: Iterator[tuple[Place, Any]]) -> Iterator[Chat]:
        for place, line in lines:
            if not isinstance(line, Mapping):
                self.reading.reject(place, "this is no line of a transcript: it is no object", REMEDY)
                continue
            session = text_of(line, "sessionId") or self.stem
            if (folder := text_of(line, "cwd")) and session not in self.titles:
                # From the first line that has one, so that a session keeps its name while its transcript grows.
                self.titles[session] = PurePath(folder.replace("\\", "/")).name
            message = self.message(place, line)
            if message is None:
                continue
            waiting = self.waiting.setdefault(session, [])
            self.places.setdefault(session, place)
            waiting.append(message)
            if len(waiting) >= MESSAGES_AT_ONCE:
                yield from self.flush(session)
        for session in list(self.waiting):
            yield from self.flush(session)

    def flush(self, session: str) -> Iterator[Chat]:
        messages, place = self.waiting.pop(session), self.places.pop(session)
        key, title = short_id(session), self.titles.get(session, "")
        yield from portions(key, title, messages, messages[0].get("at"), place)

    def message(self, place: Place, line: Mapping[str, Any]) -> dict[str, Any] | None:
        """A message; None if the line has no content or is invalid."""
        kind = text_of(line, "type")
        held = line.get("message")
        if kind not in SPEAKING:
            if kind != "":
                self.reading.passed_over[kind] += 1
            else:
                self.reading.reject(place, "this is no line of a transcript: it has no type", REMEDY)
            return None
        if marks := [counted for field, counted in MARKS.items() if line.get(field) is True]:
            self.reading.passed_over[marks[0]] += 1
            return None
        if not isinstance(held, Mapping) or not isinstance(held.get("content"), str | list):
            self.reading.reject(place, f"the line of type {kind!r} holds no message", REMEDY)
            return None
        try:
            at = moment(line.get("timestamp"), self.reading.options)
        except ValueError as error:
            self.reading.reject(place, str(error), REMEDY)
            return None
        words = self.words(held["content"])
        name = self.reading.options.name if kind == "user" else ""
        return said(kind, words, name=name, id=text_of(line, "uuid"), at=at) if words else None

    def words(self, content: str | list[Any]) -> str:
        """The speech without the program's insertions; empty, and counted, if there is none."""
        blocks = [content] if isinstance(content, str) else content
        texts: list[str] = []
        for block in blocks:
            if isinstance(block, str):
                texts.append(block)
            elif isinstance(block, Mapping) and block.get("type") == "text":
                texts.append(text_of(block, "text"))
            elif isinstance(block, Mapping) and block.get("type") in TOOLS:
                if self.reading.options.tools:
                    texts.append(_of_a_tool(block))
                else:
                    self.reading.passed_over["tool"] += 1
            else:
                kind = text_of(block, "type") if isinstance(block, Mapping) else ""
                self.reading.passed_over[kind or "empty"] += 1
        spoken = [INTERRUPTED.sub("", OWN_WORDS.sub("", text)).strip() for text in texts]
        if texts and not any(spoken):
            self.reading.passed_over["notice"] += 1
        return "\n".join(text for text in spoken if text)


def _of_a_tool(block: Mapping[str, Any]) -> str:
    """A tool call or its result as text."""
    if "input" in block:
        return f"[{text_of(block, 'name') or 'tool'}] {block['input']}"
    held = block.get("content")
    parts = held if isinstance(held, list) else [held]
    return "\n".join(text_of(part, "text") if isinstance(part, Mapping) else str(part or "") for part in parts)
