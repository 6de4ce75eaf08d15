// One line of a proof: what holds, how it was closed, what its variables stand for, and what the checks say.

import { AGGREGATES, HOW, KINDS, OPPOSED, STAGES } from "../kinds";
import { tripleOf, type Hues } from "../logic";
import type { Check, Evidence, Node, Proof } from "../model";
import type { Branch } from "../proof";
import { counted, day } from "../text";
import { Grounded, Logic, Quote, Said } from "./said";

interface Given {
  branch: Branch;
  proof: Proof;
  hues: Hues;
  checks: Check[] | undefined;
  /** Where it stands in the tree, from 1. */
  place: { level: number; position: number; siblings: number };
  /** Whether the Tab key reaches it: of a tree one line. */
  reachable: boolean;
  focused: () => void;
  expanded: boolean;
  onToggle: () => void;
  onOpen: (from: HTMLElement | null) => void;
}

export function Row(given: Given) {
  const { branch, checks, expanded, place, onToggle, onOpen } = given;
  const clicked = (event: MouseEvent) => {
    const item = event.currentTarget as HTMLElement;
    if (String(getSelection() ?? "")) return; // words are being selected
    item.focus();
    if (branch.evidence) onOpen(item);
    else onToggle();
  };
  const failed = checks?.filter((c) => !c.ok) ?? [];
  const state = checks?.length ? (failed.length ? " failed" : " passed") : "";
  return (
    <div
      class={`row${state}`}
      role="treeitem"
      data-id={branch.id}
      aria-level={place.level}
      aria-posinset={place.position}
      aria-setsize={place.siblings}
      aria-expanded={branch.below.length ? expanded : undefined}
      tabIndex={given.reachable ? 0 : -1}
      onFocusIn={given.focused}
      onClick={clicked}
    >
      {branch.below.length > 0 && <span class={expanded ? "twist open" : "twist"} aria-hidden="true" />}
      <div class="row-body">
        <Words {...given} failed={failed.length > 0} />
        {failed.map((check, i) => (
          <p key={i} class="row-failure">
            <strong>Fails</strong> · {check.name}: <Said text={check.detail} />
          </p>
        ))}
      </div>
      {checks && checks.length > 0 && <Verdict checks={checks} failed={failed.length} />}
    </div>
  );
}

function Verdict({ checks, failed }: { checks: Check[]; failed: number }) {
  return (
    <span class={failed ? "verdict bad" : "verdict good"}>
      <span aria-hidden="true">{failed ? "✗" : "✓"}</span>
      <span class="verdict-count">{failed ? `${failed} of ${checks.length}` : checks.length}</span>
      <span class="hidden">{failed ? "checks fail" : "checks hold"}</span>
    </span>
  );
}

function Words({ branch, proof, hues, failed }: Given & { failed: boolean }) {
  switch (branch.kind) {
    case "heading":
      return <p class="heading">{branch.title}</p>;
    case "goal":
      return <Goal branch={branch} proof={proof} hues={hues} />;
    case "solution":
      return (
        <p class="statement solution-value">
          <mark class={`value hue-${hues.of(branch.title ?? "")}`}>
            <Said text={branch.title ?? ""} />
          </mark>
          <Score node={branch.node} />
        </p>
      );
    case "quote":
      return branch.evidence ? <Cited evidence={branch.evidence} branch={branch} hues={hues} /> : null;
    case "missing":
      return branch.missing ? <Lacking branch={branch} hues={hues} /> : null;
    default:
      return branch.node ? <Step branch={branch} node={branch.node} hues={hues} failed={failed} /> : null;
  }
}

function Goal({ branch, proof, hues }: { branch: Branch; proof: Proof; hues: Hues }) {
  const instance = Object.fromEntries(branch.bindings.map((b) => [b.variable.name, b.value.text]));
  const several = (branch.node?.children ?? []).length;
  const how = AGGREGATES[proof.goal.aggregate ?? "one"] ?? proof.goal.aggregate;
  return (
    <>
      <p class="statement goal-words">
        {proof.goal.atoms.map((atom, i) => (
          <>
            {i > 0 && <span class="and"> and </span>}
            <Logic atom={atom} instance={instance} hues={hues} />
          </>
        ))}
      </p>
      <p class="meta">
        <span class="kind">goal</span>
        <span>{several > 1 ? `${how}: ${several}` : how}</span>
        {branch.closed && <Score node={branch.node} />}
      </p>
    </>
  );
}

