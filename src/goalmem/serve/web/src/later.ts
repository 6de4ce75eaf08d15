// A change that can still be undone. It is sent when its time has passed, before any other change from here, and when the
// page is left: what somebody decided is done. If the browser is killed before, it was not sent, and nothing is changed.

import { useEffect, useState } from "preact/hooks";
import { api, type Forgettable } from "./api";

export const UNDO = 10_000; // milliseconds
const LONGEST = 20_000; // characters of a new text that a browser still sends while the page is left (64 kB at most)

interface About {
  space: string;
  /** What the space was when the change was decided (If-Match). */
  match: string | null;
}
export type Change = About &
  ({ kind: "forget"; what: Forgettable; told: string } | { kind: "edit"; turn: string; text: string });

export type Later =
  | { state: "nothing" }
  | { state: "waiting"; change: Change }
  | { state: "sending"; change: Change }
  | { state: "done"; change: Change }
  | { state: "failed"; change: Change; error: unknown };

let now: Later = { state: "nothing" };
let timer: ReturnType<typeof setTimeout> | undefined;
let sending: Promise<void> = Promise.resolve();
const listeners = new Set<() => void>();

function become(next: Later): void {
  now = next;
  for (const listener of listeners) listener();
}

async function carryOut(change: Change, keepalive: boolean): Promise<void> {
  const more = { match: change.match, keepalive };
  try {
    if (change.kind === "forget") await api.forget(change.space, change.what, more);
    else await api.edit(change.space, change.turn, change.text, more);
    become({ state: "done", change });
  } catch (error) {
    become({ state: "failed", change, error });
  }
}

function send(keepalive = false): Promise<void> {
  clearTimeout(timer);
  if (now.state === "waiting") {
    const { change } = now;
    become({ state: "sending", change });
    sending = carryOut(change, keepalive);
  }
  return sending;
}

export const later = {
  get: (): Later => now,
  /** Begin to wait; what waited before is sent first. */
  begin: async (change: Change): Promise<void> => {
    await send();
    become({ state: "waiting", change });
    if (change.kind === "edit" && change.text.length > LONGEST) await send();
    else timer = setTimeout(() => void send(), UNDO);
  },
  /** Send what waits now; other changes come after it. */
  settle: (): Promise<void> => send(),
  undo: (): void => {
    clearTimeout(timer);
    if (now.state === "waiting") become({ state: "nothing" });
  },
  dismiss: (): void => become({ state: "nothing" }),
};

addEventListener("pagehide", () => void send(true));

export function useLater(): Later {
  const [shown, setShown] = useState(now);
  useEffect(() => {
    const listener = () => setShown(now);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return shown;
}
