"""`goalmem rules`: rules and facts in plain language, stored beside the conversations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from goalmem.cli.options import AsJson, Proven, Space, Store, Yes, open_memory, read_input, require_space, settings_for
from goalmem.cli.outcome import Exit, note
from goalmem.cli.output import console, counted, write_json
from goalmem.cli.queries import tell_answer
from goalmem.errors import FormatError, InputError

if TYPE_CHECKING:
    from goalmem.rules.stored import RuleReport


rules = typer.Typer(
    name="rules",
    no_args_is_help=True,
    help="Keep rules and facts stated in plain language, and reason with them.",
    epilog='Example:  goalmem rules add -t "Big people are rough. Bob is big."  then  goalmem ask "Is Bob rough?" --proof',
)


@rules.command()
def add(
    files: Annotated[list[str] | None, typer.Argument(metavar="FILE...", help="Texts; - is standard input.")] = None,
    text: Annotated[
        list[str] | None, typer.Option("--text", "-t", help="A sentence or more (may be repeated).")
    ] = None,
    store: Store = None,
    space: Space = None,
    world: Annotated[
        Literal["closed", "open"], typer.Option(help="Whether what cannot be proved is false, or unknown.")
    ] = "closed",
    reader: Annotated[
        Literal["grammar", "learned", "chat"], typer.Option(help="What reads the sentences.")
    ] = "grammar",
    partial: Annotated[
        bool, typer.Option("--partial", help="Leave out sentences that cannot be read, and list them.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Keep rules and facts. Each text is read whole before any of it is kept; adding again adds nothing.

    \b
    Examples:
      goalmem rules add house-rules.txt
      goalmem rules add -t "Big people are rough." -t "Bob is big."
      goalmem rules add - --world open --partial < notes.txt
    """
    texts = [*((f, _read(f)) for f in files or ()), *(("--text", t) for t in text or ())]
    if not texts:
        raise InputError("There is nothing to add.", "Name a file, or pass --text.")
    settings = settings_for(store, space)
    told: list[tuple[str, RuleReport]] = []
    with open_memory(settings, create=True) as memory:
        for name, said in texts:
            report = memory.add_rules(said, space=settings.space, world=world, reader=reader, partial=partial)
            told.append((name, report))
    for name, report in told:
        for unread in report.unread:
            note(f"{name}, left out: “{unread.text}”, because {unread.reason}.")
        for statement in report.contradictions:
            note(f"“{statement}” is both stated and denied: nothing will be answered about it.")
    if as_json:
        from goalmem.schema import models, rows

        added = [{"file": name} | rows.row(models.RuleReport, report) for name, report in told]
        write_json({"store": settings.store, "space": settings.space, "texts": added})
        return
    for name, report in told:
        typer.echo(f"{name}: {counted(len(report.ids), 'sentence')}, {report.new} new")


@rules.command("list")
def list_(store: Store = None, space: Space = None, as_json: AsJson = False) -> None:
    """Show every sentence with its id and what it was read as.

    \b
    Examples:
      goalmem rules list
      goalmem rules list --space house --json
    """
    settings = settings_for(store, space)
    with open_memory(settings) as memory:
        kept = memory.rules(space=settings.space)
        if not kept:
            require_space(memory, space)
    if as_json:
        from goalmem.schema import models, rows

        items = [rows.row(models.Rule, sentence) for sentence in kept]
        write_json({"store": settings.store, "space": settings.space, "items": items})
        return
    if not kept:
        note(f"There are no rules in the space {settings.space!r}.")
    out = console()
    for sentence in kept:
        out.print(f"{sentence.id}  {sentence.text}", markup=False, highlight=False, soft_wrap=True)
        for logic in sentence.logic:
            out.print(f"    {logic}", style="dim", markup=False, highlight=False, soft_wrap=True)


@rules.command()
def remove(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID...", help="Ids, as `rules list` shows them.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove every rule of the space.")] = False,
    store: Store = None,
    space: Space = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Remove sentences. What is remembered of conversations stays.

    \b
    Examples:
      goalmem rules remove rule-a76ab325b1532114037edcc5
      goalmem rules remove --all --space house --yes
    """
    if bool(ids) == everything:
        raise typer.BadParameter("say what to remove: ids, or --all")
    settings = settings_for(store, space)
    with open_memory(settings) as memory:
        if everything and not yes:
            typer.confirm(f"Remove every rule of the space {settings.space!r}?", abort=True, err=True)
        chosen = [s.id for s in memory.rules(space=settings.space)] if everything else ids or []
        gone = memory.remove_rules(chosen, space=settings.space)
        if not gone:
            require_space(memory, space)
    for id_ in (i for i in ids or () if i not in gone):
        note(f"There is no rule {id_!r} in the space {settings.space!r}.")
    if as_json:
        write_json({"store": settings.store, "space": settings.space, "removed": gone})
    else:
        typer.echo(f"removed: {counted(len(gone), 'sentence')}")
    if not gone:
        raise typer.Exit(Exit.NO)


@rules.command()
def ask(
    question: Annotated[str, typer.Argument(help="A statement, or a question that rules decide.")],
    store: Store = None,
    space: Space = None,
    reasoner: Annotated[
        Literal["local", "evr"], typer.Option(help="What decides: the solver, or networks by `goalmem train evr`.")
    ] = "local",
    model: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the networks [GOALMEM_EVR_MODEL]."),
    ] = None,
    veto: Annotated[
        bool | None,
        typer.Option(
            "--veto/--no-veto",
            help="Withhold what networks answer where no proof of it holds; else it is likely at most [GOALMEM_EVR_VETO].",
            show_default="veto",
        ),
    ] = None,
    proof: Proven = False,
    monologue: Annotated[
        bool, typer.Option("--monologue", help="Tell what the networks said, or the proof, one sentence a step.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Answer a question over the rules, by the solver or by networks (EVR).

    Exits with 1 when the answer is "I don't know".

    \b
    Examples:
      goalmem rules ask "Is Bob rough?" --proof
      goalmem rules ask "Is Bob rough?" --reasoner evr --monologue
      goalmem rules ask "Bob is rough." --reasoner evr --model evr1 --no-veto
    """
    settings = settings_for(store, space)
    if reasoner == "local" and (model is not None or veto is not None):
        raise InputError("--model and --veto are of networks.", "Add --reasoner evr, or leave them out.")
    settings = replace(
        settings,
        evr_model=settings.evr_model if model is None else str(model),
        evr_veto=settings.evr_veto if veto is None else veto,
    )
    with open_memory(settings) as memory:
        answer = memory.ask(question, space=settings.space, reasoner=reasoner)
        if not answer.known:
            require_space(memory, space)
        also = {"monologue": answer.monologue()} if monologue else {}
        tell_answer(memory, answer, settings.space, proof=proof, monologue=monologue, as_json=as_json, also=also)


def _read(file: str) -> str:
    try:
        return read_input(file, "Check the path, or pass a sentence with --text.").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{file} is not UTF-8 text: {error}.", "Save it as UTF-8.") from error
