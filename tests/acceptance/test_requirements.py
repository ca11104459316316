"""Requirement analysis and answers through the program: what runs, what asks, what completes."""

import json
import os
import stat
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran


def claude(tmp_path: Path, body: str, answer: str = "Done.") -> dict[str, str]:
    """An environment whose `claude` runs `body`, leaves a mark outside, and says `answer`."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    event = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1}
    said = json.dumps({**event, "result": answer, "usage": {}})
    script = folder / "claude"
    mark = tmp_path / "called"
    text = f"#!/bin/sh\ntouch '{mark}'\n{body}\ncat <<'EOF'\n{said}\nEOF\n"
    script.write_text(text, encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


class Solo:
    """`run --solo` in one project, with a `claude` that leaves a mark when it is called."""

    def __init__(self, program: Program, project: Path, tmp_path: Path) -> None:
        self.program = program
        self.project = project
        self.tmp_path = tmp_path

    def __call__(self, instruction: str, body: str = "true", answer: str = "Done.") -> Ran:
        return self.do("run", instruction, "--solo", env=claude(self.tmp_path, body, answer))

    def do(self, *arguments: str, env: dict[str, str] | None = None) -> Ran:
        return self.program(*arguments, "--project", str(self.project), env=env)

    @property
    def called(self) -> bool:
        return (self.tmp_path / "called").exists()

    def answers(self) -> list[Path]:
        return sorted((self.project / ".claude" / "raw").rglob("*_answer.md"))

    def task(self) -> str:
        return self.do("logs", "--json").json[-1]["external_task_id"]


@pytest.fixture
def solo(program: Program, project: Path, tmp_path: Path) -> Solo:
    return Solo(program, project, tmp_path)


def test_a_question_is_complete_with_a_stored_answer(solo: Solo) -> None:
    ran = solo("What does this project do?", answer="It greets people.\nWith \x1b[31mcare\x1b[0m.")
    assert ran.code == 0, ran.out + ran.err
    (stored,) = solo.answers()
    assert stored.read_text("utf-8").startswith("It greets people.")
    assert "It greets people." in ran.out
    assert "\x1b" not in ran.out
    assert str(stored) in ran.out
    assert solo.do("evidence", "verify").code == 0
    stored.write_text("It does something else.\n", "utf-8")
    assert solo.do("evidence", "verify").code != 0


@pytest.mark.parametrize("answer", ["", "  \n\t "])
def test_an_empty_answer_proves_nothing(solo: Solo, answer: str) -> None:
    ran = solo("プロジェクトの構成を教えてください", answer=answer)
    assert ran.code == 2, ran.out + ran.err
    assert solo.answers() == []


def test_an_answer_to_a_request_for_work_is_not_complete(solo: Solo) -> None:
    ran = solo("Explain the bug in parse() and fix it", answer="I explained and fixed it.")
    assert ran.code == 2, ran.out + ran.err


def test_files_changed_by_a_question_are_reported(solo: Solo) -> None:
    ran = solo("Explain how the cache works", "echo x > sneaky.txt", "It caches.")
    assert "sneaky.txt" in ran.out
    assert "Only an answer was asked for" in ran.out


def test_a_secret_in_an_answer_is_masked_where_it_is_stored(solo: Solo) -> None:
    secret = "sk-ant-api03-" + "Ab1_" * 12
    ran = solo("What is the key?", answer=f"The key is {secret} .")
    assert ran.code == 0, ran.out + ran.err
    (stored,) = solo.answers()
    assert secret not in stored.read_text("utf-8") + ran.out
    assert "[MASKED:" in stored.read_text("utf-8")


def test_a_long_answer_is_shown_in_part(solo: Solo) -> None:
    ran = solo("List all functions", answer="\n".join(f"function_{n}" for n in range(500)))
    assert ran.code == 0, ran.out + ran.err
    assert "function_10\n" in ran.out
    assert "function_499" not in ran.out
    assert "function_499" in solo.answers()[0].read_text("utf-8")


def test_a_report_into_a_file_needs_the_file(solo: Solo) -> None:
    wanted = "Write a summary of the public API to docs/summary.md"
    assert solo(wanted, answer="Here is the summary: …").code == 2
    ran = solo(wanted, "mkdir -p docs; echo '# API' > docs/summary.md")
    assert ran.code == 0, ran.out + ran.err


@pytest.mark.parametrize(
    ("instruction", "asked"),
    [
        ("create README.md", "README.md exists already"),
        ("README.mdを作成してください", "README.md は既に存在します"),
    ],
)
def test_an_existing_file_is_asked_about_before_anything_starts(
    solo: Solo, instruction: str, asked: str
) -> None:
    (solo.project / "README.md").write_text("mine\n", "utf-8")
    ran = solo(instruction, "echo new > README.md")
    assert ran.code == 2
    assert asked in ran.err
    assert not solo.called
    assert (solo.project / "README.md").read_text("utf-8") == "mine\n"


def test_the_answer_lets_the_same_task_go_on(solo: Solo) -> None:
    (solo.project / "README.md").write_text("mine\n", "utf-8")
    assert solo("create README.md", "echo new > README.md").code == 2
    env = claude(solo.tmp_path, "echo new > README.md")
    ran = solo.do("reply", solo.task(), "overwrite", env=env)
    assert ran.code == 0, ran.out + ran.err
    assert solo.called


def test_an_update_of_an_existing_file_runs(solo: Solo) -> None:
    (solo.project / "README.md").write_text("mine\n", "utf-8")
    ran = solo("update README.md", "echo new >> README.md")
    assert ran.code == 0, ran.out + ran.err


@pytest.mark.parametrize("said", ["yes", "はい"])
def test_a_dangerous_task_starts_after_an_explicit_yes(solo: Solo, said: str) -> None:
    assert solo("git reset --hard HEAD and write done.txt").code == 2
    assert not solo.called
    env = claude(solo.tmp_path, "echo done > done.txt")
    assert solo.do("reply", solo.task(), said, env=env).code == 0
    assert solo.called


def test_a_dangerous_task_does_not_start_after_anything_else(solo: Solo) -> None:
    assert solo("drop table users").code == 2
    env = claude(solo.tmp_path, "true")
    assert solo.do("reply", solo.task(), "yes, but carefully", env=env).code == 2
    assert not solo.called


@pytest.mark.parametrize(
    ("instruction", "body"),
    [
        ("Delete old.txt", "rm old.txt"),
        ("old.txtを削除してください", "rm old.txt"),
        ("Rename old.txt to new.txt", "mv old.txt new.txt"),
        ("old.txtをnew.txtにリネームして", "mv old.txt new.txt"),
        ("Create an empty file marker.txt", ": > marker.txt"),
        ("Create copy.txt based on old.txt", "cp old.txt copy.txt; echo more >> copy.txt"),
    ],
)
def test_files_that_go_or_stay_empty_are_honest_work(
    solo: Solo, instruction: str, body: str
) -> None:
    (solo.project / "old.txt").write_text("old\n", "utf-8")
    ran = solo(instruction, body)
    assert ran.code == 0, ran.out + ran.err


def test_a_script_may_ask_and_goes_on(solo: Solo) -> None:
    env = claude(solo.tmp_path, "true", "It greets people.")
    script = "/start\nfix it\nWhat does this project do?\n/tasks\n/exit\n"
    arguments = ("repl", "--non-interactive", "--project", str(solo.project))
    ran = solo.program(*arguments, stdin=script, env=env)
    assert "Which function or place" in ran.err
    assert "It greets people." in ran.out
    assert "[RESULT]  COMPLETE" in ran.out


def test_the_language_of_the_instruction_where_the_locale_is_silent(
    program: Program, project: Path, tmp_path: Path
) -> None:
    solo = Solo(program, project, tmp_path)
    japanese = solo("README.mdを作成して", "echo '# R' > README.md")
    assert japanese.code == 0, japanese.err
    assert "1/7 要求分析" in japanese.out
    env = {**claude(tmp_path, "true"), "LANG": "en_GB.UTF-8"}
    asked_for = solo.do("run", "NOTES2.mdを作成して", "--solo", env=env)
    assert "1/7 Requirement analysis" in asked_for.out
