"""Functions that only have a name: named; those that work, or are asked to do nothing: not."""

import pytest

from pm_orchestrator.gates.answers.hollow import hollow_functions
from pm_orchestrator.runner.instructions.stated.named_code import wants_no_work


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def minutes(text):\n    return None\n"),
        ("a.py", 'def minutes(text, speed=200):\n    """How long."""\n    # later\n    pass\n'),
        ("a.py", "def minutes(text):\n    raise NotImplementedError\n"),
        ("a.js", "export function minutes(text) {\n  return 0;\n}\n"),
        ("a.js", "export function minutes(text) {}\n"),
        ("a.js", "export function minutes(text)\n{\n  return undefined;\n}\n"),
        ("a.js", 'export function minutes(text) {\n  throw new Error("later");\n}\n'),
        ("a.js", "const minutes = text => void 0;\n"),
        ("a.js", "const minutes = async text => null;\n"),
        ("a.go", "func minutes(text string) error {\n\treturn nil\n}\n"),
        ("a.py", "class A:\n    def minutes(self, text):\n        return []\n"),
    ],
)
def test_there_by_name_alone(path: str, text: str) -> None:
    assert hollow_functions(path, text) == {"minutes": True}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def minutes(text):\n    return len(text)\n"),
        ("a.py", "class A:\n    def minutes(self, text):\n        self.text = text\n"),
        ("a.py", "def minutes(text):\n    ...\n\n\ndef minutes(text):\n    return text\n"),
        ("a.js", "export function minutes(text) {\n  return text.length;\n}\n"),
        ("a.js", "const minutes = text => text.length;\n"),
    ],
)
def test_doing_something(path: str, text: str) -> None:
    assert hollow_functions(path, text) == {"minutes": False}


def test_what_has_no_name_is_called_by_no_other() -> None:
    assert hollow_functions("a.js", "function (text) { return 1; }\nvar minutes") == {}


def test_without_anything_to_work_on() -> None:
    assert hollow_functions("a.py", "def version():\n    return 3\n") == {}


@pytest.mark.parametrize(
    ("instruction", "so"),
    [
        ("Add a stub minutes(text), I will fill it in later", True),
        ("minutes(text) を追加してください。中身は空で構いません", True),
        ("空の minutes(text) を追加してください", True),
        ("Add minutes(text): whole minutes, rounded up", False),
        ("Add minutes(text): 0 for empty text, in constant time", False),
        ("Add is_open(day) which always returns True for now", True),
    ],
)
def test_whether_no_work_is_wanted(instruction: str, so: bool) -> None:
    assert wants_no_work(instruction) == so
