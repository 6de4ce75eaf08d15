"""`goalmem add`: conversations from files into the store."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from goalmem.cli.options import Alone, AsJson, Space, Store, metadata_of, moment, open_served, settings_for
from goalmem.cli.outcome import interruptible, note
from goalmem.cli.output import progress, write_json
from goalmem.errors import FormatError, InputError
from goalmem.store.metadata import TAGS

if TYPE_CHECKING:
    from goalmem.io import Conversation, Options, Skipped
    from goalmem.memory import Memory

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(add)


def add(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE...]", help="Chat files; - is standard input.")
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option("--text", "-t", help="A message of the user instead of a file (may be repeated)."),
    ] = None,
    store: Store = None,
    space: Space = None,
    session: Annotated[str | None, typer.Option(help="Name of the session, for files that hold one.")] = None,
    at: Annotated[
        str | None, typer.Option(metavar="DATE", help="When it was said, for sessions whose file gives no date.")
    ] = None,
    day_first: Annotated[bool, typer.Option("--day-first", help="Read 03/04/2024 as 3 April.")] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out lines and messages that cannot be read, and list them.")
    ] = False,
    metadata: Annotated[
        list[str] | None,
        typer.Option("--metadata", metavar="KEY=VALUE", help="Note this about every message (may be repeated)."),
    ] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Tag every message so (may be repeated).")] = None,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """Remember conversations.

    Layouts are told apart by their content: OpenAI messages (JSON or JSONL), LoCoMo, LongMemEval, and transcripts
    of lines `Name: text`. A file is checked whole before any of it is stored. Adding again adds nothing, so work
    that was interrupted is taken up by the same command.

    \b
    Examples:
      goalmem add chat.json
      goalmem add --text "I like tea."
      goalmem add sessions/*.jsonl --space maya
      goalmem add notes.txt --at 2024-05-01 --metadata project=x --tag work
      export-my-chats | goalmem add - --session monday
    """
    from goalmem.io import Options, open_chat, read_chat

    if not files and not text:
        raise typer.BadParameter("say what to add: files, - for standard input, or --text")
    for name in files or ():
        if name != "-" and not os.path.lexists(name):
            raise FormatError(
                f"There is no file {name!r}.",
                f"Check the path; to remember a text, write goalmem add --text {shlex.quote(name)}.",
            )
    settings = settings_for(store, space, alone=alone)
    noted = metadata_of([*(metadata or ()), *(f"{TAGS}={one}" for one in tag or ())])
    given = Given(session, moment(at), settings.space, settings.max_message_characters, noted)
    reports: list[Report] = []
    resume = "What was added is kept; run the same command again to go on."
    with interruptible(resume) as check_interrupt, progress() as bars, ExitStack() as opened:
        memory: Memory | None = None
        if text:
            memory = opened.enter_context(open_served(settings, create=True))
            said = [{"role": "user", "content": one, "metadata": noted} for one in text]
            receipt = memory.add(said, space=settings.space, session=session or "default", at=given.at)
            reports.append(Report("--text", 1, len(said), receipt.new))
        for name in files or ():
            report = Report(name)
            options = Options(name, skip_bad=skip_bad, day_first=day_first, on_skip=report.skipped.append)
            with open_chat(name) as (stream, _), seekable(stream) as chat:
                check(chat, options, report, given)
                chat.seek(0)
                memory = memory or opened.enter_context(open_served(settings, create=True))
                bar = bars.add_task(name, total=report.messages)
                for conversation in read_chat(chat, replace(options, on_skip=lambda _: None)):
                    check_interrupt()
                    receipt = memory.add(given.messages(conversation), **given.call(conversation))
                    report.new += receipt.new
                    bars.advance(bar, len(conversation.messages))
            reports.append(report)
    tell(reports, settings.store, settings.space, as_json=as_json)


@dataclass
class Report:
    """What became of one file."""

    file: str
    sessions: int = 0
    messages: int = 0
    new: int = 0
    undated: int = 0
    """Sessions that the file gives no date for, nor the command line."""
    skipped: list[Skipped] = field(default_factory=list)


@dataclass(frozen=True)
class Given:
    """What the command line says about the conversations of a file."""

    session: str | None
    at: datetime | None
    space: str
    longest: int
    noted: Mapping[str, Any]
    """Metadata of every message."""

    def messages(self, conversation: Conversation) -> list[Any]:
        """The messages, with what is noted about them. What a message says of itself counts for more."""
        if not self.noted:
            return list(conversation.messages)
        return [
            {**message, "metadata": {**self.noted, **(message.get("metadata") or {})}}
            for message in conversation.messages
        ]

    def call(self, conversation: Conversation) -> dict[str, Any]:
        """The arguments of `Memory.add` beside the messages."""
        at = conversation.at or (None if conversation.dated else self.at)
        return {"space": self.space, "session": self.session or conversation.session, "at": at}


def check(stream: BinaryIO, options: Options, report: Report, given: Given) -> None:
    """Read a file through without storing anything; the first thing that cannot be stored is refused.

    Raises FormatError and InputError, with the file and the line.
    """
    from goalmem.io import read_chat
    from goalmem.io.chat_messages import check_name, parse_messages

    sessions: set[str] = set()
    for conversation in read_chat(stream, options):
        call = given.call(conversation)
        try:
            check_name(call["session"], "The session")
            at = call["at"] or datetime.now(UTC)
            parse_messages(given.messages(conversation), at=at, timed=call["at"] is not None, longest=given.longest)
        except InputError as error:
            where = f"{options.name}, in the conversation that begins on line {conversation.line}"
            raise InputError(f"{where}: {error.problem}", error.remedy) from error
        if conversation.session not in sessions and not conversation.dated and given.at is None:
            report.undated += 1
        sessions.add(conversation.session)
        report.messages += len(conversation.messages)
    report.sessions = len(sessions)
    if given.session is not None and len(sessions) > 1:
        raise InputError(f"{options.name} holds {len(sessions)} sessions.", "Leave out --session: they have names.")


@contextmanager
def seekable(stream: BinaryIO) -> Iterator[BinaryIO]:
    """A stream that can be read twice: what comes from a pipe is kept on disk meanwhile."""
    if stream.seekable():
        yield stream
        return
    with tempfile.TemporaryFile() as kept:
        shutil.copyfileobj(stream, kept)
        kept.seek(0)
        yield kept


def tell(reports: list[Report], store: str, space: str, *, as_json: bool) -> None:
    """Say what was added; what was left out goes to stderr, line by line."""
    for report in reports:
        for skipped in report.skipped:
            note(f"{report.file}, line {skipped.line}, left out: {skipped.problem}.")
        if report.undated:
            note(f"{report.file} gives no dates; taken as said now. Pass --at DATE to say when.")
    if as_json:
        write_json({"store": store, "space": space, "files": reports})
        return
    for report in reports:
        sessions = "1 session" if report.sessions == 1 else f"{report.sessions} sessions"
        messages = "1 message" if report.messages == 1 else f"{report.messages} messages"
        typer.echo(f"{report.file}: {messages} in {sessions}, {report.new} new")
