"""What there is, is documented."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main
from tests.docs.page import ROOT

import goalmem
from goalmem import errors
from goalmem.cli.app import app
from goalmem.cli.outcome import Exit


def commands() -> Iterator[tuple[str, list[str]]]:
    """Every command as it is typed, with its options."""

    def walk(command: Any, path: str, above: typer.Context | None) -> Iterator[tuple[str, list[str]]]:
        if hasattr(command, "commands"):
            here = typer.Context(command, parent=above, info_name=path.rpartition(" ")[2])
            for name in command.list_commands(here):
                yield from walk(command.get_command(here, name), f"{path} {name}", here)
        else:
            options = [name for p in command.params for name in p.opts if name.startswith("--") and name != "--help"]
            yield path, options

    yield from walk(typer.main.get_command(app), "goalmem", None)


@pytest.mark.parametrize(("command", "options"), list(commands()), ids=lambda value: str(value))
def test_every_command_and_option_is_in_the_page_of_the_command_line(command: str, options: list[str]):
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    section = re.search(rf"^## `{re.escape(command)}[ `].*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section, f"docs/cli.md has no section on `{command}`"
    shared = text[: text.index("\n## `")]
    for option in options:
        assert f"`{option}" in section.group() or f"`{option}" in shared, f"{command} {option} is not documented"


def test_every_exit_code_is_documented():
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for code in Exit:
        assert f"| {code.value} |" in text


def test_every_error_is_documented():
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    for name in errors.__all__:
        assert f"`{name}`" in text


def test_every_public_name_is_in_the_reference():
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    for name in goalmem.__all__:
        if not name.endswith("Error"):
            assert f"`{name}" in text, f"{name} is not in docs/reference.md"
