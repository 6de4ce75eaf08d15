"""Files of triples: every format, and every way in which a file can be wrong, told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import FormatError
from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.protocol import Entry, Hop, Kinded, Name, Triple
from goalmem.io import triples_files as reading
from goalmem.io.triples_files import GraphFormat, graph_file

AB = [Triple("a", "r", "b"), Triple("c", "s", "d")]


def read(folder: Path, content: bytes | str, name: str = "kb.txt", format: GraphFormat | None = None) -> list[Entry]:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(graph_file(path, format=format).entries())


@pytest.mark.parametrize(
    "content",
    [
        "a|r|b\nc|s|d\n",
        "a|r|b\nc|s|d",
        "a|r|b\r\nc|s|d\r\n",
        "\ufeffa|r|b\nc|s|d\n",
        "\n\n a | r |b \n   \nc|s|d\n\n",
        "a\tr\tb\nc\ts\td\n",
        "\ufeffa\tr\tb\r\nc\ts\td",
    ],
)
def test_columns(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content) == AB


def test_pipes_within_names_are_escaped(tmp_path: Path) -> None:
    lines = [r"a\|b|r\\|c", r"AC\DC|plays|\\o/", r"\||\\\||x"]
    assert read(tmp_path, "\n".join(lines)) == [
        Triple("a|b", "r\\", "c"),
        Triple("AC\\DC", "plays", "\\o/"),
        Triple("|", "\\|", "x"),
    ]


def test_nothing_is_escaped_between_tabs(tmp_path: Path) -> None:
    assert read(tmp_path, "a|b\tC:\\temp\t\\|") == [Triple("a|b", "C:\\temp", "\\|")]


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).map(str.strip).filter(bool)


@given(st.lists(st.builds(Triple, NAMES, NAMES, NAMES), min_size=1))
def test_any_names_come_back_as_they_were_written(tmp_path_factory: pytest.TempPathFactory, made: list[Triple]) -> None:
    def escaped(name: str) -> str:
        return name.replace("\\", "\\\\").replace("|", "\\|")

    text = "\n".join("|".join(map(escaped, (t.subject, t.relation, t.object))) for t in made)
    assert read(tmp_path_factory.mktemp("names"), text, format=GraphFormat.PIPES) == made


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a|r|b\na|r\n", "line 2: it has 2 fields, not 3"),
        (b"a|r|b\n\na|r|b|c\n", "line 3: it has 4 fields, not 3"),
        (b"a|r|b\nnothing\n", "line 2: it has 1 field, not 3"),
        (b"a|r|b\na||b\n", "line 2: a field is empty"),
        (b"a|r|b\na|r|  \n", "line 2: a field is empty"),
        (b"a|r|b\nc|s|d\0\n", "line 2: it holds a NUL character"),
        (b"a|r|b\nc|s|\xff\n", "line 2: byte 0xFF is not valid UTF-8"),
        ("a|r|b\n".encode("utf-16"), "line 1: it holds a NUL character"),
        (b"a|r|b\rc|s|d\r", "line 1: it has 5 fields, not 3"),
        (b"a\tr\tb\na\tr\n", "line 2: it has 2 fields, not 3"),
    ],
)
def test_what_is_malformed_is_told_with_its_line(tmp_path: Path, content: bytes, problem: str) -> None:
    with pytest.raises(FormatError, match=f"kb.txt, {problem}"):
        read(tmp_path, content)


def test_lines_are_counted_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_CHUNK", 7)
    assert read(tmp_path, "a|r|b\nc|s|d\n" * 50) == AB * 50
    for bad in (b"x|y", b"\xc3", b"\0"):
        with pytest.raises(FormatError, match="line 100:"):
            read(tmp_path, "é|r|b\n".encode() * 99 + bad)


def test_a_gigantic_line_is_refused_before_it_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST_LINE", 100)
    monkeypatch.setattr(reading, "_CHUNK", 50)
    with pytest.raises(FormatError, match="line 2: it is longer than 100 bytes"):
        read(tmp_path, "a|r|b\n" + "x" * 1000)


def test_an_empty_file_has_no_triples(tmp_path: Path) -> None:
    assert read(tmp_path, "") == []


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"nowhere\.txt cannot be read"):
        graph_file(tmp_path / "nowhere.txt")
    with pytest.raises(FormatError, match="is a folder"):
        graph_file(tmp_path)


def test_the_digest_is_of_content_and_format(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a|r|b")
    (tmp_path / "b").write_text("a|r|b")
    (tmp_path / "c").write_text("a|r|c")
    digests = [graph_file(tmp_path / name).digest for name in "abc"]
    assert digests[0] == digests[1] != digests[2]
    assert graph_file(tmp_path / "a", format=GraphFormat.TSV).digest != digests[0]


class TestRdf:
    @pytest.fixture(autouse=True)
    def _package(self) -> None:
        pytest.importorskip("pyoxigraph")

    def test_ntriples(self, tmp_path: Path) -> None:
        text = (
            '<http://e/a> <http://e/r> <http://e/b> .\n# a comment\n<http://e/a> <http://e/age> "4"^^<http://e/years> .\n'
            '<http://e/a> <http://e/says> "h\\u00EB\\n\\"x\\""@en .\n'
        )
        for name in ("kb.nt", "kb.txt"):
            assert read(tmp_path, text, name) == [
                Triple("http://e/a", "http://e/r", "http://e/b"),
                Triple("http://e/a", "http://e/age", '"4"^^<http://e/years>'),
                Kinded('"4"^^<http://e/years>', "literal"),
                Triple("http://e/a", "http://e/says", '"hë\\n\\"x\\""@en'),
                Kinded('"hë\\n\\"x\\""@en', "literal"),
            ]

    def test_names_are_no_relations(self, tmp_path: Path) -> None:
        text = """\ufeff@prefix e: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
            @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
            e:a rdfs:label "A", "Ah"@en-GB, "Ä"@de ; skos:altLabel "Alpha"@en ; rdfs:label "  " ."""
        assert read(tmp_path, text) == [
            Name("http://e/a", "A"),
            Name("http://e/a", "Ah"),
            Name("http://e/a", "Ä", foreign=True),
            Name("http://e/a", "Alpha", label=False),
        ]

    def test_blank_nodes_are_the_same_each_time_and_others_in_each_file(self, tmp_path: Path) -> None:
        text = "@prefix e: <http://e/> . e:a e:r [ e:s e:b ] , _:x . _:x e:s e:c ."
        first, again = read(tmp_path, text, "one.ttl"), read(tmp_path, text, "one.ttl")
        other = read(tmp_path, text + " ", "two.ttl")
        assert first == again
        assert ArrayGraph([*first, *other]).size().entities == 3 + 2 * 2
        graph = ArrayGraph(first)
        node = graph.named("http://e/a")[:1] if graph.node("http://e/a") is None else graph.named("a")
        assert set(graph.kinds(graph.edges(node, Hop("http://e/r"))[1])) == {"mediator"}

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("<http://e/a> <http://e/r> <http://e/b> .\n<http://e/a> <http://e/r> .\n", "kb.nt, line 2: .*object"),
            ("<http://e/a> <http://e/r> <http://e/b> .\n<a> <b> <c> .\n", "kb.nt, line 2: "),
            (b'<http://e/a> <http://e/r> "\xff" .', "kb.nt, line 1: .*UTF-8"),
            ('<http://e/a> <http://e/r> "\\u0000" .', "kb.nt, statement 1: a NUL"),
        ],
    )
    def test_what_is_malformed_is_told_with_its_line(self, tmp_path: Path, text: str | bytes, problem: str) -> None:
        with pytest.raises(FormatError, match=problem):
            read(tmp_path, text, "kb.nt")


def test_rdf_without_its_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyoxigraph", None)
    with pytest.raises(FormatError, match=r"goalmem\[rdf\]"):
        read(tmp_path, "<http://e/a> <http://e/r> <http://e/b> .", "kb.nt")
