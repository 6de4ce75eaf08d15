// The page: where one is, in which space, with which key and theme.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "./api";
import { later } from "./later";
import type { Turn } from "./model";
import { Edit } from "./parts/edit";
import { Evidence } from "./parts/evidence";
import { Forget } from "./parts/forget";
import { Help, KeyEntry } from "./parts/help";
import { Keys } from "./parts/keys";
import { NewSpace } from "./parts/space";
import { Undo } from "./parts/undo";
import { go, href, useRoute, type Route, type View } from "./route";
import { tripleOf } from "./logic";
import { Around, chosenSpace, shortcutsOn, theme, type Quoted, type Surroundings, type Theme, type ToForget } from "./settings";
import { Add } from "./views/add";
import { Ask } from "./views/ask";
import { CheckProof } from "./views/check";
import { Conversations } from "./views/conversations";
import { GraphView } from "./views/graph";
import { History } from "./views/history";
import { Profile } from "./views/profile";
import { Rules } from "./views/rules";
import { Search } from "./views/search";

const NAMES: [View, string, string][] = [
  ["ask", "Ask", "a"],
  ["add", "Add", "n"],
  ["conversations", "Conversations", "c"],
  ["profile", "Profile", "w"],
  ["history", "History", "h"],
  ["graph", "Graph", "g"],
  ["search", "Search", "s"],
  ["rules", "Rules", "r"],
  ["check", "Check a proof", "p"],
];

