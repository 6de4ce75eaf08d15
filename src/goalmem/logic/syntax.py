r"""Write atoms and rules as text, and parse them. Parsing and printing are inverse.

    rule      = atom [" if " atom {" and " atom}]      a negated head states what is not so
    atom      = ["not "] (sentence | "[" sentence "]")
    sentence  = {text | variable}
    variable  = "(" name ":" type ")"

Ordinary sentences are written as they are. `\(` is a parenthesis that opens no variable; in general `\` escapes one of `( ) [ ] \`, and
before anything else it is just a backslash. A sentence that would otherwise be misread (it contains `and` inside a rule, begins with `not`,
or has spaces around it) is put in square brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from goalmem.errors import LogicSyntaxError
from goalmem.logic.terms import Atom, Rule, Variable

_NAME = r"[^\W\d]\w*(?:~\d+)?"
_SPECIAL = "()[]\\"
_VARIABLE_OPENS = re.compile(rf"\(\s*({_NAME})\s*:")
_VARIABLE = re.compile(rf"\(\s*({_NAME})\s*:((?:\\.|[^\\)])*)\)", re.DOTALL)
_TOKEN = re.compile(rf"\\([()\[\]\\])|{_VARIABLE.pattern}|({_VARIABLE_OPENS.pattern})", re.DOTALL)
_ESCAPED = re.compile(r"\\([()\[\]\\])")
_NOT = re.compile(r"not\s+(?=\S)")
_BRACKETED = re.compile(r"\[((?:\\.|[^\\\]])*)\]", re.DOTALL)
_JOINT = re.compile(r"\s+(if|and)(?=\s)")
_WORD_JOINT = re.compile(r"(?:^|\s)(?:if|and)(?:\s|$)")


def parse_atom(text: str) -> Atom:
    """Parse one atom; surrounding space is ignored. Raises LogicSyntaxError."""
    return _read_atom(text, 0)


def format_atom(atom: Atom) -> str:
    """Format an atom so that `parse_atom` returns its canonical form. Raises LogicSyntaxError for a bad variable."""
    atom = canonical(atom)
    plain = ("not " if atom.negated else "") + _render(atom.parts, bracketed=False)
    try:
        misread = parse_atom(plain) != atom
    except LogicSyntaxError:
        misread = True
    return _bracketed(atom) if misread else plain


def parse_rule(text: str) -> Rule:
    """Parse `head`, or `head if body and body …`. Raises LogicSyntaxError."""
    atoms: list[Atom] = []
    for joint, start, end in _segments(text):
        if joint == "if" and len(atoms) > 1:
            raise LogicSyntaxError(
                "A rule has more than one 'if'", start, "Put a sentence with 'if' in it in [brackets]."
            )
        if joint == "and" and len(atoms) == 1:
            raise LogicSyntaxError(
                "'and' stands before 'if'", start, "A rule has one head; bracket a head with 'and' in it."
            )
        atoms.append(_read_atom(text[start:end], start))
    rule = Rule(atoms[0], tuple(atoms[1:]))
    _one_type_each(v for a in atoms for v in a.variables)
    return rule


def format_rule(rule: Rule) -> str:
    """Format a rule so that `parse_rule` returns its canonical form. Raises LogicSyntaxError for a bad variable."""
    _one_type_each(v for a in (rule.head, *rule.body) for v in a.variables)
    head = _format_in_rule(rule.head)
    return f"{head} if {' and '.join(map(_format_in_rule, rule.body))}" if rule.body else head


def canonical(atom: Atom) -> Atom:
    """The same atom with adjacent texts joined, empty ones removed and types trimmed."""
    parts: list[str | Variable] = []
    for part in atom.parts:
        if isinstance(part, Variable):
            parts.append(Variable(part.name, part.type.strip()))
        elif part and parts and isinstance(parts[-1], str):
            parts[-1] += part
        elif part:
            parts.append(part)
    return Atom(tuple(parts), atom.negated)


def _read_atom(text: str, offset: int) -> Atom:
    body = text.strip()
    offset += len(text) - len(text.lstrip())
    negated = False
    if (no := _NOT.match(body)) is not None:
        negated, body, offset = True, body[no.end() :], offset + no.end()
    if (bracketed := _BRACKETED.fullmatch(body)) is not None:
        return Atom(tuple(_read_parts(bracketed[1], offset + 1)), negated)
    if not body:
        raise LogicSyntaxError("A sentence is missing", offset, "Write what is to be proved, e.g. 'Maya has (x:dog)'.")
    return Atom(tuple(_read_parts(body, offset)), negated)


def _read_parts(text: str, offset: int) -> list[str | Variable]:
    parts: list[str | Variable] = []
    literal, at = "", 0
    for token in _TOKEN.finditer(text):
        literal += text[at : token.start()]
        at = token.end()
        if token[1] is not None:
            literal += token[1]
        elif token[2] is not None:
            parts += (
                [literal, _variable(token[2], token[3], offset + token.start())]
                if literal
                else [_variable(token[2], token[3], offset + token.start())]
            )
            literal = ""
        else:
            where = offset + token.start()
            raise LogicSyntaxError(
                f"The variable {token[0]!r} is not closed", where, r"Close it with ')' or write '\('."
            )
    literal += text[at:]
    if literal:
        parts.append(literal)
    _one_type_each((p for p in parts if isinstance(p, Variable)), offset)
    return parts


def _variable(name: str, raw_type: str, position: int) -> Variable:
    kind = _ESCAPED.sub(r"\1", raw_type).strip()
    if not kind:
        raise LogicSyntaxError(f"The variable ({name}:) has no type", position, "Name one, e.g. '(x:thing)'.")
    return Variable(name, kind)


def _one_type_each(variables: Iterable[Variable], position: int = 0) -> None:
    types: dict[str, str] = {}
    for v in variables:
        if types.setdefault(v.name, v.type.strip()) != v.type.strip():
            problem = f"The variable {v.name} is a {types[v.name]!r} and a {v.type!r}"
            raise LogicSyntaxError(problem, position, "Give one variable one type, or use two names.")


def _render(parts: tuple[str | Variable, ...], *, bracketed: bool) -> str:
    out = []
    for part in parts:
        if isinstance(part, Variable):
            if re.fullmatch(_NAME, part.name) is None or not part.type:
                raise LogicSyntaxError(
                    f"({part.name}:{part.type}) is no variable", 0, "Use a word as name and name a type."
                )
            out.append(f"({part.name}:{_escape(part.type, ')' + ']' * bracketed)})")
        else:
            out.append(_escape(part, "]" * bracketed, variables=True))
    return "".join(out)


def _escape(text: str, marks: str, *, variables: bool = False) -> str:
    """Put a backslash before `marks`, before text that would open a variable, and before backslashes that would escape."""
    out = []
    for i, c in enumerate(text):
        ends_or_escapes = c == "\\" and (i + 1 == len(text) or text[i + 1] in _SPECIAL)
        opens = variables and c == "(" and _VARIABLE_OPENS.match(text, i) is not None
        # A parenthesis at the end of a text could open a variable with what follows it only if that were text,
        # and canonical atoms have no two texts in a row.
        out.append("\\" + c if ends_or_escapes or opens or c in marks else c)
    return "".join(out)


def _bracketed(atom: Atom) -> str:
    return f"{'not ' if atom.negated else ''}[{_render(atom.parts, bracketed=True)}]"


def _format_in_rule(atom: Atom) -> str:
    atom = canonical(atom)
    words = "".join(p if isinstance(p, str) else p.type for p in atom.parts)
    # An opening bracket could swallow the rest of the rule.
    return _bracketed(atom) if _WORD_JOINT.search(words) or words.startswith("[") else format_atom(atom)


def _segments(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield start and end of each atom of a rule, with the word that joins it to the previous one."""
    joint, start = "", 0
    at = _skip_bracket(text, 0)
    while at < len(text):
        variable = _VARIABLE.match(text, at)
        if text[at] == "\\":
            at += 2
        elif variable is not None:
            at = variable.end()
        elif (found := _JOINT.match(text, at)) is not None:
            yield joint, start, at
            joint, start = found[1], found.end()
            at = _skip_bracket(text, start)
        else:
            at += 1
    yield joint, start, len(text)


def _skip_bracket(text: str, at: int) -> int:
    """The end of the bracketed sentence that begins at `at`; it must end the atom. Without one, return `at`."""
    begins = re.compile(r"\s*(?:not\s+)?").match(text, at)
    inner = begins.end() if begins is not None else at
    bracket = _BRACKETED.match(text, inner)
    if bracket is not None and re.compile(r"\s*$|\s+(?:if|and)\s").match(text, bracket.end()):
        return bracket.end()
    return at
