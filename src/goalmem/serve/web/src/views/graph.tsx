// What is remembered as a graph, explored from one name to the next; the same in words beside it.

import { useEffect, useRef, useState } from "preact/hooks";
import { api, type GraphSource } from "../api";
import { relationOf, tripleOf, valuePieces } from "../logic";
import type { Graph as Shown, GraphEdge } from "../model";
import { Drawing, type Given } from "../parts/drawing";
import { NameInput } from "../parts/names";
import { Said } from "../parts/said";
import { Empty, Failure, useLoaded, Waiting } from "../parts/states";
import { go, href } from "../route";
import { useAround } from "../settings";
import { counted } from "../text";

const NEAR = 40; // edges a name is opened with; more would hide what they show
const NARROW = "(max-width: 36rem)"; // where half of them is enough

export function GraphView({ given }: { given: Record<string, string> }) {
  const around = useAround();
  const centre = given["around"] ?? "";
  const source: GraphSource = given["source"] === "imported" ? "imported" : "memory";
  const [counts] = useLoaded(() => api.stats(around.space), [around.space, around.version]);
  const imported = source === "imported" || (counts.state === "there" && Boolean(counts.value.triples));
  const [words, setWords] = useState(centre);
  const [graph, setGraph] = useState<Shown | null>(null);
  const [chosen, setChosen] = useState(centre);
  const [error, setError] = useState<unknown>(null);
  const opened = useRef(new Set<string>());

  const grow = (name: string, afresh: boolean) => {
    api.graph(around.space, name, matchMedia(NARROW).matches ? NEAR / 2 : NEAR, source).then((found) => {
      opened.current.add(name);
      setGraph((now) => (now && !afresh ? merged(now, found) : found));
      setChosen(found.nodes.some((n) => n.id === name) ? name : busiest(found));
    }, setError);
  };
  useEffect(() => {
    setWords(centre);
    setError(null);
    setGraph(null);
    opened.current.clear();
    grow(centre, true);
  }, [centre, source, around.space, around.version]);

  const choose = (name: string) => {
    setChosen(name);
    if (!opened.current.has(name)) grow(name, false);
  };
  return (
    <div class="view graph">
      <header class="view-head">
        <h1>Graph</h1>
        <form
          class="line-form"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            go("graph", { around: words.trim(), source: given["source"] });
          }}
        >
          <NameInput label="Around whom or what" placeholder="A name to begin with" value={words} change={setWords} />
          {imported && (
            <select
              aria-label="Which graph"
              value={source}
              onInput={(event) => go("graph", { source: event.currentTarget.value })}
            >
              <option value="memory">read out of conversations</option>
              <option value="imported">imported</option>
            </select>
          )}
          <button type="submit" class="button strong">
            Explore
          </button>
        </form>
      </header>
      {error !== null && <Failure error={error} />}
      {!graph && error === null && <Waiting words="Drawing…" />}
      {graph && !graph.nodes.length && (
        <Empty title={centre ? "Nothing is connected with that" : "There is no graph yet"}>
          {centre
            ? "Try another name. Only what was surely said is drawn."
            : "Names and what joins them are read out of what is remembered; only what was surely said is drawn."}
        </Empty>
      )}
      {graph && graph.nodes.length > 0 && (
        <div class="graph-both">
          <Drawing graph={graph} chosen={chosen} choose={choose} />
          <InWords graph={graph} chosen={chosen} choose={choose} cited={tripleOf(given["edge"] ?? "")} source={source} />
        </div>
      )}
    </div>
  );
}

function merged(one: Shown, other: Shown): Shown {
  const nodes = new Map([...one.nodes, ...other.nodes].map((n) => [n.id, n]));
  const edges = new Map([...one.edges, ...other.edges].map((e) => [JSON.stringify([e.subject, e.relation, e.object, e.turn]), e]));
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

function busiest(graph: Shown): string {
  const counts = new Map<string, number>();
  for (const e of graph.edges) for (const n of [e.subject, e.object]) counts.set(n, (counts.get(n) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? graph.nodes[0]?.id ?? "";
}

function isCited(edge: GraphEdge, cited: [string, string, string] | null): boolean {
  return cited !== null && edge.subject === cited[0] && edge.relation === cited[1] && edge.object === cited[2];
}

interface WordsGiven extends Given {
  /** The edge that evidence names. */
  cited: [string, string, string] | null;
  source: GraphSource;
}

function InWords({ graph, chosen, choose, cited, source }: WordsGiven) {
  const around = useAround();
  const edges = graph.edges.filter((e) => e.subject === chosen || e.object === chosen);
  const name = graph.nodes.find((n) => n.id === chosen)?.label ?? chosen;
  const label = (id: string) => graph.nodes.find((n) => n.id === id)?.label ?? id;
  const end = (id: string, words = label(id)) =>
    id === chosen ? (
      <strong>
        <Said text={words} />
      </strong>
    ) : (
      <button type="button" class="link" onClick={() => choose(id)}>
        <Said text={words} />
      </button>
    );
  const triple = (edge: GraphEdge) => (
    <>
      {end(edge.subject)} <Said text={relationOf(edge)} /> {end(edge.object)}
    </>
  );
  /** The sentence with both ends in it; an end that it calls by another name follows. */
  const sentence = (edge: GraphEdge, text: string) => {
    const ends = [edge.subject, edge.object];
    const pieces = valuePieces(text, ends.map((id) => ({ words: label(id), value: id })));
    const absent = ends.filter((id) => !pieces.some((p) => p.kind === "value" && p.value === id));
    return (
      <>
        {pieces.map((p) => (p.kind === "value" ? end(p.value, p.text) : <Said text={p.kind === "words" ? p.text : ""} />))}
        {absent.map((id) => (
          <span key={id}> {end(id)}</span>
        ))}
      </>
    );
  };
  return (
    <section class="graph-words" aria-label={`What joins ${name}`}>
      <h2>
        <Said text={name} />
      </h2>
      <p class="meta">
        <span>{counted(edges.length, "statement")}</span>
        {source === "memory" && <a href={href("profile", { who: name })}>profile</a>}
      </p>
      <ul>
        {edges.map((edge, i) => (
          <li key={i} class={isCited(edge, cited) ? "graph-edge picked" : "graph-edge"}>
            <span class="edge-text">{edge.text ? sentence(edge, edge.text) : triple(edge)}</span>
            {edge.turn && (
              <button
                type="button"
                class="link"
                onClick={(event) => around.open({ turn: edge.turn as string }, event.currentTarget)}
              >
                Open
                <span class="hidden"> where it was said</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
