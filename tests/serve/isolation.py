"""Two spaces behind one server, each with a key of its own: what each sees is its own, whatever both do.

`python -m tests.serve.isolation --steps 10000` runs it for longer than the tests do.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from starlette.testclient import TestClient

SPACES = ("ana", "bob")
SESSIONS = ("s1", "s2")
WORDS = {"ana": ("walrus", "teapot", "gondola"), "bob": ("zeppelin", "accordion", "marzipan")}
"""What is said in one space and never in the other, so that a leak shows wherever it comes out."""
PLACES = {"ana": ("Anaheim", "Ankara"), "bob": ("Boston", "Bogota")}


@dataclass
class Side:
    """One space as it should be."""

    headers: dict[str, str]
    turns: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Turn id -> session and text, in the order stored."""
    rules: dict[str, str] = field(default_factory=dict)
    jobs: set[str] = field(default_factory=set)
    cursors: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)
    etag: str | None = None
    """Of the space when it was last changed by itself."""
    proof: dict[str, Any] | None = None


class Isolation:
    """Does things in either space, compares each with what it should be, and looks for the other in every answer."""

    def __init__(self, client: TestClient, keys: dict[str, dict[str, str]]) -> None:
        self.client = client
        self.sides = {space: Side(keys[space]) for space in SPACES}
        self.number = 0

    def call(self, space: str, method: str, path: str, expected: int | None = None, **given: Any) -> Any:
        """One call with a space's key; nothing of the other space may be in what comes back, headers included."""
        headers = self.sides[space].headers | given.pop("headers", {})
        answer = self.client.request(method, path, headers=headers, **given)
        other = SPACES[1 - SPACES.index(space)]
        said = (answer.text + json.dumps(dict(answer.headers))).casefold()
        sent = json.dumps([path, given], default=str).casefold()
        foreign = [*WORDS[other], *PLACES[other], *self.sides[other].turns, *self.sides[other].jobs]
        leaked = [f for f in foreign if f.casefold() in said and f.casefold() not in sent]
        assert not leaked, f"{method} {path} in {space} tells of {leaked}"
        assert answer.status_code < 500, answer.text
        if expected is not None:
            assert answer.status_code == expected, f"{method} {path}: {answer.text}"
        return answer

    # -- what may happen -----------------------------------------------------------------------------------------

    def add(self, space: str, session: str, chosen: int, once: bool) -> None:
        """Remember a message; twice under an idempotency key, it is remembered once."""
        word, place = WORDS[space][chosen % 3], PLACES[space][chosen % 2]
        text = f"I moved to {place} with my {word} number {chosen}."
        said = {
            "messages": [{"name": "Max", "content": text, "id": f"m{chosen}"}],
            "session": session,
            "at": "2024-05-01",
        }
        self.number += 1
        headers = {"Idempotency-Key": f"k{self.number}"} if once else {}  # the same keys in both spaces
        receipt = self.call(space, "POST", "/v1/messages", 201, json=said, headers=headers).json()
        if once:
            again = self.call(space, "POST", "/v1/messages", 201, json=said, headers=headers)
            assert again.json() == receipt
        (turn,) = receipt["turns"]
        assert receipt["new"] == (turn not in self.sides[space].turns)
        self.sides[space].turns.setdefault(turn, (session, text))
        self.changed(space)

    def upload(self, space: str, chosen: int) -> None:
        """A file that waits: jobs are not run here."""
        content = f"Max: I lost the {WORDS[space][chosen % 3]}.\n".encode()
        job = self.call(space, "POST", "/v1/uploads", 202, content=content, params={"name": f"{space}.txt"}).json()
        self.sides[space].jobs.add(job["id"])

    def state_rule(self, space: str, chosen: int) -> None:
        """Keep a rule."""
        text = f"Max is {('big', 'kind', 'young')[chosen % 3]}."
        (rule,) = self.call(space, "POST", "/v1/rules", 201, json={"text": text}).json()["ids"]
        self.sides[space].rules[rule] = text
        self.changed(space)

    def remove_rule(self, space: str, chosen: int) -> None:
        """Remove a rule of either space by its id: only one's own goes."""
        ids = sorted({*self.sides["ana"].rules, *self.sides["bob"].rules})
        if ids:
            rule = ids[chosen % len(ids)]
            there = self.sides[space].rules.pop(rule, None) is not None
            self.call(space, "DELETE", f"/v1/rules/{rule}", 200 if there else 404)
            self.changed(space)

    def forget_turn(self, space: str, chosen: int) -> None:
        """Forget a turn of either space by its id: only one's own goes."""
        ids = [*self.sides["ana"].turns, *self.sides["bob"].turns]
        if ids:
            turn = ids[chosen % len(ids)]
            there = self.sides[space].turns.pop(turn, None) is not None
            self.call(space, "POST", "/v1/forget", 200 if there else 404, json={"turn": turn})
            self.changed(space)

    def update_turn(self, space: str, chosen: int) -> None:
        """Change a turn of either space by its id: only one's own changes."""
        ids = [*self.sides["ana"].turns, *self.sides["bob"].turns]
        if ids:
            turn = ids[chosen % len(ids)]
            own = self.sides[space].turns
            text = f"I moved to {PLACES[space][chosen % 2]} with my {WORDS[space][chosen % 3]} at last, in {chosen}."
            self.call(space, "PATCH", f"/v1/turns/{turn}", 200 if turn in own else 404, json={"text": text})
            if turn in own:
                own[turn] = (own[turn][0], text)
            self.changed(space)

    def forget_session(self, space: str, session: str) -> None:
        """Forget a session of a name that both have."""
        side = self.sides[space]
        gone = [turn for turn, (held, _) in side.turns.items() if held == session]
        self.call(space, "POST", "/v1/forget", 200 if gone else 404, json={"session": session})
        for turn in gone:
            del side.turns[turn]
        self.changed(space)

    def forget_everything(self, space: str) -> None:
        """Forget a whole space."""
        side = self.sides[space]
        there = side.turns or side.rules
        self.call(space, "POST", "/v1/forget", 200 if there else 404, json={"everything": True})
        side.turns, side.rules, side.jobs = {}, {}, set()
        self.changed(space)

    def look(self, space: str, chosen: int) -> None:
        """Everything that can be looked at is one's own, and all of it."""
        side = self.sides[space]
        turns = self.call(space, "GET", "/v1/turns", 200, params={"limit": 1000}).json()["items"]
        assert {t["id"]: (t["session"], t["text"]) for t in turns} == side.turns
        assert {r["id"] for r in self.call(space, "GET", "/v1/rules", 200).json()["items"]} == side.rules.keys()
        assert {j["id"] for j in self.call(space, "GET", "/v1/jobs", 200).json()["items"]} == side.jobs
        assert self.call(space, "GET", "/v1/spaces", 200).json()["items"] in ([], [space])
        stats = self.call(space, "GET", "/v1/stats", 200)
        assert stats.json()["turns"] == len(side.turns)
        assert side.etag in (None, stats.headers["etag"]), "another space's change shows"
        side.etag = stats.headers["etag"]
        for path in ("sessions", "facts", "entities", "graph", "history?about=Max", "export"):
            self.call(space, "GET", f"/v1/{path}")
        for cursor_path, params, cursor in side.cursors[-3:]:
            self.call(space, "GET", cursor_path, params=params | {"cursor": cursor})
        page = self.call(space, "GET", "/v1/turns", 200, params={"limit": 1}).json()
        if page["next"]:
            side.cursors.append(("/v1/turns", {"limit": 1}, page["next"]))

    def ask(self, space: str, chosen: int) -> None:
        """Search and reason for what was said in either space; proofs are one's own."""
        words = [*WORDS["ana"], *WORDS["bob"]]
        word = words[chosen % len(words)]
        side = self.sides[space]
        hits = self.call(space, "POST", "/v1/search", 200, json={"query": f"the {word}"}).json()["items"]
        assert {h["turn"]["id"] for h in hits} <= side.turns.keys()
        for path, body in (
            ("ask", {"question": "Where did Max move?"}),
            ("recall", {"query": "Where did Max move?"}),
            ("context", {"utterance": f"Tell me about the {word}."}),
        ):
            answer = self.call(space, "POST", f"/v1/{path}", 200, json=body).json()
            if path == "ask":
                assert set(answer["citations"]) <= side.turns.keys()
                side.proof = answer["proof"] if answer["status"] == "proved" else side.proof
        if side.proof is not None:
            self.call(space, "POST", "/v1/verify", 200, json={"proof": side.proof})

    def intrude(self, space: str, chosen: int) -> None:
        """Try for the other space by name, turn, job, cursor and proof; what is not there is answered alike."""
        other = SPACES[1 - SPACES.index(space)]
        for path in ("stats", "turns", "facts", "jobs", "export", "rules", "sessions"):
            theirs = self.call(space, "GET", f"/v1/{path}", 403, params={"space": other}).json()
            nobody = self.call(space, "GET", f"/v1/{path}", 403, params={"space": "nobody"}).json()
            assert theirs["detail"].replace(other, "nobody") == nobody["detail"]
        self.call(space, "POST", "/v1/forget", 403, json={"everything": True}, params={"space": other})
        for turn in [*self.sides[other].turns][:2]:
            self.call(space, "GET", f"/v1/turns/{turn}", 404)
            facts = self.call(space, "GET", "/v1/facts", 200, params={"turn": turn}).json()
            assert facts["items"] == []
        for job in [*self.sides[other].jobs][:2]:
            for method, path in (("GET", ""), ("POST", "/resume"), ("DELETE", "")):
                self.call(space, method, f"/v1/jobs/{job}{path}", 404)
        for path, params, cursor in self.sides[other].cursors[-2:]:
            self.call(space, "GET", path, 422, params=params | {"cursor": cursor})
        proof = self.sides[other].proof
        if proof is not None:
            checked = self.client.post("/v1/verify", headers=self.sides[space].headers, json={"proof": proof})
            assert checked.json()["ok"] is False, "a proof over another space's turns holds"

    def changed(self, space: str) -> None:
        """The ETag of this space is another now; that of the other must not be."""
        self.sides[space].etag = None
        other = SPACES[1 - SPACES.index(space)]
        side = self.sides[other]
        if side.etag is not None:
            self.call(other, "GET", "/v1/stats", 304, headers={"If-None-Match": side.etag})


