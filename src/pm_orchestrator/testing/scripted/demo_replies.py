"""What the demo's scripted models say, turn by turn; the shipped cassette is recorded from this."""

from collections.abc import Mapping
from typing import Any

from pm_orchestrator.adapters.gateway.cassette import Cassette, Take
from pm_orchestrator.adapters.models.anthropic import AnthropicMessages
from pm_orchestrator.domain.company.model_conversation import ChatReply
from pm_orchestrator.testing.scripted.scripted_answers import Script

Block = dict[str, Any]

SLUG = '''"""Slugs: text made fit for an address."""

import re
import unicodedata


def slug(text: str) -> str:
    """Lower-case ASCII words joined by hyphens."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain.lower()))
'''
SLUG_TEST = '''"""Tests of slugs."""

import unittest

from toolbox.slug import slug


class SlugTest(unittest.TestCase):
    """How text becomes a slug."""

    def test_words(self) -> None:
        self.assertEqual(slug("Hello, World!"), "hello-world")

    def test_accents(self) -> None:
        self.assertEqual(slug("Crème brûlée"), "creme-brulee")

    def test_nothing_left(self) -> None:
        self.assertEqual(slug("?!"), "")
'''
WORDS = '''"""Counting words."""

from collections import Counter


def count_words(text: str) -> dict[str, int]:
    """How often each word occurs, without regard to case."""
    return dict(Counter(word.strip(".,;:!?").lower() for word in text.split()))
'''
WORDS_TEST = '''"""Tests of counting words."""

import unittest

from toolbox.words import count_words


class CountWordsTest(unittest.TestCase):
    """How words are counted."""

    def test_case_and_punctuation(self) -> None:
        self.assertEqual(count_words("One two, one."), {"one": 2, "two": 1})

    def test_empty(self) -> None:
        self.assertEqual(count_words(""), {})
'''
# The first version forgets the subtractive pairs; its own test catches it.
ROMAN_WRONG = '''"""Roman numerals."""

NUMERALS = (
    (1000, "M"), (500, "D"), (100, "C"), (50, "L"), (10, "X"), (5, "V"), (1, "I"),
)


def to_roman(number: int) -> str:
    """The roman numeral of a number from 1 to 3999."""
    if not 1 <= number <= 3999:
        raise ValueError(f"{number} has no roman numeral")
    text = ""
    for value, letters in NUMERALS:
        while number >= value:
            text += letters
            number -= value
    return text
'''
ROMAN_OLD = '(1000, "M"), (500, "D"), (100, "C"), (50, "L"), (10, "X"), (5, "V"), (1, "I"),'
ROMAN_NEW = """(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),"""
ROMAN_TEST = '''"""Tests of roman numerals."""

import unittest

from toolbox.roman import to_roman


class RomanTest(unittest.TestCase):
    """How numbers are written."""

    def test_numerals(self) -> None:
        for number, text in ((4, "IV"), (9, "IX"), (1994, "MCMXCIV"), (3999, "MMMCMXCIX")):
            self.assertEqual(to_roman(number), text)

    def test_out_of_range(self) -> None:
        for number in (0, 4000):
            with self.assertRaises(ValueError):
                to_roman(number)
'''


def text(words: str) -> Block:
    """Words of the model."""
    return {"type": "text", "text": words}


def call(name: str, **arguments: Any) -> Block:
    """A call of a tool."""
    return {"type": "tool_use", "name": name, "input": arguments}


def sub_task(name: str, title: str, description: str, *criteria: str) -> dict[str, Any]:
    """One part of the plan."""
    return {
        "title": title,
        "description": description,
        "acceptance_criteria": [*criteria, "make lint and make test pass"],
        "expected_files": [f"toolbox/{name}.py", f"tests/test_{name}.py"],
        "estimated_effort": "small",
    }


