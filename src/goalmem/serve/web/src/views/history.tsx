// What was said about somebody or something over time, and what replaced what.

import { useEffect, useId, useState } from "preact/hooks";
import { api } from "../api";
import type { HistoryEntry } from "../model";
import { Said } from "../parts/said";
import { Empty, Failure, useLoaded, Waiting } from "../parts/states";
import { go } from "../route";
import { useAround } from "../settings";
import { counted, day } from "../text";
import { NameInput } from "../parts/names";
import { NowOrThen } from "./profile";

export function History({ given }: { given: Record<string, string> }) {
  const about = given["about"] ?? "";
  const [words, setWords] = useState(about);
  const [everything, setEverything] = useState(false);
  const [unsaid, setUnsaid] = useState(false);
  const also = useId();
  const all = useId();
  useEffect(() => setWords(about), [about]);
  return (
    <div class="view history">
      <header class="view-head">
        <h1>History</h1>
        <NowOrThen who={about} view="history" />
        <form
          class="line-form"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            go("history", { about: words.trim() });
          }}
        >
          <NameInput label="Of whom or what" placeholder="A name, or words: Maya, Maya job" value={words} change={setWords} />
          <button type="submit" class="button strong">
            Show
          </button>
        </form>
        <p class="switch">
          <input id={all} type="checkbox" checked={everything} onInput={(event) => setEverything(event.currentTarget.checked)} />
          <label for={all}>Everything that was said, not only what can change (home, work, likes …)</label>
        </p>
        <p class="switch">
          <input id={also} type="checkbox" checked={unsaid} onInput={(event) => setUnsaid(event.currentTarget.checked)} />
          <label for={also}>Also what was only asked, planned, supposed or wished</label>
        </p>
      </header>
      {about ? (
        <Entries about={about} everything={everything} unsaid={unsaid} />
      ) : (
        <Empty title="What was said over time">
          Name somebody or something. What was said later stands lower; what it replaced is struck out.
        </Empty>
      )}
    </div>
  );
}

function Entries({ about, everything, unsaid }: { about: string; everything: boolean; unsaid: boolean }) {
  const around = useAround();
  const [loaded, again] = useLoaded(() => api.history(around.space, about), [around.space, around.version, about]);
  if (loaded.state === "waiting") return <Waiting />;
  if (loaded.state === "failed") return <Failure error={loaded.error} again={again} />;
  const all = loaded.value;
  const entries = all.filter(
    (e) => (everything || e.fact.slot || e.superseded_by) && (unsaid || e.fact.modality === "asserted" || e.superseded_by),
  );
  if (!entries.length) {
    return (
      <Empty title={all.length ? "Nothing of that kind" : "Nothing was said about that"}>
        {all.length ? "The switches above show more of what was said." : "Try another name, or look through the conversations."}
      </Empty>
    );
  }
  const replacing = new Map(all.filter((e) => e.superseded_by).map((e) => [e.superseded_by as string, e]));
  const byId = new Map(all.map((e) => [e.fact.id, e]));
  return (
    <>
      <p class="note">{counted(entries.length, "statement")}, oldest first.</p>
      <ol class="history-list" aria-label={`What was said about ${about}, oldest first`}>
        {entries.map((entry, i) => (
          <Entry
            key={entry.fact.id}
            entry={entry}
            fresh={entries[i - 1]?.fact.said.slice(0, 10) !== entry.fact.said.slice(0, 10)}
            by={entry.superseded_by ? byId.get(entry.superseded_by) : undefined}
            replaces={replacing.get(entry.fact.id)}
          />
        ))}
      </ol>
    </>
  );
}

interface Given {
  entry: HistoryEntry;
  fresh: boolean;
  by: HistoryEntry | undefined;
  replaces: HistoryEntry | undefined;
}

function Entry({ entry, fresh, by, replaces }: Given) {
  const around = useAround();
  const { fact } = entry;
  const gone = Boolean(entry.superseded_by);
  const state = gone ? "superseded" : replaces ? "holds" : "";
  return (
    <li class={`entry ${state}`} id={`fact-${fact.id}`}>
      <p class="entry-day">{fresh ? day(fact.said) : ""}</p>
      <div class="entry-body">
        <p class="statement">
          {gone ? (
            <s>
              <Said text={fact.text} />
            </s>
          ) : (
            <Said text={fact.text} />
          )}
          {fact.modality !== "asserted" && <span class="tag">{fact.modality}</span>}
          {replaces && !gone && <span class="tag now">holds now</span>}
        </p>
        {gone && (
          <p class="note replaced">
            replaced{by ? <> on {day(by.fact.said)} by </> : " later"}
            {by && (
              <>
                “<Said text={by.fact.text} />”
              </>
            )}
          </p>
        )}
        <p class="meta">
          <span>
            <Said text={fact.speaker} />
          </span>
          <button
            type="button"
            class="link"
            onClick={(event) =>
              around.open({ turn: fact.turn, start: fact.start, end: fact.end, quote: fact.text }, event.currentTarget)
            }
          >
            Open
            <span class="hidden"> where it was said</span>
          </button>
        </p>
      </div>
    </li>
  );
}
