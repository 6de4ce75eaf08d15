"""How people write what something is without a sentence: `deadline: 3 May`, `port = 8080`, `- rent → 950`."""

from __future__ import annotations

import re

__all__ = ["ASIDE", "LABELLED", "NO_LABELS"]

LABELLED = re.compile(
    r"^[ \t]*(?:[-*•‣·]|\d{1,2}[.)]|\|)?[ \t]*(?:\*\*|__|`)?(?P<label>[^\W\d_][\w'’ ./#-]{0,38}?)(?:\*\*|__|`)?[ \t]*"
    r"(?::(?!//)(?:\*\*)?|={1,2}(?!=)|->|=>|→|\|)[ \t]*(?:\*\*|__|`|[\"“])?(?P<value>[^\n|:=?]{1,60}?)(?:\*\*|__|`|[\"”])?[ \t]*\|?[ \t]*$",
    re.MULTILINE,
)
"""A line that is a label and a value: a key of a file, an item of a list, a row of a table of two columns."""
NO_LABELS = frozenset(
    "note notes ps p.s nb n.b fyi tldr tl;dr edit update re fw fwd subject from to cc bcc hi hello dear q a question answer example e.g i.e idea option"
    " options plan warning error info debug todo reminder quote me you he she they we i that this it so and but then or also".split()
)
"""Words before a colon that open a message, and name nothing that has a value."""
ASIDE = re.compile(
    r"\b(?:options?|draft|example|e\.g|such as|suppos\w*|propos\w*|suggest\w*|idea|maybe|perhaps|old|previous|former|was|were|instead of|if|would|could|might"
    r"|should|template|placeholder|dummy|hypothetical\w*|competitor\w*|quoted?|tbd|tba|unknown|not)\b|[?>]",
    re.IGNORECASE,
)
"""Words in the lines before or in a value by which it is only considered, or was so."""
