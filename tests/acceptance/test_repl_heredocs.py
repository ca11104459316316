"""The specification's own scripts, word for word, and what a shell sees of them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

README = "echo '# Readme' > README.md"
WRITES_LOGS = "/start\nreadmeを作って\n/tasks\n/logs\n/exit\n"


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    folder = tmp_path / "demo"
    folder.mkdir()
    return folder


def without_ids(text: str) -> str:
    """The screen with everything that differs from run to run called by its kind."""
    text = re.sub(r"session-\d{8}-[0-9a-f]{8}", "SESSION", text)
    text = re.sub(r"task-\d{13}", "TASK", text)
    return re.sub(r"\d+\.\d+s", "TIME", text)


def test_the_heredoc_of_the_usage_section(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-28 Output Integrity, as `06` verifies it: four results in the order of the lines."""
    ran = program(
        *("repl", "--project", str(project), "--non-interactive", "--exit-on-eof"),
        stdin=WRITES_LOGS,
        env=claude.does(README),
    )
    assert ran.code == 0, ran.err
    assert without_ids(ran.out).replace(str(project), "PROJECT").splitlines() == [
        "session_id: SESSION",
        "overall_status: INCOMPLETE",
        "evidence_path: PROJECT/.claude/evidence",
        "next_action: true",
        "selected_provider: claude-code",
        "selected_model: UNSET",
        "=== TASK SUMMARY ===",
        "[RESULT]  COMPLETE",
        "[TASK]    TASK",
        "[NEXT]    続けてタスクを入力",
        "[WHY]     検証済み: Runner が 1 件の変更を確認し、ゲートの問題もありません。",
        "[HINT]    /logs TASK で実行ログを確認できます",
        "====================",
        "",
        "  エージェントの最後の言葉（本人の主張）:",
        "    │ Done.",
        "  変更: 1 ファイル (+1 -0)",
        "    新規  README.md  +1",
        "  使用量: 15 トークン、料金不明",
        "Completed Tasks",
        "---------------",
        "[x] TASK: COMPLETE (files=1, tests=0)  [log: task-001]",
        "",
        "Summary",
        "-------",
        "1 completed, 0 running, 0 pending, 0 failed",
        "Task Logs (session: SESSION):",
        "  # | Log ID   | External ID        | Status   | Duration | Files | Tests",
        "  1 | task-001 | TASK | COMPLETE | TIME     | 1     | 0",
    ]
    assert ran.err == ""


def test_the_same_by_a_pipe_and_from_a_file(
    program: Program, project: Path, claude: ClaudeScript, tmp_path: Path
) -> None:
    script = tmp_path / "commands.txt"
    script.write_text("/start\nreadmeを作って\n/tasks\n/exit\n", encoding="utf-8")
    with script.open("rb") as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "pm_orchestrator", "repl", "--project", str(project)],
            stdin=stdin,
            env={**program.environment, **claude.does(README)},
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "[RESULT]  COMPLETE" in done.stdout
    assert "1 completed" in done.stdout


def test_a_fixed_root_can_be_looked_at_by_the_next_process(
    program: Program, bare: Path, claude: ClaudeScript
) -> None:
    """R-32 Non-Volatile Project Root, as `06` verifies it."""
    ran = program(
        *("repl", "--project-mode", "fixed", "--project-root", str(bare)),
        *("--print-project-path", "--non-interactive"),
        stdin="/start\nreadmeを作成してください\n/tasks\n/exit\n",
        env=claude.does(README),
    )
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[0] == f"PROJECT_PATH={bare}"
    assert (bare / "README.md").read_text("utf-8") == "# Readme\n"
    (log,) = (bare / ".claude" / "logs").glob("sessions/*/tasks/task-001.json")
    assert json.loads(log.read_bytes())["verification_root"] == str(bare)


