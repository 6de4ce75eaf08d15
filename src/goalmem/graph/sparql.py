"""A SPARQL endpoint as a graph, by the SPARQL 1.1 protocol over HTTP. It is contacted only when a `SparqlGraph` is made for it and asked.

Blank nodes of an endpoint have no name that lasts from one query to the next, so they are left out.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from goalmem.errors import BackendError, InputError
from goalmem.graph.entity_names import folded, implied_kind, literal_text, unlabelled_name
from goalmem.graph.protocol import GraphSize, Hop, NodeKind, Nodes

if TYPE_CHECKING:
    import httpx2


Row = dict[str, dict[str, str]]
"""A solution: variable -> term, as SPARQL's JSON results have them."""
_RESULTS = "application/sparql-results+json"
_BUSY = frozenset({429, 502, 503, 504})
_ATTEMPTS = 3
_PAUSE = 0.5
"""Seconds before a busy endpoint is asked again; twice as long each time."""
_SHOWN = 200
"""Characters of an endpoint's reply that an error shows."""


class SparqlEndpoint:
    """Sends queries. Safe to use from several threads."""

    def __init__(self, url: str, *, timeout: float) -> None:
        """Raises InputError for an address that is no http(s) URL, BackendError without the package it needs."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{url!r} is not the address of a SPARQL endpoint.", "Pass an http:// or https:// URL.")
        try:
            import httpx2
        except ImportError as error:
            raise BackendError(
                "A SPARQL endpoint needs a package that is not installed.", "Install it: pip install 'goalmem[rdf]'."
            ) from error
        self._url = url
        self._shown = parts._replace(netloc=parts.hostname + (f":{parts.port}" if parts.port else "")).geturl()
        self._client: httpx2.Client = httpx2.Client(timeout=timeout, follow_redirects=True)

    def select(self, query: str) -> list[Row]:
        """The solutions of a SELECT query. Raises BackendError."""
        try:
            rows = self._asked(query)["results"]["bindings"]
            return [dict(row) for row in rows]
        except (KeyError, TypeError, ValueError) as error:
            raise self._unreadable(error) from error

    def ask(self, query: str) -> bool:
        """The answer of an ASK query. Raises BackendError."""
        try:
            return bool(self._asked(query)["boolean"])
        except (KeyError, TypeError) as error:
            raise self._unreadable(error) from error

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def _asked(self, query: str) -> Any:
        response = self._sent(query)
        if response.is_error:
            said = " ".join(response.text[:_SHOWN].split())
            raise BackendError(
                f"The SPARQL endpoint {self._shown} refused a query: HTTP {response.status_code}, {said!r}.",
                "Check its address, and that it speaks SPARQL 1.1.",
            )
        try:
            return response.json()
        except ValueError as error:
            raise self._unreadable(error) from error

    def _sent(self, query: str) -> httpx2.Response:
        """The reply to a query; a busy endpoint, or one that did not answer in time, is asked again."""
        import httpx2

        for attempt in range(_ATTEMPTS):
            last = attempt == _ATTEMPTS - 1
            try:
                response = self._client.post(self._url, data={"query": query}, headers={"Accept": _RESULTS})
                if response.status_code not in _BUSY or last:
                    return response
            except (httpx2.TimeoutException, httpx2.TransportError) as error:
                if last:
                    raise BackendError(
                        f"The SPARQL endpoint {self._shown} cannot be reached: {str(error) or type(error).__name__}.",
                        "Check its address and the network, or allow a longer timeout.",
                    ) from error
            time.sleep(_PAUSE * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _unreadable(self, error: Exception) -> BackendError:
        return BackendError(
            f"What the SPARQL endpoint {self._shown} sent cannot be read ({type(error).__name__}: {error}).",
            f"Check that its address is that of queries and that it offers {_RESULTS}.",
        )


_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')
"""SPARQL 1.1, rule IRIREF."""
_LANGUAGE = re.compile(r"[a-zA-Z]+(?:-[a-zA-Z0-9]+)*")
_TAGGED = re.compile(r'".*"(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?', re.DOTALL)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\0": "\\u0000"}
_STRING = "http://www.w3.org/2001/XMLSchema#string"


def iri(text: str) -> str:
    """An IRI as SPARQL writes it. Raises InputError for text that cannot be one."""
    if not text or ":" not in text or _NOT_IN_IRI.search(text):
        raise InputError(f"{text!r} is not an IRI.", "Name entities and relations of a SPARQL endpoint by their IRIs.")
    return f"<{text}>"


def literal(text: str, language: str = "", datatype: str = "") -> str:
    """A literal in SPARQL syntax. Raises InputError for an invalid language tag."""
    quoted = '"' + "".join(_ESCAPES.get(c, c) for c in text) + '"'
    if language:
        if not _LANGUAGE.fullmatch(language):
            raise InputError(f"{language!r} is not a language tag.", "Write it like en or pt-BR.")
        return f"{quoted}@{language}"
    return f"{quoted}^^{iri(datatype)}" if datatype else quoted


def term(identifier: str) -> str | None:
    """An identifier (an IRI, or a literal in N-Triples syntax) in SPARQL syntax; None for anything else."""
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


LABELS = ("http://www.w3.org/2000/01/rdf-schema#label", "http://www.w3.org/2004/02/skos/core#prefLabel")
ALIASES = ("http://www.w3.org/2004/02/skos/core#altLabel",)
BATCH = 100
"""Nodes named in one query: a request of some kilobytes, which every endpoint takes."""


class SparqlGraph:
    """A `Graph` over a SPARQL 1.1 endpoint. Nodes are numbered on first use; answers are not cached."""

    def __init__(
        self,
        url: str,
        *,
        timeout: float = 30.0,
        page: int = 10_000,
        labels: Sequence[str] = LABELS,
        aliases: Sequence[str] = ALIASES,
        languages: Sequence[str] = ("", "en"),
    ) -> None:
        """`timeout` in seconds per request; `page`: rows per request; `languages`: of names, the first is preferred.

        Raises InputError for an address that is no http(s) URL.
        """
        self._endpoint = SparqlEndpoint(url, timeout=timeout)
        self._page = page
        self._labels, self._aliases, self._languages = tuple(labels), tuple(aliases), tuple(languages)
        # Naming properties are not relations between entities.
        self._no_names = f"FILTER(?p NOT IN ({', '.join(map(iri, (*labels, *aliases)))}))" if labels or aliases else ""
        self._edge = f"?s ?p ?o FILTER(!isBlank(?s) && !isBlank(?o)) {self._no_names}"
        self._numbers: dict[str, int] = {}
        self._identifiers: list[str] = []
        self._numbering = threading.Lock()

    def size(self) -> GraphSize:
        """See `Graph.size`. Counted by the endpoint, once."""
        return self._size

    @cached_property
    def _size(self) -> GraphSize:
        edge = self._edge
        counts = next(self._rows(f"SELECT (COUNT(*) AS ?t) (COUNT(DISTINCT ?p) AS ?r) WHERE {{ {edge} }}"))
        ends = f"{{ {edge} BIND(?s AS ?n) }} UNION {{ {edge} BIND(?o AS ?n) }}"
        nodes = next(self._rows(f"SELECT (COUNT(DISTINCT ?n) AS ?e) WHERE {{ {ends} }}"))
        return GraphSize(int(nodes["e"]["value"]), int(counts["r"]["value"]), int(counts["t"]["value"]))

    def relations(self) -> Sequence[str]:
        """See `Graph.relations`. Asked for once."""
        return self._relations

    @cached_property
    def _relations(self) -> list[str]:
        return sorted(
            row["p"]["value"] for row in self._paged(f"SELECT DISTINCT ?p WHERE {{ {self._edge} }} ORDER BY ?p")
        )

    def node(self, identifier: str) -> int | None:
        """See `Graph.node`."""
        if identifier in self._numbers:
            return self._numbers[identifier]
        named = term(identifier)
        if named is None:
            return None
        ends = f"{{ ?s ?p {named} }}" + ("" if named.startswith('"') else f" UNION {{ {named} ?p ?o }}")
        return self._number(identifier) if self._endpoint.ask(f"ASK {{ {ends} }}") else None

    def named(self, name: str) -> Nodes:
        """See `Graph.named`. As the name is written first, which endpoints find fast, then however it is cased."""
        text = " ".join(name.split())
        relations = " ".join(map(iri, (*self._labels, *self._aliases)))
        written = " ".join(literal(text, language) for language in self._languages)
        exact = f"VALUES ?l {{ {relations} }} VALUES ?n {{ {written} }} ?s ?l ?n"
        cased = f"VALUES ?l {{ {relations} }} ?s ?l ?n FILTER(LCASE(STR(?n)) = {literal(text.lower(), '')})"
        for where in (exact, cased):
            query = f"SELECT DISTINCT ?s ?n WHERE {{ {where} FILTER(isIRI(?s)) }} ORDER BY ?s ?n"
            found = {
                self._number(row["s"]["value"])
                for row in self._paged(query)
                if folded(row["n"]["value"]) == folded(name)
            }
            if found:
                return np.array(sorted(found), dtype=np.int64)
        return np.empty(0, np.int64)

    def identifiers(self, nodes: Nodes) -> list[str]:
        """See `Graph.identifiers`. An IRI, or a literal as N-Triples write it."""
        return [self._identifiers[n] for n in nodes.tolist()]

    def labels(self, nodes: Nodes) -> list[str]:
        """See `Graph.labels`."""
        identifiers = self.identifiers(nodes)
        found = self._names(identifiers)
        return [
            found.get(i) or unlabelled_name(i, "literal" if literal_text(i) is not None else "entity")
            for i in identifiers
        ]

    def kinds(self, nodes: Nodes) -> list[NodeKind]:
        """See `Graph.kinds`."""
        identifiers = self.identifiers(nodes)
        kinds: list[NodeKind] = ["literal" if literal_text(i) is not None else implied_kind(i) for i in identifiers]
        if "mediator" not in kinds:
            return kinds
        found = self._names([i for i, kind in zip(identifiers, kinds, strict=True) if kind == "mediator"])
        return ["entity" if i in found else kind for i, kind in zip(identifiers, kinds, strict=True)]

    def hops(self, nodes: Nodes) -> list[Hop]:
        """See `Graph.hops`."""
        found: set[Hop] = set()
        for inverse in (False, True):
            pattern = ("?o ?p ?s" if inverse else "?s ?p ?o") + f" FILTER(!isBlank(?o)) {self._no_names}"
            for values in self._values(nodes, subjects=not inverse):
                query = f"SELECT DISTINCT ?p WHERE {{ VALUES ?s {{ {values} }} {pattern} }}"
                found.update(Hop(row["p"]["value"], inverse) for row in self._paged(f"{query} ORDER BY ?p"))
        return sorted(found)

    def edges(self, nodes: Nodes, hop: Hop, *, limit: int | None = None) -> tuple[Nodes, Nodes]:
        """See `Graph.edges`. With `limit`, the first in the order of the endpoint's terms."""
        relation = iri(hop.relation)
        pattern = f"?t {relation} ?h" if hop.inverse else f"?h {relation} ?t"
        pairs: set[tuple[int, int]] = set()
        for values in self._values(np.unique(nodes), subjects=not hop.inverse):
            query = f"SELECT DISTINCT ?h ?t WHERE {{ VALUES ?h {{ {values} }} {pattern} FILTER(!isBlank(?t)) }}"
            rows = self._paged(f"{query} ORDER BY ?h ?t", limit=None if limit is None else limit - len(pairs))
            pairs.update((self._number(identifier_of(r["h"])), self._number(identifier_of(r["t"]))) for r in rows)
            if limit is not None and len(pairs) >= limit:
                break
        ordered = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
        return ordered[:, 0], ordered[:, 1]

    def close(self) -> None:
        """Close the connections to the endpoint."""
        self._endpoint.close()

    def _names(self, identifiers: Iterable[str]) -> dict[str, str]:
        """The label of each IRI that has one: in the preferred languages first, then in any."""
        wanted = dict.fromkeys(i for i in identifiers if literal_text(i) is None)
        best: dict[str, tuple[int, str]] = {}
        for values in _batches(map(iri, wanted)):
            relations = " ".join(map(iri, self._labels))
            query = (
                f"SELECT ?s ?n WHERE {{ VALUES ?s {{ {values} }} VALUES ?l {{ {relations} }} ?s ?l ?n }} ORDER BY ?s ?n"
            )
            for row in self._paged(query):
                language = row["n"].get("xml:lang", "").partition("-")[0].lower()
                rank = self._languages.index(language) if language in self._languages else len(self._languages)
                name = (rank, row["n"]["value"])
                best[row["s"]["value"]] = min(best.get(row["s"]["value"], name), name)
        return {identifier: name for identifier, (_, name) in best.items()}

    def _values(self, nodes: Nodes, *, subjects: bool) -> Iterator[str]:
        """The nodes as terms, so many at a time; literals are never subjects."""
        terms = (term(identifier) for identifier in self.identifiers(nodes))
        return _batches(t for t in terms if t is not None and not (subjects and t.startswith('"')))

    def _number(self, identifier: str) -> int:
        with self._numbering:
            number = self._numbers.setdefault(identifier, len(self._identifiers))
            if number == len(self._identifiers):
                self._identifiers.append(identifier)
            return number

    def _paged(self, query: str, limit: int | None = None) -> Iterator[Row]:
        """The rows of a query that orders them, page by page."""
        offset = 0
        while limit is None or offset < limit:
            size = self._page if limit is None else min(self._page, limit - offset)
            rows = list(self._rows(f"{query} LIMIT {size} OFFSET {offset}"))
            yield from rows
            if len(rows) < size:
                return
            offset += len(rows)

    def _rows(self, query: str) -> Iterator[Row]:
        return iter(self._endpoint.select(query))


def _batches(terms: Iterable[str]) -> Iterator[str]:
    iterator = iter(terms)
    while batch := list(islice(iterator, BATCH)):
        yield " ".join(batch)
