"""What was stated of the content of files, beside what was delivered."""

from collections.abc import Mapping

import pytest

from pm_orchestrator.runner.run.facts import Wanted
from pm_orchestrator.runner.run.phases.observing import observe
from pm_orchestrator.testing.memory.memory_place import MemoryPlace

BASE = {
    "README.md": b"# It\n\nCopy it.\n",
    "CHANGELOG.md": b"- Copy files\n",
    "docs/guide.md": b"# Guide\n\nCopy it.\n",
    "docs/upgrade.md": b"Copy it. Copy all.\n",
    "conf/app.yaml": b"timeout: 30\n",
    "a/x.yaml": b"timeout: 30\n",
    "b/x.yaml": b"timeout: 30\n",
    "queue.py": b"class Queue: ...\n",
}
Changed = Mapping[str, bytes | None]
"""Nothing for a file that went."""
MOVED = {"README.md": None, "docs/README.md": b"# That\n\nCopy it.\n"}
REPLACED = {
    "docs/guide.md": b"# Guide\n\nUnpack it.\n",
    "docs/upgrade.md": b"Unpack it. Unpack all.\n",
}
SET = "Set timeout to 60 in app.yaml"
COPY = "文書の中の「Copy」をすべて「Unpack」に置き換えてください"
PEEK = "Let Queue peek at its first item, with tests"
REPAIR = "Fix the lost item in the queue and add a regression test"
COVER = "Write tests for the queue"
TESTS = {"tests/test_queue.py": b"def test_peek():\n    assert Queue().peek() is None\n"}
PEEKING = {"queue.py": b"class Queue:\n    def peek(self): ...\n"}
EVERY = "Replace every 'Copy' with 'Unpack'"
CLEAR = "Queueにclearメソッドを実装してください"
TRANSLATE = "Translate docs/guide.md into Japanese as docs/guide.ja.md"


async def found(
    instruction: str, changed: Changed, *, whole: bool = True, base: Mapping[str, bytes] = BASE
) -> list[str]:
    now = {path: text for path, text in {**base, **changed}.items() if text is not None}
    place = MemoryPlace(base, now)
    wanted = Wanted(instruction=instruction, repairs=instruction, whole=whole)
    observed = await observe(place, wanted, await place.look(None, ()), None)
    return [reason.key for reason in observed.shortfalls]


@pytest.mark.parametrize(
    ("instruction", "changed", "reason"),
    [
        (SET, {"conf/app.yaml": b"timeout: 30  # 60\n"}, "values_not_set"),
        (SET, {"a/x.yaml": b"timeout: 60\n"}, "values_not_set"),
        (COPY, {"docs/upgrade.md": b"Unpack it. Copy all.\n"}, "values_not_set"),
        (COPY, {"docs/upgrade.md": b"Unpack it. Unpack all.\n"}, "values_not_set"),
        (EVERY, REPLACED, "values_not_set"),
        (CLEAR, {"PLAN.md": b"# Plan\n"}, "only_documents"),
        (TRANSLATE, {"docs/guide.ja.md": BASE["docs/guide.md"]}, "not_translated"),
        ("Merge the branch", {"README.md": b"# It\n<<<<<<< HEAD\na\n"}, "conflict_markers"),
        (
            "Add a clean target",
            {"Makefile": b"clean:\n\trm -rf .claude/evidence\n"},
            "records_reached_for",
        ),
        (PEEK, PEEKING, "tests_missing"),
        (PEEK, {**PEEKING, "README.md": b"# It"}, "tests_missing"),
        (PEEK, {"tests/test_queue.py": b"def test_peek(): assert True\n"}, "only_tests_changed"),
        (REPAIR, {"tests/test_queue.py": b"def test_pop(): assert True\n"}, "only_tests_changed"),
        (TRANSLATE, {"docs/ja/guide.md": BASE["docs/guide.md"]}, "not_translated"),
        (TRANSLATE, {"docs/guide_ja.md": BASE["docs/guide.md"]}, "not_translated"),
    ],
)
async def test_what_falls_short(instruction: str, changed: Changed, reason: str) -> None:
    assert await found(instruction, changed) == [reason]
    assert await found(instruction, changed, whole=False) == [], "a part may leave it to another"