def test_a_blocked_executor_does_not_stop_the_script(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """R-36 Subsequent Command Processing, as `06` verifies it."""
    ran = program(
        *("repl", "--project", str(project), "--non-interactive", "--progress-timeout", "1500"),
        stdin="/start\n対話入力を要求するコードを書いて\n/tasks\n/logs\n/exit\n",
        env=claude.does("printf 'Continue? [Y/n] '; sleep 40"),
    )
    assert ran.code == 1
    assert "[RESULT]  ERROR" in ran.out
    assert "!!! ALERT: 1 task(s) failed !!!" in ran.out
    assert re.search(r"blocked: (?:INTERACTIVE_PROMPT|TIMEOUT) after \d+ ms", ran.out)
    order = [ran.out.index(mark) for mark in ("=== TASK SUMMARY", "ALERT", "Task Logs (")]
    assert order == sorted(order)


@pytest.mark.parametrize("form", ["block", "plain"])
def test_the_summary_stands_on_the_screen_at_once(
    program: Program, project: Path, claude: ClaudeScript, form: str
) -> None:
    """R-39 Immediate Summary, as `06` verifies it, in both forms."""
    ran = program(
        *("repl", "--non-interactive", "--project", str(project), "--summary-format", form),
        stdin="/start\nREADME.mdを作成してください\n/exit\n",
        env=claude.does(README),
    )
    text = without_ids(ran.out)
    if form == "plain":
        assert text.endswith("RESULT: COMPLETE\nTASK: TASK\nNEXT: (none)\nHINT: /logs TASK\n")
        # What else there is to say stands beside what a program reads.
        assert "    │ Done." in ran.err.splitlines()
    else:
        fields = re.findall(r"^\[(\w+)\]  ", text, re.MULTILINE)
        assert fields == ["RESULT", "TASK", "NEXT", "WHY", "HINT"][: len(fields)]
        assert "[RESULT]  COMPLETE" in text


def test_the_settings_choose_the_form_too(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    path = project / ".claude" / "settings.json"
    settings = json.loads(path.read_bytes())
    settings["ui"] = {"summary_format": "plain"}
    path.write_text(json.dumps(settings), encoding="utf-8")
    ran = program(
        *("run", "Create README.md", "--solo", "--project", str(project)), env=claude.does(README)
    )
    assert "RESULT: COMPLETE\n" in ran.out
    assert "===" not in ran.out


@pytest.mark.parametrize("stream", ["full", "folded"])
def test_the_settings_fold_what_the_executor_says(
    program: Program, project: Path, claude: ClaudeScript, stream: str
) -> None:
    path = project / ".claude" / "settings.json"
    settings = json.loads(path.read_bytes())
    path.write_text(json.dumps(settings | {"ui": {"stream": stream}}), encoding="utf-8")
    said = {"type": "text", "text": "Now I write the readme."}
    event = json.dumps({"type": "assistant", "message": {"content": [said]}})
    ran = program(
        *("run", "Create README.md", "--solo", "--project", str(project)),
        env=claude.does(f"echo '{event}'; {README}"),
    )
    assert ran.code == 0, ran.err
    assert (said["text"] in ran.out) == (stream == "full")


@pytest.mark.parametrize("typed", ["exit", "Exit", "EXIT", " exit "])
def test_exit_without_its_slash_is_asked_about_and_never_run(
    program: Program, project: Path, claude: ClaudeScript, typed: str
) -> None:
    ran = program(
        *("repl", "--non-interactive", "--project", str(project)),
        stdin=f"/start\n{typed}\n/tasks\n",
        env=claude.does(README),
    )
    assert ran.err.splitlines() == ["ERROR: Did you mean /exit?", "HINT: /exit"]
    assert "0 completed" in ran.out
    assert ran.code == 1
    assert not (project / "README.md").exists()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("/provider select", "E210"),
        ("/models select", "E210"),
        ("/nothing", "E209"),
        ("/continue", "E210"),
        ("/logs task-999", "E210"),
        ("/approve", "E207"),
    ],
)
def test_what_a_script_cannot_do_is_an_error_and_the_next_line_runs(
    program: Program, project: Path, line: str, code: str
) -> None:
    ran = program(
        *("repl", "--non-interactive", "--project", str(project)),
        stdin=f"/start\n{line}\n/help\n",
    )
    assert f"ERROR {code}" in ran.err
    assert "HINT: " in ran.err
    assert "Available commands:" in ran.out
    assert ran.code == 1


def test_without_waiting_the_next_line_is_done_meanwhile(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    ran = program(
        *("repl", "--non-interactive", "--no-wait", "--project", str(project)),
        stdin="/start\nCreate README.md\n/help\n",
        env=claude.does(f"sleep 1; {README}"),
    )
    assert ran.code == 0, ran.err
    assert ran.out.index("Available commands:") < ran.out.index("[RESULT]  COMPLETE")


def test_at_its_end_a_script_may_be_continued(program: Program, project: Path) -> None:
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "pm_orchestrator", "repl", "--no-exit-on-eof"]
    script = project.parent / "growing.txt"
    script.write_text("/help\n", encoding="utf-8")
    with script.open("rb") as stdin:
        process = subprocess.Popen(
            [*command, "--project", str(project)],
            stdin=stdin,
            stdout=writing,
            stderr=subprocess.PIPE,
            env=dict(program.environment),
            text=True,
        )
    os.close(writing)
    assert process.stderr is not None
    assert "waiting for more" in process.stderr.readline()
    with script.open("a", encoding="utf-8") as more:
        more.write("/keys\n/exit\n")
    with os.fdopen(reading, encoding="utf-8") as out:
        shown = out.read()
    assert process.wait(20) == 0
    process.stderr.close()
    assert shown.index("Available commands:") < shown.index("API Key Status:")


def test_two_repls_on_one_session(program: Program, project: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-m", "pm_orchestrator", "repl", "--project", str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=dict(program.environment),
        text=True,
    )
    assert first.stdin is not None
    assert first.stdout is not None
    first.stdin.write("/start\n")
    first.stdin.flush()
    session = first.stdout.readline().split()[-1]
    second: Ran = program(
        *("repl", "--project", str(project)), stdin=f"/continue {session}\n/tasks\n"
    )
    assert second.code == 1
    assert "ERROR E402" in second.err
    assert str(first.pid) in second.err
    first.communicate("/exit\n", timeout=20)
    assert first.returncode == 0