PLAN = call(
    "propose_plan",
    sub_tasks=[
        sub_task(
            "slug",
            "Slug maker",
            "Write toolbox/slug.py with slug(text): lower-case ASCII words joined by hyphens.",
            'slug("Hello, World!") is "hello-world"',
        ),
        sub_task(
            "words",
            "Word counter",
            "Write toolbox/words.py with count_words(text): how often each word occurs, "
            "without regard to case or punctuation.",
            'count_words("One two, one.") is {"one": 2, "two": 1}',
        ),
        sub_task(
            "roman",
            "Roman numerals",
            "Write toolbox/roman.py with to_roman(number) for 1 to 3999; ValueError otherwise.",
            'to_roman(1994) is "MCMXCIV"',
        ),
    ],
)


def finish(message: str, summary: str, name: str) -> list[list[Block]]:
    """Commit, then claim."""
    return [
        [call("git_commit", message=message)],
        [
            call(
                "task_complete",
                summary=summary,
                files=[f"toolbox/{name}.py", f"tests/test_{name}.py"],
            )
        ],
    ]


def write(name: str, module: str, tests: str) -> list[Block]:
    """Write a module and its tests."""
    return [
        call("write_file", path=f"toolbox/{name}.py", content=module),
        call("write_file", path=f"tests/test_{name}.py", content=tests),
    ]


CHECK = call("run_command", command="make lint test")

REPLIES: dict[str, list[list[Block]]] = {
    "manager": [[text("Three modules that know nothing of each other."), PLAN]],
    "worker/01/1": [
        [call("list_directory", path="."), call("read_file", path="toolbox/greeting.py")],
        write("slug", SLUG, SLUG_TEST),
        [CHECK],
        *finish("Add the slug maker", "Added slug() with three tests.", "slug"),
    ],
    # The liar: it looks around, does nothing, and says that it is done.
    "worker/02/1": [
        [call("read_file", path="toolbox/greeting.py")],
        [
            call(
                "task_complete",
                summary="The word counter is implemented and all tests pass.",
                files=["toolbox/words.py", "tests/test_words.py"],
            )
        ],
    ],
    "worker/02/2": [
        [text("The Runner is right, nothing was written yet."), call("git_status")],
        write("words", WORDS, WORDS_TEST),
        [CHECK],
        *finish("Add the word counter", "Added count_words() with two tests.", "words"),
    ],
    "worker/03/1": [
        [call("read_file", path="Makefile"), call("read_file", path="toolbox/greeting.py")],
        write("roman", ROMAN_WRONG, ROMAN_TEST),
        [CHECK],
        [
            text("The subtractive pairs are missing."),
            call(
                "edit_file",
                path="toolbox/roman.py",
                edits=[{"old": ROMAN_OLD, "new": ROMAN_NEW}],
            ),
        ],
        [CHECK],
        *finish("Add roman numerals", "Added to_roman() with two tests.", "roman"),
    ],
}


def first_parts(count: int) -> dict[str, list[list[Block]]]:
    """The same company with a smaller plan: its first `count` parts only."""
    plan = call("propose_plan", sub_tasks=PLAN["input"]["sub_tasks"][:count])
    return {**REPLIES, "manager": [[plan]]}


def scripted(replies: Mapping[str, list[list[Block]]]) -> Script:
    """A script that says `replies`; nothing is said where they end."""

    def script(agent: str, turn: int, _: object) -> Block | None:
        turns = replies.get(agent, [])
        return _message(turn, turns[turn - 1]) if turn <= len(turns) else None

    return script


def _message(turn: int, blocks: list[Block]) -> Block:
    content = [
        {**block, "id": f"toolu_{turn:02d}_{place}"} if block["type"] == "tool_use" else block
        for place, block in enumerate(blocks, start=1)
    ]
    return {
        "id": f"msg_{turn:02d}",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": content,
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 900 + 150 * turn, "output_tokens": 120},
    }


def _reply(turn: int, blocks: list[Block]) -> ChatReply:
    return AnthropicMessages().read_answer(_message(turn, blocks))


def cassette_of(replies: Mapping[str, list[list[Block]]]) -> Cassette:
    """A cassette that fits any request of the agents named in `replies`."""
    return Cassette(
        takes=tuple(
            Take(agent=agent, turn=turn, digest=None, reply=_reply(turn, blocks))
            for agent, turns in replies.items()
            for turn, blocks in enumerate(turns, start=1)
        )
    )
