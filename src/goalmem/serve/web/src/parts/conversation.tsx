// A conversation, turn by turn, with one turn picked out.

import { useEffect, useState } from "preact/hooks";
import { api } from "../api";
import type { Fact, Turn } from "../model";
import { href } from "../route";
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
  const [facts, setFacts] = useState<Fact[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const fresh = !before || before.at.slice(0, 10) !== turn.at.slice(0, 10);
  const show = () => {
    if (facts) return setFacts(null);
    api.facts(around.space, turn.id).then(setFacts, setError);
  };
  return (
    <>
      {fresh && <p class="day">{day(turn.at)}</p>}
      <article class={quoted ? "turn picked" : "turn"} aria-label={`${turn.speaker}, ${day(turn.at)} ${clock(turn.at)}`}>
        <header class="turn-head">
          <span class="speaker">
            <Said text={turn.speaker} />
          </span>
          <time class="at" dateTime={turn.at}>
            {clock(turn.at)}
          </time>
          <span class="turn-actions">
            <button type="button" class="link" aria-expanded={facts !== null} onClick={show}>
              Facts
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
          <TurnText turn={turn} start={quoted?.start} end={quoted?.end} />
        </p>
        {error !== null && <Failure error={error} />}
        {facts && <FactList facts={facts} />}
      </article>
    </>
  );
}

function FactList({ facts }: { facts: Fact[] }) {
  if (!facts.length) return <p class="note">Nothing was read out of this turn.</p>;
  return (
    <ul class="facts">
      {facts.map((fact) => (
        <li key={fact.id}>
          <a href={href("history", { about: fact.id })}>
            <Said text={fact.statement} />
          </a>
          {fact.modality !== "asserted" && <span class="tag">{fact.modality}</span>}
          {!fact.polarity && <span class="tag">denied</span>}
        </li>
      ))}
    </ul>
  );
}
