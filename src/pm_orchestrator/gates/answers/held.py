"""Where a written question leads to a written answer: branches, comparisons and tables.

A base case, an empty text and the like lead somewhere in every honest function, so they are
none. What is computed from a value is no question either: `year % 4 == 0` asks about no year.
"""

from collections.abc import Iterator, Mapping, Sequence

from pm_orchestrator.gates.answers.functions import NO_FUNCTIONS, CodeFunction
from pm_orchestrator.gates.answers.source import (
    CLOSES,
    NAMED,
    OPENS,
    Token,
    Written,
    closed_at,
    written_at,
)
from pm_orchestrator.gates.answers.tables import HeldAnswer, is_looked_up, tables_inside

EQUAL = frozenset({"==", "===", "is"})
UNEQUAL = frozenset({"!=", "!=="})
COMPARING_CALLS = frozenset({"equals", "equalsIgnoreCase", "strcmp", "strncmp", "strcasecmp"})
MEMBERSHIP = frozenset({"includes", "has", "contains", "indexOf"})
THE_SAME = frozenset({"str", "String", "tuple", "list", "stringify", "Number", "int", "float"})
"""Calls that give a value in another dress."""
COMPUTES = frozenset({"%", "/", "*", "+", "-", "**", "&"})
SIZES = frozenset({"length", "size", "count", "len"})
GIVES = frozenset({"return", "yield", "=>", "->", "?", "echo", "puts"})
PRINTS = frozenset({"print", "printf", "puts", "println", "log", "write"})
ENDS = frozenset({";", "}", ")", ":", ",", "else", "break", "\n"})
FAR = 40
"""Tokens; no condition of one question is longer."""


Questions = tuple[list[frozenset[str]], int]
"""Values that are compared with, and the place behind them."""


def is_trivial(value: str) -> bool:
    """Whether a value is one that honest code treats apart: nothing, none, one, yes and no."""
    kind, content = value[0], value[2:]
    if kind == "n":
        return content in {"0", "1", "-1"}
    return kind in "bz" or (kind == "s" and len(content) < 2) or value == "g:[]"


def entries_of(
    function: CodeFunction, tables: Mapping[str, Sequence[HeldAnswer]]
) -> list[HeldAnswer]:
    """Everything that a function leads from a written question to an answer."""
    body = list(function.body)
    found = [*_branches(body), *tables_inside(body)]
    for name, entries in tables.items():
        if is_looked_up(body, name):
            found += entries
    return [e for e in dict.fromkeys(found) if not all(map(is_trivial, e.asked))]


def constant_of(function: CodeFunction) -> str | None:
    """What a function gives back that does nothing but that."""
    body = [token for token in function.body if token.kind != "line"]
    while body and body[0].kind == "string":
        body.pop(0)
    if not body or body[0].text != "return":
        return None
    written = written_at(body, 1)
    if written is None or any(token.text != ";" for token in body[written.end :]):
        return None
    return written.value


def is_stub(function: CodeFunction) -> bool:
    """Whether there is nothing in it yet."""
    words = [t.text for t in function.body if t.kind not in {"line", "string"} and t.text != ";"]
    if not words or words[0] in {"pass", ".", "raise", "throw", "todo", "unimplemented", "panic"}:
        return True
    return words[0] == "return" and (len(words) == 1 or NAMED.get(words[1]) == "z:")


def _branches(body: list[Token]) -> Iterator[HeldAnswer]:
    place = 0
    while place < len(body):
        found = _compared(body, place)
        if found is None:
            place += 1
            continue
        several, end, answer = _condition(body, place, *found)
        line = body[place].line
        yield from (HeldAnswer(asked, answer, line) for asked in several if asked)
        place = max(end, place + 1)


def _compared(body: list[Token], at: int) -> Questions | None:
    """The questions that are compared with there, and where the comparison ends."""
    text = body[at].text
    if text in EQUAL | UNEQUAL:
        return _equal(body, at)
    if text == "in":
        return _member(body, at)
    if text == "case":
        return _cases(body, at)
    if body[at].kind == "string":
        return _arm(body, at)
    return _called(body, at) if body[at].kind == "name" else None


