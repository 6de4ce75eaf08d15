"""`goalmem add`: conversations and documents from files into the store."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from goalmem.cli.options import (
    Alone,
    AsJson,
    Space,
    Store,
    given_text,
    metadata_of,
    moment,
    open_memory,
    open_served,
    settings_for,
)
from goalmem.cli.outcome import interruptible, note
from goalmem.cli.output import counted, progress, write_json
from goalmem.errors import FormatError, InputError
from goalmem.store.metadata import TAGS

ENDS = frozenset({"ttl", "expires_at"})
"""Keys of a message that say when it is forgotten."""

if TYPE_CHECKING:
    from rich.progress import Progress

    from goalmem.io import Conversation, Options, Skipped
    from goalmem.io.documents import DocumentFile
    from goalmem.memory import Memory
    from goalmem.settings import Settings


def add(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE...]", help="Chat files and documents; - is standard input.")
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option(
            "--text", "-t", help="A message of the user instead of a file (may be repeated); - is standard input."
        ),
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
    ttl: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Forget the messages so many seconds from now.")
    ] = None,
    expires_at: Annotated[
        str | None, typer.Option("--expires-at", metavar="TIME", help="Forget the messages then.")
    ] = None,
    alone: Alone = False,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="Of documents: text, markdown, html, pdf, email or mbox; default: told by name and content.",
        ),
    ] = None,
    author: Annotated[
        str | None, typer.Option(metavar="NAME", help='Who says "I" in documents that do not say who wrote them.')
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Forget what an earlier version of a document said and this one does not.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remember conversations and documents.

    What a file holds is told by its name and content: OpenAI messages (JSON or JSONL), LoCoMo, LongMemEval, and transcripts
    of lines `Name: text`; or a document: Markdown, plain text, HTML, PDF, an e-mail (.eml) or a mailbox (.mbox). A file is checked whole before any of it is stored. Adding again adds nothing, so work
    that was interrupted is taken up by the same command.

    \b
    Examples:
      goalmem add chat.json
      goalmem add --text "I like tea."
      goalmem add sessions/*.jsonl --space maya
      goalmem add handbook.pdf mail.mbox
      goalmem add letter.txt --author Rosa --format text
      goalmem add notes.txt --at 2024-05-01 --metadata project=x --tag work
      export-my-chats | goalmem add - --session monday
    """
    from goalmem.io import Options

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
    ends = {key: value for key, value in (("ttl", ttl), ("expires_at", moment(expires_at))) if value is not None}
    given = ChatArguments(
        session, moment(at), settings.space, settings.max_message_characters, settings.captions, noted, ends
    )
    reports: list[AddReport] = []
    resume = "What was added is kept; run the same command again to go on."
    with interruptible(resume) as check_interrupt, progress() as bars, ExitStack() as opened:
        adding = AddRun(settings, given, opened, bars, check_interrupt)
        if text:
            reports.append(adding.text([given_text(one) for one in text]))
        for name in files or ():
            options = Options(name, skip_bad=skip_bad, day_first=day_first)
            reports.append(adding.file(name, options, DocumentArguments(format, author, prune)))
    print_reports(reports, settings.store, settings.space, as_json=as_json)


@dataclass(frozen=True)
class DocumentArguments:
    """Command-line options for documents."""

    format: str | None
    author: str | None
    prune: bool


