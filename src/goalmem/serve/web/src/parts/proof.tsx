// A finished proof: its tree, and its checks made again in front of whoever asks.

import { useEffect, useMemo, useState } from "preact/hooks";
import { api } from "../api";
import { KINDS } from "../kinds";
import type { Check, Node, Proof, Status, Verification } from "../model";
import { branches, huesOf, verdicts } from "../proof";
import { useAround } from "../settings";
import { counted } from "../text";
import { Said } from "./said";
import { Failure } from "./states";
import { ProofTree } from "./tree";

const SHOW_ALL_WITHIN = 900; // milliseconds in which all checks appear, one after the other

interface Given {
  proof: Proof;
  /** The document as it came, when it came from somewhere else: checked as it is. */
  document?: unknown;
  /** Whether it is checked at once. */
  eager?: boolean;
}

export function ProofView({ proof, document: given, eager }: Given) {
  const around = useAround();
  const tree = useMemo(() => branches(proof), [proof]);
  const hues = useMemo(() => huesOf(proof), [proof]);
  const [result, setResult] = useState<Verification | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [shown, setShown] = useState(0);

  const check = () => {
    setBusy(true);
    setError(null);
    setResult(null);
    setShown(0);
    api
      .verify(around.space, given ?? proof)
      .then((found) => {
        setResult(found);
        around.announce(summary(found, proof.status));
      }, setError)
      .finally(() => setBusy(false));
  };
  useEffect(() => {
    setResult(null);
    setError(null);
    if (eager) check();
  }, [proof]);
  useReveal(result, shown, setShown);

  const revealed = useMemo(() => (result ? result.checks.slice(0, shown) : []), [result, shown]);
  const verdict = useMemo(() => (result ? verdicts(tree, revealed) : null), [tree, result, revealed]);
  const complete = result !== null && shown >= result.checks.length;
  return (
    <section class="proof" aria-label="Proof">
      <div class="proof-head">
        <h2>{proof.status === "unknown" ? "How far the search came" : "Because"}</h2>
        <div class="actions">
          <button type="button" class="button" data-shortcut="verify" disabled={busy} onClick={check}>
            {busy ? "Checking…" : result ? "Check again" : "Check this proof"}
          </button>
          <button type="button" class="button quiet" onClick={() => save(proof)}>
            Save
          </button>
        </div>
      </div>
      {error !== null && <Failure error={error} again={check} />}
      {result && (
        <Outcome result={result} status={proof.status} shown={shown} complete={complete} />
      )}
      <ProofTree tree={tree} proof={proof} hues={hues} label={`Proof of: ${proof.question}`} verdict={verdict} />
      <Legend proof={proof} />
    </section>
  );
}

function useReveal(result: Verification | null, shown: number, setShown: (n: number) => void) {
  useEffect(() => {
    if (!result) return;
    const all = result.checks.length;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return setShown(all);
    const began = performance.now();
    const most = Math.min(SHOW_ALL_WITHIN, all * 40);
    let frame = 0;
    const next = (now: number) => {
      const share = Math.min(1, (now - began) / most);
      setShown(Math.ceil(share * all));
      if (share < 1) frame = requestAnimationFrame(next);
    };
    frame = requestAnimationFrame(next);
    return () => cancelAnimationFrame(frame);
  }, [result]);
  void shown;
}

function summary(result: Verification, status: Status): string {
  const failed = result.checks.filter((c) => !c.ok).length;
  const all = counted(result.checks.length, "check");
  const what = status === "unknown" ? "What it says holds" : "The proof holds";
  return result.ok ? `${what}: ${all} made, none fails.` : `The proof does not hold: ${failed} of ${all} fail.`;
}

interface Shown {
  status: Status;
  result: Verification;
  shown: number;
  complete: boolean;
}

function Outcome({ result, status, shown, complete }: Shown) {
  const failed = result.checks.filter((c) => !c.ok);
  return (
    <section class={`outcome ${complete ? (result.ok ? "good" : "bad") : "running"}`} aria-label="Checks">
      <p class="outcome-line">
        <span class="outcome-mark" aria-hidden="true">
          {complete ? (result.ok ? "✓" : "✗") : "…"}
        </span>
        <strong>{complete ? summary(result, status) : `Check ${shown} of ${result.checks.length}`}</strong>
      </p>
      <progress class="outcome-bar" max={result.checks.length} value={shown} aria-label="Checks made" />
      {complete && failed.length > 0 && <CheckList checks={failed} label="Checks that fail" />}
      <details class="all-checks">
        <summary>Every check</summary>
        <CheckList checks={result.checks.slice(0, shown)} label="Every check" />
      </details>
    </section>
  );
}

function CheckList({ checks, label }: { checks: Check[]; label: string }) {
  return (
    <ol class="checks" aria-label={label} tabIndex={0}>
      {checks.map((check, i) => (
        <li key={i} class={check.ok ? "check good" : "check bad"}>
          <span class="check-mark">
            <span aria-hidden="true">{check.ok ? "✓" : "✗"}</span>
            <span class="hidden">{check.ok ? "holds" : "fails"}</span>
          </span>
          <span class="check-name">{check.name}</span>
          <span class="check-detail">
            <Said text={check.detail} />
          </span>
          <code class="check-path">{check.path}</code>
        </li>
      ))}
    </ol>
  );
}

function Legend({ proof }: { proof: Proof }) {
  const kinds = new Set<Node["kind"]>();
  const walk = (node: Node): void => {
    kinds.add(node.kind);
    (node.children ?? []).forEach(walk);
  };
  if (proof.root) walk(proof.root);
  [...(proof.lemmas ?? []), ...(proof.alternatives ?? [])].forEach(walk);
  const told = [...kinds].filter((k) => k !== "aggregate" && k !== "conjunction" && KINDS[k]);
  return (
    <details class="legend">
      <summary>How to read this</summary>
      <p>
        At the top stands what was to be proved, with an <span class="slot">open place</span> where the answer belongs. Each
        line holds because of the lines under it. A colour follows a value from the words that were said up to the answer.
      </p>
      {told.length > 0 && (
        <dl>
          {told.map((kind) => (
            <div key={kind} class={`legend-kind kind-${kind}`}>
              <dt>
                <span class="kind">{KINDS[kind].label}</span>
              </dt>
              <dd>{KINDS[kind].says}</dd>
            </div>
          ))}
        </dl>
      )}
      <p>
        Arrow keys walk through the tree, Enter opens what a quotation was taken from. “Check this proof” makes every check
        again, without what found the answer.
      </p>
    </details>
  );
}

function save(proof: Proof) {
  const address = URL.createObjectURL(new Blob([JSON.stringify(proof, null, 1)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "proof.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