export function App() {
  const route = useRoute();
  const [space, setSpace] = useState(route.given["space"] ?? chosenSpace.get());
  const [spaces, setSpaces] = useState<string[] | null>(null);
  const [version, setVersion] = useState(0);
  const [quoted, setQuoted] = useState<Quoted | null>(null);
  const [forgetting, setForgetting] = useState<ToForget | null>(null);
  const [editing, setEditing] = useState<Turn | null>(null);
  const [dialog, setDialog] = useState<"help" | "key" | "keys" | "space" | null>(null);
  const [said, setSaid] = useState("");
  const opener = useRef<HTMLElement | null>(null);

  useEffect(() => {
    api.spaces().then(
      (found) => {
        setSpaces(found);
        setSpace((now) => now || (found.includes("default") ? "default" : (found[0] ?? "default")));
      },
      () => {
        // Whoever may not list spaces names one; the view says what is wrong.
        setSpaces([]);
        setSpace((now) => now || "default");
      },
    );
  }, [version]);
  useEffect(() => {
    const name = NAMES.find(([view]) => view === route.view)?.[1] ?? "";
    document.title = `${name} · goalmem`;
    document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [route.view]);

  const changed = useCallback(() => setVersion((n) => n + 1), []);
  const surroundings: Surroundings = useMemo(
    () => ({
      space,
      version,
      changed,
      open: (what, from) => {
        if (what.turn.startsWith("rule-")) return go("rules", { rule: what.turn });
        const triple = tripleOf(what.turn);
        if (triple) return go("graph", { source: "imported", around: triple[0], edge: what.turn });
        opener.current = from ?? null;
        setQuoted({ ...what });
      },
      forget: setForgetting,
      edit: setEditing,
      wantKey: () => setDialog("key"),
      announce: setSaid,
    }),
    [space, version],
  );
  const closeEvidence = () => {
    setQuoted(null);
    requestAnimationFrame(() => opener.current?.isConnected && opener.current.focus());
  };
  // Beside the proof where there is room; over it, and nothing else reachable, where there is not.
  const covered = quoted !== null && !matchMedia("(min-width: 64rem)").matches;
  useEffect(() => setQuoted(null), [route.view, space]);
  useShortcuts({ help: () => setDialog("help"), close: () => quoted && closeEvidence() });
  const choose = (name: string) => {
    void later.settle();
    chosenSpace.set(name);
    setSpace(name);
  };

  return (
    <Around.Provider value={surroundings}>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <Header
        route={route}
        covered={covered}
        space={space}
        spaces={spaces ?? []}
        choose={choose}
        open={setDialog}
        everything={() => setForgetting({ everything: true })}
      />
      <div class={quoted ? "stage with-evidence" : "stage"}>
        <main id="main" tabIndex={-1} inert={covered}>
          {space && <Shown route={route} key={`${route.view} ${space}`} />}
        </main>
        {quoted && <Evidence quoted={quoted} close={closeEvidence} />}
      </div>
      <Undo />
      {editing && <Edit turn={editing} close={() => setEditing(null)} />}
      {dialog === "keys" && <Keys close={() => setDialog(null)} />}
      {dialog === "space" && <NewSpace known={spaces ?? []} choose={choose} close={() => setDialog(null)} />}
      {forgetting && <Forget what={forgetting} close={() => setForgetting(null)} />}
      {dialog === "help" && <Help close={() => setDialog(null)} />}
      {dialog === "key" && <KeyEntry close={() => setDialog(null)} changed={changed} />}
      <div class="hidden" role="status" aria-live="polite">
        {said}
      </div>
    </Around.Provider>
  );
}

function skip(event: Event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Shown({ route }: { route: Route }) {
  switch (route.view) {
    case "conversations":
      return <Conversations given={route.given} />;
    case "add":
      return <Add given={route.given} />;
    case "profile":
      return <Profile given={route.given} />;
    case "history":
      return <History given={route.given} />;
    case "graph":
      return <GraphView given={route.given} />;
    case "search":
      return <Search given={route.given} />;
    case "rules":
      return <Rules given={route.given} />;
    case "check":
      return <CheckProof />;
    default:
      return <Ask given={route.given} />;
  }
}

interface HeaderGiven {
  covered: boolean;
  route: Route;
  space: string;
  spaces: string[];
  choose: (space: string) => void;
  open: (dialog: "help" | "key" | "keys" | "space") => void;
  everything: () => void;
}

function Header({ covered, route, space, spaces, choose, open, everything }: HeaderGiven) {
  const all = spaces.includes(space) || !space ? spaces : [space, ...spaces];
  return (
    <header class="top" inert={covered}>
      <a class="brand" href={href("ask")}>
        <span class="turnstile" aria-hidden="true">
          ⊢
        </span>
        goalmem
      </a>
      <nav class="tabs" aria-label="Views">
        <ul>
          {NAMES.filter(([view]) => view !== "history").map(([view, name]) => (
            <li key={view}>
              <a href={href(view)} aria-current={(route.view === "history" ? "profile" : route.view) === view ? "page" : undefined}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="tools">
        <label class="space-label" for="space">
          <span class="hidden">Space</span>
        </label>
        <select id="space" class="space" value={space} onInput={(event) => choose(event.currentTarget.value)}>
          {all.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <ThemeButton />
        <details class="menu">
          <summary class="icon-button" aria-label="More">
            <span aria-hidden="true">⋯</span>
          </summary>
          <div class="menu-items">
            <button type="button" onClick={closing(() => open("space"))}>
              New space…
            </button>
            <button type="button" onClick={closing(() => open("key"))}>
              Use a key…
            </button>
            <button type="button" onClick={closing(() => open("keys"))}>
              Access keys…
            </button>
            <button type="button" onClick={closing(() => open("help"))}>
              Keyboard shortcuts
            </button>
            <button type="button" class="bad" onClick={closing(everything)}>
              Forget everything…
            </button>
          </div>
        </details>
      </div>
    </header>
  );
}

/** Does it, and closes the menu that it was chosen from. */
function closing(does: () => void) {
  return (event: MouseEvent) => {
    (event.currentTarget as HTMLElement).closest("details")?.removeAttribute("open");
    does();
  };
}

const NEXT: Record<Theme, Theme> = { system: "dark", dark: "light", light: "system" };
const SIGNS: Record<Theme, string> = { system: "◐", dark: "●", light: "○" };

function ThemeButton() {
  const [now, setNow] = useState(theme.get());
  return (
    <button
      type="button"
      class="icon-button"
      data-shortcut="theme"
      aria-label={`Theme: ${now === "system" ? "as the system" : now}. Change it`}
      title={`Theme: ${now === "system" ? "as the system" : now}`}
      onClick={() => {
        theme.set(NEXT[now]);
        setNow(NEXT[now]);
      }}
    >
      <span aria-hidden="true">{SIGNS[now]}</span>
    </button>
  );
}

const CHORD = 1200; // milliseconds in which the second key of “g a” must come

/** Single keys, where no text is being written and no dialog is open. */
function useShortcuts({ help, close }: { help: () => void; close: () => void }) {
  const latest = useRef({ help, close });
  latest.current = { help, close };
  useEffect(() => {
    let chord = -Infinity;
    const pressed = (event: KeyboardEvent) => {
      const on = event.target instanceof Element ? event.target : null;
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (event.key === "Escape") {
        document.querySelector("details.menu[open]")?.removeAttribute("open");
        return latest.current.close();
      }
      if (on?.closest("input, textarea, select, [contenteditable]") || !shortcutsOn.get()) return;
      if (performance.now() - chord < CHORD) {
        chord = -Infinity;
        const view = NAMES.find(([, , letter]) => letter === event.key)?.[0];
        if (view) {
          event.preventDefault();
          go(view);
        }
        return;
      }
      const at = (name: string) => document.querySelector<HTMLElement>(`main [data-shortcut=${name}], header [data-shortcut=${name}], .undo [data-shortcut=${name}]`);
      if (event.key === "g") chord = performance.now();
      else if (event.key === "?") latest.current.help();
      else if (event.key === "/") {
        event.preventDefault();
        at("input")?.focus();
      } else if (event.key === "v") at("verify")?.click();
      else if (event.key === "u") at("undo")?.click();
      else if (event.key === "t") at("theme")?.click();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
