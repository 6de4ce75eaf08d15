"""The keyed seal of a proof: HMAC-SHA256 (RFC 2104), which only holders of the key can make or verify.

It shows where a proof was made, not that it holds. The sealed text is the canonical JSON of the rest.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from typing import Literal, get_args

from goalmem.proof.document import Proof
from goalmem.proof.node_check import Check

SEAL = "seal"
"""The name of the check."""
Seal = Literal["sealed here", "not sealed", "sealed with another key or changed", "sealed, and no key is set to tell"]
PURPOSE = b"goalmem proof seal 1\n"
"""Prefix of the sealed text, so that a seal cannot be used elsewhere."""


@dataclass(frozen=True, slots=True)
class Seals:
    """Seals proofs with one key, and verifies seals."""

    key: str = field(default="", repr=False)
    """Secret. Empty: nothing is sealed, and no seal can be verified."""
    required: bool = False
    """True if proofs must have a seal of this key."""

    def sealed(self, proof: Proof) -> Proof:
        """The proof with a seal if there is a key, otherwise without one."""
        return proof.model_copy(update={"seal": self._made(proof) if self.key else ""})

    def of(self, proof: Proof) -> Seal:
        """The state of a proof's seal."""
        if not proof.seal:
            return "not sealed"
        if not self.key:
            return "sealed, and no key is set to tell"
        same = hmac.compare_digest(proof.seal.encode("utf-8", "surrogatepass"), self._made(proof).encode())
        return "sealed here" if same else "sealed with another key or changed"

    def check(self, proof: Proof) -> tuple[Check, ...]:
        """The check of a proof's seal; none if there is neither a seal nor a key."""
        if not (self.key or self.required or proof.seal):
            return ()
        said = self.of(proof)
        fine = said == "sealed here" or (not self.required and said != "sealed with another key or changed")
        return (Check("", SEAL, fine, said),)

    def _made(self, proof: Proof) -> str:
        rest = proof.model_copy(update={"seal": ""}).to_json().encode("utf-8", "surrogatepass")
        return hmac.new(self.key.strip().encode("utf-8", "surrogatepass"), PURPOSE + rest, hashlib.sha256).hexdigest()


def seal_told(detail: str) -> Seal:
    """The detail of a seal's check, as a `Seal`."""
    return next((s for s in get_args(Seal) if s == detail), "not sealed")
