"""The functions of a source text: their names, parameters and bodies, in whatever language."""

from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.gates.answers.source import CLOSES, OPENS, Token, closed_at, tokens_of

NO_FUNCTIONS = frozenset(
    {"if", "for", "while", "switch", "catch", "with", "return", "elif", "match", "foreach", "until"}
    | {"synchronized", "using", "lock", "when", "do", "else", "new", "and", "or", "not", "in"}
)
ENDS = CLOSES | {";", ","}
OWN = frozenset({"self", "cls", "this"})
BETWEEN = frozenset({":", "->", ".", "<", ">", "[", "]", "|", "*", "&", "?"})
"""What may stand between parameters and body beside names: the type of what is given back."""
MOST_BETWEEN = 10


class Owner(msgspec.Struct, frozen=True):
    """A class, and where it stands."""

    name: str
    first: int
    last: int
    derived: bool
    """Whether it stands for another class, which may ask for what is in it."""


class CodeFunction(msgspec.Struct, frozen=True):
    """A function or method."""

    name: str
    owner: Owner | None
    parameters: tuple[str, ...]
    """Without the object that it belongs to."""
    body: tuple[Token, ...]
    line: int

    @property
    def place(self) -> tuple[str, str]:
        """What it is called, with its class."""
        return (self.owner.name if self.owner else "", self.name)


class Source(msgspec.Struct, frozen=True):
    """A file, read once."""

    path: str
    tokens: list[Token]
    functions: tuple[CodeFunction, ...]
    owners: tuple[Owner, ...]


def source_of(path: str, text: str) -> Source:
    """A file with everything that is found in it."""
    tokens = tokens_of(path, text)
    python = PurePosixPath(path).suffix in {".py", ".pyi"}
    owners = tuple(_owners(tokens, python=python))
    found = _indented(tokens, owners) if python else _braced(tokens, owners)
    return Source(path, tokens, tuple(found), owners)


def _owners(tokens: list[Token], *, python: bool) -> Iterator[Owner]:
    for place in range(len(tokens) - 2):
        if tokens[place].text != "class" or tokens[place + 1].kind != "name":
            continue
        opening, name = place + 2, tokens[place + 1].text
        if python:
            end = _end_of_block(tokens, place, opening)
            bases = tokens[opening + 1 : closed_at(tokens, opening)]
            named = [base.text for base in bases if base.kind == "name"]
            yield Owner(name, place, end, tokens[opening].text == "(" and named != ["object"])
        else:
            while opening < len(tokens) and tokens[opening].text not in {"{", ";"}:
                opening += 1
            head = {token.text for token in tokens[place:opening]}
            derived = bool(head & {"extends", "implements", ":"})
            yield Owner(name, place, closed_at(tokens, opening), derived)


def _indented(tokens: list[Token], owners: tuple[Owner, ...]) -> Iterator[CodeFunction]:
    for place in range(len(tokens) - 2):
        if tokens[place].text != "def" or tokens[place + 2].text != "(":
            continue
        closed = closed_at(tokens, place + 2)
        end = _end_of_block(tokens, place, closed)
        begin = closed
        while begin < end and tokens[begin].text != ":":
            begin += 1
        yield CodeFunction(
            tokens[place + 1].text,
            _owner_of(place, owners),
            _parameters(tokens[place + 3 : closed]),
            tuple(tokens[begin + 1 : end]),
            tokens[place].line,
        )


def _end_of_block(tokens: list[Token], opening: int, place: int) -> int:
    """Where the lines end that stand further to the right than the opening one."""
    depth, fresh, column = 0, False, tokens[opening].column
    for at in range(place, len(tokens)):
        token = tokens[at]
        if token.kind == "line":
            fresh = True
            continue
        if fresh and depth <= 0 and token.column <= column and at > place:
            return at
        fresh = False
        if token.kind == "sign":
            depth += (token.text in OPENS) - (token.text in CLOSES)
            depth = max(depth, 0)
    return len(tokens)


