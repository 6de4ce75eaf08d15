// Every conversation on a line of time, and one of them open.

import { useEffect, useMemo } from "preact/hooks";
import { api } from "../api";
import type { Session } from "../model";
import { Conversation } from "../parts/conversation";
import { Said } from "../parts/said";
import { Failure, useLoaded, Waiting } from "../parts/states";
import { go, href } from "../route";
import { useAround } from "../settings";
import { counted, day, month } from "../text";
import { NothingYet } from "./ask";

export function Conversations({ given }: { given: Record<string, string> }) {
  const around = useAround();
  const [loaded, again] = useLoaded(() => api.sessions(around.space), [around.space, around.version]);
  const chosen = given["session"];
  useEffect(() => {
    if (loaded.state === "there" && chosen === undefined && loaded.value.length && matchMedia("(min-width: 60rem)").matches) {
      go("conversations", { session: loaded.value.at(-1)!.session });
    }
  }, [loaded, chosen]);
  if (loaded.state === "waiting") return <Waiting />;
  if (loaded.state === "failed") return <Failure error={loaded.error} again={again} />;
  const sessions = loaded.value;
  if (!sessions.length) return <NothingYet />;
  const quoted = given["turn"]
    ? { turn: given["turn"], start: number(given["start"]), end: number(given["end"]) }
    : undefined;
  return (
    <div class={chosen === undefined ? "view conversations" : "view conversations one-open"}>
      <header class="view-head">
        <h1>Conversations</h1>
        <Timeline sessions={sessions} chosen={chosen} />
      </header>
      <nav class="session-list" aria-label="Conversations">
        <ul>
          {sessions.map((s) => (
            <li key={s.session}>
              <a
                href={href("conversations", { session: s.session })}
                aria-current={s.session === chosen ? "true" : undefined}
                class="session"
              >
                <span class="session-name">
                  <Said text={s.session} />
                </span>
                <span class="session-meta">
                  {day(s.at)} · {counted(s.turns, "turn")}
                </span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {chosen !== undefined && (
        <section class="session-open" aria-label={`Conversation ${chosen}`}>
          <header class="session-head">
            <a class="back" href={href("conversations", { session: "" })}>
              ← All
            </a>
            <h2>
              <Said text={chosen} />
            </h2>
            <a class="button quiet" href={href("add", { session: chosen })}>
              Add to it
            </a>
            <button type="button" class="button quiet" onClick={() => around.forget({ session: chosen })}>
              Forget it…
            </button>
          </header>
          <Conversation session={chosen} quoted={quoted} focus={quoted !== undefined} />
        </section>
      )}
    </div>
  );
}

function number(text: string | undefined): number | undefined {
  const read = Number.parseInt(text ?? "", 10);
  return Number.isNaN(read) ? undefined : read;
}

/** Sessions where they lie in time, larger where more was said. */
function Timeline({ sessions, chosen }: { sessions: Session[]; chosen: string | undefined }) {
  const { dots, ticks } = useMemo(() => placed(sessions), [sessions]);
  if (sessions.length < 2) return null;
  return (
    <div class="timeline" aria-hidden="true">
      <div class="timeline-line" />
      {ticks.map((t) => (
        <span key={t.label} class="timeline-tick" style={{ left: `${t.x}%` }}>
          {t.label}
        </span>
      ))}
      {dots.map(({ session, x, size }) => (
        <a
          key={session.session}
          tabIndex={-1}
          class={session.session === chosen ? "timeline-dot chosen" : "timeline-dot"}
          href={href("conversations", { session: session.session })}
          title={`${session.session}: ${day(session.at)}, ${counted(session.turns, "turn")}`}
          style={{ left: `${x}%`, width: `${size}px`, height: `${size}px` }}
        />
      ))}
    </div>
  );
}

const TICKS = 7;

function placed(sessions: Session[]) {
  const times = sessions.map((s) => Date.parse(s.at));
  const from = Math.min(...times);
  const span = Math.max(1, Math.max(...times) - from);
  const most = Math.max(...sessions.map((s) => s.turns));
  const dots = sessions.map((session, i) => ({
    session,
    x: ((times[i]! - from) / span) * 100,
    size: 9 + 11 * Math.sqrt(session.turns / most),
  }));
  const ticks: { label: string; x: number }[] = [];
  const start = new Date(from);
  for (let n = 0; n < 1200; n += 1) {
    const at = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + n, 1);
    if (at > from + span) break;
    if (at >= from) ticks.push({ label: month(new Date(at).toISOString()), x: ((at - from) / span) * 100 });
  }
  const each = Math.ceil(ticks.length / TICKS) || 1;
  return { dots, ticks: ticks.filter((_, i) => i % each === 0) };
}
