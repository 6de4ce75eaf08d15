"""Exports of other programs -> conversations in a memory: ChatGPT, Claude, Claude Code, Slack, WhatsApp, LangChain, mem0."""

from goalmem.integrations.importers.history_import import ImportReport, Progress, import_history, look_through, read
from goalmem.integrations.importers.protocol import Chat, Export, Format, ImportOptions, Place, Reading, Sample, Skipped
from goalmem.integrations.importers.registry import FORMATS

__all__ = [
    "FORMATS",
    "Chat",
    "Export",
    "Format",
    "ImportOptions",
    "ImportReport",
    "Place",
    "Progress",
    "Reading",
    "Sample",
    "Skipped",
    "import_history",
    "look_through",
    "read",
]