@dataclass
class AddRun:
    """One run of the command."""

    settings: Settings
    given: ChatArguments
    opened: ExitStack
    bars: Progress
    check_interrupt: Callable[[], None]
    _memory: Memory | None = None
    _local: Memory | None = None

    @property
    def memory(self) -> Memory:
        """The memory, opened when first needed: a bad file leaves no store behind."""
        self._memory = self._memory or self.opened.enter_context(open_served(self.settings, create=True))
        return self._memory

    @property
    def local(self) -> Memory:
        """The memory in this process, which adds documents even if a server runs."""
        self._local = self._local or self.opened.enter_context(open_memory(self.settings, create=True))
        return self._local

    def text(self, said: Sequence[str]) -> AddReport:
        """Messages of the user, from the command line."""
        noted = {"metadata": self.given.noted, **self.given.ends}
        messages = [{"role": "user", "content": one, **noted} for one in said]
        session = self.given.session or "default"
        receipt = self.memory.add(messages, space=self.given.space, session=session, at=self.given.at)
        return AddReport("--text", sessions=1, messages=len(said), new=receipt.new)

    def file(self, name: str, options: Options, kept: DocumentArguments) -> AddReport:
        """A file, or standard input: a document, where it is one, else a chat."""
        from goalmem.io import open_chat

        document = None if name == "-" else document_at(name, kept.format, self.settings)
        if document is not None:
            return self.document(name, document, kept)
        with ExitStack() as reading:
            stream, _ = reading.enter_context(open_chat(name))
            chat = reading.enter_context(seekable(stream))
            folder = reading.enter_context(tempfile.TemporaryDirectory())
            document = document_on(chat, kept.format, folder, self.settings) if name == "-" else None
            if document is not None:
                return self.document(name, document, kept)
            try:
                return self.chat(chat, options)
            except FormatError as error:
                if name != "-":
                    raise
                raise FormatError(
                    error.problem, f"{error.remedy} To remember a text as it is: goalmem add --text -."
                ) from error

    def chat(self, chat: BinaryIO, options: Options) -> AddReport:
        """Conversations."""
        from goalmem.io import read_chat

        report = AddReport(options.name)
        check(chat, replace(options, on_skip=report.skipped.append), report, self.given)
        chat.seek(0)
        bar = self.bars.add_task(options.name, total=report.messages)
        for conversation in read_chat(chat, options):
            self.check_interrupt()
            receipt = self.memory.add(self.given.messages(conversation), **self.given.call(conversation))
            report.new += receipt.new
            self.bars.advance(bar, len(conversation.messages))
        return report

    def document(self, name: str, document: DocumentFile, kept: DocumentArguments) -> AddReport:
        """A document."""
        if self.given.ends:
            raise InputError(
                f"{name} is a document; --ttl and --expires-at are for messages.",
                "Leave them out, and let its turns expire with goalmem update TURN --expires-at TIME.",
            )
        bar = self.bars.add_task(name, total=None)

        def advance(what: str, done: int, total: int) -> None:
            self.check_interrupt()
            self.bars.update(bar, completed=done if what == "storing" else 0, total=total or None)

        receipt = self.local.add_file(
            document.path,
            space=self.given.space,
            session=self.given.session,
            at=self.given.at,
            name=document.name,
            format=document.kind,
            author=kept.author,
            metadata=self.given.noted,
            prune=kept.prune,
            progress=advance,
        )
        gone = () if kept.prune else receipt.gone
        sessions, passed_over = len(receipt.sessions), dict(receipt.passed_over)
        return AddReport(
            name,
            receipt.format,
            sessions,
            receipt.pieces,
            receipt.new,
            gone=gone,
            passed_over=passed_over,
            unanalysed=receipt.unanalysed,
        )


@dataclass
class AddReport:
    """Result for one file."""

    file: str
    format: str = "chat"
    """Or the kind of a document."""
    sessions: int = 0
    messages: int = 0
    """Or the pieces of a document."""
    new: int = 0
    undated: int = 0
    """Sessions that the file gives no date for, nor the command line."""
    skipped: list[Skipped] = field(default_factory=list)
    gone: tuple[str, ...] = ()
    """Turns of an earlier version of a document that are not in this one."""
    passed_over: dict[str, int] = field(default_factory=dict)
    """Parts of a document that hold no text, by their type."""
    unanalysed: int = 0
    """Pieces of a document that are over the budget of analysis."""


