"""Files that are no conversations: text, pages, e-mails, cut at their own seams into pieces that are remembered as turns."""

from goalmem.io.documents.kinds import DOCUMENT_KINDS, TITLES, DocumentKind
from goalmem.io.documents.pieces import Document, messages_of
from goalmem.io.documents.reading import DOCUMENT_REMEDY, DocumentFile, begins_document, open_document

__all__ = [
    "DOCUMENT_KINDS",
    "DOCUMENT_REMEDY",
    "TITLES",
    "Document",
    "DocumentFile",
    "DocumentKind",
    "begins_document",
    "messages_of",
    "open_document",
]
