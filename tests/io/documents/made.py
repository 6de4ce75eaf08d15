"""Small files of every kind, written byte by byte."""

from __future__ import annotations

from collections.abc import Sequence

ESCAPED = {ord(c): "\\" + c for c in "()\\"}


def pdf_of(pages: Sequence[Sequence[str]], bookmarks: Sequence[tuple[str, int]] = ()) -> bytes:
    """A PDF of lines of Helvetica, with bookmarks to pages (from 1)."""
    objects = [b"", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"]
    kids = []
    for lines in pages:
        shown = "".join(f"({line.translate(ESCAPED)}) Tj T*\n" for line in lines)
        content = f"BT /F1 11 Tf 14 TL 60 760 Td\n{shown}ET".encode("cp1252")
        kids.append(len(objects) + 1)
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            b"/Contents %d 0 R >>" % (len(objects) + 2),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        ]
    outline = len(objects) + 1
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R%s >>" % (b" /Outlines %d 0 R" % outline if bookmarks else b"")
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(b"%d 0 R" % kid for kid in kids))
    if bookmarks:
        last = outline + len(bookmarks)
        objects.append(b"<< /Type /Outlines /First %d 0 R /Last %d 0 R >>" % (outline + 1, last))
        for number, (title, page) in enumerate(bookmarks, outline + 1):
            following = b" /Next %d 0 R" % (number + 1) if number < last else b""
            target = (title.encode(), outline, kids[page - 1], following)
            objects.append(b"<< /Title (%s) /Parent %d 0 R /Dest [%d 0 R /Fit]%s >>" % target)
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    return written + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (count, table, count, len(written))
    )


HANDBOOK = pdf_of(
    [
        [
            "Handbook of Fjordlys",
            "Opening hours",
            "The office in Bergen opens at eight and closes at five. Those who",
            "work at home write down their hours by Friday. A phe-",
            "nomenal lunch is served from noon.",
            "- Bring your badge.",
            "- Sign in at the desk.",
        ],
        ["Parental leave", "Parental leave lasts 20 weeks. Ingrid Solheim approves it."],
    ],
    [("Opening hours", 1), ("Parental leave", 2)],
)

MAIL = b"""From: Ilse Maier <ilse@example.org>
To: Bob Smith <bob@example.org>
Subject: Re: Dinner
Date: Mon, 06 May 2024 10:00:00 +0200
Message-ID: <one@example.org>
Content-Type: text/plain; charset=utf-8

Hi Bob,

I moved to Oslo in March. You asked
what I will bring: a lemon tart.

--\x20
Ilse Maier
Head of Operations

On Sun, 5 May 2024 at 18:00, Bob Smith <bob@example.org> wrote:
> I own a red scooter.
> > I keep bees.
"""

PAGE = b"""<!DOCTYPE html><html><head><title>Not shown</title><meta charset="utf-8">
<meta name="author" content="Nora Vik"><meta name="date" content="2023-07-01"><style>p { color: red }</style></head>
<body><nav><ul><li>Home</li></ul></nav>
<h1>Lighthouses</h1><p>The lighthouse on Utsira was built in <b>18</b>44.
<p>I painted it &amp; its door.
<table><tr><th>Year<th>Keeper<tr><td>1900<td>Olav Berg<tr><td>1920<td>Kari Lund</table>
<blockquote>I hate the sea.</blockquote>
<p hidden>Secret</p><script>var secret = 1</script>
<h2>Visits</h2>You may bring:<ul><li>a coat</li><li>a lamp</li></ul></body></html>
"""

NOTES = b"""---
title: Notes
author: Ana Lima
date: 2024-02-03
---
# Boats

The *Stella* leaves from
[pier four](https://example.org).

## Crew

- Tomas is the captain.
- Rosa cooks.

> I get seasick.

| boat | length |
| --- | --- |
| Stella | 12 m |

```
launch --now
```
"""
