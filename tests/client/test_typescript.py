"""The TypeScript client: made of the server's own description, built, and run against a server. Needs Node and `npm ci` in its folder."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from scripts.typescript_client import CLIENT, GENERATOR, TYPES, described, types_of

from goalmem import Memory
from goalmem.language import Analyzer
from goalmem.serve.testing import served

COMPILER = CLIENT / "node_modules" / "typescript" / "bin" / "tsc"
built = pytest.mark.skipif(
    shutil.which("node") is None or not GENERATOR.exists() or not COMPILER.exists(),
    reason="Node and the packages of clients/typescript are not installed",
)


def test_the_types_have_every_path_and_schema_of_the_server():
    types, document = TYPES.read_text(encoding="utf-8"), json.loads(described())
    assert set(re.findall(r'^    "(/[^"]*)": \{$', types, re.MULTILINE)) == set(document["paths"])
    names = set(document["components"]["schemas"])
    assert {
        name for name in names if not re.search(rf"^        (\"?){re.escape(name)}\1: ", types, re.MULTILINE)
    } == set()


@built
def test_the_types_are_those_of_the_server():
    assert TYPES.read_text(encoding="utf-8") == types_of(described()), (
        "the types are stale: run `python scripts/typescript_client.py`"
    )


@built
def test_it_is_built_and_talks_to_a_server(tmp_path: Path, analyzer: Analyzer):
    dist = CLIENT / "dist"
    subprocess.run(["node", str(COMPILER)], cwd=CLIENT, check=True)
    with Memory(analyzer=analyzer) as memory, served(memory) as url:
        done = subprocess.run(
            ["node", "--test", str(dist / "test")],
            cwd=CLIENT,
            env=os.environ | {"GOALMEM_URL": url},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_lock_names_no_registry_and_versions_are_bounded():
    lock = json.loads((CLIENT / "package-lock.json").read_text(encoding="utf-8"))
    assert not [name for name, entry in lock["packages"].items() if "resolved" in entry]
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    for wanted in {**package["dependencies"], **package["devDependencies"]}.values():
        assert re.fullmatch(r">=\d\S* <\d\S*", wanted)
