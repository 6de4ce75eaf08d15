"""The benchmarks' conversations as sessions for a rival: the same texts for all."""

from __future__ import annotations

from benchmarks.rivals.protocol import Message, Session

from goalmem_lab.evals.encoded import Told
from goalmem_lab.evals.longmemeval_data import Dated


def from_longmemeval(dated: Dated) -> Session:
    """Its messages have a role and no name."""
    messages = (
        Message(f"{dated.session}/{place}", role, "", content) for place, (role, content) in enumerate(dated.messages)
    )
    return Session(dated.session, dated.at, tuple(messages))


def from_locomo(session: Told) -> Session:
    """Its messages have a speaker, an official id and at times the caption of a picture."""
    messages = (
        Message(row["id"], row["role"], row["name"], row["content"], row.get("caption", "")) for row in session.messages
    )
    return Session(session.session, session.at, tuple(messages))
