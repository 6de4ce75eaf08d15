// What the keys do, and the key of the server: two small dialogs.

import { useId, useState } from "preact/hooks";
import { key } from "../api";
import { shortcutsOn } from "../settings";
import { Dialog } from "./dialog";

const SHORTCUTS: [string, string][] = [
  ["/", "Write: the question, the search, the name"],
  ["v", "Check the proof"],
  ["u", "Undo the last change, while it waits"],
  ["g a", "Go to Ask"],
  ["g n", "Go to Add"],
  ["g c", "Go to Conversations"],
  ["g w", "Go to Profile: what is known now"],
  ["g h", "Go to its history: what was said over time"],
  ["g g", "Go to Graph"],
  ["g s", "Go to Search"],
  ["g r", "Go to Rules"],
  ["g p", "Go to Check a proof"],
  ["t", "Light or dark"],
  ["Esc", "Close what is open, back to where you were"],
  ["?", "This list"],
  ["↑ ↓ ← →", "In a proof: walk, open and close; in a conversation: from turn to turn; in the graph: from name to name"],
  ["↓", "From the question into its proof"],
  ["Enter", "In a proof: open what a quotation was taken from"],
  ["*", "In a proof: open everything"],
];

export function Help({ close }: { close: () => void }) {
  const [on, setOn] = useState(shortcutsOn.get());
  const box = useId();
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {SHORTCUTS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((k) => (
                <kbd key={k}>{k}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="switch">
        <input
          id={box}
          type="checkbox"
          checked={on}
          onInput={(event) => {
            shortcutsOn.set(event.currentTarget.checked);
            setOn(event.currentTarget.checked);
          }}
        />
        <label for={box}>Single keys act (/ v u g t ?)</label>
      </p>
    </Dialog>
  );
}

export function KeyEntry({ close, changed }: { close: () => void; changed: () => void }) {
  const [value, setValue] = useState(key.get());
  const field = useId();
  const done = (kept: string) => {
    key.set(kept.trim());
    changed();
    close();
  };
  return (
    <Dialog title="Key" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          done(value);
        }}
      >
        <p>
          A server that is reached from elsewhere asks for a key (<code>goalmem keys add</code> makes one, and so does “Access keys”). It is kept until
          this tab is closed, and sent to this server only.
        </p>
        <label class="field" for={field}>
          Key
          <input
            id={field}
            type="password"
            autofocus
            autocomplete="off"
            spellcheck={false}
            placeholder="gm_…"
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        </label>
        <p class="actions">
          <button type="submit" class="button strong">
            Use it
          </button>
          <button type="button" class="button quiet" onClick={() => done("")}>
            Remove the key
          </button>
        </p>
      </form>
    </Dialog>
  );
}
