"""Chat files: whatever layout they have, read as sessions of OpenAI chat messages, in bounded memory."""

from goalmem.io.conversation import Conversation, Options, Skipped
from goalmem.io.files import SESSIONS_FILE, open_chat, read_chat

__all__ = ["SESSIONS_FILE", "Conversation", "Options", "Skipped", "open_chat", "read_chat"]
