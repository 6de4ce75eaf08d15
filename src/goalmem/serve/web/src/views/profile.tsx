// What is known of somebody now, by topic, each with where it was said.

import { useEffect, useState } from "preact/hooks";
import { api } from "../api";
import type { Statement } from "../model";
import { NameInput } from "../parts/names";
import { Said } from "../parts/said";
import { Empty, Failure, useLoaded, Waiting } from "../parts/states";
import { go, href } from "../route";
import { useAround } from "../settings";
import { counted, day } from "../text";

const TITLES: Record<string, string> = {
  about: "About",
  people: "People",
  home: "Home",
  work: "Work",
  likes: "Likes and dislikes",
  health: "Health",
  belongings: "Belongings",
  plans: "Plans",
  other: "Other",
};

export function Profile({ given }: { given: Record<string, string> }) {
  const who = given["who"] ?? "";
  const [words, setWords] = useState(who);
  useEffect(() => setWords(who), [who]);
  return (
    <div class="view profile">
      <header class="view-head">
        <h1>Profile</h1>
        <NowOrThen who={who} view="profile" />
        <form
          class="line-form"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            go("profile", { who: words.trim() });
          }}
        >
          <NameInput label="Of whom" placeholder="A name" value={words} change={setWords} />
          <button type="submit" class="button strong">
            Show
          </button>
        </form>
      </header>
      <Known who={who} />
    </div>
  );
}

/** The two ways to look at somebody: what holds now, and what was said over time. */
export function NowOrThen({ who, view }: { who: string; view: "profile" | "history" }) {
  return (
    <nav class="now-or-then" aria-label="Now or over time">
      <a href={href("profile", { who })} aria-current={view === "profile" ? "page" : undefined}>
        Now
      </a>
      <a href={href("history", { about: who })} aria-current={view === "history" ? "page" : undefined}>
        Over time
      </a>
    </nav>
  );
}

function Known({ who }: { who: string }) {
  const around = useAround();
  const [loaded, again] = useLoaded(async () => {
    const found = await api.profile(around.space, who);
    const people = found.total || who ? [] : await api.people(around.space);
    return { found, people };
  }, [around.space, around.version, who]);
  if (loaded.state === "waiting") return <Waiting />;
  if (loaded.state === "failed") return <Failure error={loaded.error} again={again} />;
  const { found, people } = loaded.value;
  if (!found.statements.length) {
    return (
      <Empty title={who ? "Nothing is known of that" : "Of whom?"}>
        {people.length ? (
          <ul class="names">
            {people.map((name) => (
              <li key={name}>
                <a href={href("profile", { who: name })}>
                  <Said text={name} />
                </a>
              </li>
            ))}
          </ul>
        ) : (
          "Only sentences that a turn surely says are shown. Try another name, or what was said over time."
        )}
      </Empty>
    );
  }
  const topics = [...new Set(found.statements.map((s) => s.topic))];
  return (
    <>
      <h2 class="profile-name">
        <Said text={found.who} />
      </h2>
      <p class="note">
        {counted(found.total, "statement")}, as of {day(found.at)}. Each was read out of a turn and judged to be said there; newest
        first.
      </p>
      {topics.map((topic) => (
        <section key={topic} class="topic" aria-label={TITLES[topic] ?? topic}>
          <h3>{TITLES[topic] ?? topic}</h3>
          <ul>
            {found.statements
              .filter((s) => s.topic === topic)
              .map((s) => (
                <Row key={s.fact} statement={s} />
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Row({ statement }: { statement: Statement }) {
  const around = useAround();
  return (
    <li class="known">
      <span class="statement">
        <Said text={statement.text} />
      </span>
      <span class="meta">
        <span>{day(statement.said)}</span>
        <span title="How likely the judge finds that the turn says it">judged {statement.certainty.toFixed(2)}</span>
        <button type="button" class="link" onClick={(event) => around.open({ turn: statement.turn }, event.currentTarget)}>
          Open<span class="hidden"> where it was said</span>
        </button>
      </span>
    </li>
  );
}
