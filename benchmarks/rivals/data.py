"""The benchmarks' conversations as sessions for a rival: the same texts for all."""

from __future__ import annotations

from benchmarks.rivals.protocol import Message, Session

from goalmem_lab.evals import locomo_data, longmemeval_data

__all__ = ["from_locomo", "from_longmemeval"]


def from_longmemeval(dated: longmemeval_data.Dated) -> Session:
    """Its messages have a role and no name."""
    messages = (
        Message(f"{dated.session}/{place}", role, "", content) for place, (role, content) in enumerate(dated.messages)
    )
    return Session(dated.session, dated.at, tuple(messages))


def from_locomo(session: locomo_data.Session) -> Session:
    """Its messages have a speaker, an official id and at times the caption of a picture."""
    messages = (
        Message(row["id"], row["role"], row["name"], row["content"], row.get("caption", "")) for row in session.messages
    )
    return Session(session.name, session.at, tuple(messages))
