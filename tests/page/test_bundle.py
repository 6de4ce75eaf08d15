"""What is shipped: built from the sources beside it, small, and of no other host. Needs no browser."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "src" / "goalmem" / "serve" / "web"
DIST = WEB / "dist"
MOST = 150_000
"""Bytes of everything, compressed."""


def shipped() -> dict[str, bytes]:
    return {str(p.relative_to(DIST)): p.read_bytes() for p in sorted(DIST.rglob("*")) if p.is_file()}


def test_the_page_is_built_in_and_small() -> None:
    files = shipped()
    assert "index.html" in files
    assert sum(len(gzip.compress(content)) for content in files.values()) < MOST


def test_everything_it_names_is_there_and_nothing_is_inline() -> None:
    html = (DIST / "index.html").read_text(encoding="utf-8")
    named = re.findall(r'(?:src|href)="/([^"]+)"', html)
    assert named
    for name in named:
        assert (DIST / name).is_file(), name
    assert not re.search(r"<style|style=|<script>|\son\w+=", html)


def test_it_names_no_other_host() -> None:
    known = {"http://www.w3.org/"}  # names of XML languages, never asked for
    for name, content in shipped().items():
        for found in re.findall(rb"https?://[\w.]+/?", content):
            assert found.decode() in known or b"<svg" in content, (name, found)


def test_turns_become_text_and_never_markup() -> None:
    for source in (WEB / "src").rglob("*.ts*"):
        text = source.read_text(encoding="utf-8")
        for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            assert forbidden not in text, (source.name, forbidden)


def test_the_lock_names_no_registry() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    assert not [name for name, entry in lock["packages"].items() if "resolved" in entry]


def test_it_was_built_from_these_sources(tmp_path: Path) -> None:
    node = shutil.which("node")
    vite = WEB / "node_modules" / "vite" / "bin" / "vite.js"
    if node is None or not vite.exists():
        pytest.skip("Node and the packages of serve/web are not installed")
    command = [node, str(vite), "build", "--outDir", str(tmp_path / "dist"), "--logLevel", "error"]
    subprocess.run(command, cwd=WEB, check=True, capture_output=True)
    built = {
        str(p.relative_to(tmp_path / "dist")): p.read_bytes() for p in (tmp_path / "dist").rglob("*") if p.is_file()
    }
    assert built == shipped(), "run `npm run build` in src/goalmem/serve/web"


def test_the_licences_of_what_is_bundled_are_shipped_with_it() -> None:
    licences = (DIST / "LICENSES.md").read_text(encoding="utf-8")
    for name in json.loads((WEB / "package.json").read_text(encoding="utf-8"))["dependencies"]:
        assert f"## {name} " in licences
