"""Everything that the OpenAPI document describes, tried with generated requests: `python benchmarks/serve_schema.py`.

Schemathesis sends requests that fit the document and requests that do not, to a server without keys and to one with a key,
and checks every answer: no 5xx, nothing but what the document describes, nothing without a key. One of its checks is left out
(`positive_data_acceptance`): that a rule is no sentence, a date is none or a proof is malformed cannot be said in a schema.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":  # a script finds its own folder only
    sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.serve import TOLD
from benchmarks.serving import served

from goalmem import Memory

PHASES = "examples,coverage,fuzzing"


def tried(store: Path, examples: int, key: str, seed: int) -> int:
    """The exit status of schemathesis."""
    program = shutil.which("st", path=str(Path(sys.executable).parent))
    if program is None:
        raise SystemExit("schemathesis is not installed (pip install schemathesis).")
    headers = ["--header", f"Authorization: Bearer {key}"] if key else []
    with served(store, rate=100_000) as server:
        command = [program, "run", f"http://127.0.0.1:{server.port}/openapi.json", "--phases", PHASES]
        command += ["--max-examples", str(examples), "--seed", str(seed), "--request-timeout", "120"]
        command += ["--exclude-checks", "positive_data_acceptance", "--suppress-health-check", "all", *headers]
        return subprocess.run(command, cwd=store.parent, check=False).returncode


def main() -> int:
    """Try both; the worse exit status."""
    from goalmem.serve.auth import KeyRing, Scope
    from goalmem.serve.ledger import open_ledger

    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--examples", type=int, default=50, help="of each call")
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        for keyed in (False, True):
            store = Path(folder) / f"{'keyed' if keyed else 'open'}.goalmem"
            with Memory(store) as memory:
                memory.add(TOLD, at="2024-05-08")
            key = ""
            if keyed:
                ledger = open_ledger(str(store), "")
                key = KeyRing(ledger).add("schemathesis", Scope.ADMIN, ["*"])[1]
                ledger.close()
            worst = max(worst, tried(store, given.examples, key, given.seed))
    return worst


if __name__ == "__main__":
    sys.exit(main())
