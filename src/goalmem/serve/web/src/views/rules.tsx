// Rules and facts stated in plain language: read, added, removed.

import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { later } from "../later";
import { Hues } from "../logic";
import type { Rule } from "../model";
import { Logic, Said } from "../parts/said";
import { Empty, Failure, useLoaded, Waiting } from "../parts/states";
import { useAround } from "../settings";
import { counted } from "../text";

export function Rules({ given }: { given: Record<string, string> }) {
  const around = useAround();
  const [loaded, again] = useLoaded(() => api.rules(around.space), [around.space, around.version]);
  return (
    <div class="view rules">
      <header class="view-head">
        <h1>Rules</h1>
        <p class="lead">
          What holds in general, stated in plain language. A proof may rest on a rule together with what somebody said.
        </p>
      </header>
      <AddRules />
      {loaded.state === "waiting" && <Waiting />}
      {loaded.state === "failed" && <Failure error={loaded.error} again={again} />}
      {loaded.state === "there" &&
        (loaded.value.length ? (
          <ul class="rule-list" aria-label={counted(loaded.value.length, "rule")}>
            {loaded.value.map((rule) => (
              <RuleRow key={rule.id} rule={rule} chosen={rule.id === given["rule"]} />
            ))}
          </ul>
        ) : (
          <Empty title="No rules yet">
            State one above, for example “Whoever is allergic to shellfish should not eat the paella.”
          </Empty>
        ))}
    </div>
  );
}

function RuleRow({ rule, chosen }: { rule: Rule; chosen: boolean }) {
  const around = useAround();
  const [sure, setSure] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!chosen) return;
    item.current?.scrollIntoView({ block: "center" });
    item.current?.focus({ preventScroll: true });
  }, [chosen]);
  const remove = () => {
    void later.settle().then(() => api.removeRule(around.space, rule.id)).then(() => {
      around.announce("The rule was removed.");
      around.changed();
    }, setError);
  };
  return (
    <li class={chosen ? "rule-item picked" : "rule-item"} ref={item} tabIndex={-1}>
      <p class="statement">
        <Said text={rule.text} />
      </p>
      {(rule.logic ?? []).map((line, i) => (
        <p key={i} class="rule-words">
          <Logic atom={line} hues={new Hues()} />
        </p>
      ))}
      <p class="meta">
        {rule.world && <span>{rule.world} world</span>}
        {rule.reader && <span>read by {rule.reader}</span>}
        {sure ? (
          <>
            <button type="button" class="link bad" onClick={remove}>
              Yes, remove it
            </button>
            <button type="button" class="link" onClick={() => setSure(false)}>
              Keep it
            </button>
          </>
        ) : (
          <button type="button" class="link" onClick={() => setSure(true)}>
            Remove…<span class="hidden"> {rule.text}</span>
          </button>
        )}
      </p>
      {error !== null && <Failure error={error} />}
    </li>
  );
}

function AddRules() {
  const around = useAround();
  const [text, setText] = useState("");
  const [world, setWorld] = useState("closed");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const add = () => {
    if (!text.trim()) return;
    setBusy(true);
    setError(null);
    void later
      .settle()
      .then(() => api.addRules(around.space, text, world))
      .then(() => {
        setText("");
        around.announce("The rules were added.");
        around.changed();
      }, setError)
      .finally(() => setBusy(false));
  };
  return (
    <form
      class="add-rules"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <label for="rule-text">State a rule or a fact</label>
      <textarea
        id="rule-text"
        data-shortcut="input"
        dir="auto"
        rows={3}
        placeholder="Whoever lives in Lisbon lives by the sea."
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) add();
        }}
      />
      <div class="fields">
        <label>
          What cannot be proved is{" "}
          <select value={world} onInput={(event) => setWorld(event.currentTarget.value)}>
            <option value="closed">false (closed world)</option>
            <option value="open">unknown (open world)</option>
          </select>
        </label>
        <button type="submit" class="button strong" disabled={busy}>
          {busy ? "Reading…" : "Add"}
        </button>
      </div>
      {error !== null && <Failure error={error} />}
    </form>
  );
}
