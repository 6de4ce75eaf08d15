"""`goalmem context` and `goalmem chat`: context from memory for a program, and a conversation."""

from __future__ import annotations

import io
import sys
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from goalmem.cli.options import (
    Alone,
    AsJson,
    Asker,
    At,
    Space,
    Store,
    Tag,
    WhereIs,
    conditions,
    moment,
    open_memory,
    open_served,
    require_space,
    settings_for,
)
from goalmem.cli.outcome import Exit, note
from goalmem.cli.output import console, day_of, terminal_text, write_json
from goalmem.errors import ChatError, GoalmemError, InputError

if TYPE_CHECKING:
    from rich.console import Console

    from goalmem.cli.dialogue import Dialogue
    from goalmem.models.chat import ChatModel
    from goalmem.settings import Settings


TOKENS = 800
COMMANDS = """\
/why            what the last reply was given to go on, with the proof where there is one
/why QUESTION   the same for a question of yours, without the model
/forget         forget the last message and the reply to it
/forget TURN    forget one turn by its id
/help           this list
/quit           leave (so does Ctrl-D)"""


def context(
    utterance: Annotated[str, typer.Argument(help="Any message: a question, a request, a plan.")],
    store: Store = None,
    space: Space = None,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="Length of the block.")] = TOKENS,
    at: At = None,
    speaker: Asker = None,
    where: WhereIs = None,
    tag: Tag = None,
    alone: Alone = False,
    as_json: AsJson = False,
) -> None:
    """Print the context from memory for a message, as a block for a model's prompt.

    Exits with 1 when nothing that is remembered bears on it.

    \b
    Examples:
      goalmem context "Book us a table at that place Odalys liked"
      goalmem context "Where does Bram work now?" --max-tokens 300 --json
    """
    settings = settings_for(store, space, alone=alone)
    with open_served(settings) as memory:
        found = memory.context(
            utterance,
            space=settings.space,
            max_tokens=max_tokens,
            at=moment(at),
            speaker=speaker,
            where=conditions(where, tag),
        )
        if not found.sources:
            require_space(memory, space)
    if as_json:
        write_json(found)
    elif found.text:
        typer.echo(terminal_text(found.text).encode("utf-8", "backslashreplace"))
    if not found.sources:
        raise typer.Exit(Exit.NO)


def chat(
    store: Store = None,
    space: Space = None,
    session: Annotated[str | None, typer.Option(help="Session to go on with; default: a new one.")] = None,
    name: Annotated[str, typer.Option(help="Your name; what you say is remembered under it.")] = "",
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="Length of what is recalled.")] = TOKENS,
    url: Annotated[str | None, typer.Option("--chat-url", help="Endpoint of the model [GOALMEM_CHAT_URL].")] = None,
    model: Annotated[str | None, typer.Option("--chat-model", help="Its name there [GOALMEM_CHAT_MODEL].")] = None,
) -> None:
    """Talk with the configured chat model, which remembers.

    Every message is stored before the model is asked. /help lists what else can be typed; Ctrl-C and Ctrl-D leave.

    \b
    Example:
      GOALMEM_CHAT_URL=http://localhost:8080/v1 GOALMEM_CHAT_MODEL=qwen2.5 goalmem chat
    """
    from goalmem.settings import load_settings

    settings = load_settings(store=store, space=space, chat_url=url, chat_model=model)
    chat_model = configured(settings)
    from goalmem.cli.dialogue import Dialogue, new_session

    with open_memory(settings, create=True) as memory:
        place = session or new_session(datetime.now(UTC))
        converse(Dialogue(memory, chat_model, place, settings.space, name, max_tokens), console())


def configured(settings: Settings) -> ChatModel:
    """The configured chat model. Raises InputError if there is none."""
    from goalmem.models.connect import connect_chat
    from goalmem.models.tracing import TracedChat

    model = connect_chat(settings)
    if model is None:
        raise InputError(
            "No chat model is configured.",
            "Set chat_url and chat_model (GOALMEM_CHAT_URL and GOALMEM_CHAT_MODEL, or --chat-url and --chat-model), or"
            " chat_url alone as ollama:MODEL or openai:MODEL.",
        )
    return TracedChat(model)


def converse(dialogue: Dialogue, out: Console, read: Callable[[str], str] = input) -> None:
    """Read, reply, until the end of the input, /quit or Ctrl-C."""
    prompt = "> " if sys.stdin.isatty() else ""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # undecodable characters are replaced
    try:
        while True:
            line = read(prompt).strip()
            if line in ("/quit", "/exit"):
                return
            if line:
                respond(dialogue, line, out)
    except (EOFError, KeyboardInterrupt):
        if prompt:
            out.print()


def respond(dialogue: Dialogue, line: str, out: Console) -> None:
    """Handle one line of input: a command, or a message for the model. Errors are printed and do not end the chat."""
    command, _, rest = line.partition(" ")
    try:
        if not line.startswith("/"):
            out.print(visible(dialogue.say(line).reply))
        elif command == "/why":
            why(dialogue, rest.strip(), out)
        elif command == "/forget":
            forget(dialogue, rest.strip(), out)
        elif command == "/help":
            out.print(COMMANDS)
        else:
            note(f"There is no command {command}; /help lists them. To say it, begin with something else.")
    except ChatError as error:
        note(f"{' '.join(str(error).split())} Your message is remembered; say it again for a reply.")
    except GoalmemError as error:
        note(" ".join(str(error).split()))


def why(dialogue: Dialogue, question: str, out: Console) -> None:
    """Print the evidence of the last reply, or of an answer to a question."""
    if not question and not dialogue.exchanges:
        note("There is no reply yet.")
        return
    last = dialogue.exchanges[-1] if not question else None
    if last is not None:
        out.print(last.context.text or "Nothing was recalled.", style="dim")
    asked = question or (last.message if last is not None else "")
    if question or asked.endswith("?"):
        # Like the recalled context, without a model: fast and deterministic.
        answer = dialogue.memory.ask(
            asked,
            space=dialogue.space,
            reasoner="local",
            speaker=dialogue.name or None,
            previous=dialogue.asked_before(last),
        )
        out.print(answer.tree())


def forget(dialogue: Dialogue, turn: str, out: Console) -> None:
    """Forget a turn, or the last exchange."""
    if turn:
        gone = [dialogue.memory.turn(turn, space=dialogue.space)]
        dialogue.memory.forget(turn=turn, space=dialogue.space)
    else:
        gone = dialogue.forget_last()
    for one in gone:
        out.print(f"forgotten: {one.speaker}, {day_of(one.at)}: {visible(' '.join(one.content.split()))}", style="dim")
    if not gone:
        note("There is nothing to forget yet; /forget TURN forgets an earlier turn.")


def visible(text: str) -> str:
    """The text without characters that a terminal takes for commands."""
    return "".join(c if c in "\n\t" or unicodedata.category(c) != "Cc" else "\ufffd" for c in text)
