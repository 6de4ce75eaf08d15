// A proof from anywhere, checked against what this memory holds.

import { useRef, useState } from "preact/hooks";
import { STATUS } from "../kinds";
import type { Proof } from "../model";
import { readProof } from "../proof";
import { OpenFile, useDrop } from "../parts/open_file";
import { ProofView } from "../parts/proof";
import { Said } from "../parts/said";

const LARGEST = 20_000_000; // characters of a document that a browser still shows in reasonable time

export function CheckProof() {
  const [text, setText] = useState("");
  const [read, setRead] = useState<{ proof: Proof; document: unknown } | null>(null);
  const [wrong, setWrong] = useState("");

  const taken = useRef("");
  const take = (words: string) => {
    if (words === taken.current) return; // some browsers tell of each line that is inserted, all with the whole text
    taken.current = words;
    setText(words);
    setRead(null);
    setWrong("");
    if (!words.trim()) return;
    try {
      const proof = readProof(words);
      setRead({ proof, document: proof });
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error));
    }
  };
  const openFile = (chosen: File | undefined) => {
    if (!chosen) return;
    if (chosen.size > LARGEST) return setWrong("The file is too large to be shown. Use: goalmem verify FILE");
    void chosen.text().then(take);
  };
  const { over, ...dropping } = useDrop(openFile);
  return (
    <div class="view check-view">
      <header class="view-head">
        <h1>Check a proof</h1>
        <p class="lead">
          Open or paste a proof that somebody gave you. Nothing in it is trusted: every quotation is looked up again, every
          step is made again.
        </p>
      </header>
      <div
        class={over ? "drop over" : "drop"}
        {...dropping}
      >
        <label for="proof-text">The proof, as JSON</label>
        <textarea
          id="proof-text"
          data-shortcut="input"
          class="code"
          rows={read ? 3 : 8}
          spellcheck={false}
          placeholder={'{"version": 1, "question": …}'}
          value={text}
          onInput={(event) => take(event.currentTarget.value)}
        />
        <p class="actions">
          <OpenFile label="Proof file" accept="application/json,.json" open={openFile} />
          <span class="note">or drop it here</span>
        </p>
      </div>
      {wrong && (
        <div class="failure" role="alert">
          <p class="failure-detail">
            This is no proof: <Said text={wrong} />
          </p>
          <p class="failure-remedy">Use a document that “Save”, Proof.to_json or POST /v1/ask gave, unchanged.</p>
        </div>
      )}
      {read && (
        <>
          <section class="headline" aria-label="What it claims">
            <p class="asked">
              <Said text={read.proof.question} />
            </p>
            <p class="answer-text claimed">
              <span class="claims">it claims </span>
              <Said text={read.proof.answer || "nothing"} />
            </p>
            <p class="headline-meta">
              <Claimed proof={read.proof} />
              {read.proof.asker && (
                <span>
                  asked by <Said text={read.proof.asker} />
                </span>
              )}
            </p>
          </section>
          <ProofView proof={read.proof} document={read.document} eager />
        </>
      )}
    </div>
  );
}

/** The status that a proof claims; of a document from anywhere it may be any word. */
function Claimed({ proof }: { proof: Proof }) {
  const status = Object.hasOwn(STATUS, proof.status) ? STATUS[proof.status] : undefined;
  if (!status) return null;
  return (
    <span class={`status ${proof.status}`} title={status.says}>
      {status.label}
    </span>
  );
}
