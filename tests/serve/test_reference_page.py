"""`/docs` shows every call that the server takes, without scripts and without other hosts."""

from __future__ import annotations

import re

from starlette.testclient import TestClient

from goalmem.serve.reference_page import reference_page

from .conftest import key_for


def test_every_call_is_shown_with_its_parameters_and_fields(client: TestClient):
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    document = client.get("/openapi.json").json()
    for path, calls in document["paths"].items():
        for method, call in calls.items():
            assert f"<b>{method.upper()}</b> <code>{path}</code>" in page.text
            for parameter in call.get("parameters", ()):
                assert parameter["name"] in page.text
    for field in ("expires_at", "everything", "max_tokens"):
        assert f"<code>{field}?</code>" in page.text


def test_it_obeys_the_content_security_policy(client: TestClient):
    page = client.get("/docs")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert not re.search(r"<script|<style|style=|\son\w+=", page.text)
    linked = re.findall(r'(?:href|src)="([^"]+)"', page.text)
    assert linked
    assert all(client.get(address).status_code == 200 for address in linked)


def test_it_needs_no_key_as_the_description_needs_none(client: TestClient):
    key_for(client)
    assert client.get("/docs").status_code == client.get("/openapi.json").status_code == 200


def test_what_a_description_says_is_text(client: TestClient):
    document = client.get("/openapi.json").json()
    document["info"]["title"] = "<script>alert(1)</script>"
    assert "<script>" not in reference_page(document)
