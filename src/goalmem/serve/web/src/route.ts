// Where the reader is, in the part of the address that is never sent to a server.

import { useEffect, useState } from "preact/hooks";

export const VIEWS = ["ask", "add", "conversations", "profile", "history", "graph", "search", "rules", "check"] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  view: View;
  given: Record<string, string>;
}

export function readRoute(hash: string): Route {
  const [, path = "", query = ""] = /^#?\/?([^?]*)\??(.*)$/s.exec(hash) ?? []; // a question may end in “?” itself
  const view = VIEWS.find((v) => v === path) ?? "ask";
  return { view, given: Object.fromEntries(new URLSearchParams(query)) };
}

export function href(view: View, given: Record<string, string | undefined> = {}): string {
  const said = Object.entries(given).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const query = new URLSearchParams(said).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

export function go(view: View, given: Record<string, string | undefined> = {}): void {
  location.hash = href(view, given);
}

/** The same place under another address, without a step in the browser's history. */
export function amend(view: View, given: Record<string, string | undefined>): void {
  history.replaceState(null, "", href(view, given));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const changed = () => setRoute(readRoute(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}
