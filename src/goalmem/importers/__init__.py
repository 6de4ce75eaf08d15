"""Exports of other programs -> conversations in a memory: ChatGPT, Claude, Slack, WhatsApp, LangChain, mem0."""

from goalmem.importers.importing import ImportReport, Progress, import_history, look_through, read
from goalmem.importers.protocol import Chat, Export, Format, ImportOptions, Place, Reading, Sample, Skipped
from goalmem.importers.registry import FORMATS

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
