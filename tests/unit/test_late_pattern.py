"""Patterns that are compiled when used answer as compiled ones do."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest

import pm_orchestrator
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.words import vague_words

parser: Any = importlib.import_module("re._parser")


def test_nothing_is_compiled_for_a_text_without_the_words() -> None:
    late = LatePattern(r"\bdrop\s+tables?\b", re.IGNORECASE, needs="drop")
    assert late.search("add a table") is None
    assert "_compiled" not in vars(late)
    assert late.search("DROP tables") is not None
    assert "_compiled" in vars(late)


@pytest.mark.parametrize(
    ("text", "word"),
    [("\u017feems", "seems"), ("wor\u212a", "work"), ("l\u0130kely", "likely"), ("\u0131s", "is")],
)
def test_letters_that_are_the_same_but_for_case_count(text: str, word: str) -> None:
    assert re.search(word, text, re.IGNORECASE)
    assert LatePattern(word, re.IGNORECASE, needs=word).search(text)


def test_every_text_a_pattern_matches_has_one_of_its_words() -> None:
    checked = 0
    for name, late in with_needs():
        tree = parser.parse(late.text, late.flags)
        assert needs_one(list(tree), late.needs), name
        assert not needs_one(list(tree), ("no such word",)), name
        checked += 1
    assert checked >= 10


def with_needs() -> Iterator[tuple[str, LatePattern]]:
    for module in pkgutil.walk_packages(pm_orchestrator.__path__, "pm_orchestrator."):
        if not re.search(r"\.(?:runner|gates|evidence|domain|cli.pages)\b", module.name):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for late in value if isinstance(value, tuple) else (value,):  # pyright: ignore[reportUnknownVariableType]
                if isinstance(late, LatePattern) and late.needs:
                    yield f"{module.name}.{name}", late


def needs_one(sequence: list[Any], words: tuple[str, ...]) -> bool:
    """Whether no text without one of `words` goes through the sequence."""
    run = ""
    for kind, value in sequence:
        kind_name = str(kind)
        if kind_name == "LITERAL":
            run += chr(value).lower()
            if any(word in run for word in words):
                return True
            continue
        parts = alternatives(kind_name, value)
        # What stands before goes on in each of them.
        before = [("LITERAL", ord(letter)) for letter in run]
        if parts and all(needs_one([*before, *part], words) for part in parts):
            return True
        run = ""
    return False


def alternatives(kind: str, value: Any) -> list[list[Any]]:
    """The ways through one part of a pattern; none for what may be left out."""
    if kind == "BRANCH":
        return [list(part) for part in value[1]]
    if kind == "SUBPATTERN":
        return [list(value[3])]
    if kind in {"MAX_REPEAT", "POSSESSIVE_REPEAT", "MIN_REPEAT"} and value[0] >= 1:
        return [list(value[2])]
    if kind == "IN" and all(str(k) == "LITERAL" for k, _ in value):
        return [[item] for item in value]
    return []


def test_what_surely_says_something_is_no_vague_word() -> None:
    vague = [word for word in words_of(vague_words.SAYS_NOTHING.text) if word.isascii()]
    assert len(vague) > 100
    for word in vague:
        assert vague_words.SAYS_NOTHING.fullmatch(word), word
        assert not vague_words.SURELY_SAYS_SOMETHING.search(word), word


def words_of(pattern: str) -> list[str]:
    """The alternatives of a flat pattern, each spelt out."""
    plain = re.sub(r"\\s\+", " ", pattern.replace(r"\b", ""))
    spelt = (part.strip("(?:)") for part in plain.split("|"))
    return [re.sub(r"\[(.).*?\]", r"\1", re.sub(r"\w\?", "", word)) for word in spelt if word]


def test_a_replacement_that_names_a_group_needs_no_text_to_replace() -> None:
    marked = LatePattern(r"<(\d+)>", needs="<")
    assert marked.sub(r"\1", "none here") == "none here"
    assert marked.sub(r"\1", "number <3>") == "number 3"
