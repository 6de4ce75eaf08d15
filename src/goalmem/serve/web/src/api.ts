// The calls of the HTTP surface. Every failure is a Problem that says what was wrong and what to do.

import type {
  Answer, Gone, Graph, Happening, HistoryEntry, Hit, Job, Key, Message, NewKey, Page, Preview, Profile, Proof, Receipt, Rule,
  Session, Statement, Stats, Turn, Verification,
} from "./model";
import { events } from "./stream";

const KEY = "goalmem.key";
const PROFILE = 200; // statements of a profile
const PAGE = 500; // items a call asks for; the server may give fewer

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly remedy: string,
  ) {
    super(detail);
  }
}

/** The key is kept for this tab only, never in a cookie. */
export const key = {
  get: (): string => sessionStorage.getItem(KEY) ?? "",
  set: (value: string): void => (value ? sessionStorage.setItem(KEY, value) : sessionStorage.removeItem(KEY)),
};

interface Call {
  space: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  /** A file, sent as it is. */
  file?: Blob;
  signal?: AbortSignal;
  accept?: string;
  match?: string | null;
  /** Goes on when the page is left. */
  keepalive?: boolean;
}

async function send(method: string, path: string, call: Call): Promise<Response> {
  const query = new URLSearchParams();
  if (call.space) query.set("space", call.space);
  for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.set(name, String(value));
  const headers: Record<string, string> = { Accept: call.accept ?? "application/json" };
  if (key.get()) headers["Authorization"] = `Bearer ${key.get()}`;
  if (call.body !== undefined) headers["Content-Type"] = "application/json";
  if (call.file) headers["Content-Type"] = "application/octet-stream";
  if (call.match) headers["If-Match"] = call.match;
  const request: RequestInit = { method, headers, credentials: "omit", cache: "no-store" };
  if (call.body !== undefined) request.body = JSON.stringify(call.body);
  if (call.file) request.body = call.file;
  if (call.keepalive) request.keepalive = true;
  if (call.signal) request.signal = call.signal;
  let response: Response;
  try {
    response = await fetch(`${path}?${query}`, request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(0, "No connection", "The server does not answer.", "Is `goalmem serve` still running? Then try again.");
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function problemOf(response: Response): Promise<Problem> {
  const said = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  return problemFrom(said, response.status, response.statusText);
}

export function problemFrom(said: Record<string, unknown>, status: number, title: string): Problem {
  const word = (name: string, otherwise: string) => (typeof said[name] === "string" ? (said[name] as string) : otherwise);
  return new Problem(
    typeof said["status"] === "number" ? said["status"] : status,
    word("title", title || "Error"),
    word("detail", `The server answered ${status}.`),
    word("remedy", ""),
  );
}

async function json<T>(method: string, path: string, call: Call): Promise<T> {
  return (await (await send(method, path, call)).json()) as T;
}

/** All items of a list, page after page; `seen` is told of what is there so far. */
async function all<T>(path: string, call: Call, seen?: (items: T[]) => void): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await json<Page<T>>("GET", path, { ...call, query: { ...call.query, cursor, limit: PAGE } });
    items.push(...page.items);
    cursor = page.next ?? undefined;
    if (seen) seen([...items]);
  } while (cursor !== undefined && !call.signal?.aborted);
  return items;
}

export const api = {
  spaces: async (): Promise<string[]> => {
    const items = await all<string | { space?: string; name?: string }>("/v1/spaces", { space: "" });
    return items.map((i) => (typeof i === "string" ? i : (i.space ?? i.name ?? "")));
  },
  stats: (space: string): Promise<Stats> => json("GET", "/v1/stats", { space }),
  /** What a change must still find unchanged (If-Match). */
  version: async (space: string, path = "/v1/stats"): Promise<string | null> =>
    (await send("GET", path, { space })).headers.get("ETag"),
  sessions: (space: string): Promise<Session[]> => all("/v1/sessions", { space }),
  turns: (space: string, session: string, signal: AbortSignal, seen: (turns: Turn[]) => void): Promise<Turn[]> =>
    all("/v1/turns", { space, query: { session }, signal }, seen),
  turn: (space: string, id: string): Promise<Turn> => json("GET", `/v1/turns/${encodeURIComponent(id)}`, { space }),
  statements: async (space: string, turn: string): Promise<Statement[]> =>
    (await json<{ items: Statement[] }>("GET", `/v1/turns/${encodeURIComponent(turn)}/statements`, { space })).items,
  profile: (space: string, who: string): Promise<Profile> =>
    json("GET", "/v1/profile", { space, query: { who: who || undefined, limit: PROFILE } }),
  history: (space: string, about: string): Promise<HistoryEntry[]> => all("/v1/history", { space, query: { about } }),
  entities: async (space: string, q: string): Promise<string[]> => {
    const found = await json<Page<Record<string, unknown>>>("GET", "/v1/entities", { space, query: { q, limit: 30 } });
    return found.items.map((i) => String(i["entity"] ?? i["name"] ?? "")).filter(Boolean);
  },
  /** Who is spoken of most; first those who have a name. */
  people: async (space: string): Promise<string[]> => {
    const found = await json<Page<{ entity: string; type: string }>>("GET", "/v1/entities", { space, query: { order: "mentions", limit: 100 } });
    const names = found.items.filter((i) => i.type === "person").map((i) => i.entity);
    return [...names.filter((n) => !n.includes("'s ")), ...names.filter((n) => n.includes("'s "))].slice(0, 12);
  },
  search: async (space: string, body: Record<string, unknown>): Promise<Hit[]> =>
    (await json<{ items: Hit[] }>("POST", "/v1/search", { space, body: { ...body, marked: true } })).items,
  verify: (space: string, proof: unknown): Promise<Verification> => json("POST", "/v1/verify", { space, body: { proof } }),
  rules: (space: string): Promise<Rule[]> => all("/v1/rules", { space }),
  addRules: (space: string, text: string, world: string): Promise<unknown> =>
    json("POST", "/v1/rules", { space, body: { text, world } }),
  removeRule: async (space: string, id: string): Promise<void> => {
    await send("DELETE", `/v1/rules/${encodeURIComponent(id)}`, { space });
  },
  graph: (space: string, around: string, limit: number, source: GraphSource = "memory"): Promise<Graph> =>
    json("GET", "/v1/graph", { space, query: { around: around || undefined, limit, source, stated: String(source === "memory") } }),
  forget: (space: string, what: Forgettable, more: { preview?: boolean; match?: string | null; keepalive?: boolean }): Promise<Gone> =>
    json("POST", "/v1/forget", {
      space,
      body: more.preview ? { ...what, preview: true } : what,
      match: more.match ?? null,
      keepalive: more.keepalive ?? false,
    }),
  edit: (space: string, id: string, text: string, more: { match?: string | null; keepalive?: boolean }): Promise<Turn> =>
    json("PATCH", `/v1/turns/${encodeURIComponent(id)}`, { space, body: { text }, match: more.match ?? null, keepalive: more.keepalive ?? false }),
  add: (space: string, session: string, message: Message): Promise<Receipt> =>
    json("POST", "/v1/messages", { space, body: { messages: [message], session } }),
  preview: (space: string, file: Blob, reading: Reading, signal: AbortSignal): Promise<Preview> =>
    json("POST", "/v1/uploads/preview", { space, file, query: { ...reading }, signal }),
  upload: (space: string, file: Blob, reading: Reading): Promise<Job> =>
    json("POST", "/v1/uploads", { space, file, query: { ...reading } }),
  demo: (space: string): Promise<Job> => json("POST", "/v1/demo", { space }),
  job: (space: string, id: string): Promise<Job> => json("GET", `/v1/jobs/${encodeURIComponent(id)}`, { space }),
  keys: async (space: string): Promise<Key[]> => (await json<{ items: Key[] }>("GET", "/v1/keys", { space })).items,
  makeKey: (space: string, body: { name: string; scope: string; spaces?: string[] }): Promise<NewKey> =>
    json("POST", "/v1/keys", { space, body }),
  revokeKey: (space: string, id: string): Promise<Key> => json("DELETE", `/v1/keys/${encodeURIComponent(id)}`, { space }),

  /** Asks; `told` hears what happens while it happens. */
  ask: async (
    space: string,
    body: { question: string; at?: string; previous?: string[] },
    signal: AbortSignal,
    told: (event: Happening) => void,
  ): Promise<Answer> => {
    const response = await send("POST", "/v1/ask", { space, body, signal, accept: "text/event-stream" });
    if (!response.body || !response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
      return (await response.json()) as Answer;
    }
    for await (const event of events(response.body)) {
      const data = JSON.parse(event.data) as Record<string, unknown>;
      if (event.name === "answer") return data as unknown as Answer;
      if (event.name === "error") throw problemFrom(data, 500, "Error");
      told({
        kind: event.name,
        text: String(data["text"] ?? ""),
        data: (data["data"] ?? {}) as Record<string, unknown>,
        seconds: Number(data["seconds"] ?? 0),
      });
    }
    throw new Problem(0, "Cut off", "The server stopped before the answer came.", "Ask again.");
  },
};

/** What conversations built, or the triples that were imported. */
export type GraphSource = "memory" | "imported";
/** How a file is to be read. */
export interface Reading extends Record<string, string | undefined> {
  name: string;
  format?: string;
  session?: string | undefined;
  at?: string | undefined;
  day_first?: string | undefined;
}
export type Forgettable = { turn: string } | { session: string } | { everything: true };
export type { Proof };
