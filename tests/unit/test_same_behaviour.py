"""A change of comments and layout is no change of what code does."""

import pytest

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.gates.cross.same_behaviour import does_the_same, only_words_changed
from pm_orchestrator.gates.weaker.dilution import Trees

PYTHON = 'def f(a):\n    return a + 1\n\nURL = "http://a/#b"\n'


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", PYTHON, "# fixed\n" + PYTHON),
        ("a.py", PYTHON, PYTHON.replace("def f(a):\n", 'def f(a):\n    """Adds."""\n')),
        ("a.py", PYTHON, PYTHON.replace("a + 1", "(a+1)  # one more")),
        ("a.py", "def f():\n    pass\n", 'def f():\n    """Does nothing yet."""\n'),
        ("a.js", "let a = 'x'; // one\n", "/* fixed */\nlet a = 'x';\n"),
        ("a.sh", "echo $#\n", "# counts\necho $#   # all\n"),
        ("a.awk", "{ sum += $2 }\n", "# Sums.\n{ sum += $2 }\n"),
        ("a.go", "x := 1 // one\n", "x := 1 // two\n"),
    ],
)
def test_what_only_people_read(path: str, before: str, after: str) -> None:
    assert does_the_same(path, before, after)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", PYTHON, PYTHON.replace("a + 1", "a + 2")),
        ("a.py", PYTHON, PYTHON.replace("#b", "#c")),
        ("a.py", PYTHON, PYTHON + "f("),
        ("a.py", PYTHON + "f(", PYTHON),
        ("a.js", "a = 'http://a'", "a = 'http://b'"),
        ("a.js", "a = `// ${x}`", "a = `// ${y}`"),
        ("a.sh", "echo '# a'\n", "echo '# b'\n"),
        ("a.sh", "echo ${#a}\n", "echo ${#b}\n"),
        ("a.go", "x := 1", "x := 2"),
    ],
)
def test_what_is_run(path: str, before: str, after: str) -> None:
    assert not does_the_same(path, before, after)


def changed(instruction: str, *more: FileChange, own: str = "") -> tuple[str, ...]:
    change = FileChange(path="a.py", kind="modified", size=9)
    trees = Trees(before={"a.py": PYTHON}, after={"a.py": "# fixed\n" + PYTHON})
    return only_words_changed(trees, (change, *more), instruction, own or instruction)


@pytest.mark.parametrize(
    "instruction",
    ["Fix f for negative numbers", "Let f take strings", "f の不具合を修正してください"],
)
def test_a_task_about_what_code_does_needs_another_behaviour(instruction: str) -> None:
    assert changed(instruction) == ("a.py",)
    beside = FileChange(path="tests/test_a.py", kind="modified", size=9)
    assert changed(instruction, beside) == ("a.py",)


@pytest.mark.parametrize(
    "instruction",
    [
        "Add a comment to f",
        "Document the function f in a.py",
        "Reformat a.py",
        "Fix the lint errors",
        "a.py にコメントを追加して",
        "a.py を整形してください",
        "Fix the typo in a.py",
    ],
)
def test_a_task_about_words_does_not(instruction: str) -> None:
    assert changed(instruction) == ()


@pytest.mark.parametrize("path", ["b.py", "data.json", "setup.cfg"])
def test_something_else_may_have_done_it(path: str) -> None:
    assert changed("Fix f", FileChange(path=path, kind="created", size=9)) == ()


def test_a_mode_is_no_word() -> None:
    change = FileChange(path="a.py", kind="modified", size=9)
    trees = Trees(before={"a.py": PYTHON}, after={"a.py": PYTHON})
    assert only_words_changed(trees, (change,), "Make a.py executable", "") == ()


TRACE = "Traceback (most recent call last):\nTypeError: not all converted during string formatting"


def test_what_a_program_printed_asks_for_no_layout() -> None:
    own = "The job fails, please fix it"
    assert changed(f"{own}\n{TRACE}", own=own) == ("a.py",)


@pytest.mark.parametrize("printed", ["a.py:1:80: E501 Line too long", "would reformat a.py"])
def test_a_linter_that_was_quoted_does(printed: str) -> None:
    assert changed(f"Fix this\n{printed}", own="Fix this") == ()


@pytest.mark.parametrize(
    ("instruction", "done"),
    [
        ("legal wants `# fixed` as the first line of every file", True),
        ("各ファイルの先頭に「# fixed」を入れてください", True),
        ("a.py says 'fixed' and fails, please repair it", False),
        ("legal wants `# by us` as the first line of every file", False),
    ],
)
def test_a_remark_that_was_asked_for_is_work(instruction: str, *, done: bool) -> None:
    assert (changed(instruction) == ()) is done


LONG = "X = 1\nY = f(1, 2)\n"


def overlooked(instruction: str, path: str, after: str, before: str = LONG) -> tuple[str, ...]:
    change = FileChange(path=path, kind="modified", size=9)
    trees = Trees(before={path: before}, after={path: after})
    return only_words_changed(trees, (change,), instruction, instruction)


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("a.py", "# ruff: noqa: E501\n" + LONG),
        ("a.py", LONG.replace("2)", "2)  # noqa: E501")),
        ("a.py", LONG.replace("2)", "2)  # type: ignore[arg-type]")),
        ("a.py", LONG.replace("2)", "2)  # pragma: no cover")),
        ("a.js", "/* eslint-disable no-undef */\n" + LONG),
        ("a.ts", LONG.replace("Y", "// @ts-expect-error\nY")),
    ],
)
def test_having_a_tool_look_away_is_no_repair(path: str, after: str) -> None:
    assert overlooked("make lint fails in this file, please fix it", path, after) == (path,)
    assert overlooked("型チェックのエラーを直してください", path, after) == (path,)
    assert overlooked("Suppress this finding, it is wrong", path, after) == ()
    assert overlooked("この警告は抑制してください", path, after) == ()
    repaired = after.replace("X = 1", "X = 2")
    assert overlooked("make lint fails in this file, please fix it", path, repaired) == ()
