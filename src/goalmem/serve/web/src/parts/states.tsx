// What stands where nothing is to be shown yet: waiting, emptiness, and what went wrong.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../api";
import { useAround } from "../settings";
import { Said } from "./said";

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <div class="empty-body">{children}</div>
    </div>
  );
}

export function Failure({ error, again }: { error: unknown; again?: () => void }) {
  const around = useAround();
  const problem = problemOf(error);
  const locked = problem.status === 401 || problem.status === 403;
  return (
    <div class="failure" role="alert">
      <p class="failure-detail">
        <Said text={problem.detail} />
      </p>
      {problem.remedy && (
        <p class="failure-remedy">
          <Said text={problem.remedy} />
        </p>
      )}
      <p class="actions">
        {locked && (
          <button type="button" class="button" onClick={around.wantKey}>
            Enter a key
          </button>
        )}
        {again && (
          <button type="button" class="button quiet" onClick={again}>
            Try again
          </button>
        )}
      </p>
    </div>
  );
}

function problemOf(error: unknown): { status: number; detail: string; remedy: string } {
  if (error instanceof Problem) return error;
  return { status: 0, detail: error instanceof Error ? error.message : String(error), remedy: "Reload the page." };
}

export function Waiting({ words = "Reading…" }: { words?: string }) {
  return (
    <p class="waiting" role="status">
      {words}
    </p>
  );
}

export type Loaded<T> = { state: "waiting" } | { state: "there"; value: T } | { state: "failed"; error: unknown };

/** What a call gives, called again when `keys` change; `again` repeats it. */
export function useLoaded<T>(call: (signal: AbortSignal) => Promise<T>, keys: unknown[]): [Loaded<T>, () => void] {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: "waiting" });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    setLoaded({ state: "waiting" });
    call(control.signal).then(
      (value) => !control.signal.aborted && setLoaded({ state: "there", value }),
      (error: unknown) => !control.signal.aborted && setLoaded({ state: "failed", error }),
    );
    return () => control.abort();
  }, [...keys, round]);
  return [loaded, () => setRound((r) => r + 1)];
}
