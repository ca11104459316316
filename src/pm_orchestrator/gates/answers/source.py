"""Source text as tokens, and the values that are written out in it, in whatever language.

As much of a language is known as its languages have in common: strings, numbers, names and
brackets. A text that is none of them yields tokens all the same, and nothing is ever run.
"""

import re
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.domain.late_pattern import LatePattern

HASHED = frozenset({".py", ".pyi", ".sh", ".bash", ".zsh", ".rb", ".pl", ".ex", ".exs", ""})
SHELL = frozenset({".sh", ".bash", ".zsh", ".bats", ""})
REST = (
    r"|(?P<string>[rRbBuUfF]{0,2}(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''"
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`))"
    r"|(?P<number>0[xX][0-9a-fA-F]+|(?:\d[\d_]*)(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d][\w$]*|\$[\w$]+)"
    r"|(?P<line>\n)|(?P<sign>===|!==|==|!=|=>|->|<=|>=|&&|\|\||\?\?|:=|\*\*|[^\s\w])"
)
HASH_TOKENS = LatePattern(rf"(?P<none>(?<![\w$])#[^\n]*|\\\n){REST}")
SLASH_TOKENS = LatePattern(rf"(?P<none>//[^\n]*|/\*[\s\S]*?\*/){REST}")
ESCAPED = LatePattern(r"\\(.)", re.DOTALL)
PREFIX = LatePattern(r"^[rRbBuU]{0,2}(\"\"\"|'''|\"|'|`)")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
NAMED = {
    **dict.fromkeys(("True", "true", "TRUE"), "b:1"),
    **dict.fromkeys(("False", "false", "FALSE"), "b:0"),
    **dict.fromkeys(("None", "null", "nil", "undefined", "NULL"), "z:"),
}
YES_OR_NO = frozenset({"b:1", "b:0"})
OPENS = {"(": ")", "[": "]", "{": "}"}
CLOSES = frozenset(OPENS.values())


class Token(msgspec.Struct, frozen=True):
    """One word of a source text."""

    kind: str
    """`string`, `number`, `name`, `sign` or `line`."""
    text: str
    line: int
    column: int


class Written(msgspec.Struct, frozen=True):
    """A value that is written out, and where it ends."""

    value: str
    """The same for the same value, however it is written: `s:abc`, `n:5`, `b:1`, `g:[…]`."""
    end: int
    """The place of the first token behind it."""
    parts: frozenset[str]
    """The values in it; of a single one itself."""


def tokens_of(path: str, text: str) -> list[Token]:
    """All of them, comments left out."""
    hashed = PurePosixPath(path).suffix in HASHED
    found: list[Token] = []
    line, start = 1, 0
    for match in (HASH_TOKENS if hashed else SLASH_TOKENS).finditer(text):
        kind, word = match.lastgroup or "", match[0]
        if kind != "none":
            found.append(Token(kind, word, line, match.start() - start))
        if "\n" in word:
            line += word.count("\n")
            start = match.start() + word.rindex("\n") + 1
    return found


def written_at(tokens: list[Token], at: int) -> Written | None:
    """The value that begins there; None where something is computed."""
    if not 0 <= at < len(tokens):
        return None
    token = tokens[at]
    if token.text in OPENS:
        return _group(tokens, at)
    value, end = _value_of(token), at + 1
    if token.text == "-" and at + 1 < len(tokens) and tokens[at + 1].kind == "number":
        number = _number(tokens[at + 1].text)
        value, end = (None if _is_operand(tokens, at - 1) else f"n:-{number}"), at + 2
    return None if value is None else Written(value, end, frozenset({value}))


def _value_of(token: Token) -> str | None:
    """What one word stands for, if it is a value."""
    if token.kind == "number":
        return f"n:{_number(token.text)}"
    if token.kind == "string":
        text = string_value(token.text)
        return None if text is None else f"s:{text}"
    return NAMED.get(token.text) if token.kind == "name" else None


def string_value(text: str) -> str | None:
    """What a string holds; None where something is put into it."""
    opening = PREFIX.match(text)
    if opening is None or (opening[1] == "`" and "${" in text):
        return None
    quote = opening[1]
    return ESCAPED.sub(
        lambda found: ESCAPES.get(found[1], found[1]), text[opening.end() : -len(quote)]
    )


def _group(tokens: list[Token], at: int) -> Written | None:
    """A list, tuple or mapping in which everything is written out."""
    closing, said, parts, commas = OPENS[tokens[at].text], list[str](), frozenset[str](), 0
    last, place = "", at + 1
    while place < len(tokens):
        token = tokens[place]
        if token.kind == "line":
            place += 1
        elif token.text == closing:
            if tokens[at].text == "(" and not commas and len(said) == 1:
                return Written(last, place + 1, parts)
            return Written(f"g:[{','.join(said)}]", place + 1, parts)
        elif token.text in {",", ":"}:
            commas, place = commas + 1, place + 1
        elif token.kind == "name" and _follows(tokens, place, ":"):
            said.append(f"s:{token.text}")
            place += 1
        else:
            inner = written_at(tokens, place)
            if inner is None:
                return None
            last = inner.value
            said.append(last)
            parts |= inner.parts
            place = inner.end
    return None


def closed_at(tokens: list[Token], at: int) -> int:
    """Where the bracket that opens there is closed; the end of the text where it is not."""
    depth = 0
    for place in range(at, len(tokens)):
        if tokens[place].kind == "sign":
            depth += (tokens[place].text in OPENS) - (tokens[place].text in CLOSES)
            if depth <= 0:
                return place
    return len(tokens)


def _follows(tokens: list[Token], at: int, text: str) -> bool:
    return at + 1 < len(tokens) and tokens[at + 1].text == text


def _is_operand(tokens: list[Token], at: int) -> bool:
    if at < 0:
        return False
    token = tokens[at]
    known = token.kind in {"number", "string"} or token.text in CLOSES
    return known or (token.kind == "name" and token.text not in {"return", "case", "yield", "in"})


def _number(text: str) -> str:
    bare = text.replace("_", "")
    try:
        return f"{float(int(bare, 16) if bare[:2] in {'0x', '0X'} else bare):.12g}"
    except (ValueError, OverflowError):
        return bare