def _braced(tokens: list[Token], owners: tuple[Owner, ...]) -> Iterator[CodeFunction]:
    for place, token in enumerate(tokens):
        if token.text == "(" and token.kind == "sign" and place:
            closed = closed_at(tokens, place)
            name = _name_before(tokens, place)
            begin = _body_after(tokens, closed)
            if name and begin is not None:
                yield _braced_function(tokens, owners, name, place, closed, begin)
        elif token.text == "=>" and tokens[place - 1].kind == "name":
            name = _name_before(tokens, place - 1)
            if name and tokens[place - 2].text in {"=", ":", "async"}:
                yield _braced_function(tokens, owners, name, place - 2, place, place + 1)


def _braced_function(
    tokens: list[Token], owners: tuple[Owner, ...], name: str, first: int, closed: int, begin: int
) -> CodeFunction:
    if tokens[begin].text == "{":
        body = tokens[begin + 1 : closed_at(tokens, begin)]
    else:
        body = tokens[begin : _end_of_expression(tokens, begin)]
        body.insert(0, Token("name", "return", tokens[begin].line, tokens[begin].column))
    parameters = _parameters(tokens[first + 1 : closed])
    return CodeFunction(name, _owner_of(first, owners), parameters, tuple(body), tokens[first].line)


def _name_before(tokens: list[Token], place: int) -> str:
    """What a function is called whose parameters begin there."""
    at = place - 1
    while at >= 0 and tokens[at].text in {"function", "async", "func", "fun", "fn", "*"}:
        at -= 1
    if at < 0:
        return ""
    if tokens[at].text in {"=", ":"} and at:
        at -= 1
    token = tokens[at]
    called = at > 0 and tokens[at - 1].text in {".", "new"}
    named = token.kind == "name" and token.text not in NO_FUNCTIONS
    return token.text if named and not called else ""


def _body_after(tokens: list[Token], closed: int) -> int | None:
    for at in range(closed + 1, min(closed + 1 + MOST_BETWEEN, len(tokens))):
        token = tokens[at]
        if token.text == "=>":
            return at + 1 if at + 1 < len(tokens) else None
        if token.text == "{":
            return at
        if token.kind not in {"name", "line"} and token.text not in BETWEEN:
            return None
    return None


def _end_of_expression(tokens: list[Token], begin: int) -> int:
    at = begin
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "sign" and token.text in OPENS:
            at = closed_at(tokens, at)
        elif token.text in ENDS or (token.kind == "line" and not _goes_on(tokens, at)):
            return at
        at += 1
    return len(tokens)


def _goes_on(tokens: list[Token], line: int) -> bool:
    behind = next((t for t in tokens[line:] if t.kind != "line"), None)
    ahead = tokens[line - 1]
    return ahead.text in {"=>", "?", ":", "&&", "||", "="} or (
        behind is not None and behind.text in {"?", ":", "&&", "||", "."}
    )


def _owner_of(place: int, owners: tuple[Owner, ...]) -> Owner | None:
    inside = [owner for owner in owners if owner.first < place < owner.last]
    return max(inside, key=lambda owner: owner.first, default=None)


def _parameters(tokens: list[Token]) -> tuple[str, ...]:
    """Their names: the first one of each, or the last where types stand ahead of it."""
    found, part = list[str](), list[Token]()
    for token in [*tokens, Token("sign", ",", 0, 0)]:
        if token.text == "," and token.kind == "sign":
            head = [t.text for t in part[: _until(part, {":", "="})] if t.kind == "name"]
            found += head[-1:]
            part = []
        else:
            part.append(token)
    return tuple(name for name in found if name not in OWN)


def _until(tokens: list[Token], stops: set[str]) -> int:
    return next((at for at, token in enumerate(tokens) if token.text in stops), len(tokens))
