// Remembering something: a message, or a conversation that is pasted or opened, looked at before it is stored.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { api, type Reading } from "../api";
import { later } from "../later";
import type { Job, Preview } from "../model";
import { JobProgress } from "../parts/job";
import { NameInput } from "../parts/names";
import { OpenFile, useDrop } from "../parts/open_file";
import { Said } from "../parts/said";
import { Failure, useLoaded, Waiting } from "../parts/states";
import { go, href } from "../route";
import { useAround } from "../settings";
import { counted, day } from "../text";

export function Add({ given }: { given: Record<string, string> }) {
  return (
    <div class="view add">
      <header class="view-head">
        <h1>Add</h1>
        <p class="lead">What you add is kept word for word. Everything else is read out of it, and can be read again.</p>
      </header>
      <AddMessage session={given["session"] ?? ""} />
      <AddConversation />
    </div>
  );
}

function AddMessage({ session }: { session: string }) {
  const around = useAround();
  const [speaker, setSpeaker] = useState("");
  const [text, setText] = useState("");
  const [at, setAt] = useState("");
  const [where, setWhere] = useState(session);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [added, setAdded] = useState<{ session: string; turn: string | undefined; fresh: boolean } | null>(null);
  const [sessions] = useLoaded(() => api.sessions(around.space), [around.space, around.version]);
  const field = useId();
  const list = useId();
  const add = async () => {
    if (!text.trim() || busy) return;
    setBusy(true);
    setError(null);
    setAdded(null);
    const message = { role: "user", content: text, ...(speaker.trim() ? { name: speaker.trim() } : {}), ...(at ? { at } : {}) };
    try {
      await later.settle();
      const receipt = await api.add(around.space, where.trim() || "default", message);
      setAdded({ session: receipt.session, turn: receipt.turns[0], fresh: receipt.new > 0 });
      setText("");
      around.announce("The message was added.");
      around.changed();
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  return (
    <section class="card" aria-labelledby={`${field}-title`}>
      <h2 id={`${field}-title`}>A message</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <div class="line-form">
          <NameInput label="Who says it" placeholder="Who says it" value={speaker} change={setSpeaker} />
        </div>
        <label for={field}>What is said</label>
        <textarea
          id={field}
          dir="auto"
          rows={3}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void add();
          }}
        />
        <div class="fields">
          <label>
            When{" "}
            <input type="datetime-local" value={at} onInput={(event) => setAt(event.currentTarget.value)} />
          </label>
          <label>
            In the conversation{" "}
            <input
              type="text"
              dir="auto"
              autocomplete="off"
              maxLength={512}
              list={list}
              placeholder="default"
              value={where}
              onInput={(event) => setWhere(event.currentTarget.value)}
            />
          </label>
          <datalist id={list}>
            {sessions.state === "there" && sessions.value.map((s) => <option key={s.session} value={s.session} />)}
          </datalist>
          <button type="submit" class="button strong" disabled={busy || !text.trim()}>
            {busy ? "Adding…" : "Add"}
          </button>
        </div>
        <p class="note">Without a time, it was said now. Ctrl+Enter adds it, too.</p>
      </form>
      {error !== null && <Failure error={error} />}
      {added && (
        <p class="outcome-line" role="status">
          {added.fresh ? "It is remembered." : "It was remembered already."}{" "}
          <a href={href("conversations", { session: added.session, turn: added.turn })}>Open it</a>
        </p>
      )}
    </section>
  );
}

const PASTED = "pasted.txt";
const DOCUMENT = /\.(?:md|markdown|pdf|html?|xhtml|eml|mbox)$/i; // what is read as a document, not as messages

