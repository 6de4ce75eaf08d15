// A conversation, turn by turn, with one turn picked out.

import { useEffect, useState } from "preact/hooks";
import { api, type Forgettable } from "../api";
import { useLater } from "../later";
import type { Statement, Turn } from "../model";
import { useAround, type Quoted } from "../settings";
import { clock, counted, day } from "../text";
import { Said, TurnText } from "./said";
import { Empty, Failure, Waiting } from "./states";
import { VirtualList } from "./virtual";

interface Given {
  session: string;
  quoted?: Quoted | undefined;
  /** Whether the quoted turn takes the focus. */
  focus?: boolean;
}

export function Conversation({ session, quoted, focus }: Given) {
  const around = useAround();
  const [turns, setTurns] = useState<Turn[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    setTurns(null);
    setError(null);
    api
      .turns(around.space, session, control.signal, (seen) => !control.signal.aborted && setTurns(seen))
      .catch((failed: unknown) => !control.signal.aborted && setError(failed));
    return () => control.abort();
  }, [around.space, around.version, session, round]);

  if (error) return <Failure error={error} again={() => setRound(round + 1)} />;
  if (!turns) return <Waiting words="Opening the conversation…" />;
  if (!turns.length) return <Empty title="Nothing is left of this conversation">It was forgotten.</Empty>;
  return (
    <VirtualList
      items={turns}
      id={(t) => t.id}
      label={`The conversation ${session}, ${counted(turns.length, "turn")}`}
      target={quoted?.turn}
      focusTarget={focus ?? false}
      row={(turn, index) => (
        <TurnRow turn={turn} before={turns[index - 1]} quoted={quoted?.turn === turn.id ? quoted : undefined} />
      )}
    />
  );
}

function TurnRow({ turn, before, quoted }: { turn: Turn; before: Turn | undefined; quoted: Quoted | undefined }) {
  const around = useAround();
  const now = useLater();
  const [said, setSaid] = useState<Statement[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const fresh = !before || before.at.slice(0, 10) !== turn.at.slice(0, 10);
  const show = () => {
    if (said) return setSaid(null);
    api.statements(around.space, turn.id).then(setSaid, setError);
  };
  const change = (now.state === "waiting" || now.state === "sending") && now.change.space === around.space ? now.change : null;
  const going = change?.kind === "forget" && goes(change.what, turn);
  const edited = change?.kind === "edit" && change.turn === turn.id ? change.text : null;
  return (
    <>
      {fresh && <p class="day">{day(turn.at)}</p>}
      <article class={`turn${quoted ? " picked" : ""}${going ? " going" : ""}`} aria-label={`${turn.speaker}, ${day(turn.at)} ${clock(turn.at)}`}>
        <header class="turn-head">
          <span class="speaker">
            <Said text={turn.speaker} />
          </span>
          <time class="at" dateTime={turn.at}>
            {clock(turn.at)}
          </time>
          {going && <span class="tag">will be forgotten</span>}
          {edited !== null && <span class="tag">not saved yet</span>}
          <span class="turn-actions">
            <button type="button" class="link" aria-expanded={said !== null} onClick={show}>
              What it says
            </button>
            <button type="button" class="link" onClick={() => around.edit(turn)} aria-label={`Edit this turn of ${turn.speaker}…`}>
              Edit…
            </button>
            <button
              type="button"
              class="link"
              onClick={() => around.forget({ turn: turn.id, words: turn.text })}
              aria-label={`Forget this turn of ${turn.speaker}…`}
            >
              Forget…
            </button>
          </span>
        </header>
        <p class="turn-text">
          {edited === null ? <TurnText turn={turn} start={quoted?.start} end={quoted?.end} /> : <Said text={edited} />}
        </p>
        {error !== null && <Failure error={error} />}
        {said && <Statements said={said} />}
      </article>
    </>
  );
}

function Statements({ said }: { said: Statement[] }) {
  if (!said.length) return <p class="note">No sentence was read out of this turn that it surely says.</p>;
  return (
    <ul class="facts">
      {said.map((s) => (
        <li key={s.fact}>
          <Said text={s.text} />
        </li>
      ))}
    </ul>
  );
}

/** Whether a turn goes with what is forgotten. */
function goes(what: Forgettable, turn: Turn): boolean {
  if ("turn" in what) return what.turn === turn.id;
  return "session" in what ? what.session === turn.session : true;
}
