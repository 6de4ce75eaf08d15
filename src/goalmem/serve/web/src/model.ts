// What the server sends, field by field as the library names it. Of a proof, fields at their defaults are left out.

export interface Page<T> {
  items: T[];
  next: string | null;
}

export interface Session {
  session: string;
  at: string;
  turns: number;
}

export interface Turn {
  id: string;
  session: string;
  position: number;
  speaker: string;
  role: string;
  text: string;
  at: string;
  caption?: string;
}

export interface Hit {
  turn: Turn;
  score: number;
  signals?: Record<string, number>;
  /** Where words of the turn are those of the query, in code points. */
  matches?: [number, number][];
}

/** A message to be remembered. */
export interface Message {
  role: string;
  name?: string;
  content: string;
  at?: string;
}

export interface Receipt {
  session: string;
  turns: string[];
  new: number;
}

/** What a file holds, before it is stored. */
export interface Preview {
  sessions: number;
  messages: number;
  whole: boolean;
  items: { session: string; messages: number; first: { speaker: string; text: string; at: string }[] }[];
}

export interface Job {
  id: string;
  state: "queued" | "checking" | "running" | "done" | "failed";
  name: string;
  total: number | null;
  done: number;
  new: number;
  problem: string;
  remedy: string;
}

/** A sentence that its turn was judged to say. */
export interface Statement {
  text: string;
  topic: string;
  fact: string;
  turn: string;
  said: string;
  when?: Interval | null;
  certainty: number;
}

export interface Profile {
  who: string;
  at: string;
  statements: Statement[];
  total: number;
}

export interface Key {
  id: string;
  name: string;
  scope: "read" | "write" | "admin";
  spaces: string[];
  created: string;
  expires: string | null;
  revoked: string | null;
  valid: boolean;
}

export interface NewKey {
  key: Key;
  text: string;
}

export interface Stats {
  sessions: number;
  turns: number;
  facts: number;
  entities: number;
  rules?: number;
  triples?: number;
  first?: string | null;
  last?: string | null;
}

export interface Interval {
  start: string;
  end: string;
  grain?: string;
}

export interface Fact {
  id: string;
  turn: string;
  text: string;
  start: number;
  end: number;
  statement: string;
  kind: string;
  polarity: boolean;
  modality: string;
  speaker: string;
  said: string;
  when?: Interval | null;
  when_text?: string;
  slot?: string;
}

export interface HistoryEntry {
  fact: Fact;
  superseded_by?: string | null;
}

export interface Rule {
  id: string;
  text: string;
  logic?: string[];
  world?: string;
  reader?: string;
}

export interface GraphNode {
  id: string;
  label: string;
  kind?: string;
}

export interface GraphEdge {
  subject: string;
  relation: string;
  object: string;
  turn?: string | null;
  /** The sentence that its turn was judged to say. */
  text?: string;
}

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export interface Gone {
  turns?: number;
  facts?: number;
  sessions?: number;
  rules?: number;
  triples?: number;
}

export interface Variable {
  name: string;
  type?: string;
}

export interface Value {
  text: string;
  key: string;
  type?: string;
}

export interface Binding {
  variable: Variable;
  value: Value;
  derivation?: string;
  span?: string;
  turn?: string;
}

export interface Evidence {
  turn: string;
  sha256: string;
  quote: string;
  start: number;
  end: number;
  speaker: string;
  said: string;
  session?: string;
}

export interface Alignment {
  goal: string;
  evidence: string;
  how: string;
  score?: number;
}

export type NodeKind =
  | "aggregate"
  | "conjunction"
  | "fact"
  | "edge"
  | "rule"
  | "refinement"
  | "closed-world"
  | "assumed"
  | "lemma";

export interface Node {
  kind: NodeKind;
  goal?: string | null;
  ground?: string | null;
  score?: number;
  weight?: number;
  source?: string;
  bindings?: Binding[];
  evidence?: Evidence[];
  alignment?: Alignment[];
  negated?: boolean;
  rule?: string | null;
  instance?: Record<string, string>;
  note?: string;
  judge?: string;
  lemma?: number | null;
  children?: Node[];
}

export interface Missing {
  atom: string;
  stage: string;
  reason: string;
  nearest?: Evidence[];
}

export interface Proof {
  version: number;
  question: string;
  space: string;
  asked_at: string;
  asker?: string;
  goal: { atoms: string[]; answer?: Variable | null; aggregate?: string };
  status: Status;
  answer?: string;
  values?: Value[];
  confidence?: number;
  root?: Node | null;
  lemmas?: Node[];
  alternatives?: Node[];
  missing?: Missing[];
  spent?: Record<string, number>;
}

export type Status = "proved" | "likely" | "disproved" | "unknown";

export interface Answer {
  question: string;
  text: string;
  full?: string;
  status: Status;
  values: string[];
  confidence: number;
  citations: string[];
  missing: Missing[];
  seconds: number;
  proof: Proof;
}

export interface Check {
  path: string;
  name: string;
  ok: boolean;
  detail: string;
}

export interface Verification {
  ok: boolean;
  checks: Check[];
}

/** One thing that happened while a question was reasoned about (docs/reasoning.md, Events). */
export interface Happening {
  kind: string;
  text: string;
  data: Record<string, unknown>;
  seconds: number;
}
