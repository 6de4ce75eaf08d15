// Changing what a turn says. The server keeps what it said before.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { later } from "../later";
import type { Turn } from "../model";
import { useAround } from "../settings";
import { Dialog } from "./dialog";
import { Failure, useLoaded, Waiting } from "./states";

export function Edit({ turn, close }: { turn: Turn; close: () => void }) {
  const around = useAround();
  const [loaded, again] = useLoaded(async () => {
    await later.settle();
    const match = await api.version(around.space);
    return { match, turn: await api.turn(around.space, turn.id) };
  }, [around.space]);
  const [written, setWritten] = useState<string | null>(null);
  const field = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), [loaded.state]);
  if (loaded.state !== "there") {
    return (
      <Dialog title="Edit this turn" close={close}>
        {loaded.state === "waiting" ? <Waiting /> : <Failure error={loaded.error} again={again} />}
      </Dialog>
    );
  }
  const text = written ?? loaded.value.turn.text;
  const save = () => {
    if (!text.trim()) return;
    const { match } = loaded.value;
    if (text !== loaded.value.turn.text) void later.begin({ kind: "edit", space: around.space, match, turn: turn.id, text });
    close();
  };
  return (
    <Dialog title="Edit this turn" close={close}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <label for={field}>What {turn.speaker} said</label>
        <textarea
          id={field}
          ref={area}
          dir="auto"
          rows={5}
          value={text}
          onInput={(event) => setWritten(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
          }}
        />
        <p class="note">
          It keeps its place and time. What was read out of the old words is removed; the words stay in the turn's history. You can undo
          this for ten seconds; if you leave the page earlier, it is saved.
        </p>
        <p class="actions">
          <button type="submit" class="button strong" disabled={!text.trim()}>
            Save
          </button>
          <button type="button" class="button quiet" onClick={close}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
