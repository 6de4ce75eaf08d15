"""MemPalace's raw mode, after the scripts that its published figures come from (`benchmarks/` of its repository).

Raw mode is a Chroma collection with one document a session, made of the user's turns only, and vector search. For LoCoMo the
scripts make one document a message. They run without MemPalace's own code, and so does this.
"""

from __future__ import annotations

from benchmarks.rivals.chroma import Collection, Document
from benchmarks.rivals.protocol import Place, Session

PACKAGES = ("chromadb",)
HOW = (
    "Raw mode as its benchmark scripts have it: a Chroma collection, a document a session of the user's turns only, vectors "
    'only; LoCoMo: a document a message, `NAME said, "…"`.'
)


def session_document(session: Session) -> list[Document]:
    """The user's turns, one below the other."""
    said = [message.content for message in session.messages if message.role == "user"]
    return [Document(session.name, session.name, "\n".join(said))] if said else []


def message_documents(session: Session) -> list[Document]:
    """A document a message, with who said it."""
    return [
        Document(f"{session.name}\x1f{message.id}", session.name, f'{message.speaker} said, "{message.content}"')
        for message in session.messages
    ]


def open_store(place: Place) -> Collection:
    """Open or create the palace."""
    return Collection(place, session_document if place.unit == "session" else message_documents)