def _equal(body: list[Token], at: int) -> Questions | None:
    right, left = written_at(body, at + 1), _single(body, at - 1)
    if right is not None and left is None and _is_subject(body, at - 1):
        return [right.parts], right.end
    if left is not None and right is None and at + 1 < len(body):
        plain = body[at + 1].kind == "name" and not _sized(body, at + 1)
        return ([left.parts], at + 2) if plain else None
    return None


def _member(body: list[Token], at: int) -> Questions | None:
    group = written_at(body, at + 1)
    if group is None or not group.value.startswith("g:") or _loops(body, at):
        return None
    several = [frozenset({part}) for part in group.parts]
    return (several, group.end) if _is_subject(body, at - 1) else None


def _arm(body: list[Token], at: int) -> Questions | None:
    """What stands in `"a" => …` and `"a" -> …`."""
    nearby = body[at + 1].text if at + 1 < len(body) else ""
    written = written_at(body, at)
    return ([written.parts], at + 1) if written and nearby in {"=>", "->"} else None


def _called(body: list[Token], at: int) -> Questions | None:
    if at + 1 >= len(body) or body[at + 1].text != "(":
        return None
    closed = closed_at(body, at + 1)
    if body[at].text in COMPARING_CALLS:
        for place in range(at + 2, closed):
            written = written_at(body, place)
            if written is not None:
                return [written.parts], closed + 1
        ahead = _single(body, at - 2)
        return ([ahead.parts], closed + 1) if ahead is not None else None
    if body[at].text in MEMBERSHIP and body[at - 1].text == ".":
        opening = _opening(body, at - 2)
        group = written_at(body, opening) if opening is not None else None
        if group is not None and group.value.startswith("g:"):
            return [frozenset({part}) for part in group.parts], closed + 1
    return None


def _cases(body: list[Token], at: int) -> Questions | None:
    """What stands in `case "a":`, `case 1 | 2:`, `case "a", "b":`."""
    found, place = list[frozenset[str]](), at + 1
    while True:
        written = written_at(body, place)
        if written is None:
            return None
        found.append(written.parts)
        place = written.end
        if place >= len(body) or body[place].text not in {"|", ","}:
            return found, place
        place += 1


def _condition(
    body: list[Token], first: int, several: list[frozenset[str]], end: int
) -> tuple[list[frozenset[str]], int, str | None]:
    """The whole condition that begins with a comparison, and the answer it leads to."""
    before = _answer_before(body, first)
    place, unequal, joined = end, body[first].text in UNEQUAL, "and"
    while place < min(end + FAR, len(body)):
        text = body[place].text
        if text in {"and", "&&", "or", "||"}:
            joined = "and" if text in {"and", "&&"} else "or"
        elif text in {":", "{"} or text in GIVES:
            if unequal and text != "?":
                break
            return several, place, before or _answer(body, place)
        elif text in {";", ",", "}"} or body[place].kind == "line":
            if not (body[place].kind == "line" and _more(body, place)):
                break
        elif text == "else":
            return several, place, before
        else:
            more = _compared(body, place)
            if more is not None:
                others, place = more
                several = (
                    [one | other for one in several for other in others]
                    if joined == "and"
                    else [*several, *others]
                )
                continue
        place += 1
    if _is_given(body, first):
        return several, place, "b:0" if unequal else "b:1"
    return several, place, before


