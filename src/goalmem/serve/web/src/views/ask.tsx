// Ask, watch the proof grow, read it.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { STAGES, STATUS } from "../kinds";
import { huesOf } from "../proof";
import { later } from "../later";
import type { Answer, Graph, Happening, Job, Stats } from "../model";
import { Growing, Told } from "../parts/growing";
import { JobProgress } from "../parts/job";
import { ProofView } from "../parts/proof";
import { Said } from "../parts/said";
import { Empty, Failure, useLoaded } from "../parts/states";
import { amend, go, href } from "../route";
import { useAround } from "../settings";
import { counted, duration } from "../text";

type Asking =
  | { state: "idle" }
  | { state: "asking"; question: string; told: Happening[] }
  | { state: "answered"; question: string; told: Happening[]; answer: Answer }
  | { state: "failed"; question: string; told: Happening[]; error: unknown };

export function Ask({ given }: { given: Record<string, string> }) {
  const around = useAround();
  const [question, setQuestion] = useState(given["q"] ?? "");
  const [at, setAt] = useState(given["at"] ?? "");
  const [asking, setAsking] = useState<Asking>({ state: "idle" });
  const [before, setBefore] = useState<string[] | null>(null);
  const [earlier, setEarlier] = useState<string[]>([]);
  const running = useRef<AbortController | null>(null);

  const ask = (words: string, previous: string[] | null = before) => {
    const text = words.trim();
    if (!text) return;
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    const told: Happening[] = [];
    performance.clearMarks();
    performance.mark("goalmem.ask");
    setQuestion(text);
    setAsking({ state: "asking", question: text, told: [] });
    setEarlier((before) => [text, ...before.filter((q) => q !== text)].slice(0, 6));
    amend("ask", { q: text, at });
    let drawn = 0;
    const tell = (event: Happening) => {
      told.push(event);
      // Many things happen between two frames; each frame shows what has happened by then.
      drawn ||= requestAnimationFrame(() => {
        drawn = 0;
        if (running.current === control && !control.signal.aborted)
          setAsking((now) => (now.state === "asking" ? { ...now, told: [...told] } : now));
      });
    };
    api
      .ask(around.space, { question: text, ...(at ? { at } : {}), ...(previous ? { previous } : {}) }, control.signal, tell)
      .then(
        (answer) => {
          setAsking({ state: "answered", question: text, told, answer });
          setBefore(answer.status === "unknown" ? [answer.question] : [answer.question, answer.text]);
          amend("ask", { q: answer.question, at }); // read alone, it says what it was understood as
          around.announce(`${answer.text}. ${STATUS[answer.status].label}.`);
        },
        (error: unknown) => {
          if (!control.signal.aborted) setAsking({ state: "failed", question: text, told, error });
        },
      );
  };
  const stop = () => {
    running.current?.abort();
    setAsking({ state: "idle" });
  };

  useEffect(() => () => running.current?.abort(), []);
  // A link, the view's own tab or a step back: another address is another beginning.
  useEffect(() => {
    setBefore(null);
    setQuestion(given["q"] ?? "");
    if (given["q"]) return ask(given["q"], null);
    running.current?.abort();
    setAsking({ state: "idle" });
  }, [given]);

  return (
    <div class="view ask">
      <h1 class="hidden">Ask</h1>
      <form
        class="ask-form"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          ask(question);
        }}
      >
        <label class="hidden" for="question">
          Question
        </label>
        <input
          id="question"
          class="ask-input"
          data-shortcut="input"
          type="text"
          dir="auto"
          autocomplete="off"
          placeholder="Ask what was said…"
          value={question}
          onInput={(event) => setQuestion(event.currentTarget.value)}
          onKeyDown={(event) => {
            const first = document.querySelector<HTMLElement>("[role=treeitem][tabindex='0']");
            if (event.key !== "ArrowDown" || !first) return;
            event.preventDefault();
            first.focus();
          }}
        />
        {asking.state === "asking" ? (
          <button type="button" class="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit" class="button strong">
            Ask
          </button>
        )}
        {before && (
          <p class="follows note">
            <span>
              A question may follow on “<Said text={before[0]!} />”
            </span>
            <button type="button" class="link" onClick={() => setBefore(null)}>
              Start over
            </button>
          </p>
        )}
        <details class="ask-more">
          <summary>As of another day</summary>
          <label>
            Asked on <input type="date" value={at} onInput={(event) => setAt(event.currentTarget.value)} />
          </label>
          <p class="note">“Last week” and “how long ago” count from then. Otherwise from the newest turn.</p>
        </details>
      </form>
      {asking.state === "idle" && <Start earlier={earlier} ask={(words) => ask(words, null)} />}
      {asking.state === "asking" && <Growing question={asking.question} told={asking.told} />}
      {asking.state === "failed" && <Failure error={asking.error} again={() => ask(asking.question)} />}
      {asking.state === "answered" && <Answered asked={asking.question} answer={asking.answer} told={asking.told} alone={() => ask(asking.question, null)} />}
    </div>
  );
}

