"""The keyed seal of a proof: HMAC-SHA256 (RFC 2104), which only who holds the key can make or tell.

It says where a proof was made, not whether it holds. What is sealed is the canonical JSON of all the rest.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from typing import Literal, get_args

from goalmem.proof.checks import Check
from goalmem.proof.document import Proof

SEAL = "seal"
"""The name of the check."""
Seal = Literal["sealed here", "not sealed", "sealed with another key or changed", "sealed, and no key is set to tell"]
PURPOSE = b"goalmem proof seal 1\n"
"""Put before what is sealed, so that a seal is of no use elsewhere."""


@dataclass(frozen=True, slots=True)
class Seals:
    """Seals proofs with one key, and tells its seals from others."""

    key: str = field(default="", repr=False)
    """Secret. Empty: nothing is sealed, and no seal can be told."""
    required: bool = False
    """Whether a proof holds only with a seal of this key."""

    def sealed(self, proof: Proof) -> Proof:
        """The proof with a seal, where there is a key; else without one."""
        return proof.model_copy(update={"seal": self._made(proof) if self.key else ""})

    def of(self, proof: Proof) -> Seal:
        """What the seal of a proof says."""
        if not proof.seal:
            return "not sealed"
        if not self.key:
            return "sealed, and no key is set to tell"
        same = hmac.compare_digest(proof.seal.encode(), self._made(proof).encode())
        return "sealed here" if same else "sealed with another key or changed"

    def check(self, proof: Proof) -> tuple[Check, ...]:
        """The check of a proof's seal; none where there is neither a seal nor a key."""
        if not (self.key or self.required or proof.seal):
            return ()
        said = self.of(proof)
        fine = said == "sealed here" or (not self.required and said != "sealed with another key or changed")
        return (Check("", SEAL, fine, said),)

    def _made(self, proof: Proof) -> str:
        rest = proof.model_copy(update={"seal": ""}).to_json().encode("utf-8", "surrogatepass")
        return hmac.new(self.key.strip().encode("utf-8", "surrogatepass"), PURPOSE + rest, hashlib.sha256).hexdigest()


def seal_told(detail: str) -> Seal:
    """What the check of a seal says, as a `Seal`."""
    return next((s for s in get_args(Seal) if s == detail), "not sealed")
