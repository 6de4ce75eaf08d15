"""The pages on serving say what is so."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from goalmem import Settings
from goalmem.language import Analyzer
from tests.docs.page import ROOT, agrees

from .conftest import listening

SERVE = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_call_is_in_the_table(client: TestClient):
    described = {
        f"{method.upper()} {path}"
        for path, operations in client.get("/openapi.json").json()["paths"].items()
        for method in operations
    }
    assert set(re.findall(r"^\| `((?:GET|POST|PATCH|DELETE) [^`]+)`", SERVE, re.MULTILINE)) == described


def test_every_setting_is_told():
    for name in Settings.__slots__:
        if name.startswith("serve_") and name != "serve_port":
            assert f"GOALMEM_{name.upper()}" in SERVE


def test_every_figure_is_told(client: TestClient):
    own = set(re.findall(r"^# TYPE (goalmem_\w+)", client.get("/metrics").text, re.MULTILINE))
    for name in (n for n in own if not n.endswith("_created")):
        assert f"`{name}`" in SERVE


def test_the_tests_that_hold_a_promise_are_there():
    named = set(re.findall(r"`(test_\w+)`", SECURITY))
    assert len(named) > 40
    written = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert named <= set(re.findall(r"^def (test_\w+)", written, re.MULTILINE))


def test_the_commands_of_the_page_print_what_it_shows(analyzer: Analyzer, tmp_path: Path):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    with listening(analyzer) as (_, port):
        for block in BLOCK.findall(SERVE):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                printed = run(command.replace("localhost:8765", f"localhost:{port}"), tmp_path)
                assert agrees(shown, printed), f"$ {command}\nprinted:\n{printed}"


def run(command: str, folder: Path) -> str:
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    return done.stdout
