"""Commands that read: search, ask, verify, why-not, history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from goalmem.cli.options import (
    Alone,
    AsJson,
    Asker,
    At,
    Proven,
    Space,
    Store,
    Tag,
    WhereIs,
    conditions,
    moment,
    open_served,
    read_input,
    require_space,
    settings_for,
)
from goalmem.cli.outcome import Exit, note
from goalmem.cli.output import console, counted, day_of, excerpt, write_json
from goalmem.errors import FormatError, ProofError
from goalmem.records import attribution

if TYPE_CHECKING:
    from rich.console import Console

    from goalmem.answer import Answer, HistoryEntry
    from goalmem.engine.events import Event, Listener
    from goalmem.memory import Memory
    from goalmem.records import Hit, Turn


MOST_NAMES = 10
"""Speakers named where nothing is known of somebody."""
FIRST_TURNS = 200
"""Turns whose speakers are named."""

EVENT_STYLES = {"goal": "bold", "binding": "green", "refinement": "yellow", "model": "magenta", "proof": "bold"}

AsOf: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="DATE", help="Search as of this day: later turns are left out; default: the newest turn's."
    ),
]


def search(
    query: Annotated[str, typer.Argument(help="Words, a phrase or a question; any text is just text.")],
    store: Store = None,
    space: Space = None,
    k: Annotated[int, typer.Option("-k", min=1, max=10_000, help="How many turns.")] = 10,
    session: Annotated[list[str] | None, typer.Option(help="Only this session (may be repeated).")] = None,
    speaker: Annotated[list[str] | None, typer.Option(help="Only this speaker (may be repeated).")] = None,
    role: Annotated[list[str] | None, typer.Option(help="Only this role: user, assistant … (may be repeated).")] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="Only turns with a fact of this kind: preference, planned … (may be repeated)."),
    ] = None,
    after: Annotated[str | None, typer.Option(metavar="DATE", help="Only what was said then or later.")] = None,
    before: Annotated[str | None, typer.Option(metavar="DATE", help="Only what was said earlier.")] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="SIGNAL", help="Leave this signal out (may be repeated).")
    ] = None,
    preset: Annotated[
        Literal["hybrid", "vector", "logic"],
        typer.Option(help="All signals, vectors alone, or what language analysis found alone."),
    ] = "hybrid",
    at: AsOf = None,
    asker: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Who asks: whom I, me and my mean; default: the only person who speaks. Leaves no turn out.",
        ),
    ] = None,
    where: WhereIs = None,
    tag: Tag = None,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """Find the turns that say most about something.

    \b
    Examples:
      goalmem search "the dog's name"
      goalmem search Iceland -k 3 --speaker Bram
      goalmem search "last week" --at 2024-05-06 --json
      goalmem search "what to cook" --kind preference --after 2024-03-01
      goalmem search "my sister" --asker Bram
      goalmem search "my sister" --preset vector
      goalmem search deadline --where project=x --where "priority>=2" --tag work
    """
    from goalmem.retrieve.settings import PRESETS

    settings = settings_for(store, space, alone=alone)
    with open_served(settings) as memory:
        hits = memory.search(
            query,
            space=settings.space,
            k=k,
            at=moment(at),
            sessions=session or None,
            speakers=speaker or None,
            roles=role or None,
            kinds=kind or None,
            after=moment(after),
            before=moment(before),
            without=sorted({*PRESETS[preset], *(without or ())}),
            speaker=asker,
            where=conditions(where, tag),
        )
        if not hits:
            require_space(memory, space)
    if as_json:
        from goalmem.schema.rows import hit_row

        write_json({"query": query, "space": settings.space, "items": [hit_row(hit) for hit in hits]})
    else:
        for rank, hit in enumerate(hits, start=1):
            _show_hit(console(), rank, hit)
    if not hits:
        if not as_json:
            note(f"Nothing was found in the space {settings.space!r}.")
        raise typer.Exit(Exit.NO)


def ask(
    question: Annotated[str, typer.Argument(help="A question as you would ask a person.")],
    store: Store = None,
    space: Space = None,
    at: At = None,
    speaker: Asker = None,
    where: WhereIs = None,
    tag: Tag = None,
    previous: Annotated[
        list[str] | None,
        typer.Option(
            help="The question before, which this one goes on from; a second time: its answer.", metavar="TEXT"
        ),
    ] = None,
    proof: Proven = False,
    monologue: Annotated[
        bool, typer.Option("--monologue", help="Tell the proof one sentence a step, as one thinks it through.")
    ] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Tell on stderr what happens, as it happens.")] = False,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """Answer a question, with a proof, or say what is missing.

    Exits with 0 also when the answer is only likely, which it says; with 1 when it is "I don't know". The output of --json can be checked with `goalmem verify`.

    \b
    Examples:
      goalmem ask "Where does Odalys's sister live?"
      goalmem ask "When did Bram adopt Juniper?" --proof
      goalmem ask "Where does my sister live?" --speaker Odalys
      goalmem ask "And her brother?" --previous "Where does Odalys live?"
      goalmem ask "Is Bram allergic to shellfish?" --json > answer.json && goalmem verify answer.json
    """
    settings = settings_for(store, space, alone=alone)
    with open_served(settings) as memory:
        listener = show_event(console(stderr=True)) if trace else None
        answer = memory.ask(
            question,
            space=settings.space,
            at=moment(at),
            on_event=listener,
            speaker=speaker,
            where=conditions(where, tag),
            previous=previous or None,
        )
        if not answer.known:
            require_space(memory, space)
        tell_answer(memory, answer, settings.space, proof=proof, monologue=monologue, as_json=as_json)


def verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A proof, or what `ask --json` printed; - is stdin.")],
    store: Store = None,
    space: Annotated[str | None, typer.Option(help="Check against this space; default: the one in the proof.")] = None,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """Check a proof again, without the engine that made it.

    Exits with 1 when any check fails.

    \b
    Examples:
      goalmem verify answer.json
      goalmem ask "Where does Bram work now?" --json | goalmem verify -
    """
    text = _proof_text(file)
    settings = settings_for(store, None, alone=alone)
    with open_served(settings) as memory:
        result = memory.verify(text, space=space)
    if as_json:
        from goalmem.schema.rows import verification_row

        write_json(verification_row(result))
    else:
        out = console()
        for check in result.checks:
            if not check.ok:
                out.print(f"✗ {check.name} at {check.node}: {check.detail}", style="red")
        good = sum(check.ok for check in result.checks)
        verdict = "verified" if result.ok else "NOT verified"
        seal = f"; {result.seal}" if result.told_of_seal else ""
        held = f"{verdict}: {good} of {len(result.checks)} checks hold{seal}"
        out.print(held, style="green" if result.ok else "bold red")
    if not result.ok:
        raise typer.Exit(Exit.NO)


def why_not(
    question: Annotated[str, typer.Argument(help='A question that was answered with "I don\'t know".')],
    store: Store = None,
    space: Space = None,
    at: At = None,
    speaker: Asker = None,
    where: WhereIs = None,
    tag: Tag = None,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """Show why a question has no answer, and the nearest facts.

    \b
    Example:
      goalmem why-not "Did Bram buy a motorbike?"
    """
    settings = settings_for(store, space, alone=alone)
    with open_served(settings) as memory:
        found = memory.why_not(
            question, space=settings.space, at=moment(at), speaker=speaker, where=conditions(where, tag)
        )
        require_space(memory, space)
    if as_json:
        from goalmem.schema.rows import why_not_row

        write_json(why_not_row(found))
    else:
        console().print(found.tree())


def history(
    about: Annotated[str, typer.Argument(help="A name, words such as `Odalys home`, or the id of a fact.")],
    store: Store = None,
    space: Space = None,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """Show the statements about a topic over time, and which replaced which.

    \b
    Example:
      goalmem history "Odalys live"
    """
    settings = settings_for(store, space, alone=alone)
    with open_served(settings) as memory:
        entries = memory.history(about, space=settings.space)
        if not entries:
            require_space(memory, space)
    if as_json:
        from goalmem.schema.rows import entry_row

        write_json({"about": about, "space": settings.space, "items": [entry_row(entry) for entry in entries]})
    else:
        for entry in entries:
            _show_entry(console(), entry)
    if not entries:
        if not as_json:
            note(f"Nothing was said of {about!r} in the space {settings.space!r}.")
        raise typer.Exit(Exit.NO)


def profile(
    who: Annotated[str | None, typer.Argument(help="A name; default: the only person who speaks, or the user.")] = None,
    store: Store = None,
    space: Space = None,
    at: AsOf = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, help="The most statements, of which the newest are shown.")
    ] = 50,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """Show the current profile of a person, by topic.

    \b
    Example:
      goalmem profile Odalys
    """
    settings = settings_for(store, space, alone=alone)
    with open_served(settings) as memory:
        found = memory.profile(who, space=settings.space, at=moment(at), limit=limit)
        names = list[str]()
        if not found.statements:
            require_space(memory, space)
            turns = memory.get_all(space=settings.space, limit=FIRST_TURNS).items
            names = sorted({turn.speaker for turn in turns})
    if as_json:
        from goalmem.schema.rows import profile_row

        write_json(profile_row(found))
    elif not found.statements:
        told = f"Nothing lasting is known of {found.who}."
        if names:
            told += f" Who speaks here: {', '.join(names[:MOST_NAMES])}."
        console().print(told, style="yellow", markup=False)
    else:
        for topic, statements in found.topics.items():
            console().print(topic, style="bold")
            for one in statements:
                console().print(f"  {one.text}  [{one.said:%d %B %Y}, {one.turn}]", markup=False, highlight=False)
        if found.total > len(found.statements):
            console().print(f"and {found.total - len(found.statements)} more: --limit {found.total}", style="dim")
    if not found.statements:
        raise typer.Exit(Exit.NO)


def tell_answer(
    memory: Memory,
    answer: Answer,
    space: str,
    *,
    proof: bool,
    monologue: bool,
    as_json: bool,
    also: Mapping[str, object] | None = None,
) -> None:
    """Print an answer; as JSON together with `also`. Exits with 1 if it is not known."""
    if (usage := answer.usage) is not None and usage.failed:
        note(
            f"The chat model failed in {usage.failed} of {counted(usage.calls, 'call')}; the answer does without."
            " See that it runs and answers at GOALMEM_CHAT_URL."
        )
    if as_json:
        from goalmem.schema.rows import answer_row

        write_json({"space": space} | answer_row(answer) | dict(also or {}))
    else:
        _show_answer(console(), memory, answer, space=space, proof=proof)
        if monologue:
            console().print(answer.monologue(), markup=False, highlight=False, soft_wrap=True)
    if not answer.known:
        raise typer.Exit(Exit.NO)


def _show_answer(out: Console, memory: Memory, answer: Answer, *, space: str, proof: bool) -> None:
    """The answer alone on the first line, followed by its evidence or what is missing."""
    from rich.text import Text

    from goalmem.logic.syntax import format_atom

    out.print(answer.text, style="bold" if answer.known else "yellow")
    if answer.status == "likely" and not proof:
        out.print(f"  likely, not certain: confidence {answer.confidence:.2f}", style="yellow")
    if proof:
        out.print(answer.tree())
        return
    # A rule that was used is no turn: the proof quotes it whole.
    stated = {e.turn: e.quote for e in answer.proof.evidence() if not e.said}
    for turn_id in answer.citations if answer.known else ():
        if turn_id in stated:
            out.print(Text.assemble((f"  “{stated[turn_id]}”", "italic"), (f"  {turn_id}", "dim")))
        else:
            _show_turn(out, memory.turn(turn_id, space=space))
    for missing in answer.missing:
        out.print(f"  missing: {format_atom(missing.atom)} ({missing.stage}: {missing.reason})", style="dim")


def show_event(out: Console) -> Listener:
    """A listener that prints a line for each event."""
    from rich.text import Text

    def show(event: Event) -> None:
        turns = event.data.get("turn") or ", ".join(event.data.get("best", ()))
        line = Text.assemble((f"{event.kind:>10}  ", EVENT_STYLES.get(event.kind, "")), event.text)
        out.print(line + Text(f"  {turns}", style="dim") if turns else line)

    return show


def _show_turn(out: Console, turn: Turn) -> None:
    who = attribution(turn.speaker, turn.source)
    out.print(f"  {who}, {day_of(turn.at)}: {excerpt(turn.content)}", style="dim")


def _show_hit(out: Console, rank: int, hit: Hit) -> None:
    signals = ", ".join(f"{name} {score:.2f}" for name, score in sorted(hit.signals.items()))
    turn = hit.turn
    who = attribution(turn.speaker, turn.source)
    out.print(f"{rank:>3}  {who}, {day_of(turn.at)}, session {turn.session}", style="bold")
    out.print(f"     {excerpt(turn.content)}")
    out.print(f"     {turn.id}  {hit.score:.3f} = {signals}", style="dim")


def _show_entry(out: Console, entry: HistoryEntry) -> None:
    fact = entry.fact
    mark = f"  (replaced by {entry.superseded_by})" if entry.superseded_by else ""
    meant = "" if fact.modality == "asserted" else f"  [{fact.modality}]"
    out.print(f"{day_of(fact.said)}  {fact.statement}{meant}{mark}", style="dim" if mark else None)
    out.print(f"            {fact.id}, said by {fact.speaker} in {fact.turn}", style="dim")


def _proof_text(file: str) -> str:
    """The JSON of a proof: the file itself, or the `proof` in the output of `ask --json`."""
    import json

    try:
        document = json.loads(read_input(file))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{file} is not valid JSON: {error}.", "Pass what `goalmem ask --json` printed.") from error
    inner = document.get("proof") if isinstance(document, dict) else None
    if isinstance(inner, dict) and document.get("status", inner.get("status")) != inner.get("status"):
        raise ProofError(
            f"{file} says {document['status']}, and its proof {inner.get('status')}: nothing proves the answer.",
            "Ask for an answer with a proof; networks that are only believed give none.",
        )
    return json.dumps(inner if isinstance(inner, dict) else document)
