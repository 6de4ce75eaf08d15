// The conversation that evidence was taken from, beside the proof, with the quoted words highlighted.

import { useEffect, useRef } from "preact/hooks";
import { api } from "../api";
import type { Turn } from "../model";
import { href } from "../route";
import { useAround, type Quoted } from "../settings";
import { contentOf, cut, day } from "../text";
import { Conversation } from "./conversation";
import { Said } from "./said";
import { Failure, useLoaded, Waiting } from "./states";

export function Evidence({ quoted, close }: { quoted: Quoted; close: () => void }) {
  const around = useAround();
  const panel = useRef<HTMLElement>(null);
  const [loaded, again] = useLoaded(() => api.turn(around.space, quoted.turn), [around.space, around.version, quoted]);
  useEffect(() => panel.current?.focus(), [quoted]);
  return (
    <aside
      class="evidence"
      ref={panel}
      tabIndex={-1}
      aria-label="Where it was said"
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <header class="evidence-head">
        <h2>Where it was said</h2>
        <button type="button" class="icon-button" aria-label="Close the conversation" onClick={close}>
          <span aria-hidden="true">×</span>
        </button>
      </header>
      {loaded.state === "waiting" && <Waiting words="Opening the conversation…" />}
      {loaded.state === "failed" && <Failure error={loaded.error} again={again} />}
      {loaded.state === "there" && <Found turn={loaded.value} quoted={quoted} />}
    </aside>
  );
}

function Found({ turn, quoted }: { turn: Turn; quoted: Quoted }) {
  const there = quoted.start === undefined || cut(contentOf(turn), quoted.start, quoted.end ?? 0)[1] === quoted.quote;
  const shown: Quoted = there ? quoted : { turn: quoted.turn };
  const place = { session: turn.session, turn: turn.id, start: text(shown.start), end: text(shown.end) };
  return (
    <>
      <p class="evidence-place">
        <a href={href("conversations", place)}>
          <Said text={turn.session} />
        </a>{" "}
        · {day(turn.at)}
      </p>
      {!there && (
        <p class="failure-remedy" role="alert">
          The quoted words do not stand in this turn.
        </p>
      )}
      <Conversation session={turn.session} quoted={shown} focus />
    </>
  );
}

function text(n: number | undefined): string | undefined {
  return n === undefined ? undefined : String(n);
}
