// Forgetting, with a look beforehand at what would go, and a moment to undo it.

import { useState } from "preact/hooks";
import { api, type Forgettable } from "../api";
import { later } from "../later";
import type { Gone, Statement } from "../model";
import { useAround, type ToForget } from "../settings";
import { counted } from "../text";
import { Dialog } from "./dialog";
import { Said } from "./said";
import { Failure, useLoaded, Waiting } from "./states";

export function Forget({ what, close }: { what: ToForget; close: () => void }) {
  const around = useAround();
  const asked: Forgettable = what.turn ? { turn: what.turn } : what.session !== undefined ? { session: what.session } : { everything: true };
  const [loaded, again] = useLoaded(async () => {
    await later.settle();
    const match = await api.version(around.space);
    const gone = await api.forget(around.space, asked, { preview: true });
    const said = what.turn ? await api.statements(around.space, what.turn).catch((): Statement[] => []) : [];
    return { match, gone, said };
  }, [around.space]);
  const [typed, setTyped] = useState("");
  const title = what.turn ? "Forget this turn?" : what.session !== undefined ? "Forget this conversation?" : "Forget everything?";
  const forget = (match: string | null, told: string) => {
    void later.begin({ kind: "forget", space: around.space, match, what: asked, told });
    close();
  };
  return (
    <Dialog title={title} close={close}>
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
      {what.everything && (
        <p>
          All that the space “<Said text={around.space} />” holds.
        </p>
      )}
      {loaded.state === "waiting" && <Waiting words="Looking at what would go…" />}
      {loaded.state === "failed" && <Failure error={loaded.error} again={again} />}
      {loaded.state === "there" && (
        <>
          <div class="goes">
            <p>
              <strong>This goes, for good:</strong> {told(loaded.value.gone)}.
            </p>
            {loaded.value.said.length > 0 && (
              <ul>
                {loaded.value.said.map((s) => (
                  <li key={s.fact}>
                    <Said text={s.text} />
                  </li>
                ))}
              </ul>
            )}
            <p class="note">
              What other turns say, too, stays. Proofs that rest on this will not hold any more. You can undo it for ten seconds;
              if you leave the page before, it is forgotten.
            </p>
          </div>
          {what.everything && (
            <label class="confirm">
              Type the space's name to go on: <strong>{around.space}</strong>
              <input type="text" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
            </label>
          )}
          <p class="actions">
            <button
              type="button"
              class="button danger"
              disabled={what.everything === true && typed !== around.space}
              onClick={() => forget(loaded.value.match, told(loaded.value.gone))}
            >
              Forget
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
