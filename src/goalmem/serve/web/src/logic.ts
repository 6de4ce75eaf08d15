// NL-Logic as written in a proof, cut into what can be shown: words, slots (open variables), and words that a
// variable stands for. Each value has one colour wherever it stands, so that the eye can follow it.

import type { GraphEdge } from "./model";

export type Piece =
  | { kind: "words"; text: string }
  | { kind: "slot"; name: string; type: string; value?: string }
  | { kind: "value"; text: string; value: string };

const SLOT = /\\([()[\]\\])|\(\s*([\p{L}_][\p{L}\p{N}_]*)\s*:((?:\\.|[^\\)])*)\)/gu;

/** An atom or a rule: words and slots. `instance` says what the slots of a rule stand for, by name. */
export function atomPieces(atom: string, instance: Readonly<Record<string, string>> = {}): Piece[] {
  const found: Piece[] = [];
  let words = "";
  let at = 0;
  const flush = () => {
    if (words) found.push({ kind: "words", text: words });
    words = "";
  };
  for (const match of atom.matchAll(SLOT)) {
    words += atom.slice(at, match.index);
    at = match.index + match[0].length;
    if (match[1] !== undefined) {
      words += match[1];
      continue;
    }
    flush();
    const name = match[2] ?? "";
    const type = (match[3] ?? "").replace(/\\([()[\]\\])/g, "$1").trim();
    const value = instance[name];
    // What stands for another open place stands for nothing yet.
    found.push({ kind: "slot", name, type, value: value?.startsWith("(") ? undefined : value });
  }
  words += atom.slice(at);
  flush();
  return found;
}

/** Text in which some words are what a variable stands for. `marked`: those words, and the value they stand for. */
export function valuePieces(text: string, marked: readonly { words: string; value: string }[]): Piece[] {
  let found: Piece[] = [{ kind: "words", text }];
  for (const { words, value } of [...marked].sort((a, b) => b.words.length - a.words.length)) {
    if (!words.trim()) continue;
    let placed = false;
    found = found.flatMap((piece) => {
      if (placed || piece.kind !== "words") return [piece];
      const start = wordIndex(piece.text, words);
      if (start < 0) return [piece];
      placed = true;
      const end = start + words.length;
      const parts: Piece[] = [
        { kind: "words", text: piece.text.slice(0, start) },
        { kind: "value", text: piece.text.slice(start, end), value },
        { kind: "words", text: piece.text.slice(end) },
      ];
      return parts.filter((p) => p.kind !== "words" || p.text);
    });
  }
  return found;
}

/** Where `words` stand in `text` as whole words, whatever their case; -1 where they do not. */
function wordIndex(text: string, words: string): number {
  const low = text.toLowerCase();
  const wanted = words.toLowerCase();
  if (low.length !== text.length) return text.indexOf(words); // lower-casing moved offsets
  const letter = /[\p{L}\p{N}]/u;
  for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, at + 1)) {
    const before = low[at - 1] ?? " ";
    const after = low[at + wanted.length] ?? " ";
    if (!letter.test(before) && !letter.test(after)) return at;
  }
  return -1;
}

/** Subject, relation and object of a triple's id (goalmem.graph.evidence_text); null for any other id. */
export function tripleOf(id: string): [string, string, string] | null {
  if (!id.startsWith("triple:")) return null;
  const plain: Record<string, string> = { "%25": "%", "%7C": "|", "%0A": "\n", "%0D": "\r" };
  const parts = id.slice("triple:".length).split("|");
  const [subject, relation, object] = parts.map((p) => p.replace(/%25|%7C|%0A|%0D/g, (code) => plain[code] ?? code));
  return parts.length === 3 ? [subject!, relation!, object!] : null;
}

const HUES = 5;

/** A colour number for each value, in the order in which they are first asked for. */
export class Hues {
  private readonly given = new Map<string, number>();

  of(value: string): number {
    const name = value.toLowerCase();
    const known = this.given.get(name);
    if (known !== undefined) return known;
    const next = this.given.size % HUES;
    this.given.set(name, next);
    return next;
  }

  has(value: string): boolean {
    return this.given.has(value.toLowerCase());
  }
}

/** What joins two names, in the words of the sentence that says it; without one, as the graph has it. */
export function relationOf(edge: GraphEdge, object = edge.object): string {
  const text = edge.text ?? "";
  const from = text.startsWith(edge.subject) ? edge.subject.length : -1;
  const to = text.toLowerCase().lastIndexOf(object.toLowerCase());
  const between = from > 0 && to > from ? text.slice(from, to).trim().replace(/\s+(?:a|an|the)$/, "") : "";
  const rest = from > 0 ? text.slice(from).replace(/\.$/, "").trim() : ""; // it calls the other by another name
  return between || rest || edge.relation.replaceAll("_", " ");
}
