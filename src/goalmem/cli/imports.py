"""`goalmem import`: exports of other programs and of `goalmem export`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from goalmem.cli.options import AsJson, Store, input_kept, moment, open_memory, settings_for
from goalmem.cli.outcome import interruptible, note
from goalmem.cli.output import console, counted, day_of, progress, write_json
from goalmem.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from rich.progress import Progress

    from goalmem.integrations.importers import ImportOptions, ImportReport
    from goalmem.memory import Memory
    from goalmem.settings import Settings


OWN = "goalmem"
"""Name of the format of `goalmem export`."""
FORMATS = ("chatgpt", "claude", "claude-code", "slack", "whatsapp", "langchain", "mem0", OWN)
MOST_SPEAKERS = 6
DEFAULT_SPACE = "default"


def import_(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="[FORMAT] PATH...", help="Exports: files, ZIP archives or folders; - is standard input."
        ),
    ],
    store: Store = None,
    space: Annotated[
        str | None, typer.Option(help="Space to import into; {user} and {conversation} stand for a space each.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be imported.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out what cannot be read, and list it.")] = False,
    timezone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="Where the user lives, such as Europe/Oslo; default: UTC.")
    ] = None,
    name: Annotated[str, typer.Option(help='Who "user" is in chats with an assistant.')] = "",
    only: Annotated[str, typer.Option(metavar="TEXT", help="Only conversations with this in their title.")] = "",
    since: Annotated[str | None, typer.Option(metavar="DATE", help="Only messages from this moment on.")] = None,
    until: Annotated[str | None, typer.Option(metavar="DATE", help="Only messages before this moment.")] = None,
    at: Annotated[
        str | None, typer.Option(metavar="DATE", help="When it was said, where the export does not say.")
    ] = None,
    date_order: Annotated[
        Literal["dmy", "mdy", "ymd"] | None,
        typer.Option("--date-order", help="Of WhatsApp's dates; default: told by the dates."),
    ] = None,
    tools: Annotated[bool, typer.Option("--tools", help="Also what tools were asked and returned.")] = False,
    branches: Annotated[bool, typer.Option("--branches", help="Also what was edited or regenerated.")] = False,
    attachments: Annotated[bool, typer.Option("--attachments", help="Also the text of attached files.")] = False,
    as_json: AsJson = False,
) -> None:
    """Import an export of another program, or of `goalmem export`.

    Formats: chatgpt, claude, claude-code, slack, whatsapp, langchain, mem0 and goalmem; told by the content. An export is checked
    whole before any of it is stored. Importing again adds what is new, so work that was interrupted is taken up by the same command.

    \b
    Examples:
      goalmem import chatgpt-export.zip --name Maya --dry-run
      goalmem import whatsapp "WhatsApp Chat with Tom.zip" --timezone Europe/Oslo
      goalmem import ~/.claude/projects --name Maya
      goalmem import slack-export.zip --only general --since 2024-01-01
      goalmem import mem0 memories.json --space "{user}"
      gunzip -c backup.jsonl.gz | goalmem import -
    """
    from goalmem.integrations.importers import ImportOptions

    zone = zone_named(timezone)
    options = ImportOptions(
        skip_bad=skip_bad, zone=zone, date_order=date_order or "", name=name, at=moment(at),
        since=moment(since), until=moment(until), only=only, tools=tools, branches=branches, attachments=attachments,
    )  # fmt: skip
    settings = settings_for(store, None)
    into = space if space is not None else None if settings.space == DEFAULT_SPACE else settings.space
    format_, files = split_format(paths)
    resume = "What was imported is kept; run the same command again to go on."
    with interruptible(resume) as check, progress() as bars, ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        work = ImportRun(settings, into, options, dry_run, bars, check, stack)
        results = [work.one(file, found(file, folder), format_) for file in files]
    print_reports(
        [r for r in results if not isinstance(r, ExportFileReport)],
        dated=at is not None,
        dry_run=dry_run,
        quiet=as_json,
    )
    if as_json:
        write_json({"store": settings.store, "space": into or DEFAULT_SPACE, "dry_run": dry_run, "files": results})
        return
    for result in results:
        if isinstance(result, ExportFileReport):
            typer.echo(f"{result.file}: {result.new} new turns")


@dataclass(frozen=True)
class ExportFileReport:
    """Result for a file from `goalmem export`."""

    file: str
    new: int
    format: str = OWN


@dataclass
class ImportRun:
    """One run of the command over its files."""

    settings: Settings
    space: str | None
    options: ImportOptions
    dry_run: bool
    bars: Progress
    check: Callable[[], None]
    stack: ExitStack
    memory: Memory | None = None

    def one(self, file: str, path: Path, format_: str | None) -> ImportReport | ExportFileReport:
        """Import a file, or look through it."""
        from goalmem.integrations.importers import import_history, look_through

        if format_ == OWN or (format_ is None and is_own(path)):
            return self.own(file, path)
        bar = self.bars.add_task(file, total=None)

        def told(doing: str, done: int, total: int) -> None:
            self.check()
            self.bars.update(bar, description=f"{file}: {doing}", completed=done, total=total or None)

        given: dict[str, Any] = {"options": self.options, "progress": told, "name": file}
        if self.dry_run:
            return look_through(path, format_, longest=self.settings.max_message_characters, **given)
        return import_history(LazyMemory(self), path, format_, space=self.space, **given)

    def own(self, file: str, path: Path) -> ExportFileReport:
        """Read a file from `goalmem export`."""
        if self.dry_run:
            raise InputError(f"{file} is an export of goalmem; --dry-run is for those of others.", "Leave it out.")
        return ExportFileReport(file, self.opened().import_(path, space=self.space))

    def opened(self) -> Memory:
        """The memory, opened when first needed: a bad export leaves no store behind."""
        self.memory = self.memory or self.stack.enter_context(open_memory(self.settings, create=True))
        return self.memory


class LazyMemory:
    """The memory of a run, opened when first needed."""

    def __init__(self, work: ImportRun) -> None:
        self.work = work
        self.settings = work.settings

    def add(self, messages: Any, **call: Any) -> Any:
        """See `Memory.add`."""
        return self.work.opened().add(messages, **call)

    def sessions(self, **call: Any) -> Any:
        """See `Memory.sessions`."""
        return self.work.opened().sessions(**call)


def split_format(paths: list[str]) -> tuple[str | None, list[str]]:
    """The format, if the first word names one, and the files. A single word is a path."""
    if len(paths) > 1 and paths[0].casefold() in FORMATS:
        return paths[0].casefold(), paths[1:]
    return None, paths


def found(file: str, folder: Path) -> Path:
    """Path of a file; input from a pipe is buffered on disk, to be read twice."""
    if file == "-":
        return input_kept(folder)
    if not Path(file).exists():
        remedy = f"Name the export, too: goalmem import {file} PATH." if file in FORMATS else "Check the path."
        raise NotFoundError(f"There is no file {file!r}.", remedy)
    return Path(file)


def is_own(path: Path) -> bool:
    """True for a file from `goalmem export`."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(OWN) + 3).lstrip() == b'{"goalmem"'


