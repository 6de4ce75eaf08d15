// A proof while it grows: what the search has told so far, as a tree. Nothing here is final; the search may give up
// what it tried for something better, and only the finished proof says what holds.

import type { Happening } from "./model";

export interface Open {
  id: string;
  atom: string;
  searched: number | null;
  bound: { variable: string; value: string }[];
  ways: Way[];
}

/** What would make a subgoal true. */
export interface Way {
  id: string;
  rule: string | null;
  by: string;
  subgoals: Open[];
}

export interface Reading {
  id: string;
  aggregate: string;
  atoms: Open[];
}

/** One hop of a walk over an imported graph, with those that went on from it. */
export interface Hop {
  id: number;
  relation: string;
  entities: string[];
  followed: boolean;
  /** What became of it, where it was not followed. */
  fate: string;
  next: Hop[];
}

export interface Growth {
  readings: Reading[];
  /** Hops from the question's topic. */
  hops: Hop[];
  calls: number;
  done: boolean;
}

export function growthOf(happenings: readonly Happening[]): Growth {
  const growth: Growth = { readings: [], hops: [], calls: 0, done: false };
  for (const [n, event] of happenings.entries()) grow(growth, event, `h${n}`);
  return growth;
}

function grow(growth: Growth, event: Happening, id: string): void {
  const data = event.data;
  const reading = growth.readings.at(-1);
  switch (event.kind) {
    case "goal":
      growth.readings.push({ id, aggregate: String(data["aggregate"] ?? ""), atoms: opened(data["atoms"], id) });
      return;
    case "subgoals":
      if (!reading) growth.readings.push({ id, aggregate: "", atoms: opened(data["atoms"], id) });
      return;
    case "retrieval": {
      const sought = reading && searchedFor(reading, event.text);
      if (sought) sought.searched = (sought.searched ?? 0) + Number(data["turns"] ?? 0);
      return;
    }
    case "binding": {
      const open = reading && find(reading, String(data["atom"] ?? ""));
      const said = { variable: String(data["variable"] ?? ""), value: String(data["value"] ?? "") };
      if (open && !open.bound.some((b) => b.value === said.value)) open.bound.push(said);
      return;
    }
    case "refinement": {
      const open = reading && find(reading, String(data["atom"] ?? ""));
      const rule = typeof data["rule"] === "string" ? data["rule"] : null;
      open?.ways.push({ id, rule, by: String(data["by"] ?? ""), subgoals: opened(data["subgoals"], id) });
      return;
    }
    case "hop": {
      const entities = Array.isArray(data["entities"]) ? data["entities"].map(String) : [];
      const hop: Hop = {
        id: Number(data["node"] ?? -1),
        relation: String(data["hop"] ?? ""),
        entities,
        followed: entities.length > 0,
        fate: String(data["fate"] ?? ""),
        next: [],
      };
      const from = hopOf(growth.hops, Number(data["parent"] ?? 0));
      (from?.next ?? growth.hops).push(hop);
      return;
    }
    case "model":
      growth.calls += 1;
      return;
    case "proof":
      growth.done = true;
  }
}

function hopOf(hops: readonly Hop[], id: number): Hop | undefined {
  for (const hop of hops) {
    const found = hop.id === id ? hop : hopOf(hop.next, id);
    if (found) return found;
  }
  return undefined;
}

function opened(atoms: unknown, id: string): Open[] {
  const written = Array.isArray(atoms) ? atoms.map(String) : [];
  return written.map((atom, i) => ({ id: `${id}.${i}`, atom, searched: null, bound: [], ways: [] }));
}

function* every(opens: readonly Open[]): Generator<Open> {
  for (const open of opens) {
    yield open;
    for (const way of open.ways) yield* every(way.subgoals);
  }
}

/** The last one with these words: of several equal subgoals the search speaks of the newest. */
function find(reading: Reading, atom: string): Open | undefined {
  return [...every(reading.atoms)].filter((o) => o.atom === atom).at(-1);
}

/** A search is told in words (“Odalys has a pet”): the subgoal whose own words all stand in it, not searched for yet. */
function searchedFor(reading: Reading, words: string): Open | undefined {
  const opens = [...every(reading.atoms)];
  const fitting = opens.filter((o) => o.atom.split(/\([^)]*\)/).every((part) => words.includes(part.trim())));
  return fitting.find((o) => o.searched === null) ?? fitting.at(-1) ?? opens.findLast((o) => o.searched === null);
}
