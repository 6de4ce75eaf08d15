"""What docs/mcp.md says to paste into programs: each block starts the server as the command line knows it."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main
from tests.docs.page import ROOT

from goalmem.cli.app import app

TEXT = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(json|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^(?:claude|gemini|codex) mcp add .*?(goalmem mcp.*)$", re.MULTILINE)


def starts() -> Iterator[tuple[str, list[str]]]:
    """The key under which a program looks for servers, and how the server of each block is started."""
    for kind, text in BLOCK.findall(TEXT):
        held: dict[str, Any] = json.loads(text) if kind == "json" else tomllib.loads(text)
        ((key, servers),) = held.items()
        yield key, [servers["memory"]["command"], *servers["memory"]["args"]]
    for command in LINE.findall(TEXT):
        yield "command", [word for word in shlex.split(command) if word != "--"]


def test_every_form_of_set_up_is_shown():
    keys = [key for key, _ in starts()]
    assert set(keys) == {"mcpServers", "servers", "context_servers", "mcp_servers", "command"}
    assert keys.count("command") == 3


@pytest.mark.parametrize(("key", "start"), list(starts()))
def test_what_is_pasted_starts_the_server(key: str, start: list[str]):
    program, name, *options = start
    assert (program, name) == ("goalmem", "mcp")
    command = typer.main.get_command(app).commands["mcp"]
    given = command.make_context(name, options, resilient_parsing=False).params
    assert given["store"].startswith("/")
    assert given["space"] == "maya"
