"""A chat endpoint that repeats the key that it was sent: the key is in no event, error, answer or proof."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from goalmem import Memory, Settings
from goalmem.engine.events import Event
from goalmem.language import Analyzer

KEY = "sk-secret/of+the-owner"
CHOICE = {"index": 0, "finish_reason": KEY, "message": {"role": "assistant", "content": f"It is {KEY}."}}
SENT = {
    "refusal": (401, json.dumps({"error": {"message": f"No such key: {KEY}", "code": KEY}})),
    "error in place of a reply": (200, json.dumps({"error": {"message": f"No such key: {KEY}"}})),
    "escaped": (400, '{"error": {"message": "bad ' + KEY.replace("/", "\\/") + '"}}'),
    "page": (502, f"<h1>{KEY}</h1>"),
    "reply": (200, json.dumps({"model": KEY, "choices": [CHOICE]})),
}


@pytest.mark.parametrize("kind", SENT)
def test_a_key_that_an_endpoint_repeats_is_told_nowhere(analyzer: Analyzer, kind: str):
    status, content = SENT[kind]

    class Repeating(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            assert KEY in self.headers["Authorization"]
            self.send_response(status, f"no {KEY}")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, *_: object) -> None:
            pass

    events: list[Event] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Repeating) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        settings = Settings(chat_url=url, chat_model="m", chat_key=KEY, chat_retries=0)
        with Memory(settings=settings, analyzer=analyzer) as memory:
            memory.add("I adopted a beagle.", at="2024-01-01")
            answer = memory.ask("What did I adopt?", on_event=events.append)
        server.shutdown()
    told = repr(events) + repr(answer) + answer.proof.to_json()
    assert [e for e in events if e.kind == "model"]
    assert KEY not in told
    assert KEY.replace("/", "\\/") not in told
