// What the reader chose. Only the theme and the switch of the shortcuts outlive the tab.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Turn } from "./model";

export type Theme = "system" | "light" | "dark";

const THEME = "goalmem.theme";
const SHORTCUTS = "goalmem.shortcuts";
const SPACE = "goalmem.space";

function kept(storage: () => Storage, name: string): string | null {
  try {
    return storage().getItem(name);
  } catch {
    return null; // switched off in this browser
  }
}

function keep(storage: () => Storage, name: string, value: string | null): void {
  try {
    if (value === null) storage().removeItem(name);
    else storage().setItem(name, value);
  } catch {
    // Switched off in this browser: it holds until the page is closed.
  }
}

export const theme = {
  get: (): Theme => {
    const held = kept(() => localStorage, THEME);
    return held === "light" || held === "dark" ? held : "system";
  },
  set: (value: Theme): void => {
    keep(() => localStorage, THEME, value === "system" ? null : value);
    if (value === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = value;
  },
};

export const shortcutsOn = {
  get: (): boolean => kept(() => localStorage, SHORTCUTS) !== "off",
  set: (on: boolean): void => keep(() => localStorage, SHORTCUTS, on ? null : "off"),
};

export const chosenSpace = {
  get: (): string => kept(() => sessionStorage, SPACE) ?? "",
  set: (space: string): void => keep(() => sessionStorage, SPACE, space || null),
};

export interface Surroundings {
  space: string;
  /** Counts up when what is remembered was changed from here. */
  version: number;
  changed: () => void;
  /** Opens the turn that evidence quotes, in its conversation. */
  open: (what: Quoted, from?: HTMLElement | null) => void;
  forget: (what: ToForget) => void;
  edit: (turn: Turn) => void;
  wantKey: () => void;
  announce: (words: string) => void;
}

export interface ToForget {
  turn?: string;
  session?: string;
  words?: string;
  everything?: boolean;
}

/** A turn, and which of its characters to highlight. */
export interface Quoted {
  turn: string;
  session?: string;
  start?: number;
  end?: number;
  quote?: string;
}

export const Around = createContext<Surroundings | null>(null);

export function useAround(): Surroundings {
  const found = useContext(Around);
  if (!found) throw new Error("outside the page");
  return found;
}
