"""What tests ask, and which answer they want: values that are written beside each other.

A statement of a test, a few of them in a row, and every row of a table of examples is one
*question*; what it calls and what it holds is enough to know an answer again. Nothing is
run, and whatever cannot be read asks nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.answers.source import (
    CLOSES,
    OPENS,
    SHELL,
    YES_OR_NO,
    Token,
    closed_at,
    tokens_of,
    written_at,
)

REFUSALS = frozenset(
    {"raises", "assertRaises", "assertRaisesRegex", "throws", "rejects", "toThrow"}
)
NEAR = 16
"""Tokens between the word that wants an error and the call that is to fail."""
MOST_VALUES = 16
"""A statement with more values than this is a suite or a table, and no single question."""
IN_A_ROW = 3
"""Statements that are read together: what is called in one is looked at in the next."""
SHELL_WORDS = LatePattern(r"\"([^\"$`\n]*)\"|'([^'\n]*)'|([^\s\"'()\[\]$;|&<>=`]+)")
NUMBER = LatePattern(r"-?\d+(?:\.\d+)?")
NAME = LatePattern(r"[A-Za-z_]\w*")


class Question(msgspec.Struct, frozen=True):
    """One statement or row of a test."""

    names: frozenset[str]
    values: frozenset[str]
    row_of: int = -1
    """Which table of examples it is a row of; -1 where it is none."""


class Call(msgspec.Struct, frozen=True):
    """A call with values that are written out."""

    name: str
    values: frozenset[str]


class Asked:
    """All that the tests of a project ask."""

    def __init__(self, tests: Mapping[str, str]) -> None:
        self._tests = tests

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        return tuple(q for path, text in sorted(self._tests.items()) for q in _read(path, text))

    @cached_property
    def calls(self) -> Mapping[str, frozenset[frozenset[str]]]:
        """Of each name the values it is called with, call by call."""
        found = defaultdict[str, set[frozenset[str]]](set)
        for path, text in self._tests.items():
            for call in _calls(tokens_of(path, text)):
                found[call.name].add(call.values)
        return {name: frozenset(values) for name, values in found.items()}

    @cached_property
    def _by_value(self) -> Mapping[str, tuple[Question, ...]]:
        found = defaultdict[str, list[Question]](list)
        for question in self.questions:
            for value in question.values:
                found[value].append(question)
        return {value: tuple(questions) for value, questions in found.items()}

    def asks(self, name: str, asked: frozenset[str], answer: str) -> tuple[Question, ...]:
        """Where the question is asked for that answer; of a yes or no only the name is sure."""
        return tuple(
            question
            for question in self._by_value.get(min(asked), ())
            if asked <= question.values
            and (
                answer in question.values - asked
                or (answer in YES_OR_NO and name in question.names)
            )
        )

    def expects(self, name: str, answer: str) -> tuple[Question, ...]:
        """Statements that call something and hold that answer."""
        every = self.questions if answer in YES_OR_NO else self._by_value.get(answer, ())
        return tuple(q for q in every if name in q.names)

    def around(self, name: str, answer: str) -> frozenset[str]:
        """What tests hold beside the answer of a function."""
        found = (q.values - {answer} if name in q.names else q.values for q in self.questions)
        return frozenset[str]().union(*found)

    def rows(self, questions: Iterable[Question]) -> tuple[Question, ...]:
        """The rows of the smallest table that these are rows of."""
        table = max((question.row_of for question in questions), default=-1)
        return () if table < 0 else tuple(q for q in self.questions if q.row_of == table)


def _read(path: str, text: str) -> Iterator[Question]:
    if PurePosixPath(path).suffix in SHELL:
        yield from _shell(text)
        return
    tokens = tokens_of(path, text)
    python = path.endswith((".py", ".pyi"))
    statements = [_question(part) for part in _statements(tokens, python=python) if part]
    for count in range(1, IN_A_ROW + 1):
        for first in range(len(statements) - count + 1):
            several = statements[first : first + count]
            values = frozenset[str]().union(*(q.values for q in several))
            if 0 < len(values) <= MOST_VALUES:
                yield Question(frozenset[str]().union(*(q.names for q in several)), values)
    yield from _rows(tokens)


def _statements(tokens: list[Token], *, python: bool) -> Iterator[list[Token]]:
    """The text in pieces: a bracket holds together, but for one that holds statements."""
    blocks, part, place = list[bool](), list[Token](), 0
    while place < len(tokens):
        token, inside = tokens[place], not blocks or blocks[-1]
        ends = inside and token.text in {"\n", ";"}
        if token.kind == "sign" and token.text in OPENS:
            written = written_at(tokens, place)
            if written is not None:
                part += tokens[place : written.end]
                place = written.end
                continue
            blocks.append(token.text == "{" and not python)
            ends = blocks[-1]
        elif token.kind == "sign" and token.text in CLOSES and blocks:
            blocks.pop()
        if ends:
            yield part
            part = []
        elif token.kind != "line":
            part.append(token)
        place += 1
    yield part


def _question(part: list[Token]) -> Question:
    names = frozenset(token.text for token in part if token.kind == "name")
    return Question(names, _values(part))


def _values(part: list[Token]) -> frozenset[str]:
    found, place = set[str](), 0
    while place < len(part):
        written = written_at(part, place)
        if written is not None:
            found |= {written.value, *written.parts}
        # What is in a group is read with it, and once more where the group is none.
        place = place + 1 if written is None else written.end
    return frozenset(found)


def _rows(tokens: list[Token]) -> Iterator[Question]:
    """Tables of examples: brackets of which each holds a question and its answer."""
    for place, token in enumerate(tokens):
        if token.kind == "sign" and token.text in OPENS:
            rows = [_values(row) for row in _inside(tokens, place)]
            if len(rows) > 1 and all(len(row) > 1 for row in rows):
                yield from (Question(frozenset(), row, row_of=place) for row in rows)


def _inside(tokens: list[Token], at: int) -> Iterator[list[Token]]:
    """What stands in the brackets directly in a bracket that holds nothing else."""
    end, place = closed_at(tokens, at), at + 1
    while place < end:
        token = tokens[place]
        if token.text in OPENS:
            closed = closed_at(tokens, place)
            yield tokens[place + 1 : closed]
            place = closed
        elif token.kind != "line" and token.text != ",":
            return
        place += 1


def _calls(tokens: list[Token]) -> Iterator[Call]:
    for place in range(len(tokens) - 1):
        opening = tokens[place + 1]
        if tokens[place].kind == "name" and opening.text == "(" and not _is_refused(tokens, place):
            inside = tokens[place + 2 : closed_at(tokens, place + 1)]
            written = written_at([opening, *inside, _END], 0)
            if written is not None and written.parts:
                values = written.parts | _values(inside)
                yield Call(tokens[place].text, frozenset(values))


def _is_refused(tokens: list[Token], at: int) -> bool:
    """Whether a test wants an error there, and no answer."""
    for place in range(at, max(at - NEAR, -1), -1):
        if tokens[place].text in REFUSALS:
            return True
        if tokens[place].text in {"def", "test", "it", "func", "assert"}:
            return False
    closed = closed_at(tokens, at + 1)
    return any(token.text in REFUSALS for token in tokens[closed : closed + 5])


_END = Token("sign", ")", 0, 0)


def _shell(text: str) -> Iterator[Question]:
    for line in text.splitlines():
        words = [found[found.lastindex or 0] for found in SHELL_WORDS.finditer(line)]
        numbers = {f"n:{float(word):.12g}" for word in words if NUMBER.fullmatch(word)}
        values = {f"s:{word}" for word in words if word}
        if 0 < len(values) <= MOST_VALUES:
            names = frozenset(NAME.findall(line))
            yield Question(names, frozenset(values | numbers))
