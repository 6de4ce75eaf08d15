/** Every promise of the client against a server whose address is in GOALMEM_URL. */

import assert from "node:assert/strict";
import test from "node:test";

import { connect, GoalmemError } from "../src/index.js";

const url = process.env["GOALMEM_URL"] ?? "http://127.0.0.1:8765";
const memory = connect({ url: `${url}/`, space: "maya" });

test("what is added is asked, proved and verified", async () => {
  const { data: receipt } = await memory.POST("/v1/messages", {
    body: { messages: [{ role: "user", name: "Maya", content: "My sister Ilse lives in Ghent." }], session: "spring" },
  });
  assert.equal(receipt?.new, 1);
  const { data: answer } = await memory.POST("/v1/ask", { body: { question: "Where does Ilse live?" } });
  assert.ok(answer && "proof" in answer);
  assert.equal(answer.text, "Ghent");
  assert.equal(answer.status, "proved");
  const { data: checked } = await memory.POST("/v1/verify", { body: { proof: answer.proof } });
  assert.equal(checked?.ok, true);
});

test("what is found and listed is typed", async () => {
  const { data: found } = await memory.POST("/v1/search", { body: { query: "Ghent", k: 1 } });
  assert.equal(found?.items[0]?.turn.speaker, "Maya");
  const { data: page } = await memory.GET("/v1/turns", { params: { query: { session: "spring" } } });
  const { data: turn } = await memory.GET("/v1/turns/{id}", { params: { path: { id: page?.items[0]?.id ?? "" } } });
  assert.equal(turn?.text, "My sister Ilse lives in Ghent.");
  const { data: known } = await memory.GET("/v1/profile", { params: { query: { who: "Ilse" } } });
  assert.equal(known?.who, "Ilse");
});

test("a call may name another space", async () => {
  const { data: page } = await memory.GET("/v1/turns", { params: { query: { space: "other" } } });
  assert.deepEqual(page?.items, []);
});

test("what is refused is thrown, with what to do", async () => {
  await assert.rejects(memory.GET("/v1/turns/{id}", { params: { path: { id: "t0" } } }), (error: unknown) => {
    assert.ok(error instanceof GoalmemError);
    assert.equal(error.status, 404);
    assert.match(error.problem.type, /not-found$/);
    assert.match(error.message, /Take turn ids from/);
    return true;
  });
});

test("a key is sent, and what is no goalmem server is an error, too", async () => {
  const seen: (string | null)[] = [];
  const other = connect({
    url: "http://memory.test",
    key: "gm_a_b",
    fetch: async (request) => {
      seen.push(request.headers.get("authorization"), new URL(request.url).search);
      return new Response("<html>Bad gateway</html>", { status: 502 });
    },
  });
  await assert.rejects(other.GET("/v1/stats"), /answered 502.*Check the address/);
  assert.deepEqual(seen, ["Bearer gm_a_b", ""]);
});
