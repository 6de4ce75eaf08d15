// Words as they are shown. What memory says is data: it becomes text nodes and nothing else.

import type { Turn } from "./model";

/** All that offsets of evidence count in (goalmem.records.Turn.content). */
export function contentOf(turn: Turn): string {
  return turn.caption ? `${turn.text}\n[shares a picture: ${turn.caption}]` : turn.text;
}

/** Offsets count code points, as Python does; JavaScript counts UTF-16 units. */
export function cut(text: string, start: number, end: number): [string, string, string] {
  const points = Array.from(text);
  return [points.slice(0, start).join(""), points.slice(start, end).join(""), points.slice(end).join("")];
}

const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;
const NAMES: Record<string, string> = {
  "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO",
  "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI",
};

export interface Run {
  text: string;
  /** Of a character that cannot be seen but acts (a control, a change of direction): its name. */
  unseen: boolean;
}

/** Text with characters that would act instead of being read set apart, so that they can be shown by name. */
export function runs(text: string): Run[] {
  if (!UNSEEN.test(text)) return [{ text, unseen: false }];
  const found: Run[] = [];
  let plain = "";
  for (const c of text) {
    if (!UNSEEN.test(c)) {
      plain += c;
      continue;
    }
    if (plain) found.push({ text: plain, unseen: false });
    plain = "";
    const code = c.codePointAt(0) ?? 0;
    found.push({ text: NAMES[c] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`, unseen: true });
  }
  if (plain) found.push({ text: plain, unseen: false });
  return found;
}

/** A day as people write it, in the zone that it was said in. */
export function day(iso: string): string {
  const date = /^(\d{4})-(\d{2})-(\d{2})/.exec(iso);
  if (!date) return iso;
  return `${Number(date[3])} ${MONTHS[Number(date[2]) - 1] ?? ""} ${date[1]}`;
}

export function clock(iso: string): string {
  return /T(\d{2}:\d{2})/.exec(iso)?.[1] ?? "";
}

export function month(iso: string): string {
  return `${(MONTHS[Number(iso.slice(5, 7)) - 1] ?? "").slice(0, 3)} ${iso.slice(0, 4)}`;
}

const MONTHS = [
  "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
];

export function duration(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
}

export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}