interface AnsweredGiven {
  asked: string;
  answer: Answer;
  told: Happening[];
  /** Asks it again, as if nothing had been asked before. */
  alone: () => void;
}

function Answered({ asked, answer, told, alone }: AnsweredGiven) {
  useEffect(() => {
    performance.mark("goalmem.tree");
    performance.measure("goalmem.ask-to-tree", "goalmem.ask", "goalmem.tree");
  }, [answer]);
  return (
    <>
      {answer.question !== asked && (
        <p class="completed note">
          <span>
            “<Said text={asked} />” was understood from the question before.
          </span>
          <button type="button" class="link" onClick={alone}>
            Ask it alone
          </button>
        </p>
      )}
      <Headline answer={answer} />
      <ProofView proof={answer.proof} />
      <Told question={answer.question} told={told} />
    </>
  );
}

function Headline({ answer }: { answer: Answer }) {
  const hues = useMemo(() => huesOf(answer.proof), [answer]);
  const status = STATUS[answer.status];
  const known = answer.status !== "unknown";
  const stage = answer.missing[0]?.stage;
  const parts = known && answer.values.length > 1 ? answer.values : [answer.text];
  return (
    <section class={`headline ${answer.status}`} aria-label="Answer">
      <p class="asked">
        <Said text={answer.question} />
      </p>
      <p class="answer-text">
        {parts.map((part, i) => (
          <>
            {i > 0 && <span class="and">, </span>}
            {hues.has(part) ? (
              <mark class={`value hue-${hues.of(part)}`}>
                <Said text={part} />
              </mark>
            ) : (
              <Said text={part} />
            )}
          </>
        ))}
      </p>
      {answer.full && (
        <p class="answer-full">
          <Said text={answer.full} />
        </p>
      )}
      <p class="headline-meta">
        <span class={`status ${answer.status}`} title={status.says}>
          {status.label}
        </span>
        {known && (
          <span class="confidence">
            <meter min={0} max={1} value={answer.confidence} aria-hidden="true" /> {answer.confidence.toFixed(2)} sure
          </span>
        )}
        {known && <span>{counted(answer.citations.length, "source")}</span>}
        {!known && stage && <span>{STAGES[stage]?.label ?? stage}</span>}
        <span>{duration(answer.seconds)}</span>
      </p>
      {answer.status === "likely" && <p class="note">It is likely and not proved: about {Math.round(answer.confidence * 100)} of 100 such answers are right.</p>}
      {!known && <p class="note">It could not be proved from what is remembered, so no answer is given. What is missing stands below.</p>}
    </section>
  );
}

