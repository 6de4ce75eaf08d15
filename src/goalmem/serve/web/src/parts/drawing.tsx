// A graph drawn: names as dots, what joins them as lines, moved through by mouse, by touch and by keys.

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type Simulation } from "d3-force";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { relationOf } from "../logic";
import type { Graph as Shown, GraphEdge, GraphNode } from "../model";
import { counted } from "../text";

const NAMED = 14; // lines that carry what they say; more would cover each other
const LABEL = 22; // characters of a name beside its dot
const KINDS = ["person", "animal", "place", "organization", "event", "work", "time", "quantity", "thing"];

interface Dot extends GraphNode {
  x: number;
  y: number;
  vx?: number;
  vy?: number;
}

interface Line {
  id: string;
  source: Dot;
  target: Dot;
  edges: GraphEdge[];
}

export interface Given {
  graph: Shown;
  chosen: string;
  choose: (name: string) => void;
}

export function Drawing({ graph, chosen, choose }: Given) {
  const held = useRef(new Map<string, Dot>());
  const running = useRef<Simulation<Dot, undefined> | null>(null);
  const [, drawn] = useState(0);
  const [eye, setEye] = useState({ x: 0, y: 0, scale: 1 });
  const drag = useRef<{ x: number; y: number } | null>(null);
  const frame = useRef<SVGSVGElement>(null);

  const { dots, lines } = useMemo(() => placed(graph, held.current), [graph]);
  useEffect(() => {
    running.current?.stop();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const simulation = forceSimulation(dots)
      .force("link", forceLink<Dot, { source: Dot; target: Dot }>(lines.map((l) => ({ ...l }))).distance(120).strength(0.35))
      .force("charge", forceManyBody().strength(-420))
      .force("collide", forceCollide<Dot>((d) => 16 + 2.4 * Math.min(LABEL, d.label.length)))
      .force("x", forceX(0).strength(0.03))
      .force("y", forceY(0).strength(0.09)); // names are wide, so a wide drawing shows more of them
    running.current = simulation;
    // Most of the way at once, so that what is first seen is already in order; the rest as a gentle movement.
    simulation.stop().tick(still ? 300 : 120);
    fit(dots, frame.current, setEye);
    drawn((n) => n + 1);
    if (!still) simulation.alpha(0.12).on("tick", () => drawn((n) => n + 1)).restart();
    return () => void simulation.stop();
  }, [dots, lines]);

  const near = new Set<string>([chosen]);
  for (const line of lines) {
    if (line.source.id === chosen) near.add(line.target.id);
    if (line.target.id === chosen) near.add(line.source.id);
  }
  const pressed = (event: KeyboardEvent) => {
    const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    const here = dots.find((d) => d.id === (event.target as Element).getAttribute("data-id"));
    if (event.key === "+" || event.key === "=") return setEye((e) => ({ ...e, scale: Math.min(4, e.scale * 1.25) }));
    if (event.key === "-") return setEye((e) => ({ ...e, scale: Math.max(0.2, e.scale / 1.25) }));
    if (!here) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return choose(here.id);
    }
    if (!way) return;
    event.preventDefault();
    const next = towards(dots, here, way[0]!, way[1]!);
    if (next) frame.current?.querySelector<SVGGElement>(`g[data-id="${CSS.escape(next.id)}"]`)?.focus();
  };
  const [width, height] = sizeOf(frame.current).map((side) => side / eye.scale) as [number, number];
  const box = `${eye.x - width / 2} ${eye.y - height / 2} ${width} ${height}`;
  const named = lines.filter((l) => l.source.id === chosen || l.target.id === chosen);
  return (
    <figure class="graph-figure">
      <svg
        ref={frame}
        class="graph-svg"
        style={{ "--label": `${Math.min(1.7, Math.max(1, 1 / eye.scale))}` }}
        viewBox={box}
        role="group"
        aria-label={`${counted(dots.length, "name")} and what joins them. Arrow keys move, Enter opens a name.`}
        onKeyDown={pressed}
        onWheel={(event) => {
          event.preventDefault();
          setEye((e) => ({ ...e, scale: Math.max(0.2, Math.min(4, e.scale * Math.exp(-event.deltaY / 600))) }));
        }}
        onPointerDown={(event) => {
          drag.current = { x: event.clientX, y: event.clientY };
        }}
        onPointerMove={(event) => {
          const from = drag.current;
          if (!from || !event.buttons) return;
          const unit = 1 / eye.scale;
          drag.current = { x: event.clientX, y: event.clientY };
          setEye((e) => ({ ...e, x: e.x - (event.clientX - from.x) * unit, y: e.y - (event.clientY - from.y) * unit }));
        }}
        onPointerUp={() => (drag.current = null)}
      >
        <g class="graph-lines">
          {lines.map((line) => {
            const lit = line.source.id === chosen || line.target.id === chosen;
            return (
              <line
                key={line.id}
                class={lit ? "graph-line lit" : "graph-line"}
                x1={line.source.x}
                y1={line.source.y}
                x2={line.target.x}
                y2={line.target.y}
              />
            );
          })}
        </g>
        {named.length <= NAMED &&
          named.map((line) => (
            <text
              key={line.id}
              class="graph-relation"
              x={(line.source.x + line.target.x) / 2}
              y={(line.source.y + line.target.y) / 2}
              aria-hidden="true"
            >
              {shortened([...new Set(line.edges.map((e) => relationOf(e, (e.object === line.source.id ? line.source : line.target).label)))].join(", "))}
            </text>
          ))}
        {dots.map((dot) => (
          <g
            key={dot.id}
            class={`graph-dot kind-${KINDS.includes(dot.kind ?? "") ? dot.kind : "thing"}${near.has(dot.id) ? " near" : ""}${dot.id === chosen ? " chosen" : ""}`}
            data-id={dot.id}
            transform={`translate(${dot.x},${dot.y})`}
            tabIndex={dot.id === chosen ? 0 : -1}
            role="button"
            aria-pressed={dot.id === chosen}
            aria-label={dot.kind ? `${dot.label}, ${dot.kind}` : dot.label}
            onClick={() => choose(dot.id)}
          >
            <title>{dot.label}</title>
            <circle r={dot.id === chosen ? 10 : 7} />
            <text y={dot.id === chosen ? 24 : 20} class="graph-label">
              {shortened(dot.label)}
            </text>
          </g>
        ))}
      </svg>
      <figcaption class="graph-legend">
        {KINDS.filter((k) => dots.some((d) => (d.kind || "thing") === k)).map((kind) => (
          <span key={kind} class={`graph-kind kind-${kind}`}>
            {kind === "thing" ? "other" : kind}
          </span>
        ))}
        <button type="button" class="link" onClick={() => fit(dots, frame.current, setEye)}>
          See all
        </button>
      </figcaption>
    </figure>
  );
}

