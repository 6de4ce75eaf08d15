// Words that came from a memory, isolated from the words around them whichever way they run.

import { Fragment } from "preact";
import { atomPieces, valuePieces, type Hues, type Piece } from "../logic";
import type { Binding, Evidence, Turn } from "../model";
import { contentOf, cut, runs } from "../text";

export function Plain({ text }: { text: string }) {
  const parts = runs(text);
  if (parts.length === 1 && !parts[0]!.unseen) return <>{text}</>;
  return (
    <>
      {parts.map((run, i) =>
        run.unseen ? (
          <span key={i} class="unseen" title="A character that cannot be seen">
            {run.text}
          </span>
        ) : (
          run.text
        ),
      )}
    </>
  );
}

export function Said({ text }: { text: string }) {
  return (
    <bdi dir="auto">
      <Plain text={text} />
    </bdi>
  );
}

function Pieces({ pieces, hues, filled }: { pieces: Piece[]; hues: Hues; filled?: boolean | undefined }) {
  return (
    <bdi dir="auto">
      {pieces.map((piece, i) => {
        if (piece.kind === "words") return <Plain key={i} text={piece.text} />;
        if (piece.kind === "value") {
          return (
            <mark key={i} class={`value hue-${hues.of(piece.value)}`}>
              <Plain text={piece.text} />
            </mark>
          );
        }
        const hue = piece.value !== undefined && hues.has(piece.value) ? ` hue-${hues.of(piece.value)}` : "";
        return (
          <span key={i} class={`slot${hue}`}>
            <Plain text={piece.type || piece.name} />
            {filled && piece.value !== undefined && (
              <span class="slot-value">
                {" "}
                <Plain text={piece.value} />
              </span>
            )}
          </span>
        );
      })}
    </bdi>
  );
}

interface LogicGiven {
  atom: string;
  instance?: Record<string, string>;
  hues: Hues;
  /** Whether the slots show what they stand for. */
  filled?: boolean;
}

/** An atom or rule with its open places as slots. */
export function Logic({ atom, instance = {}, hues, filled }: LogicGiven) {
  return <Pieces pieces={atomPieces(atom, instance)} hues={hues} filled={filled} />;
}

/** A statement in which what variables stand for is marked. */
export function Grounded({ atom, bindings, hues }: { atom: string; bindings: Binding[]; hues: Hues }) {
  const marked = bindings.map((b) => ({ words: b.value.text, value: b.value.text }));
  const pieces = atomPieces(atom).flatMap((p) => (p.kind === "words" ? valuePieces(p.text, marked) : [p]));
  return <Pieces pieces={pieces} hues={hues} />;
}

/** A quote in which the words are marked that a value was read from. */
export function Quote({ evidence, bindings, hues }: { evidence: Evidence; bindings: Binding[]; hues: Hues }) {
  const marked = bindings
    .filter((b) => b.span && (!b.turn || b.turn === evidence.turn))
    .map((b) => ({ words: b.span ?? "", value: b.value.text }));
  return <Pieces pieces={valuePieces(evidence.quote, marked)} hues={hues} />;
}

/** Text in which some ranges of code points are marked. */
export function Marked({ text, ranges }: { text: string; ranges: [number, number][] }) {
  const points = Array.from(text);
  const part = (from: number, to?: number) => <Plain text={points.slice(from, to).join("")} />;
  return (
    <bdi dir="auto">
      {ranges.map(([start, end], i) => (
        <Fragment key={start}>
          {part(ranges[i - 1]?.[1] ?? 0, start)}
          <mark class="quoted">{part(start, end)}</mark>
        </Fragment>
      ))}
      {part(ranges.at(-1)?.[1] ?? 0)}
    </bdi>
  );
}

/** A turn's words, with the quoted ones highlighted. */
export function TurnText({ turn, start, end }: { turn: Turn; start?: number; end?: number }) {
  const content = contentOf(turn);
  if (start === undefined || end === undefined || end <= start) return <Said text={content} />;
  const [before, quoted, after] = cut(content, start, end);
  return (
    <bdi dir="auto">
      <Plain text={before} />
      <mark class="quoted">
        <Plain text={quoted} />
      </mark>
      <Plain text={after} />
    </bdi>
  );
}
