// The turns that say most about something.

import { useEffect, useState } from "preact/hooks";
import { api } from "../api";
import type { Hit } from "../model";
import { Marked, Said } from "../parts/said";
import { Empty, Failure, useLoaded, Waiting } from "../parts/states";
import { go } from "../route";
import { useAround } from "../settings";
import { contentOf, counted, day } from "../text";

const HITS = 20;
const LEAST = 0.7; // of the best score: what says less is shown on demand
const LITTLE = 0.35; // a best score below this, without a word in common, is that of a query about nothing that was said

export function Search({ given }: { given: Record<string, string> }) {
  const query = given["q"] ?? "";
  const [words, setWords] = useState(query);
  const [speaker, setSpeaker] = useState(given["speaker"] ?? "");
  const [after, setAfter] = useState(given["after"] ?? "");
  const [before, setBefore] = useState(given["before"] ?? "");
  useEffect(() => setWords(query), [query]);
  return (
    <div class="view search">
      <header class="view-head">
        <h1>Search</h1>
        <form
          class="line-form"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            go("search", { q: words.trim(), speaker: speaker.trim(), after, before });
          }}
        >
          <label class="hidden" for="search-words">
            What to search for
          </label>
          <input
            id="search-words"
            data-shortcut="input"
            type="text"
            dir="auto"
            autocomplete="off"
            placeholder="Words, names, days…"
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
          <button type="submit" class="button strong">
            Search
          </button>
          <details class="ask-more" open={Boolean(speaker || after || before)}>
            <summary>Only some turns</summary>
            <div class="fields">
              <label>
                Said by <input type="text" dir="auto" value={speaker} onInput={(e) => setSpeaker(e.currentTarget.value)} />
              </label>
              <label>
                From <input type="date" value={after} onInput={(e) => setAfter(e.currentTarget.value)} />
              </label>
              <label>
                Until before <input type="date" value={before} onInput={(e) => setBefore(e.currentTarget.value)} />
              </label>
            </div>
          </details>
        </form>
      </header>
      {query ? (
        <Hits given={given} query={query} />
      ) : (
        <Empty title="Find turns">
          Search by meaning, words, names and days at once. It finds; to get an answer with a proof, ask.
        </Empty>
      )}
    </div>
  );
}

function Hits({ given, query }: { given: Record<string, string>; query: string }) {
  const around = useAround();
  const body: Record<string, unknown> = { query, k: HITS };
  if (given["speaker"]) body["speakers"] = [given["speaker"]];
  if (given["after"]) body["after"] = given["after"];
  if (given["before"]) body["before"] = given["before"];
  const [loaded, again] = useLoaded(() => api.search(around.space, body), [around.space, around.version, JSON.stringify(body)]);
  const [all, setAll] = useState(false);
  useEffect(() => setAll(false), [JSON.stringify(body)]);
  if (loaded.state === "waiting") return <Waiting words="Searching…" />;
  if (loaded.state === "failed") return <Failure error={loaded.error} again={again} />;
  if (!loaded.value.length) return <Empty title="Nothing was found">Use other words, or fewer limits.</Empty>;
  const hits = loaded.value;
  const best = hits[0]?.score ?? 0;
  const little = best < LITTLE && !hits.some((hit) => hit.matches?.length);
  const good = little ? [] : hits.filter((hit) => hit.score >= LEAST * best);
  const shown = all ? hits : good;
  return (
    <>
      <p class="note" role="status">
        {little ? "Nothing says much about that." : `${counted(shown.length, "turn")}, the best first.`}
      </p>
      <ol class="hits">
        {shown.map((hit) => (
          <HitRow key={hit.turn.id} hit={hit} />
        ))}
      </ol>
      {shown.length < hits.length && (
        <button type="button" class="button quiet" onClick={() => setAll(true)}>
          Show {counted(hits.length - shown.length, "more turn")}, which {hits.length - shown.length === 1 ? "says" : "say"} less about it
        </button>
      )}
    </>
  );
}

function HitRow({ hit }: { hit: Hit }) {
  const around = useAround();
  const { turn } = hit;
  const signals = Object.entries(hit.signals ?? {}).filter(([, value]) => value > 0);
  return (
    <li class="hit">
      <button
        type="button"
        class="hit-open"
        onClick={(event) => around.open({ turn: turn.id, session: turn.session }, event.currentTarget)}
      >
        <span class="hit-meta">
          <span class="speaker">
            <Said text={turn.speaker} />
          </span>{" "}
          {day(turn.at)}
        </span>
        <span class="hit-text">
          <Marked text={contentOf(turn)} ranges={hit.matches ?? []} />
        </span>
      </button>
      {signals.length > 0 && (
        <details class="signals">
          <summary>Why it was found</summary>
          <dl>
            {signals.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value.toFixed(3)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </li>
  );
}