@dataclass(frozen=True)
class ChatArguments:
    """Command-line options for conversations."""

    session: str | None
    at: datetime | None
    space: str
    longest: int
    captions: bool
    """True if the chat model captions pictures."""
    noted: Mapping[str, Any]
    """Metadata of every message."""
    ends: Mapping[str, Any]
    """`ttl` or `expires_at` of every message."""

    def messages(self, conversation: Conversation) -> list[Any]:
        """The messages with their metadata and end. What a message has of its own takes precedence."""
        if not self.noted and not self.ends:
            return list(conversation.messages)
        return [
            {
                **({} if message.keys() & ENDS else self.ends),
                **message,
                "metadata": {**self.noted, **(message.get("metadata") or {})},
            }
            for message in conversation.messages
        ]

    def call(self, conversation: Conversation) -> dict[str, Any]:
        """Arguments of `Memory.add` besides the messages."""
        session = self.session or conversation.session
        return {"space": self.space, "session": session, "at": conversation.moment(self.at)}


def check(stream: BinaryIO, options: Options, report: AddReport, given: ChatArguments) -> None:
    """Read a file through without storing anything; the first thing that cannot be stored is refused.

    Raises FormatError and InputError, with the file and the line.
    """
    from goalmem.io import read_chat

    sessions: set[str] = set()
    for conversation in read_chat(stream, options):
        call = given.call(conversation)
        conversation.parsed(
            options.name,
            call["session"],
            call["at"],
            now=datetime.now(UTC),
            longest=given.longest,
            captions=given.captions,
            messages=given.messages(conversation),
        )
        if conversation.session not in sessions and not conversation.dated and given.at is None:
            report.undated += 1
        sessions.add(conversation.session)
        report.messages += len(conversation.messages)
    report.sessions = len(sessions)
    if given.session is not None and len(sessions) > 1:
        raise InputError(f"{options.name} holds {len(sessions)} sessions.", "Leave out --session: they have names.")


@contextmanager
def seekable(stream: BinaryIO) -> Iterator[BinaryIO]:
    """A stream that can be read twice: input from a pipe is buffered on disk."""
    if stream.seekable():
        yield stream
        return
    with tempfile.TemporaryFile() as kept:
        shutil.copyfileobj(stream, kept)
        kept.seek(0)
        yield kept


def print_reports(reports: list[AddReport], store: str, space: str, *, as_json: bool) -> None:
    """Print what was added; skipped parts go to stderr, line by line."""
    for report in reports:
        for skipped in report.skipped:
            note(f"{report.file}, line {skipped.line}, left out: {skipped.problem}.")
        if report.undated:
            note(f"{report.file} gives no dates; taken as said now. Pass --at DATE to say when.")
        if report.gone:
            note(f"{report.file}: {len(report.gone)} pieces of an earlier version are not in it; --prune forgets them.")
        if report.passed_over:
            kinds = ", ".join(f"{count} {kind}" for kind, count in report.passed_over.items())
            note(f"{report.file}, passed over: {kinds}.")
        if report.unanalysed:
            note(
                f"{report.file}: {report.unanalysed} pieces are stored and found by their words, but not analysed;"
                " GOALMEM_FILE_ANALYSIS_CHARACTERS says how much is."
            )
    if as_json:
        write_json({"store": store, "space": space, "files": reports})
        return
    for report in reports:
        messages = counted(report.messages, "message" if report.format == "chat" else "piece")
        typer.echo(f"{report.file}: {messages} in {counted(report.sessions, 'session')}, {report.new} new")


# -- which files are documents ---------------------------------------------------------------------------------------


def document_at(name: str, format: str | None, settings: Settings) -> DocumentFile | None:
    """The document in a file; None for a chat, or a folder of one. Raises FormatError."""
    from goalmem.io.documents import open_document

    if os.path.isdir(name):
        return None
    return open_document(name, kind=format, longest=settings.max_file_mb * 2**20)


def document_on(stream: BinaryIO, format: str | None, folder: str, settings: Settings) -> DocumentFile | None:
    """The document on standard input, which can be read again, kept in a folder; None for a chat, then at its beginning."""
    from goalmem.io.documents import begins_document, open_document

    if format is None and not begins_document(stream):
        return None
    kept = Path(folder, "stdin")
    longest = settings.max_file_mb * 2**20
    with kept.open("wb") as out:
        left = longest + 1
        while left > 0 and (part := stream.read(min(left, 1 << 20))):
            out.write(part)
            left -= len(part)
    return open_document(kept, kind=format, longest=longest)
