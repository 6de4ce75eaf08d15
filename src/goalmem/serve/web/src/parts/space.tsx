// Making a space: it is there as soon as something is remembered in it.

import { useId, useState } from "preact/hooks";
import { go } from "../route";
import { Dialog } from "./dialog";

interface Given {
  known: string[];
  choose: (name: string) => void;
  close: () => void;
}

export function NewSpace({ known, choose, close }: Given) {
  const [name, setName] = useState("");
  const field = useId();
  const there = known.includes(name.trim());
  return (
    <Dialog title="New space" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!name.trim()) return;
          choose(name.trim());
          close();
          go("add");
        }}
      >
        <p>Nothing is read across spaces: one for each person or subject. It is there as soon as something is remembered in it.</p>
        <label class="field" for={field}>
          Name
          <input
            id={field}
            type="text"
            dir="auto"
            autocomplete="off"
            maxLength={512}
            autofocus
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        {there && <p class="note">There is a space of this name; it will be opened.</p>}
        <p class="actions">
          <button type="submit" class="button strong" disabled={!name.trim()}>
            {there ? "Open" : "Create"}
          </button>
          <button type="button" class="button quiet" onClick={close}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
