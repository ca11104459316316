"""Nothing is endless: what would take for ever ends in seconds, with a summary."""

import os
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project

pytestmark = pytest.mark.timeout(40)


def test_a_sparse_tebibyte_is_neither_read_nor_saved_and_undo_works_beside_it(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    python_project(project)
    (project / "mine.bin").touch()
    os.truncate(project / "mine.bin", 1024**4)
    where = ("--project", str(project))
    env = claude.does("echo hi > hello.md; truncate -s 1T theirs.bin; truncate -s 1T old.txt")
    ran = program("run", "Create hello.md", "--solo", "--json", *where, env=env)
    assert ran.code == 0, ran.out + ran.err
    odd = {(f["kind"], f["path"]) for f in ran.json["findings"]}
    assert odd >= {("not_saved", "mine.bin"), ("large", "theirs.bin"), ("large", "old.txt")}
    undone = program("undo", ran.json["task_id"], *where)
    assert undone.code == 0, undone.out + undone.err
    assert (project / "old.txt").read_text(encoding="utf-8") == "old\n"
    assert not (project / "hello.md").exists()
    assert (project / "mine.bin").stat().st_size == 1024**4
