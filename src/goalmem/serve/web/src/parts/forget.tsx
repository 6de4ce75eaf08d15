// Forgetting, with a look beforehand at what would go.

import { useState } from "preact/hooks";
import { api, type Forgettable } from "../api";
import type { Fact, Gone } from "../model";
import { useAround } from "../settings";
import { counted } from "../text";
import { Dialog } from "./dialog";
import { Said } from "./said";
import { Failure, useLoaded, Waiting } from "./states";

export interface ToForget {
  turn?: string;
  session?: string;
  words?: string;
  everything?: boolean;
}

export function Forget({ what, close }: { what: ToForget; close: () => void }) {
  const around = useAround();
  const asked: Forgettable = what.turn ? { turn: what.turn } : what.session !== undefined ? { session: what.session } : { everything: true };
  const [loaded, again] = useLoaded(async () => {
    const version = await api.version(around.space);
    const gone = await api.forget(around.space, asked, true);
    const facts = what.turn ? await api.facts(around.space, what.turn).catch((): Fact[] => []) : [];
    return { version, gone, facts };
  }, [around.space]);
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [gone, setGone] = useState<Gone | null>(null);

  const forget = (version: string | null) => {
    setBusy(true);
    setError(null);
    api
      .forget(around.space, asked, false, version)
      .then((went) => {
        setGone(went);
        around.announce(`Forgotten: ${told(went)}.`);
        around.changed();
      }, setError)
      .finally(() => setBusy(false));
  };
  const title = what.turn ? "Forget this turn?" : what.session !== undefined ? "Forget this conversation?" : "Forget everything?";
  return (
    <Dialog title={gone ? "Forgotten" : title} close={close}>
      {what.words && (
        <blockquote class="quote">
          <Said text={what.words} />
        </blockquote>
      )}
      {what.session !== undefined && (
        <p>
          The conversation <Said text={what.session} />.
        </p>
      )}
      {what.everything && !gone && (
        <p>
          All that the space “<Said text={around.space} />” holds.
        </p>
      )}
      {gone && (
        <>
          <p role="status">It is gone: {told(gone)}.</p>
          <p class="actions">
            <button type="button" class="button strong" onClick={close} autofocus>
              Good
            </button>
          </p>
        </>
      )}
      {!gone && loaded.state === "waiting" && <Waiting words="Looking at what would go…" />}
      {!gone && loaded.state === "failed" && <Failure error={loaded.error} again={again} />}
      {!gone && loaded.state === "there" && (
        <>
          <div class="goes">
            <p>
              <strong>This goes, for good:</strong> {told(loaded.value.gone)}.
            </p>
            {loaded.value.facts.length > 0 && (
              <ul>
                {loaded.value.facts.map((f) => (
                  <li key={f.id}>
                    <Said text={f.statement} />
                  </li>
                ))}
              </ul>
            )}
            <p class="note">What other turns say, too, stays. Proofs that rest on this will not hold any more.</p>
          </div>
          {what.everything && (
            <label class="confirm">
              Type the space's name to go on: <strong>{around.space}</strong>
              <input type="text" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
            </label>
          )}
          {error !== null && (
            <Failure
              error={error}
              again={() => {
                setError(null);
                again();
              }}
            />
          )}
          <p class="actions">
            <button
              type="button"
              class="button danger"
              disabled={busy || (what.everything === true && typed !== around.space)}
              onClick={() => forget(loaded.value.version)}
            >
              {busy ? "Forgetting…" : "Forget"}
            </button>
            <button type="button" class="button quiet" onClick={close}>
              Keep
            </button>
          </p>
        </>
      )}
    </Dialog>
  );
}

function told(gone: Gone): string {
  const parts = [
    gone.turns ? counted(gone.turns, "turn") : "",
    gone.facts ? counted(gone.facts, "fact") : "",
    gone.sessions ? counted(gone.sessions, "conversation") : "",
    gone.rules ? counted(gone.rules, "rule") : "",
    gone.triples ? counted(gone.triples, "triple") : "",
  ].filter(Boolean);
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : (parts[0] ?? "nothing");
}
