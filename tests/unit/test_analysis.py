"""What an instruction asks for, decided without a model."""

import pytest

from pm_orchestrator.domain.errors import NeedsPersonError
from pm_orchestrator.domain.task import TaskType
from pm_orchestrator.runner.phases.analysis import files_named, question_for, refuse_unclear

CLEAR = [
    "Add a login page",
    "fix the crash in the parser when the file is empty",
    "README.mdを作成してください",
    "readmeを作って",
    "update the greeting to say hello twice",
    "delete the unused function parse_old",
    "rm the temporary file in tests",
    "Add tests for force-directed layout",
    "テストを追加してください、対象は src/a.py です",
]
VAGUE = {
    "fix it": "ask_place",
    "Fix this!": "ask_place",
    "please change that": "ask_place",
    "improve": "ask_place",
    "それを修正してください": "ask_place",
    "create something": "ask_target",
    "追加して": "ask_target",
    "": "ask_place",
    "   ": "ask_place",
}
DANGEROUS = [
    "run rm -rf / and start over",
    "Delete everything in the repository",
    "drop table users",
    "git push --force to main",
    "force-push the branch",
    "wipe the whole disk",
    "git reset --hard origin/main",
    "データベースを全て削除してください",
]


@pytest.mark.parametrize("instruction", CLEAR)
def test_clear_instructions_run(instruction: str) -> None:
    assert refuse_unclear(instruction, "task-1") is TaskType.IMPLEMENTATION


@pytest.mark.parametrize(("instruction", "slug"), VAGUE.items())
def test_vague_instructions_get_one_question(instruction: str, slug: str) -> None:
    assert question_for(instruction) == slug
    with pytest.raises(NeedsPersonError) as caught:
        refuse_unclear(instruction, "task-1")
    for lang in ("en", "ja"):
        assert caught.value.what(lang).count("\n") <= 1


@pytest.mark.parametrize("instruction", DANGEROUS)
def test_dangerous_instructions_wait_for_a_person(instruction: str) -> None:
    with pytest.raises(NeedsPersonError) as caught:
        refuse_unclear(instruction, "task-1")
    assert caught.value.slug == "dangerous_instruction"


@pytest.mark.parametrize(
    ("instruction", "files"),
    [
        ("Create README.md and src/app/main.py", ("README.md", "src/app/main.py")),
        ("README.mdを作成して", ("README.md",)),
        ("Bump to version 1.2.3", ()),
        ("Support e.g. dates", ()),
        ("Add a Node.js server for example.com", ()),
        ("Add server.js and vitest.config.ts", ("server.js", "vitest.config.ts")),
        ("See /etc/hosts.txt", ()),
        ("src/日本.py は対象外", ()),
        ("Read README.md, then README.md again", ("README.md",)),
    ],
)
def test_files_that_are_named(instruction: str, files: tuple[str, ...]) -> None:
    assert files_named(instruction) == files
