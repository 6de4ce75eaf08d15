"""Terms of SPARQL written so that no text in them is ever taken for anything else."""

from __future__ import annotations

import re
from collections.abc import Mapping

from goalmem.errors import BackendError, InputError
from goalmem.graph.entity_names import literal_text

__all__ = ["identifier_of", "iri", "literal", "term"]

_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')
"""SPARQL 1.1, rule IRIREF."""
_LANGUAGE = re.compile(r"[a-zA-Z]+(?:-[a-zA-Z0-9]+)*")
_TAGGED = re.compile(r'".*"(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?', re.DOTALL)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\0": "\\u0000"}
_STRING = "http://www.w3.org/2001/XMLSchema#string"


def iri(text: str) -> str:
    """An IRI as SPARQL writes it. Raises InputError for text that cannot be one."""
    if not text or ":" not in text or _NOT_IN_IRI.search(text):
        raise InputError(f"{text!r} is no IRI.", "Name entities and relations of a SPARQL endpoint by their IRIs.")
    return f"<{text}>"


def literal(text: str, language: str = "", datatype: str = "") -> str:
    """A literal as SPARQL writes it. Raises InputError for a language that is none."""
    quoted = '"' + "".join(_ESCAPES.get(c, c) for c in text) + '"'
    if language:
        if not _LANGUAGE.fullmatch(language):
            raise InputError(f"{language!r} is no language tag.", "Write it like en or pt-BR.")
        return f"{quoted}@{language}"
    return f"{quoted}^^{iri(datatype)}" if datatype else quoted


def term(identifier: str) -> str | None:
    """An identifier (an IRI, or a literal as N-Triples write it) as SPARQL writes it; None for what is neither."""
    text = literal_text(identifier) if identifier.startswith('"') else None
    if text is not None and (tagged := _TAGGED.fullmatch(identifier)):
        return literal(text, tagged[1] or "", tagged[2] or "")
    return None if ":" not in identifier or _NOT_IN_IRI.search(identifier) else iri(identifier)


def identifier_of(binding: Mapping[str, str]) -> str:
    """The identifier of a term in SPARQL's JSON results (SPARQL 1.1 Query Results JSON Format, section 3.2.2)."""
    match binding.get("type"):
        case "uri":
            return binding["value"]
        case "literal" | "typed-literal":
            datatype = binding.get("datatype", "")
            return literal(binding["value"], binding.get("xml:lang", ""), "" if datatype == _STRING else datatype)
    raise BackendError(f"The endpoint sent a term that is not known here: {dict(binding)!r}.", "Check the endpoint.")