def zone_named(name: str | None) -> ZoneInfo | None:
    """A time zone of the IANA database. Raises InputError if it is unknown."""
    from zoneinfo import ZoneInfo

    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"There is no time zone {name!r}.", "Name one such as Europe/Oslo or UTC.") from error


def print_reports(reports: list[ImportReport], *, dated: bool, dry_run: bool, quiet: bool) -> None:
    """Print what was imported; skipped parts go to stderr, line by line."""
    from goalmem.integrations.importers import FORMATS as KNOWN

    titles = {known.name: known.title for known in KNOWN}
    for report in reports:
        for skipped in report.skipped:
            note(f"{skipped.place}, left out: {skipped.problem}.")
        if report.bad > len(report.skipped):
            note(f"{report.file}: {report.bad - len(report.skipped)} more parts left out.")
        if report.changed:
            note(f"{report.file}: {counted(report.changed, 'message')} changed since the last import; kept as before.")
        if report.undated and not dated:
            note(
                f"{report.file}: {counted(report.undated, 'message')} without a date; taken as said now. Pass --at DATE."
            )
        if quiet:
            continue
        held = f"{counted(report.messages, 'message')} in {counted(report.conversations, 'conversation')}"
        line = f"{report.file}: {titles[report.format]}, {held}"
        if dry_run:
            typer.echo(line)
            for detail in details(report):
                console().print(f"  {detail}", soft_wrap=True)
        else:
            typer.echo(f"{line}, {report.new} new" + (f", {report.known} already there" if report.known else ""))


def details(report: ImportReport) -> Iterator[str]:
    """Details of an export for the preview."""
    if report.first and report.last:
        yield f"from {day_of(report.first)} to {day_of(report.last)}"
    yield listed("said by", report.speakers.most_common(MOST_SPEAKERS), len(report.speakers))
    if users := [(user, count) for user, count in report.users.most_common() if user]:
        yield listed("of the users", users[:MOST_SPEAKERS], len(users))
    if report.passed_over:
        yield listed("passed over", report.passed_over.most_common(), len(report.passed_over))


def listed(what: str, counts: list[tuple[str, int]], number: int) -> str:
    """`said by: Maya 12, Tom 9 and 3 more`."""
    more = f" and {number - len(counts)} more" if number > len(counts) else ""
    return f"{what}: {', '.join(f'{name} {count}' for name, count in counts)}{more}"
