// A long list of which only what can be seen is there. Heights are guessed until a row has been seen, then measured;
// what is looked at stays where it is when rows above turn out higher or lower.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

const GUESS = 84; // pixels of a row nobody has seen: a turn of two lines
const MARGIN = 600; // pixels above and below the window that are there already
const SETTLE = 8; // times a jump is corrected while the rows around its end are measured

interface Given<T> {
  items: readonly T[];
  id: (item: T) => string;
  row: (item: T, index: number, current: boolean) => ComponentChildren;
  label: string;
  /** The row to show, in the upper third. */
  target?: string | undefined;
  /** Whether the row shown takes the focus, too. */
  focusTarget?: boolean;
}

export function VirtualList<T>({ items, id, row, label, target, focusTarget }: Given<T>) {
  const frame = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  const [measured, setMeasured] = useState(0);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [current, setCurrent] = useState(0);
  const jump = useRef<{ id: string; left: number; focus: boolean } | null>(null);

  const ids = useMemo(() => items.map(id), [items]);
  const offsets = useMemo(() => {
    const found = new Float64Array(ids.length + 1);
    ids.forEach((name, i) => (found[i + 1] = found[i]! + (heights.current.get(name) ?? GUESS)));
    return found;
  }, [ids, measured]);

  const rows = useRef<Element[]>([]);
  const watcher = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let above = 0;
        let changed = false;
        const top = frame.current?.scrollTop ?? 0;
        for (const entry of entries) {
          const element = entry.target as HTMLElement;
          const name = element.dataset["id"] ?? "";
          const height = Math.ceil(element.getBoundingClientRect().height);
          const before = heights.current.get(name) ?? GUESS;
          if (!height || height === before) continue;
          heights.current.set(name, height);
          changed = true;
          if (element.offsetTop + before <= top) above += height - before;
        }
        if (!changed) return;
        if (above && !jump.current && frame.current) frame.current.scrollTop += above;
        setMeasured((n) => n + 1);
      }),
    [],
  );
  useEffect(() => () => watcher.disconnect(), []);

  const look = useCallback(() => {
    const element = frame.current;
    if (element) setView({ top: element.scrollTop, height: element.clientHeight });
  }, []);
  useLayoutEffect(() => {
    look();
    const resized = new ResizeObserver(look);
    if (frame.current) resized.observe(frame.current);
    return () => resized.disconnect();
  }, []);

  const first = Math.max(0, indexAt(offsets, view.top - MARGIN));
  const last = Math.min(items.length, indexAt(offsets, view.top + view.height + MARGIN) + 1);

  useLayoutEffect(() => {
    const shown = frame.current ? [...frame.current.querySelectorAll(":scope > ol > li")] : [];
    rows.current.filter((r) => !shown.includes(r)).forEach((r) => watcher.unobserve(r));
    shown.filter((r) => !rows.current.includes(r)).forEach((r) => watcher.observe(r));
    rows.current = shown;
  });

  const known = target !== undefined && ids.includes(target);
  useLayoutEffect(() => {
    if (!known || target === undefined) return;
    jump.current = { id: target, left: SETTLE, focus: focusTarget ?? false };
    setCurrent(ids.indexOf(target));
    setMeasured((n) => n + 1);
  }, [target, known]);

  useLayoutEffect(() => {
    const going = jump.current;
    const element = frame.current;
    if (!going || !element) return;
    const index = ids.indexOf(going.id);
    if (index < 0) return;
    element.scrollTop = Math.max(0, offsets[index]! - element.clientHeight / 3);
    look();
    const there = element.querySelector<HTMLElement>(`li[data-id="${CSS.escape(going.id)}"]`);
    if (there && going.focus) there.focus({ preventScroll: true });
    going.left -= 1;
    if (going.left <= 0) jump.current = null;
    else requestAnimationFrame(() => (jump.current === going ? setMeasured((n) => n + 1) : undefined));
  }, [measured, offsets]);

  const move = (to: number) => {
    const index = Math.max(0, Math.min(items.length - 1, to));
    const name = ids[index];
    const element = frame.current;
    if (name === undefined || !element) return;
    setCurrent(index);
    const there = element.querySelector<HTMLElement>(`li[data-id="${CSS.escape(name)}"]`);
    if (there && Math.abs(to - current) === 1) {
      there.focus({ preventScroll: true });
      there.scrollIntoView({ block: "nearest" });
      return;
    }
    jump.current = { id: name, left: SETTLE, focus: true };
    setMeasured((n) => n + 1);
  };

  const pressed = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.closest("button, a, input")) return;
    const steps: Record<string, number> = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: items.length - 1 };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };

  const active = Math.min(current, items.length - 1);
  const reachable = active >= first && active < last ? active : first;
  return (
    <div
      class="virtual"
      ref={frame}
      onScroll={look}
      onKeyDown={pressed}
      onWheel={() => (jump.current = null)}
      onTouchMove={() => (jump.current = null)}
    >
      <ol class="virtual-all" aria-label={label} style={{ height: `${offsets[items.length]}px` }}>
        {items.slice(first, last).map((item, n) => {
          const index = first + n;
          const name = ids[index]!;
          return (
            <li
              key={name}
              data-id={name}
              class={index === active && name === target ? "virtual-row target" : "virtual-row"}
              style={{ top: `${offsets[index]}px` }}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              tabIndex={index === reachable ? 0 : -1}
              onFocusIn={() => setCurrent(index)}
            >
              {row(item, index, index === active)}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** The row in which a point of the list lies. */
function indexAt(offsets: Float64Array, y: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle]! <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
