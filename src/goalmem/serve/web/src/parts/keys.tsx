// The keys of the server: made and revoked, where this one may do all.

import { useId, useState } from "preact/hooks";
import { api, key as own } from "../api";
import type { Key, NewKey } from "../model";
import { useAround } from "../settings";
import { day } from "../text";
import { Dialog } from "./dialog";
import { Said } from "./said";
import { Failure, useLoaded, Waiting } from "./states";

export function Keys({ close }: { close: () => void }) {
  const around = useAround();
  const [loaded, again] = useLoaded(() => api.keys(around.space), [around.space]);
  const [made, setMade] = useState<NewKey | null>(null);
  return (
    <Dialog title="Access keys" close={close}>
      {made && (
        <div class="made" role="status">
          <p>
            <strong>The key, shown this once:</strong>
          </p>
          <pre class="command" tabIndex={0}>
            {made.text}
          </pre>
        </div>
      )}
      {loaded.state === "waiting" && <Waiting />}
      {loaded.state === "failed" && <Failure error={loaded.error} again={again} />}
      {loaded.state === "there" && <Held keys={loaded.value} again={again} setMade={setMade} />}
    </Dialog>
  );
}

function Held({ keys, again, setMade }: { keys: Key[]; again: () => void; setMade: (made: NewKey) => void }) {
  const around = useAround();
  const [error, setError] = useState<unknown>(null);
  const [sure, setSure] = useState("");
  const revoke = (id: string) => {
    api.revokeKey(around.space, id).then(() => {
      around.announce("The key was revoked.");
      again();
    }, setError);
  };
  const valid = keys.filter((k) => k.valid);
  return (
    <>
      {!keys.length && (
        <p class="note">
          None was made. Whoever reaches this machine's own address may do all; from the first key on, every call needs one.
        </p>
      )}
      {valid.length > 0 && (
        <ul class="key-list" aria-label="Valid keys">
          {valid.map((k) => (
            <li key={k.id}>
              <span>
                <Said text={k.name} /> <span class="tag">{k.scope}</span>
              </span>
              <span class="note">
                {k.spaces.includes("*") ? "every space" : k.spaces.join(", ")} · made on {day(k.created)}
                {k.expires && <> · until {day(k.expires)}</>}
              </span>
              {sure === k.id ? (
                <span class="actions">
                  <button type="button" class="link bad" onClick={() => revoke(k.id)}>
                    Yes, revoke it
                  </button>
                  <button type="button" class="link" onClick={() => setSure("")}>
                    Keep it
                  </button>
                </span>
              ) : (
                <button type="button" class="link" onClick={() => setSure(k.id)}>
                  Revoke…<span class="hidden"> {k.name}</span>
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {error !== null && <Failure error={error} />}
      <MakeKey
        first={!keys.length}
        done={(found) => {
          setMade(found);
          if (!keys.length) own.set(found.text); // without it, this page could call nothing more
          again();
        }}
      />
    </>
  );
}

function MakeKey({ first, done }: { first: boolean; done: (made: NewKey) => void }) {
  const around = useAround();
  const [name, setName] = useState("");
  const [scope, setScope] = useState("write");
  const [here, setHere] = useState(true);
  const [error, setError] = useState<unknown>(null);
  const field = useId();
  const chosen = first ? "admin" : scope;
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        setError(null);
        api
          .makeKey(around.space, { name: name.trim(), scope: chosen, ...(here && !first ? { spaces: [around.space] } : {}) })
          .then((made) => {
            setName("");
            done(made);
          }, setError);
      }}
    >
      <label class="field" for={field}>
        Make a key for
        <input
          id={field}
          type="text"
          dir="auto"
          autocomplete="off"
          maxLength={512}
          placeholder="who or what uses it"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      {first ? (
        <p class="note">The first is for you: it may do all in every space, and this tab uses it from then on. Keep it.</p>
      ) : (
        <div class="fields">
          <label>
            It may{" "}
            <select value={scope} onInput={(event) => setScope(event.currentTarget.value)}>
              <option value="read">read</option>
              <option value="write">read and write</option>
              <option value="admin">do all, also make keys</option>
            </select>
          </label>
          <label>
            <input type="checkbox" checked={here} onInput={(event) => setHere(event.currentTarget.checked)} /> in this space only
          </label>
        </div>
      )}
      {error !== null && <Failure error={error} />}
      <p class="actions">
        <button type="submit" class="button strong" disabled={!name.trim()}>
          Create
        </button>
      </p>
    </form>
  );
}