STEPS = ("add", "add", "add", "upload", "state_rule", "remove_rule", "forget_turn", "update_turn", "forget_session", "forget_everything",
         "look", "look", "ask", "intrude", "intrude")  # fmt: skip


def steps(seed: int, count: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """So many steps, chosen by chance."""
    chance = random.Random(seed)  # noqa: S311
    for _ in range(count):
        name, space = chance.choice(STEPS), chance.choice(SPACES)
        chosen, session = chance.randrange(1000), chance.choice(SESSIONS)
        match name:
            case "add":
                yield name, (space, session, chosen, chance.random() < 0.5)
            case "forget_session":
                yield name, (space, session)
            case "forget_everything":
                yield name, (space,)
            case _:
                yield name, (space, chosen)


def main() -> None:
    """Run for as many steps as asked, over a server of its own."""
    from goalmem.language import Analyzer

    from .conftest import key_for, serving

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    with serving(Analyzer(), serve_rate=1e6) as client:
        client.service.runner.start = lambda job: None
        run = Isolation(client, {space: key_for(client, space) for space in SPACES})
        for n, (name, arguments) in enumerate(steps(given.seed, given.steps), 1):
            getattr(run, name)(*arguments)
            if n % 500 == 0:
                print(f"{n} steps, no leak", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
