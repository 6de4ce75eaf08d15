"""What a memory holds of a session, read out of an export of it."""

from pathlib import Path
from tempfile import TemporaryDirectory

from goalmem import Memory
from goalmem.io.chat_messages import InputMessage
from goalmem.io.portable import Portion, portions


def remembered(memory: Memory, space: str, session: str) -> list[InputMessage]:
    """The messages of a session, in order."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "export.jsonl"
        memory.export(place, space=space)
        parts = [p for p in portions(place) if isinstance(p, Portion) and p.session == session]
    return [message for part in parts for _, message in part.messages]