function shortened(words: string): string {
  return words.length > LABEL ? `${words.slice(0, LABEL - 1)}…` : words;
}

/** Dots where they were, new ones beside what they are joined to. */
function placed(graph: Shown, held: Map<string, Dot>): { dots: Dot[]; lines: Line[] } {
  const ids = new Set(graph.nodes.map((n) => n.id));
  for (const id of held.keys()) if (!ids.has(id)) held.delete(id);
  graph.nodes.forEach((node, i) => {
    const known = held.get(node.id);
    if (known) return void Object.assign(known, node);
    const neighbour = graph.edges
      .filter((e) => e.subject === node.id || e.object === node.id)
      .map((e) => held.get(e.subject === node.id ? e.object : e.subject))
      .find(Boolean);
    const turn = i * 2.4; // the golden angle, so that no two begin at one place
    held.set(node.id, {
      ...node,
      x: (neighbour?.x ?? 0) + (30 + 4 * i) * Math.cos(turn),
      y: (neighbour?.y ?? 0) + (30 + 4 * i) * Math.sin(turn),
    });
  });
  const lines = new Map<string, Line>();
  for (const edge of graph.edges) {
    const source = held.get(edge.subject);
    const target = held.get(edge.object);
    if (!source || !target || source === target) continue;
    const id = [edge.subject, edge.object].sort().join("\u0000");
    const line = lines.get(id) ?? { id, source, target, edges: [] };
    line.edges.push(edge);
    lines.set(id, line);
  }
  return { dots: [...held.values()], lines: [...lines.values()] };
}

function sizeOf(frame: SVGSVGElement | null): [number, number] {
  return [frame?.clientWidth || 800, frame?.clientHeight || 600];
}

type See = (eye: { x: number; y: number; scale: number }) => void;

function fit(dots: Dot[], frame: SVGSVGElement | null, setEye: See) {
  if (!dots.length) return;
  const xs = dots.map((d) => d.x);
  const ys = dots.map((d) => d.y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const [width, height] = sizeOf(frame);
  const scale = Math.min(width / (right - left + 150), height / (bottom - top + 80), 1.4);
  setEye({ x: (left + right) / 2, y: (top + bottom) / 2 + 8, scale });
}

/** The nearest dot that lies in a direction. */
function towards(dots: Dot[], from: Dot, dx: number, dy: number): Dot | undefined {
  let best: Dot | undefined;
  let least = Infinity;
  for (const dot of dots) {
    const along = (dot.x - from.x) * dx + (dot.y - from.y) * dy;
    const across = Math.abs((dot.x - from.x) * dy) + Math.abs((dot.y - from.y) * dx);
    if (dot === from || along <= 0 || across > along * 2) continue;
    const far = along + 2 * across;
    if (far < least) [best, least] = [dot, far];
  }
  return best;
}
