"""Files are cut at their own seams, each piece with where it stands, and what cannot be read is refused with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import FormatError, InputError
from goalmem.io.documents import DocumentFile, messages_of, open_document
from goalmem.io.documents.html_blocks import html_blocks
from goalmem.io.documents.mail_parts import mail_blocks
from goalmem.io.documents.pieces import LONGEST_PIECE, LONGEST_SENTENCE, Document, TextBlock, paragraphs, pieces_of

from .made import HANDBOOK, MAIL, NOTES, PAGE, pdf_of

MEGABYTE = 2**20


def opened(folder: Path, name: str, content: bytes, **options: str) -> DocumentFile:
    path = folder / name
    path.write_bytes(content)
    found = open_document(path, longest=MEGABYTE, **options)
    assert found is not None
    return found


def read(folder: Path, name: str, content: bytes, **options: str) -> list[dict]:
    file = opened(folder, name, content, **options)
    return [message for document in file.documents() for message in messages_of(document, file.name, {})]


def told(messages: list[dict]) -> list[tuple[str, str]]:
    return [(message["name"], message["content"]) for message in messages]


def where(messages: list[dict]) -> list[tuple[object, object]]:
    return [(message["metadata"].get("page"), message["metadata"].get("heading")) for message in messages]


def test_a_pdf_is_cut_at_pages_bookmarks_and_paragraphs(tmp_path: Path):
    pytest.importorskip("pypdf")
    pieces = read(tmp_path, "handbook.pdf", HANDBOOK)
    assert [text for _, text in told(pieces)] == [
        "Handbook of Fjordlys",
        "Opening hours\nThe office in Bergen opens at eight and closes at five. Those who work at home write down their hours "
        "by Friday. A phenomenal lunch is served from noon.",
        "Bring your badge.",
        "Sign in at the desk.",
        "Parental leave\nParental leave lasts 20 weeks. Ingrid Solheim approves it.",
    ]
    assert where(pieces) == [(1, None), *[(1, "Opening hours")] * 3, (2, "Parental leave")]
    assert {name for name, _ in told(pieces)} == {"document"}
    assert {message["metadata"]["source"] for message in pieces} == {"handbook.pdf"}


def test_an_email_keeps_what_its_sender_wrote_apart_from_quotes_and_signature(tmp_path: Path):
    assert told(read(tmp_path, "dinner.eml", MAIL)) == [
        ("Ilse Maier", "Hi Bob,"),
        ("Ilse Maier", "I moved to Oslo in March. You asked\nwhat I will bring: a lemon tart."),
        ("document", "Ilse Maier\nHead of Operations"),
        (
            "document",
            "On Sun, 5 May 2024 at 18:00, Bob Smith <bob@example.org> wrote:\nI own a red scooter.\nI keep bees.",
        ),
    ]


def test_a_page_is_read_as_it_is_seen(tmp_path: Path):
    assert told(read(tmp_path, "page.html", PAGE)) == [
        ("Nora Vik", "Lighthouses\nThe lighthouse on Utsira was built in 1844."),
        ("Nora Vik", "I painted it & its door."),
        ("Nora Vik", "Year | Keeper\n1900 | Olav Berg\n1920 | Kari Lund"),
        ("document", "I hate the sea."),
        ("Nora Vik", "Visits\nYou may bring:\na coat\na lamp"),
    ]


def test_markdown_is_read_without_its_marks(tmp_path: Path):
    pieces = read(tmp_path, "notes.md", NOTES)
    assert told(pieces) == [
        ("Ana Lima", "Boats\nThe Stella leaves from pier four."),
        ("Ana Lima", "Crew\nTomas is the captain."),
        ("Ana Lima", "Rosa cooks."),
        ("document", "I get seasick."),
        ("Ana Lima", "boat | length\nStella | 12 m"),
        ("Ana Lima", "launch --now"),
    ]
    assert where(pieces)[1:] == [(None, "Boats › Crew")] * 5


def test_wrapped_lines_are_one_sentence_and_short_lines_stay(tmp_path: Path):
    text = b"Ilse Maier\n12 Harbour Street\n\nThe ferry that leaves from the fourth pier in the morning stops\nat Utsira.\n\n1. Bread\n2. Milk\n"
    assert [text for _, text in told(read(tmp_path, "letter.txt", text))] == [
        "Ilse Maier\n12 Harbour Street",
        "The ferry that leaves from the fourth pier in the morning stops at Utsira.",
        "Bread",
        "Milk",
    ]


def test_a_mailbox_is_one_session_for_each_email(tmp_path: Path):
    other = MAIL.replace(b"one@", b"two@").replace(b"Ilse Maier <", b"Rosa <")
    from_line = b"From ilse@example.org Mon May  6 10:00:00 2024\n"
    file = opened(tmp_path, "all.mbox", from_line + MAIL + b"\n" + from_line + other + b"\n" + from_line + MAIL)
    documents = [(d.author, d.session, len(list(pieces_of(d)))) for d in file.documents()]
    assert [(author, pieces) for author, _, pieces in documents] == [("Ilse Maier", 4), ("Rosa", 4)]
    assert len({session for _, session, _ in documents}) == 2
    assert file.passed_over == {"repeated": 1}


def test_a_line_of_an_email_that_begins_with_from_parts_no_mailbox(tmp_path: Path):
    body = b"Look:\n\nFrom the first day on I liked it.\n\n>From Rosa with love, 2024.\n"
    mail = b"From - Mon May 06 10:00:00 +0200 2024\nFrom: a@example.org\nSubject: x\n\n" + body
    (document,) = opened(tmp_path, "all.mbox", mail).documents()
    assert [piece.text for piece in pieces_of(document)] == [
        "Look:\nFrom the first day on I liked it.",
        "From Rosa with love, 2024.",
    ]


def test_attachments_that_hold_no_text_are_counted(tmp_path: Path):
    mail = (
        b"From: Ilse <i@example.org>\nDate: Mon, 06 May 2024 10:00:00 +0200\nMIME-Version: 1.0\n"
        b'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\nLook!\n'
        b'--b\nContent-Type: image/png\nContent-Disposition: attachment; filename="a.png"\nContent-Transfer-Encoding: base64\n\nAAAA\n'
        b'--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename="list.txt"\n\nI own a boat.\n--b--\n'
    )
    file = opened(tmp_path, "m.eml", mail)
    (document,) = file.documents()
    pieces = [(p.text, p.heading, p.authored) for p in pieces_of(document)]
    assert pieces == [("Look!", "", True), ("list.txt", "list.txt", True), ("I own a boat.", "list.txt", False)]
    assert file.passed_over == {"image/png": 1}


HEADER = (
    "From: Bob <bob@example.org>\nSent: Sunday, May 5, 2024 6:00 PM\nTo: Ilse\nSubject: Dinner\n\nI own a red scooter."
)
FORWARDS = {
    "a program's rule and header": f"I agree.\n\n________________________________\n{HEADER}",
    "a header in another language": "I agree.\n\nVon: Bob <bob@example.org>\nGesendet: Sonntag, 5. Mai 2024\nAn: Ilse\n\nI own a red scooter.",
    "a forwarded message": f"I agree.\n\n---------- Forwarded message ---------\n{HEADER}",
    "quoted lines": "I agree.\n\nOn Sunday Bob wrote:\n> I own a red scooter.",
    "quoted lines below a wrapped introduction": "I agree.\n\nOn Sun, 5 May 2024 at 18:00, Bob Smith <bob.smith@example.org>\nwrote:\n> I own a red scooter.",
    "quoted lines above": "> I own a red scooter.\n\nI agree.",
}


@pytest.mark.parametrize("text", FORWARDS.values(), ids=FORWARDS)
def test_words_of_others_in_an_email_are_not_its_senders(text: str):
    blocks = [(block.kind, block.text) for block in mail_blocks(text.splitlines())]
    assert [words for kind, words in blocks if kind not in ("quote", "signature")] == ["I agree."]
    assert any(kind == "quote" and "scooter" in words for kind, words in blocks)


LATIN = '<html><meta charset="{}"><p>Caf\xe9</html>'
KINDS = [
    ("a.txt", b"Some words.\n\nMore of them.", "text"),
    ("a.md", b"Some words.", "markdown"),
    ("a", b"<!-- x --><html><p>Hello", "html"),
    ("a", b"%PDF-1.7\n", "pdf"),
    ("a", b"Received: from x\nFrom: a@example.org\nDate: Mon, 6 May 2024 10:00:00 +0000\n\nHello", "email"),
    ("a", b"From a@example.org Mon May  6 10:00:00 2024\nSubject: x\n\nHello", "mbox"),
    ("a.eml", b"From a@example.org Mon May  6 10:00:00 2024\nSubject: x\n\nHello", "email"),
    ("a.txt", b"Maya: Hi!\nTom: Hello.", None),
    ("a.md", b"# 1 May 2024\nMaya: Hi!", None),
    ("a.md", b"# 1 May 2024\nWe sailed to Utsira.", "markdown"),
    ("a.txt", b'[{"role": "user", "content": "Hi!"}]', None),
    ("a.jsonl", b'{"role": "user", "content": "Hi!"}', None),
]


@pytest.mark.parametrize(("name", "content", "kind"), KINDS)
def test_the_kind_is_told_by_name_and_content(tmp_path: Path, name: str, content: bytes, kind: str | None):
    (tmp_path / name).write_bytes(content)
    found = open_document(tmp_path / name, longest=MEGABYTE)
    assert (found.kind if found else None) == kind


BAD = [
    ("a.pdf", b"", "empty"),
    ("a.txt", b" \n ", "empty"),
    ("a.pdf", b"Not a PDF at all.", "named as a PDF"),
    ("a.txt", b"%PDF-1.4\n", "holds PDF"),
    ("a.html", b"From: a@example.org\nDate: Mon, 6 May 2024 10:00:00 +0000\n\nHello", "holds an e-mail"),
    ("a.txt", b"a\x00b" * 50, "no text"),
    ("a.txt", b"\x89PNG\r\n", "a picture"),
    ("a.txt", b"caf\xe9 au lait", "not valid UTF-8"),
    ("a.html", LATIN.format("utf-8").encode("latin-1"), "no text in utf-8"),
    ("a.html", b"<html><script>1</script></html>", "no text"),
    ("a.eml", b"just some words", "not an e-mail"),
    ("a.eml", b"From: a@example.org\nContent-Type: application/pkcs7-mime\n\nAAAA", "encrypted"),
    ("a.txt", b"word " * MEGABYTE, "limit"),
    ("missing/a.txt", None, "cannot be read"),
]


@pytest.mark.parametrize(("name", "content", "said"), BAD)
def test_what_cannot_be_read_is_refused_with_its_reason(tmp_path: Path, name: str, content: bytes | None, said: str):
    from goalmem.io.documents.addition import DocumentOptions, portions

    if content is not None:
        (tmp_path / name).write_bytes(content)

    def read_through() -> None:
        found = open_document(tmp_path / name, longest=MEGABYTE)
        assert found is not None
        list(portions(found, DocumentOptions()))

    with pytest.raises(FormatError, match=said) as refused:
        read_through()
    assert Path(name).name in str(refused.value)
    assert refused.value.remedy


def test_damaged_and_locked_pdfs_are_refused(tmp_path: Path):
    pypdf = pytest.importorskip("pypdf")
    for damaged in (HANDBOOK[:400], b"%PDF-1.4\nnonsense"):
        with pytest.raises(FormatError, match="damaged"):
            read(tmp_path, "a.pdf", damaged)
    with pytest.raises(FormatError, match="no text on its 1 pages"):
        read(tmp_path, "a.pdf", pdf_of([[]]))
    writer = pypdf.PdfWriter(clone_from=tmp_path / "a.pdf")
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(tmp_path / "locked.pdf")
    with pytest.raises(FormatError, match="encrypted"):
        read(tmp_path, "locked.pdf", (tmp_path / "locked.pdf").read_bytes())


def test_without_the_extra_the_error_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import sys

    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(InputError, match=r"goalmem\[files\]"):
        read(tmp_path, "a.pdf", HANDBOOK)


def test_a_page_may_be_of_another_encoding(tmp_path: Path):
    (piece,) = read(tmp_path, "a.html", LATIN.format("iso-8859-1").encode("latin-1"))
    assert piece["content"] == "Café"


texts = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("\n\n. -*1>:|"), max_size=400)


@given(texts)
def test_no_word_of_plain_text_is_lost(text: str):
    lines = text.splitlines()
    pieces = list(pieces_of(Document(paragraphs(lines))))
    kept = "".join(piece.text for piece in pieces)
    marks = set(" \t-*+•‣▪◦–.)(0123456789abcdefghijklmnopqrstuvwxyz")
    assert [c for c in kept if not c.isspace() and c not in marks] == [
        c for c in text if not c.isspace() and c not in marks
    ]


blocks = st.lists(
    st.builds(
        TextBlock,
        st.sampled_from(["heading", "paragraph", "item", "table", "code", "quote", "signature"]),
        st.text("ab. :\n", min_size=1, max_size=9).map(lambda text: text * 300)
        | st.text("ab. :\n", min_size=1, max_size=40),
        st.integers(1, 4),
    ),
    max_size=8,
)


@given(blocks, st.sampled_from(["", "Ana"]))
def test_pieces_keep_all_words_in_order_and_are_short(blocks: list[TextBlock], author: str):
    pieces = list(pieces_of(Document(blocks, author)))
    rows = any(block.kind == "table" for block in blocks)
    if not rows:  # a table repeats its heads
        kept, given_ = ("".join("".join(x.text for x in y).split()) for y in (pieces, blocks))
        assert kept == given_
        assert all(len(piece.text) <= LONGEST_SENTENCE + LONGEST_PIECE for piece in pieces)


@given(blocks)
def test_every_piece_has_an_id_of_its_own_that_lasts(blocks: list[TextBlock]):
    first, again = (list(messages_of(Document(blocks), "a", {})) for _ in range(2))
    ids = [message["id"] for message in first]
    assert len(ids) == len(set(ids))
    assert ids == [message["id"] for message in again]


@given(st.text("<>/=!-\"' \nabdehilprtuv&;", max_size=200))
def test_any_text_is_read_as_html(text: str):
    assert all(block.text.strip() for block in html_blocks(text))


@given(st.lists(st.text("> -:abO@1n\t", max_size=20), max_size=12))
def test_any_lines_are_read_as_an_email(lines: list[str]):
    kept = sum(c.isalpha() for block in mail_blocks(lines) for c in block.text)
    assert kept <= sum(c.isalpha() for line in lines for c in line)
