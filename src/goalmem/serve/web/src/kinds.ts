// The kinds of steps, as they are named and explained to people.

import type { NodeKind, Status } from "./model";

export const KINDS: Record<NodeKind, { label: string; says: string }> = {
  fact: { label: "fact", says: "Somebody said it. The words are quoted below." },
  rule: { label: "rule", says: "It follows by a rule from what stands below." },
  edge: { label: "edge", says: "An edge of the graph says it." },
  refinement: { label: "refinement", says: "It holds when what stands below holds." },
  "closed-world": { label: "closed world", says: "The rules tell all there is, and nothing in them proves it." },
  assumed: { label: "open", says: "Nothing proves it." },
  lemma: { label: "lemma", says: "It is proved once and used in several places." },
  aggregate: { label: "answer", says: "What the solutions below come to." },
  conjunction: { label: "solution", says: "Everything below holds together." },
};

/** How an answer was made of its solutions. */
export const AGGREGATES: Record<string, string> = {
  one: "the best supported value",
  whether: "yes or no",
  count: "count of different ones",
  list: "list of all",
  earliest: "the earliest",
  latest: "the latest",
  sum: "sum",
  duration: "time between",
  "first-of": "which came first",
  "last-of": "which came last",
  compare: "comparison of times",
  difference: "difference",
  together: "sum of what is named",
  "most-of": "which is more",
  "least-of": "which is less",
  birthday: "day of an age",
  age: "age on a day",
  each: "both parts of the question",
};

export const STATUS: Record<Status, { label: string; says: string }> = {
  proved: { label: "proved", says: "Every step below holds." },
  likely: { label: "likely", says: "Some step below is judged to be said, with less certainty than a proof asks for." },
  disproved: { label: "disproved", says: "The opposite is proved." },
  unknown: { label: "not known", says: "It could not be proved, so nothing is claimed." },
};

export const OPPOSED: Partial<Record<NodeKind, string>> = {
  rule: "its opposite follows",
  lemma: "its opposite follows",
  "closed-world": "false, since nothing proves it",
};

/** Why a proof could not be had, and what helps (docs/reasoning.md). */
export const STAGES: Record<string, { label: string; helps: string }> = {
  "never-said": { label: "never said", helps: "Nothing remembered comes near. It has to be said first." },
  "not-asserted": { label: "not asserted", helps: "It was asked, planned, supposed or wished, and never stated as so." },
  superseded: { label: "superseded", helps: "It was said, and something said later replaced it. Its history shows both." },
  denied: { label: "denied", helps: "What the question takes for granted was denied: the quote says so." },
  "judged-not-said": { label: "read, but not said", helps: "Words were read as the answer, and the judge finds that the turn does not say so." },
  "not-unified": { label: "does not match", helps: "The nearest facts say something else. Other words may help." },
  "over-budget": { label: "ran out of time", helps: "The search ended early. The server's ask_seconds allows more." },
  conflict: { label: "conflict", helps: "What was said supports different answers, and nothing settles it." },
};

/** How a part of a goal was found in what was said. */
export const HOW: Record<string, string> = {
  same: "the same words",
  speaker: "who speaks",
  addressee: "who is spoken to",
  pronoun: "pronoun",
  alias: "another name",
  owner: "whose it is",
  name: "name",
  synonym: "synonym",
  "is-a": "a kind of it",
  derived: "derived word",
  similar: "near in meaning",
  time: "time",
  implied: "implied",
  read: "read by a model, and judged",
};