function Start({ earlier, ask }: { earlier: string[]; ask: (question: string) => void }) {
  const around = useAround();
  const [loaded, again] = useLoaded(
    (): Promise<Stats> => api.stats(around.space),
    [around.space, around.version],
  );
  if (loaded.state === "waiting") return null;
  if (loaded.state === "failed") return <Failure error={loaded.error} again={again} />;
  const stats = loaded.value;
  if (!stats.turns && !stats.rules && !stats.triples) return <NothingYet />;
  return (
    <div class="start">
      <p class="lead">
        Every answer comes with a proof that can be checked again, down to the words somebody said. What cannot be proved is
        left open.
      </p>
      <p class="note">
        {counted(stats.turns, "turn")} in <a href={href("conversations")}>{counted(stats.sessions, "conversation")}</a>,{" "}
        {counted(stats.facts, "fact")} about {counted(stats.entities, "name")}
        {stats.rules ? (
          <>
            , <a href={href("rules")}>{counted(stats.rules, "rule")}</a>
          </>
        ) : null}
        {stats.triples ? (
          <>
            , <a href={href("graph", { source: "imported" })}>{counted(stats.triples, "triple")}</a>
          </>
        ) : null}
        .
      </p>
      {stats.turns > 0 && <Ideas ask={ask} />}
      <Questions title="Asked before" questions={earlier} ask={ask} />
    </div>
  );
}

function Ideas({ ask }: { ask: (question: string) => void }) {
  const around = useAround();
  const [loaded] = useLoaded(() => api.graph(around.space, "", IDEAS_FROM), [around.space, around.version]);
  return loaded.state === "there" ? <Questions title="Try" questions={ideasFrom(loaded.value)} ask={ask} /> : null;
}

const IDEAS_FROM = 60; // edges among which questions are looked for
const IDEAS = 4;

/** Questions that what is remembered may answer: of edges from people to what is known by name. */
function ideasFrom(graph: Graph): string[] {
  const kinds = new Map(graph.nodes.map((n) => [n.id, n.kind ?? ""]));
  const asked = new Map<string, string>();
  for (const { subject, relation, object } of graph.edges) {
    const [verb = "", preposition, more] = relation.split(" ");
    const kind = kinds.get(object) ?? "";
    if (kinds.get(subject) !== "person" || subject.includes("'") || subject === object || asked.has(verb)) continue;
    if (more !== undefined || !kind || kind === "person" || verb === "be" || verb === "have") continue;
    if (preposition === undefined) asked.set(verb, `What did ${subject} ${verb}?`);
    else if (preposition === "in" && kind === "place") asked.set(verb, `Where did ${subject} ${verb}?`);
  }
  return [...asked.values()].slice(0, IDEAS);
}

function Questions({ title, questions, ask }: { title: string; questions: string[]; ask: (question: string) => void }) {
  if (!questions.length) return null;
  return (
    <div class="questions">
      <h2>{title}</h2>
      <ul>
        {[...new Set(questions)].map((question) => (
          <li key={question}>
            <button type="button" class="question" onClick={() => ask(question)}>
              <Said text={question} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function NothingYet() {
  const around = useAround();
  const [job, setJob] = useState<Job | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const load = () => {
    setBusy(true);
    setError(null);
    later
      .settle()
      .then(() => api.demo(around.space))
      .then(setJob, setError)
      .finally(() => setBusy(false));
  };
  return (
    <Empty title="Nothing is remembered here yet">
      <p>Give it something to remember, then ask about it:</p>
      <p class="actions centred">
        <a class="button strong" href={href("add")}>
          Add a message or a conversation
        </a>
        <button type="button" class="button" disabled={busy || job !== null} onClick={load}>
          Try the demo
        </button>
      </p>
      {job && <JobProgress job={job} done={() => go("conversations")} />}
      {error !== null && <Failure error={error} />}
      <p class="note">
        The demo is a made-up conversation of two friends. From a terminal: <code>goalmem add chat.json</code>; from a program:{" "}
        <code>POST /v1/messages</code>.
      </p>
    </Empty>
  );
}
