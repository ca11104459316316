"""Tables of questions and answers, as they are written in code."""

from collections.abc import Iterator

import msgspec

from pm_orchestrator.gates.answers.functions import Source
from pm_orchestrator.gates.answers.source import OPENS, Token, closed_at, written_at

SOMETHING = frozenset({"c:"})
"""A question that is computed."""
LOOKS_UP = frozenset({"get", "has", "getOrDefault", "get_or_insert", "pop", "setdefault"})
MODIFIERS = frozenset(
    {"const", "let", "var", "export", "static", "final", "private", "public", "readonly", "this"}
    | {"self", "protected", "pub", "default", "val"}
)


class HeldAnswer(msgspec.Struct, frozen=True):
    """One question with its answer, as product code has them."""

    asked: frozenset[str]
    answer: str | None
    """None where it is computed."""
    line: int


def tables_in(source: Source) -> dict[str, list[HeldAnswer]]:
    """The tables of a file, by name."""
    tokens, found = source.tokens, dict[str, list[HeldAnswer]]()
    for place, token in enumerate(tokens):
        if token.text != "=" or token.kind != "sign":
            continue
        at = place + 1
        # `new Map(…)`, `Object.freeze(…)`, `dict(…)`
        while at < len(tokens) and (tokens[at].kind == "name" or tokens[at].text in {".", "("}):
            at += 1
        if at < len(tokens) and tokens[at].text in {"{", "["}:
            entries = list(_table(tokens, at))
            name = _first_name(tokens, place)
            if entries and name:
                found.setdefault(name, []).extend(entries)
    return found


def tables_inside(body: list[Token]) -> Iterator[HeldAnswer]:
    """A table in the very place where it is looked up."""
    for place, token in enumerate(body):
        if token.kind != "sign" or token.text not in {"{", "["}:
            continue
        closed = closed_at(body, place)
        behind = closed + 1
        while behind < len(body) and body[behind].text == ")":
            behind += 1
        if behind + 1 < len(body) and (
            body[behind].text == "["
            or (body[behind].text == "." and body[behind + 1].text in LOOKS_UP)
        ):
            yield from _table(body, place)


def _table(tokens: list[Token], at: int) -> Iterator[HeldAnswer]:
    """Keys with their values, or rows of two."""
    end, place = closed_at(tokens, at), at + 1
    while place < end:
        token = tokens[place]
        if token.kind == "line" or token.text == ",":
            place += 1
            continue
        if tokens[at].text == "[":
            row = _row(tokens, place)
            if row is None:
                return
            yield row
            place = closed_at(tokens, place) + 1
            continue
        key = written_at(tokens, place)
        bare = token.kind == "name" and tokens[place + 1].text == ":"
        asked = frozenset({f"s:{token.text}"}) if bare else key.parts if key else frozenset[str]()
        colon = place + 1 if bare or key is None else key.end
        while colon < end and tokens[colon].text not in {":", ","}:
            colon = closed_at(tokens, colon) + 1 if tokens[colon].text in OPENS else colon + 1
        if colon >= end or tokens[colon].text == ",":
            return
        value = written_at(tokens, colon + 1)
        place = _next(tokens, colon + 1, end)
        whole = value is not None and value.end >= place
        answer = value.value if value and whole else None
        yield HeldAnswer(asked or SOMETHING, answer, token.line)


def _row(tokens: list[Token], at: int) -> HeldAnswer | None:
    if tokens[at].text not in {"[", "("}:
        return None
    key = written_at(tokens, at + 1)
    if key is None or tokens[key.end].text != ",":
        return None
    value = written_at(tokens, key.end + 1)
    closed = closed_at(tokens, at)
    whole = value is not None and value.end == closed
    return HeldAnswer(key.parts, value.value if value and whole else None, tokens[at].line)


def _next(tokens: list[Token], at: int, end: int) -> int:
    """Where the value ends that begins there."""
    while at < end and tokens[at].text != ",":
        at = closed_at(tokens, at) + 1 if tokens[at].text in OPENS else at + 1
        if at < end and tokens[at].kind == "line":
            break
    return at


def is_looked_up(body: list[Token], name: str) -> bool:
    """Whether a function asks a table for one value; who goes through it does not."""
    for place, token in enumerate(body):
        if token.kind != "name" or token.text != name or place + 1 >= len(body):
            continue
        behind = body[place + 1].text
        if behind == "[" or (behind == "." and body[place + 2].text in LOOKS_UP):
            return True
    return False


def _first_name(tokens: list[Token], at: int) -> str:
    """What is assigned to by the `=` there."""
    begin = at
    while begin > 0 and tokens[begin - 1].text not in {"\n", ";", "{"}:
        begin -= 1
    names = (t.text for t in tokens[begin:at] if t.kind == "name" and t.text not in MODIFIERS)
    return next(names, "")
