// A field for a name, with the names that memory knows offered while one types.

import { useEffect, useId, useState } from "preact/hooks";
import { api } from "../api";
import { useAround } from "../settings";

const PAUSE = 120; // milliseconds without a key before names are looked up

interface Given {
  label: string;
  placeholder: string;
  value: string;
  change: (value: string) => void;
}

export function NameInput({ label, placeholder, value, change }: Given) {
  const around = useAround();
  const [names, setNames] = useState<string[]>([]);
  const field = useId();
  const list = useId();
  useEffect(() => {
    let old = false;
    const timer = setTimeout(() => {
      api.entities(around.space, value.trim()).then(
        (found) => !old && setNames(found),
        () => undefined, // without offers one can still type
      );
    }, PAUSE);
    return () => {
      old = true;
      clearTimeout(timer);
    };
  }, [value, around.space]);
  return (
    <>
      <label class="hidden" for={field}>
        {label}
      </label>
      <input
        id={field}
        type="text"
        dir="auto"
        data-shortcut="input"
        autocomplete="off"
        list={list}
        placeholder={placeholder}
        value={value}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
