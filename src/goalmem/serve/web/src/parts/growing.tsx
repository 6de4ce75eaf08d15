// The proof while it grows, and what was told of it afterwards.

import { useEffect, useMemo, useState } from "preact/hooks";
import { growthOf, type Growth, type Hop, type Open } from "../growth";
import { Hues } from "../logic";
import type { Happening } from "../model";
import { counted, duration } from "../text";
import { Logic, Said } from "./said";

export function Growing({ question, told }: { question: string; told: Happening[] }) {
  const growth = useMemo(() => growthOf(told), [told]);
  return (
    <section class="growing" aria-label="The proof as it grows" aria-busy={!growth.done}>
      <p class="asked">
        <Said text={question} />
      </p>
      {!growth.done && (
        <p class="waiting" role="status">
          Reasoning backwards from the question…
        </p>
      )}
      <Grown growth={growth} />
    </section>
  );
}

function Grown({ growth }: { growth: Growth }) {
  const hues = useMemo(() => new Hues(), []);
  const newest = growth.readings.length - 1;
  return (
    <>
      <ol class="readings">
        {growth.readings.map((reading, i) => (
          <li key={reading.id} class={i === newest ? "reading" : "reading given-up"}>
            <p class="meta">
              <span class="kind">goal</span> {i === newest ? "being proved" : "tried"}
            </p>
            <Opens opens={reading.atoms} hues={hues} />
          </li>
        ))}
      </ol>
      {growth.hops.length > 0 && (
        <>
          <p class="meta">
            <span class="kind">walk</span> over the imported graph
          </p>
          <Hops hops={growth.hops} hues={hues} />
        </>
      )}
    </>
  );
}

function Hops({ hops, hues }: { hops: Hop[]; hues: Hues }) {
  return (
    <ul class="opens-list">
      {hops.map((hop) => (
        <li key={hop.id} class={hop.followed ? "open-atom bound" : "open-atom left"}>
          <p class="statement">
            <Said text={hop.relation} />{" "}
            {hop.entities.map((name) => (
              <>
                <mark class={`value hue-${hues.of(name)}`}>
                  <Said text={name} />
                </mark>{" "}
              </>
            ))}
            {!hop.followed && <span class="note">{hop.fate}</span>}
          </p>
          {hop.next.length > 0 && <Hops hops={hop.next} hues={hues} />}
        </li>
      ))}
    </ul>
  );
}

function Opens({ opens, hues }: { opens: Open[]; hues: Hues }) {
  return (
    <ul class="opens-list">
      {opens.map((open) => (
        <li key={open.id} class={open.bound.length ? "open-atom bound" : "open-atom"}>
          <p class="statement">
            <Logic atom={open.atom} hues={hues} />
          </p>
          {open.searched !== null && <p class="meta">{counted(open.searched, "turn")} looked at</p>}
          {open.bound.map((b) => (
            <p key={b.value} class="found">
              <mark class={`value hue-${hues.of(b.value)}`}>
                <Said text={b.value} />
              </mark>
            </p>
          ))}
          {open.ways.map((way) => (
            <div key={way.id} class="way">
              <p class="meta">
                <span class="kind">{way.by || "refinement"}</span> would follow from
              </p>
              <Opens opens={way.subgoals} hues={hues} />
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

const PACE = 260; // milliseconds a thing that happened, when it is shown again for people

/** How it was found: everything that was told, and the growth once more at a pace that eyes can follow. */
export function Told({ question, told }: { question: string; told: Happening[] }) {
  const [step, setStep] = useState<number | null>(null);
  useEffect(() => setStep(null), [told]);
  useEffect(() => {
    if (step === null || step >= told.length) return;
    const timer = setTimeout(() => setStep(step + 1), PACE);
    return () => clearTimeout(timer);
  }, [step, told]);
  if (!told.length) return null;
  return (
    <details class="told">
      <summary>How it was found</summary>
      <p class="actions">
        <button type="button" class="button quiet" onClick={() => setStep(step === null || step >= told.length ? 1 : null)}>
          {step === null ? "Watch it grow again, slowly" : step < told.length ? "Stop" : "Once more"}
        </button>
      </p>
      {step !== null && <Growing question={question} told={told.slice(0, step)} />}
      <ol class="log" aria-label="What happened, in order" tabIndex={0}>
        {told.map((event, i) => (
          <li key={i} class={`log-line log-${event.kind}`}>
            <span class="log-time">{duration(event.seconds)}</span>
            <span class="kind">{event.kind}</span>
            <span class="log-words">
              <Said text={event.text} />
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
