// A proof as a tree that keys walk through (ARIA's tree pattern).

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Hues } from "../logic";
import type { Check, Proof } from "../model";
import { above, type Branch } from "../proof";
import { useAround } from "../settings";
import { Row } from "./row";

interface Given {
  tree: Branch[];
  proof: Proof;
  hues: Hues;
  label: string;
  /** What verification has said up to now, by branch; null before it was asked. */
  verdict: Map<string, Check[]> | null;
}

const OPEN_BELOW = 400; // branches of a tree that is shown open as a whole; of larger ones the first levels
const LEVELS = 3;

export function ProofTree({ tree, proof, hues, label, verdict }: Given) {
  const around = useAround();
  const [open, setOpen] = useState(() => firstOpen(tree));
  const [active, setActive] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const failing = useMemo(
    () => new Set([...(verdict ?? [])].filter(([, checks]) => checks.some((c) => !c.ok)).map(([id]) => id)),
    [verdict],
  );
  const overFailing = useMemo(() => above(tree, failing), [tree, failing]);
  useEffect(() => setOpen(firstOpen(tree)), [tree]);
  useEffect(() => {
    if (overFailing.size) setOpen((now) => new Set([...now, ...overFailing]));
  }, [overFailing]);

  const visible: { branch: Branch; parent: string | null }[] = [];
  const gather = (branches: Branch[], parent: string | null): void => {
    for (const branch of branches) {
      visible.push({ branch, parent });
      if (open.has(branch.id)) gather(branch.below, branch.id);
    }
  };
  gather(tree, null);
  const at = Math.max(0, visible.findIndex((v) => v.branch.id === active));
  const current = visible[at];

  const focus = (id: string | null | undefined) => {
    if (!id) return;
    setActive(id);
    list.current?.querySelector<HTMLElement>(`[role=treeitem][data-id="${CSS.escape(id)}"]`)?.focus();
  };
  const toggle = (branch: Branch, to = !open.has(branch.id)) => {
    if (!branch.below.length) return;
    const next = new Set(open);
    if (to) next.add(branch.id);
    else next.delete(branch.id);
    setOpen(next);
  };
  const activate = (branch: Branch, from: HTMLElement | null) => {
    if (!branch.evidence) return toggle(branch);
    const { turn, session, start, end, quote } = branch.evidence;
    around.open({ turn, session, start, end, quote }, from);
  };

  const pressed = (event: KeyboardEvent) => {
    if (!current || event.altKey || event.ctrlKey || event.metaKey) return;
    const { branch, parent } = current;
    const done = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    switch (event.key) {
      case "ArrowDown":
        return done(), focus(visible[at + 1]?.branch.id);
      case "ArrowUp":
        return done(), focus(visible[at - 1]?.branch.id);
      case "Home":
        return done(), focus(visible[0]?.branch.id);
      case "End":
        return done(), focus(visible.at(-1)?.branch.id);
      case "ArrowRight":
        return done(), open.has(branch.id) ? focus(branch.below[0]?.id) : toggle(branch, true);
      case "ArrowLeft":
        return done(), open.has(branch.id) && branch.below.length ? toggle(branch, false) : focus(parent);
      case "*":
        return done(), setOpen(new Set([...open, ...everyId(tree)]));
      case "Enter":
      case " ":
        return done(), activate(branch, event.target instanceof HTMLElement ? event.target : null);
    }
  };

  const item = (branch: Branch, level: number, position: number, siblings: number) => {
    const expanded = open.has(branch.id);
    const checks = verdict?.get(branch.id);
    return (
      <li
        key={branch.id}
        role="none"
        class={`branch is-${branch.kind} kind-${branch.node?.kind ?? branch.kind}`}
      >
        <Row
          branch={branch}
          place={{ level, position, siblings }}
          reachable={branch.id === current?.branch.id}
          focused={() => setActive(branch.id)}
          proof={proof}
          hues={hues}
          checks={checks}
          expanded={expanded}
          onToggle={() => toggle(branch)}
          onOpen={(from) => {
            setActive(branch.id);
            activate(branch, from);
          }}
        />
        {expanded && branch.below.length > 0 && (
          <ul role="group" class="below">
            {branch.below.map((child, i) => item(child, level + 1, i + 1, branch.below.length))}
          </ul>
        )}
      </li>
    );
  };

  return (
    <ul role="tree" class="tree" aria-label={label} ref={list} onKeyDown={pressed}>
      {tree.map((branch, i) => item(branch, 1, i + 1, tree.length))}
    </ul>
  );
}

function everyId(tree: Branch[]): string[] {
  return tree.flatMap((b) => [b.id, ...everyId(b.below)]);
}

/** All of a tree that can be taken in; else what lies near its root. Other answers stay closed where there is one. */
function firstOpen(tree: Branch[]): Set<string> {
  const all = everyId(tree);
  const found = new Set<string>();
  const walk = (branch: Branch, level: number): void => {
    if (all.length > OPEN_BELOW && level > LEVELS) return;
    if (branch.id === "alternatives" && tree.some((b) => b.closed && b.id === "root")) return;
    found.add(branch.id);
    branch.below.forEach((b) => walk(b, level + 1));
  };
  tree.forEach((b) => walk(b, 1));
  return found;
}
