// Opening a file: with a button, or by dropping it.

import { useRef, useState } from "preact/hooks";

type Open = (file: File | undefined) => void;

/** What makes an element take files that are dropped on it, and whether one is over it. */
export function useDrop(open: Open) {
  const [over, setOver] = useState(false);
  return {
    over,
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      open(event.dataTransfer?.files[0]);
    },
  };
}

/** The button, for who cannot drop. The same file may be opened twice. */
export function OpenFile({ label, accept, open }: { label: string; accept?: string; open: Open }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="button" onClick={() => chooser.current?.click()}>
        Open a file
      </button>
      <input
        ref={chooser}
        class="hidden"
        type="file"
        tabIndex={-1}
        aria-label={label}
        accept={accept}
        onChange={(event) => {
          open(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}
