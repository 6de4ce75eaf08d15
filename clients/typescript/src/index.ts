/** A client of a goalmem server: openapi-fetch with the types of its OpenAPI document, a key, a space, and errors that are thrown. */

import createClient, { type Client, type Middleware } from "openapi-fetch";

import type { components, paths } from "./schema.js";

export type { components, paths } from "./schema.js";

type Schemas = components["schemas"];
export type Answer = Schemas["Answer"];
export type Hit = Schemas["Hit"];
export type Profile = Schemas["Profile"];
export type Receipt = Schemas["Receipt"];
export type Turn = Schemas["Turn"];

/** What a server answers when it refuses a call (RFC 9457): what was wrong, with what, and what to do. */
export type Problem = Schemas["Problem"];

/** A call that was refused. */
export class GoalmemError extends Error {
  constructor(readonly problem: Problem) {
    super(`${problem.detail} ${problem.remedy}`.trim());
    this.name = "GoalmemError";
  }

  /** The HTTP status. */
  get status(): number {
    return this.problem.status;
  }
}

export interface Options {
  /** Of the server, without a path: `http://127.0.0.1:8765`. */
  url: string;
  /** `gm_…`, of `goalmem keys add`; a server on loopback may need none. */
  key?: string;
  /** The space of every call that names none; default: the key's only one, else `default`. */
  space?: string;
  fetch?: (request: Request) => Promise<Response>;
}

/** A client. Its calls throw GoalmemError where the server refuses them, so `data` is there wherever a call returns. */
export function connect({ url, key, space, fetch }: Options): Client<paths> {
  const client = createClient<paths>({
    baseUrl: url.replace(/\/+$/, ""),
    ...(key ? { headers: { Authorization: `Bearer ${key}` } } : {}),
    ...(fetch ? { fetch } : {}),
  });
  client.use(placed(space), refused);
  return client;
}

function placed(space: string | undefined): Middleware {
  return {
    onRequest({ request }) {
      const address = new URL(request.url);
      if (!space || !address.pathname.startsWith("/v1/") || address.searchParams.has("space")) return undefined;
      address.searchParams.set("space", space);
      return new Request(address, request);
    },
  };
}

const refused: Middleware = {
  async onResponse({ response }) {
    if (response.ok || response.status === 304) return undefined;
    throw new GoalmemError(await problemOf(response));
  },
};

/** What was wrong, also where something between here and the server answers. */
async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  const missing: Problem = {
    type: "about:blank",
    title: response.statusText,
    status: response.status,
    detail: `${response.url} answered ${response.status}: ${text.slice(0, 200)}`,
    remedy: "Check the address of the server.",
    instance: "",
  };
  try {
    const held: unknown = JSON.parse(text);
    return typeof held === "object" && held !== null && "detail" in held ? { ...missing, ...(held as Problem) } : missing;
  } catch {
    return missing;
  }
}
