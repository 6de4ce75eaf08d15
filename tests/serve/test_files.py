"""The page's files, and none other."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalmem.serve import app

from .conftest import Serve, problem_of


@pytest.fixture
def client(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><script src='/assets/a.js'></script>")
    (folder / "assets" / "a.js").write_text("1")
    (tmp_path / "secret.txt").write_text("secret")
    monkeypatch.setattr(app, "PAGE", folder)
    return serve()


def test_the_page_and_its_files_are_served(client):
    index = client.get("/")
    assert index.headers["content-type"].startswith("text/html")
    script = client.get("/assets/a.js")
    assert "javascript" in script.headers["content-type"]
    for answer in (index, script):
        assert answer.headers["cache-control"] == "no-cache"
        assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert client.get("/assets/a.js", headers={"If-None-Match": script.headers["etag"]}).status_code == 304


@pytest.mark.parametrize(
    "path", ["../../secret.txt", "..%2f..%2fsecret.txt", "%2e%2e/%2e%2e/secret.txt", "nothing.js", "", "/etc/passwd"]
)
def test_nothing_else_is(client, path: str):
    answer = client.get(f"/assets/{path}")
    problem_of(answer, 404)


def test_without_a_page_it_says_so(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(app, "PAGE", tmp_path / "nothing")
    client = serve()
    assert "openapi.json" in client.get("/").text
    problem_of(client.get("/assets/a.js"), 404)