def _answer(body: list[Token], at: int) -> str | None:
    """What is given where a condition ends: written, or None."""
    place = at + 1 if body[at].text in {":", "{", "?", "=>", "->"} else at
    shown = body[at].text in {"?", "=>", "->"}
    while place < len(body) and (body[place].kind == "line" or body[place].text in {"{", "("}):
        place += 1
    if place >= len(body):
        return None
    token = body[place]
    if token.text == "case":
        found = _cases(body, place)
        return None if found is None or found[1] >= len(body) else _answer(body, found[1])
    if token.text in {"return", "yield", "echo"}:
        place, shown = place + 1, True
    elif token.kind == "name" and place + 1 < len(body) and body[place + 1].text in {"=", ":="}:
        place, shown = place + 2, True
    else:
        printing = next((p for p in range(place, min(place + 5, len(body))) if _prints(body, p)), 0)
        if printing:
            place, shown = printing + 2, True
    written = written_at(body, place) if shown else None
    if written is None:
        return None
    ended = written.end >= len(body) or body[written.end].text in ENDS
    return written.value if ended or body[written.end].kind == "line" else None


def _prints(body: list[Token], at: int) -> bool:
    return body[at].text in PRINTS and at + 1 < len(body) and body[at + 1].text == "("


def _answer_before(body: list[Token], at: int) -> str | None:
    """`"a" if text == "b" else …`: the answer stands ahead of its question."""
    place = at
    while place > 0 and body[place].kind != "line" and body[place].text not in {"if", ":", ";"}:
        place -= 1
    if place < 1 or body[place].text != "if":
        return None
    single = _single(body, place - 1)
    if single is not None:
        return single.value
    opening = _opening(body, place - 1)
    written = written_at(body, opening) if opening is not None else None
    return written.value if written is not None and written.end == place else None


def _is_given(body: list[Token], at: int) -> bool:
    """Whether the comparison itself is what is given back."""
    for place in range(at, -1, -1):
        token = body[place]
        if token.text in {"return", "=>"}:
            return True
        if token.kind == "line" or token.text in {";", "{", "if", "elif", "while", "="}:
            return False
    return False


def _more(body: list[Token], line: int) -> bool:
    behind = next((t.text for t in body[line:] if t.kind != "line"), "")
    return behind in {"and", "or", "&&", "||", "?", "{"} or behind in GIVES


def _is_subject(body: list[Token], at: int) -> bool:
    """Whether a value itself stands there, and nothing computed from it."""
    while at > 0 and body[at].text == "not":
        at -= 1
    if at < 0 or body[at].text in NAMED:
        return False
    token, opening = body[at], _opening(body, at)
    if token.kind == "name":
        ahead = body[at - 1].text if at else ""
        return ahead not in COMPUTES and not (ahead == "." and token.text in SIZES)
    if opening is None or token.text not in {")", "]"}:
        return False
    behind = body[opening - 1] if opening else token
    called = behind.kind == "name" and behind.text not in NO_FUNCTIONS
    if token.text == "]":
        # `argv[1]`: one of several values.
        return called
    if called:
        return opening == at - 1 or behind.text in THE_SAME
    return all(t.kind == "name" or t.text in {",", "."} for t in body[opening + 1 : at])


def _sized(body: list[Token], at: int) -> bool:
    """Whether it is the size of something that stands there."""
    behind = [token.text for token in body[at + 1 : at + 3]]
    return behind[:1] == ["("] or (behind[:1] == ["."] and behind[-1] in SIZES)


def _loops(body: list[Token], at: int) -> bool:
    """Whether an `in` goes through what follows."""
    for place in range(at - 1, max(at - 12, -1), -1):
        if body[place].text == "for":
            return True
        if body[place].kind == "line" or body[place].text in {":", "return", "if"}:
            return False
    return False


def _single(body: list[Token], at: int) -> Written | None:
    """The written value of one word that ends there."""
    if at < 0 or body[at].kind == "sign":
        return None
    return written_at(body, at)


def _opening(body: list[Token], at: int) -> int | None:
    """Where the bracket was opened that is closed there."""
    depth = 0
    for place in range(at, -1, -1):
        if body[place].kind == "sign":
            depth += (body[place].text in CLOSES) - (body[place].text in OPENS)
            if depth <= 0:
                return place if place < at else None
    return None
