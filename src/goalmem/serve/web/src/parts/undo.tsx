// What is about to be changed, with a way back.

import { useEffect } from "preact/hooks";
import { later, useLater, type Change } from "../later";
import { useAround } from "../settings";
import { Failure } from "./states";

export function Undo() {
  const around = useAround();
  const now = useLater();
  useEffect(() => {
    if (now.state === "waiting") around.announce(`${words(now.change)} Press u to undo it.`);
    if (now.state !== "done") return;
    around.announce(now.change.kind === "edit" ? "The turn was changed." : "It is forgotten.");
    later.dismiss();
    around.changed();
  }, [now]);
  if (now.state === "nothing" || now.state === "done") return null;
  return (
    <section class="undo" aria-label="Last change">
      {now.state === "sending" ? (
        <p>{now.change.kind === "edit" ? "Changing the turn…" : "Forgetting…"}</p>
      ) : now.state === "waiting" ? (
        <p class="actions">
          <span>{words(now.change)}</span>
          <button type="button" class="button" data-shortcut="undo" onClick={later.undo}>
            Undo
          </button>
          <button type="button" class="button quiet" onClick={() => void later.settle()}>
            Do it now
          </button>
        </p>
      ) : (
        <>
          <p>
            <strong>{now.change.kind === "edit" ? "The turn was not changed." : "Nothing was forgotten."}</strong>
          </p>
          <Failure error={now.error} />
          <button type="button" class="button quiet" onClick={later.dismiss}>
            Close
          </button>
        </>
      )}
    </section>
  );
}

function words(change: Change): string {
  return change.kind === "edit" ? "The turn will be changed in a moment." : `${change.told} will be forgotten in a moment.`;
}