interface StepGiven {
  branch: Branch;
  node: Node;
  hues: Hues;
  /** Whether one of its checks fails. */
  failed: boolean;
}

function Step({ branch, node, hues, failed }: StepGiven) {
  const kind = KINDS[node.kind] ?? { label: node.kind, says: "" };
  const holds = branch.closed && !node.negated && !failed;
  const own = branch.bindings.filter((b) => node.goal?.includes(`(${b.variable.name}:`));
  return (
    <>
      <p class="statement">
        <span class={holds ? "mark good" : "mark bad"} aria-hidden="true">
          {holds ? "✓" : "✗"}
        </span>
        {node.ground ? <Grounded atom={node.ground} bindings={branch.bindings} hues={hues} /> : kind.label}
        {node.negated && <span class="opposed"> {OPPOSED[node.kind] ?? "the evidence says the opposite"}</span>}
      </p>
      {node.rule && (
        <p class="rule-words">
          <span class="rule-label">{node.judge ? `assumed, by ${node.judge}` : "by the rule"}</span>{" "}
          <Logic atom={node.rule} instance={node.instance ?? {}} hues={hues} filled />
        </p>
      )}
      {node.kind === "closed-world" && node.note && (
        <p class="rule-words">
          <Said text={node.note} />
        </p>
      )}
      <p class="meta">
        <span class="kind" title={kind.says}>
          {node.lemma === null || node.lemma === undefined ? kind.label : `lemma ${node.lemma + 1}`}
        </span>
        {own.map((b) => (
          <span key={b.variable.name} class="binding">
            <span class="slot">{b.variable.type || b.variable.name}</span> = <Said text={b.value.text} />
          </span>
        ))}
        {branch.closed && <Score node={node} />}
        {node.judge && !node.rule && <span>judged by {node.judge}</span>}
      </p>
    </>
  );
}

function Score({ node }: { node: Node | undefined }) {
  const score = node?.score ?? 1;
  return (
    <span class="score" title="How sure: the product of the scores of what it rests on">
      {score.toFixed(2)}
    </span>
  );
}

function Cited({ evidence, branch, hues }: { evidence: Evidence; branch: Branch; hues: Hues }) {
  const imported = tripleOf(evidence.turn) !== null;
  const read = (branch.node?.alignment ?? []).filter((a) => a.goal.toLowerCase() !== a.evidence.toLowerCase());
  return (
    <>
      <blockquote class="quote">
        <Quote evidence={evidence} bindings={branch.bindings} hues={hues} />
      </blockquote>
      <p class="meta cited">
        {evidence.said ? (
          <span class="who">
            <Said text={evidence.speaker} />, {day(evidence.said)}
          </span>
        ) : (
          <span class="who">{imported ? "from the imported graph" : "stated as a rule"}</span>
        )}
        {read.map((a, i) => (
          <span key={i} class="read" title={HOW[a.how] ?? a.how}>
            “<Said text={a.evidence} />” {a.how === "read" ? "was read as the answer" : <>is <Said text={a.goal} /></>}
          </span>
        ))}
        <span class="opens">{evidence.said ? "open the conversation" : imported ? "open the graph" : "open the rule"}</span>
      </p>
    </>
  );
}

function Lacking({ branch, hues }: { branch: Branch; hues: Hues }) {
  const missing = branch.missing!;
  const stage = STAGES[missing.stage] ?? { label: missing.stage, helps: "" };
  const near = branch.below.length;
  return (
    <>
      <p class="statement">
        <span class="mark bad" aria-hidden="true">
          ?
        </span>
        <Logic atom={missing.atom} hues={hues} />
      </p>
      <p class="reason">
        <span class="kind open-kind">{stage.label}</span> <Logic atom={missing.reason} hues={hues} />
      </p>
      <p class="note">{stage.helps}</p>
      {near > 0 && <p class="meta">{counted(near, "nearest fact")}</p>}
    </>
  );
}