function AddConversation() {
  const around = useAround();
  const [text, setText] = useState("");
  const [file, setFile] = useState<File | null>(null);
  const [session, setSession] = useState("");
  const [at, setAt] = useState("");
  const [dayFirst, setDayFirst] = useState(false);
  const [looked, setLooked] = useState<{ content: Blob; reading: Reading; found: Preview } | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [job, setJob] = useState<Job | null>(null);
  const running = useRef<AbortController | null>(null);
  const area = useId();
  useEffect(() => () => running.current?.abort(), []);
  const changed = () => {
    running.current?.abort();
    setBusy(false);
    setLooked(null);
    setError(null);
    setJob(null);
  };
  const open = (chosen: File | undefined) => {
    if (!chosen) return;
    changed();
    setFile(chosen);
    setText("");
    void look(chosen);
  };
  const { over, ...dropping } = useDrop(open);
  const look = async (chosen: File | null = file) => {
    const content: Blob = chosen ?? new Blob([text], { type: "text/plain" });
    if (!content.size) return;
    const reading: Reading = { name: chosen?.name || PASTED };
    if (DOCUMENT.test(reading.name)) reading.format = "document";
    if (session.trim()) reading.session = session.trim();
    if (at) reading.at = at;
    if (dayFirst) reading.day_first = "true";
    const control = new AbortController();
    running.current?.abort();
    running.current = control;
    setBusy(true);
    setError(null);
    try {
      const found = await api.preview(around.space, content, reading, control.signal);
      setLooked({ content, reading, found });
      around.announce(`${counted(found.messages, "message")} in ${counted(found.sessions, "conversation")} were read.`);
    } catch (failed) {
      if (control.signal.aborted) return;
      setError(failed);
    }
    setBusy(false);
  };
  const store = async () => {
    if (!looked) return;
    setBusy(true);
    try {
      await later.settle();
      setJob(await api.upload(around.space, looked.content, looked.reading));
      setLooked(null);
      setText("");
      setFile(null);
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  return (
    <section class="card" aria-labelledby={`${area}-title`}>
      <h2 id={`${area}-title`}>A conversation</h2>
      <form
        class={over ? "stack drop over" : "stack drop"}
        onSubmit={(event) => {
          event.preventDefault();
          void look();
        }}
        {...dropping}
      >
        <label for={area}>Paste a transcript (“Maya: Hello”) or chat messages as JSON, or open a file: also a PDF, a web page, a text or an e-mail</label>
        <textarea
          id={area}
          class="code"
          rows={6}
          spellcheck={false}
          placeholder={"Maya: I adopted a beagle last Friday.\nLeo: What is his name?"}
          value={text}
          onInput={(event) => {
            changed();
            setFile(null);
            setText(event.currentTarget.value);
          }}
        />
        <p class="actions">
          <OpenFile label="File of a conversation" open={open} />
          <span class="note">{file ? <Said text={file.name} /> : "or drop it here"}</span>
        </p>
        <details class="ask-more">
          <summary>Name, day, order of dates</summary>
          <div class="fields">
            <label>
              Name of the conversation{" "}
              <input
                type="text"
                dir="auto"
                maxLength={512}
                value={session}
                onInput={(event) => {
                  changed();
                  setSession(event.currentTarget.value);
                }}
              />
            </label>
            <label>
              Said on{" "}
              <input
                type="date"
                value={at}
                onInput={(event) => {
                  changed();
                  setAt(event.currentTarget.value);
                }}
              />
            </label>
            <label>
              <input
                type="checkbox"
                checked={dayFirst}
                onInput={(event) => {
                  changed();
                  setDayFirst(event.currentTarget.checked);
                }}
              />{" "}
              03/04 is 3 April
            </label>
          </div>
          <p class="note">They count where the conversation says nothing of them itself.</p>
        </details>
        {!looked && (
          <p class="actions">
            <button type="submit" class="button strong" disabled={busy || !(text.trim() || file)}>
              {busy ? "Reading…" : "Preview"}
            </button>
          </p>
        )}
      </form>
      {busy && !looked && <Waiting words="Reading…" />}
      {error !== null && <Failure error={error} />}
      {looked && <Found found={looked.found} busy={busy} store={() => void store()} leave={changed} />}
      {job && <JobProgress job={job} done={() => go("conversations")} />}
    </section>
  );
}

function Found({ found, busy, store, leave }: { found: Preview; busy: boolean; store: () => void; leave: () => void }) {
  const hidden = found.sessions - found.items.length;
  return (
    <div class="preview">
      <p role="status">
        <strong>
          {found.whole ? "" : "At least "}
          {counted(found.messages, "message")} in {counted(found.sessions, "conversation")}.
        </strong>{" "}
        Nothing is stored yet.
      </p>
      <ul class="preview-list" tabIndex={0} aria-label="What was read">
        {found.items.map((item) => (
          <li key={item.session}>
            <p class="session-name">
              <Said text={item.session} /> <span class="session-meta">{counted(item.messages, "message")}</span>
            </p>
            {item.first.map((message, i) => (
              <p key={i} class="preview-message">
                <span class="speaker">
                  <Said text={message.speaker} />
                </span>{" "}
                <span class="at">{day(message.at)}</span> <Said text={message.text.slice(0, 300)} />
              </p>
            ))}
          </li>
        ))}
      </ul>
      {hidden > 0 && <p class="note">and {counted(hidden, "more conversation")}</p>}
      <p class="actions">
        <button type="button" class="button strong" disabled={busy} onClick={store}>
          {busy ? "Storing…" : "Remember it"}
        </button>
        <button type="button" class="button quiet" onClick={leave}>
          Cancel
        </button>
      </p>
    </div>
  );
}
