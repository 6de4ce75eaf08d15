// How far a file is remembered.

import { useEffect, useState } from "preact/hooks";
import { api, Problem } from "../api";
import type { Job } from "../model";
import { useAround } from "../settings";
import { counted } from "../text";
import { Failure } from "./states";

const PAUSE = 400; // milliseconds between two looks at a job

export function JobProgress({ job, done }: { job: Job; done: () => void }) {
  const around = useAround();
  const [now, setNow] = useState(job);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let left = false;
    const look = async () => {
      for (let seen = job; !left && seen.state !== "done" && seen.state !== "failed"; ) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
        if (left) return;
        seen = await api.job(around.space, job.id);
        setNow(seen);
        if (seen.state !== "done") continue;
        around.announce(`${counted(seen.new, "message")} remembered.`);
        around.changed();
      }
    };
    look().catch((failed: unknown) => !left && setError(failed));
    return () => {
      left = true;
    };
  }, [job.id]);
  if (error !== null) return <Failure error={error} />;
  if (now.state === "failed") return <Failure error={new Problem(0, "Failed", now.problem, now.remedy)} />;
  if (now.state === "done") {
    return (
      <p class="outcome-line" role="status">
        {now.new ? `${counted(now.new, "message")} remembered.` : "All of it was remembered already."}{" "}
        <button type="button" class="link" onClick={done}>
          Read it
        </button>
      </p>
    );
  }
  return (
    <p class="outcome-line">
      <progress max={now.total ?? 1} value={now.total ? now.done : 0} aria-label="Messages remembered" />{" "}
      {now.total ? `${now.done} of ${counted(now.total, "message")}` : "Reading it through…"}
    </p>
  );
}