@pytest.mark.parametrize(
    ("instruction", "changed"),
    [
        (PEEK, {**TESTS, **PEEKING}),
        (PEEK, {**PEEKING, "peek_check.py": b"assert Queue().peek() is None\n"}),
        (PEEK, {**PEEKING, "features/peek.feature": b"Scenario: empty\n"}),
        (PEEK, {**PEEKING, "Makefile": b"test:\n\tpython3 -c 'import queue'\n"}),
        (REPAIR, {**TESTS, **PEEKING}),
        (COVER, TESTS),
        ("Fix the flaky test in tests/test_queue.py and add another test", TESTS),
        ("Fix the queue and add a test if it already works", TESTS),
        ("Add a faster mode to tests/test_queue.py, with tests", TESTS),
        (SET, {"conf/app.yaml": b"timeout: 60\n"}),
        ("Set timeout to 60 in x.yaml", {"a/x.yaml": b"timeout: 61\n"}),
        ("Change the copyright in the README from 2023 to 2024", {"README.md": b"# It, 2024\n"}),
        ("Change 'It' in README.md to 'That' and move it to docs", MOVED),
        (COPY, REPLACED),
        (EVERY, {**REPLACED, "README.md": b"# It\n\nUnpack it.\n"}),
        ("Replace every 'Copy' with 'Unpack' in the titles", {"docs/guide.md": b"Unpack\n"}),
        (CLEAR, {"queue.py": b"class Queue:\n    def clear(self): ...\n", "PLAN.md": b"# Plan\n"}),
        (CLEAR, {".claude/commands/clear.md": b"Clear the queue.\n"}),
        (TRANSLATE, {"docs/guide.ja.md": "# 案内\n".encode()}),
        ("Explain conflict markers", {"README.md": b"# It\n<<<<<<< HEAD\na\n"}),
        ("Explain git", {"README.md": b"# It\n\n```\n<<<<<<< HEAD\na\n```\n"}),
        ("Underline it", {"README.md": b"It\n=======\n"}),
        ("Ignore more", {".dockerignore": b".claude/evidence\n"}),
        ("Clean .claude too", {"Makefile": b"clean:\n\trm -rf .claude/evidence\n"}),
        (TRANSLATE, {"docs/guide.ja.md": "# 案内\n".encode(), "x.svg": b"<svg/>"}),
        ("Copy docs/guide.md to docs/guide.old.md", {"docs/guide.old.md": BASE["docs/guide.md"]}),
    ],
)
async def test_what_does_not(instruction: str, changed: Changed) -> None:
    assert await found(instruction, changed) == []


async def test_where_there_is_no_code_a_document_may_be_what_was_meant() -> None:
    texts = {path: text for path, text in BASE.items() if path != "queue.py"}
    assert await found(CLEAR, {"PLAN.md": b"# Plan\n"}, base=texts) == []


READ_BY_TEST = {**BASE, "tests/test_docs.py": b"open('README.md').read()\n"}
READ_BY_CODE = {**BASE, "help.py": b"print(open('README.md').read())\n"}


async def test_a_text_that_only_a_test_reads_is_still_no_program() -> None:
    flag = "Add a --copy flag to the queue"
    written = {"README.md": b"# It\n\nUse --copy.\n"}
    assert await found(flag, written, base=READ_BY_TEST) == ["only_documents"]
    assert await found(flag, written, base=READ_BY_CODE) == []


NAMED = "Implement peek_at(queue, index) in queue.py"


@pytest.mark.parametrize(
    ("changed", "reasons"),
    [
        (
            {"queue.py": b"class Queue: ...\n\n\ndef peek_at(queue, index):\n    pass\n"},
            ["names_hollow"],
        ),
        ({"other.py": b"X = 1\n"}, ["names_missing"]),
        ({"queue.py": b"def peek_at(queue, index):\n    return queue[index]\n"}, []),
    ],
)
async def test_code_that_was_asked_for_by_name(changed: Changed, reasons: list[str]) -> None:
    assert await found(NAMED, changed) == reasons


RUST = {"src/queue.rs": b"pub fn peek() {}\n"}
IN_RUST = b"pub fn peek() {}\n\n#[test]\nfn peeks() {\n    assert_eq!(peek(), ());\n}\n"
EXAMPLE = (
    b'class Queue:\n    def peek(self):\n        """\n        >>> Queue().peek()\n        """\n'
)
RUN_EXAMPLES = {
    **BASE,
    "pyproject.toml": b"[tool.pytest.ini_options]\naddopts = '--doctest-modules'\n",
}


async def test_tests_may_lie_in_the_code_itself() -> None:
    assert await found(PEEK, {"src/queue.rs": IN_RUST}, base={**BASE, **RUST}) == []
    assert await found(PEEK, {"queue.py": EXAMPLE}, base=RUN_EXAMPLES) == []
    assert await found(PEEK, {"queue.py": EXAMPLE}) == ["tests_missing"], "nobody runs it"
