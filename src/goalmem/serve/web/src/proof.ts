// A proof as a tree to be walked: what stands below a branch is made when it is opened.

import { Hues } from "./logic";
import type { Binding, Check, Evidence, Missing, Node, Proof, Verification } from "./model";

export interface Branch {
  /** Unique within the tree. */
  id: string;
  /** Where the checks of `verify` find it: its path in the document. Several paths for a branch that stands for several nodes. */
  paths: string[];
  kind: "goal" | "solution" | "step" | "rule" | "quote" | "missing" | "heading";
  title?: string;
  node?: Node;
  evidence?: Evidence;
  missing?: Missing;
  /** What variables stand for here. */
  bindings: Binding[];
  closed: boolean;
  below: Branch[];
}

/** The tree of a proof: its goal with all that was found for it, other answers, and what is missing. */
export function branches(proof: Proof): Branch[] {
  const found: Branch[] = [];
  if (proof.root) found.push(goalBranch(proof, proof.root));
  const others = proof.alternatives ?? [];
  if (others.length) {
    found.push({
      ...heading("alternatives", proof.status === "unknown" ? "What was found, and does not settle it" : "Other answers, less well supported"),
      below: others.map((node, i) => solution(proof, node, `alternatives[${i}]`)),
    });
  }
  const missing = proof.missing ?? [];
  if (missing.length) {
    found.push({ ...heading("missing", "What is missing"), below: missing.map(missingBranch) });
  }
  return found;
}

function heading(id: string, title: string): Branch {
  return { id, paths: [id], kind: "heading", title, bindings: [], closed: true, below: [] };
}

function goalBranch(proof: Proof, root: Node): Branch {
  const solutions = root.children ?? [];
  const only = solutions.length === 1 ? solutions[0] : undefined;
  const below = only
    ? steps(proof, only, "root.children[0]", "root")
    : solutions.map((node, i) => solution(proof, node, `root.children[${i}]`));
  return {
    id: "root",
    paths: only ? ["root", "root.children[0]"] : ["root"],
    kind: "goal",
    node: root,
    bindings: only?.bindings ?? [],
    closed: proof.status !== "unknown",
    below,
  };
}

function solution(proof: Proof, node: Node, path: string): Branch {
  return {
    id: path,
    paths: [path],
    kind: "solution",
    title: answerOf(proof, node),
    node,
    bindings: node.bindings ?? [],
    closed: isClosed(node),
    below: steps(proof, node, path, path),
  };
}

/** What a solution answers: its answer variable's value, or the whole substitution. */
function answerOf(proof: Proof, node: Node): string {
  const bindings = node.bindings ?? [];
  const value = bindings.find((b) => b.variable.name === proof.goal.answer?.name)?.value.text;
  if (value !== undefined) return value;
  if (bindings.length) return bindings.map((b) => `${b.variable.name} = ${b.value.text}`).join(", ");
  return anyNode(node, (n) => n.negated === true) ? "no" : "yes";
}

function steps(proof: Proof, node: Node, path: string, id: string): Branch[] {
  return (node.children ?? []).map((child, i) => step(proof, child, `${path}.children[${i}]`, `${id}/${i}`));
}

function step(proof: Proof, node: Node, path: string, id: string): Branch {
  const quotes = (node.evidence ?? []).map((evidence, i): Branch => ({
    id: `${id}/quote${i}`,
    paths: [`${path}.evidence[${i}]`],
    kind: "quote",
    evidence,
    node,
    bindings: node.bindings ?? [],
    closed: true,
    below: [],
  }));
  const lemma = node.lemma === null || node.lemma === undefined ? undefined : proof.lemmas?.[node.lemma];
  const proved = lemma ? [step(proof, lemma, `lemmas[${node.lemma}]`, `${id}/lemma`)] : [];
  return {
    id,
    paths: [path],
    kind: "step",
    node,
    bindings: node.bindings ?? [],
    closed: isClosed(node),
    below: [...quotes, ...proved, ...steps(proof, node, path, id)],
  };
}

function missingBranch(missing: Missing, i: number): Branch {
  return {
    id: `missing[${i}]`,
    paths: [`missing[${i}]`],
    kind: "missing",
    missing,
    bindings: [],
    closed: false,
    below: (missing.nearest ?? []).map((evidence, j) => ({
      id: `missing[${i}].nearest[${j}]`,
      paths: [`missing[${i}].nearest[${j}]`],
      kind: "quote",
      evidence,
      bindings: [],
      closed: true,
      below: [],
    })),
  };
}

/** An assumed subgoal is one that nothing proves. */
function isClosed(node: Node): boolean {
  return !anyNode(node, (n) => n.kind === "assumed");
}

function anyNode(node: Node, holds: (n: Node) => boolean): boolean {
  return holds(node) || (node.children ?? []).some((c) => anyNode(c, holds));
}

/** Colours for the values of a proof, those of the answer first. */
export function huesOf(proof: Proof): Hues {
  const hues = new Hues();
  const walk = (node: Node): void => {
    for (const b of node.bindings ?? []) hues.of(b.value.text);
    (node.children ?? []).forEach(walk);
  };
  if (proof.root) walk(proof.root);
  (proof.lemmas ?? []).forEach(walk);
  (proof.alternatives ?? []).forEach(walk);
  return hues;
}

/** What checks say of each branch, by its id; those that concern no branch stand under "". */
export function verdicts(tree: Branch[], checks: Check[]): Map<string, Check[]> {
  const owner = new Map<string, string[]>();
  const walk = (branch: Branch): void => {
    for (const path of branch.paths) owner.set(path, [...(owner.get(path) ?? []), branch.id]);
    branch.below.forEach(walk);
  };
  tree.forEach(walk);
  const found = new Map<string, Check[]>();
  for (const check of checks) {
    for (const id of owner.get(check.path) ?? owner.get(check.path.replace(/\.(evidence|nearest)\[\d+\]$/, "")) ?? [""]) {
      found.set(id, [...(found.get(id) ?? []), check]);
    }
  }
  return found;
}

/** Ids of branches that stand above one of which a check fails. */
export function above(tree: Branch[], failing: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const walk = (branch: Branch): boolean => {
    const below = branch.below.map(walk).some(Boolean);
    if (below) found.add(branch.id);
    return below || failing.has(branch.id);
  };
  tree.forEach(walk);
  return found;
}

/** A document that claims to be a proof; says why where it cannot even be shown. */
export function readProof(text: string): Proof {
  const read: unknown = JSON.parse(text);
  const found = isObject(read) && isObject(read["proof"]) ? read["proof"] : read; // an answer holds its proof
  if (!isObject(found) || typeof found["question"] !== "string" || !isObject(found["goal"]) || typeof found["status"] !== "string") {
    throw new Error("It has no question, goal and status, so it is no proof.");
  }
  return found as unknown as Proof;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type { Verification };
