"""The types of the TypeScript client, out of the server's OpenAPI document: `python scripts/typescript_client.py`.

Takes Node and the packages of clients/typescript (`npm ci` there). What a call answers when it fails is the same for all of them, so the
types name it once, as `Problem`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from goalmem import Memory
from goalmem.serve.app import create_app
from goalmem.serve.ledger import open_ledger
from goalmem.serve.service import Service
from goalmem.store.location import MEMORY

CLIENT = Path(__file__).parents[1] / "clients" / "typescript"
TYPES = CLIENT / "src" / "schema.ts"
GENERATOR = CLIENT / "node_modules" / ".bin" / "openapi-typescript"
JSON = "application/json"
OPTIONS = ("--default-non-nullable=false",)
"""What has a default may be left out of a request."""
HEAD = "// Made by scripts/typescript_client.py out of the server's OpenAPI document; do not edit.\n"


def described() -> str:
    """The calls of a server and what they answer, as JSON that is the same for the same server."""
    with Memory() as memory:
        ledger = open_ledger(MEMORY, "")
        try:
            document: dict[str, Any] = create_app(Service(memory, ledger, memory.settings)).openapi()
        finally:
            ledger.close()
    for operations in document["paths"].values():
        for operation in operations.values():
            operation["responses"] = {s: told for s, told in operation["responses"].items() if s < "400"}
            for told in operation["responses"].values():
                if JSON in told.get("content", {}):  # a stream of events is asked for by a header
                    told["content"] = {JSON: told["content"][JSON]}
    document["info"] = {"title": "goalmem", "version": "1"}
    return json.dumps(document, sort_keys=True, indent=1)


def types_of(document: str) -> str:
    """The types, as the generator writes them."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "openapi.json", Path(folder) / "schema.ts"
        given.write_text(document, encoding="utf-8")
        subprocess.run([str(GENERATOR), str(given), "--output", str(made), *OPTIONS], check=True, capture_output=True)
        return HEAD + made.read_text(encoding="utf-8")


if __name__ == "__main__":
    if not GENERATOR.exists():
        sys.exit(f"{GENERATOR} is not there. Run npm ci in {CLIENT} first.")
    TYPES.write_text(types_of(described()), encoding="utf-8")
