"""Executors that touch what is the Runner's, and others that only seem to."""

import json
import threading
import time
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

HONEST = "echo '# Readme' > README.md"
EDIT_SETTINGS = (
    "python3 -c \"import json,pathlib; p=pathlib.Path('.claude/settings.json');"
    'd=json.loads(p.read_text()); {edit}; p.write_text(json.dumps(d))"'
)


def run(program: Program, project: Path, tmp_path: Path, body: str) -> tuple[int, str, str]:
    env = ClaudeScript(tmp_path / "bin").does(body)
    ran = program("run", "Create README.md", "--solo", "--project", str(project), env=env)
    return ran.code, ran.out, ran.err


def last_log(project: Path) -> dict[str, object]:
    logs = sorted((project / ".claude" / "logs" / "sessions").glob("*/tasks/task-*.json"))
    content: dict[str, object] = json.loads(logs[-1].read_text(encoding="utf-8"))
    return content


@pytest.mark.parametrize(
    ("body", "named"),
    [
        # a record of this very task, altered
        ('for f in .claude/evidence/ev-*.json; do sed -i s/enter/leave/ "$f"; done', "ev-"),
        # a record nobody made
        (
            "cp $(ls .claude/evidence/ev-*.json | head -1) .claude/evidence/ev-forged.json",
            "ev-forged",
        ),
        # the chain: shortened, lengthened, removed
        ("sed -i '$d' .claude/evidence/chain.jsonl", "chain.jsonl"),
        ("tail -1 .claude/evidence/chain.jsonl >> .claude/evidence/chain.jsonl", "chain.jsonl"),
        ("rm .claude/evidence/chain.jsonl", "chain.jsonl"),
        # a verdict written by the executor itself
        (
            'sed -i \'s/"running"/"complete"/\' .claude/logs/sessions/*/tasks/*.json',
            "task-001.json",
        ),
        ("rm -r .claude/logs/sessions", "sessions/"),
        ("echo '{}' > $(ls -d .claude/logs/sessions/*)/index.json", "index.json"),
        # the policy in force
        (EDIT_SETTINGS.format(edit="d['task_limits']['files']=19"), "settings.json"),
        (EDIT_SETTINGS.format(edit="d['gates']={'test': ['true']}"), "settings.json"),
        ("rm .claude/settings.json", "settings.json"),
        ("echo not-json > .claude/settings.json", "settings.json"),
    ],
)
def test_altered_records_make_the_task_invalid(
    program: Program, project: Path, tmp_path: Path, body: str, named: str
) -> None:
    settings = (project / ".claude" / "settings.json").read_bytes()
    code, out, err = run(program, project, tmp_path, f"{HONEST}\n{body}")
    assert code == 1, out + err
    assert err.startswith("ERROR E505: ")
    assert named in err
    assert "COMPLETE" not in out
    log = last_log(project)
    assert log["status"] == "error"
    assert str(log["error_reason"]).startswith("E505")
    # The old policy stays in force.
    assert (project / ".claude" / "settings.json").read_bytes() == settings


def test_a_failing_executor_does_not_hide_it(
    program: Program, project: Path, tmp_path: Path
) -> None:
    code, _, err = run(program, project, tmp_path, "rm .claude/evidence/chain.jsonl; exit 3")
    assert (code, err[:12]) == (1, "ERROR E505: ")


def test_the_project_is_taken_away(program: Program, project: Path, tmp_path: Path) -> None:
    code, _, err = run(program, project, tmp_path, 'cd /; rm -rf "$OLDPWD"')
    assert code == 1
    assert err.startswith("ERROR E505: "), err
    assert "Traceback" not in err
    assert last_log(project)["status"] == "error"


@pytest.mark.parametrize(
    "body",
    [
        "echo '# Rules' > .claude/CLAUDE.md",
        EDIT_SETTINGS.format(edit="d['permissions']={'allow': ['Bash(ls)']}"),
        EDIT_SETTINGS.format(edit="d=dict(sorted(d.items()))"),
        "mkdir -p .claude/agents; echo x > .claude/agents/me.md",
        "chmod -R u+rwX .; touch .claude/settings.json .claude/evidence/*",
        "cat .claude/evidence/* .claude/logs/index.json > /dev/null",
    ],
)
def test_honest_work_in_the_same_places_is_fine(
    program: Program, project: Path, tmp_path: Path, body: str
) -> None:
    code, out, err = run(program, project, tmp_path, f"{HONEST}\n{body}")
    assert code == 0, out + err
    assert "[RESULT]  COMPLETE" in out
    assert program("evidence", "verify", "--project", str(project)).code == 0


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("ln -s /etc/hostname outside", "link_outside"),
        ("mkfifo pipe", "special"),
        ("git -c user.name=A -c user.email=a@b commit -q --amend -m Other", "history_rewritten"),
        ("git -c user.name=A -c user.email=a@b commit -q --allow-empty -m New", "head_moved"),
        ("true", "saved"),
    ],
)
def test_oddities_are_reported_and_prove_nothing(
    program: Program, project: Path, tmp_path: Path, body: str, kind: str
) -> None:
    env = ClaudeScript(tmp_path / "bin").does(f"{HONEST}\n{body}")
    arguments = ("--solo", "--json", "--project", str(project))
    ran = program("run", "Create README.md", *arguments, env=env)
    assert ran.code == 0, ran.out + ran.err
    assert kind in {finding["kind"] for finding in ran.json["findings"]}
    assert f'"kind": "{kind}"' in json.dumps(last_log(project)["events"])


def test_what_a_gate_writes_is_nowhere(program: Program, project: Path, tmp_path: Path) -> None:
    (project / "Makefile").write_text("test:\n\t@echo late > late.txt; echo '1 passed'\n", "utf-8")
    env = ClaudeScript(tmp_path / "bin").does("echo 'x = 1' > code.py")
    ran = program("run", "Create code.py", "--solo", "--json", "--project", str(project), env=env)
    assert ran.code == 0, ran.out + ran.err
    assert not (project / "late.txt").exists()
    assert "written_while_checked" not in {finding["kind"] for finding in ran.json["findings"]}


def test_what_is_written_while_a_gate_runs_is_reported(
    program: Program, project: Path, tmp_path: Path
) -> None:
    # Somebody else, who is not in the gate's view, writes into the project meanwhile.
    wait = "for n in $$(seq 200); do test -e ../written && break; sleep 0.05; done"
    makefile = f"test:\n\t@touch ../gate_runs; {wait}; echo '1 passed'\n"
    (project / "Makefile").write_text(makefile, "utf-8")
    env = ClaudeScript(tmp_path / "bin").does("echo 'x = 1' > code.py")

    def write_meanwhile() -> None:
        deadline = time.monotonic() + 20
        while not (project.parent / "gate_runs").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        (project / "late.txt").write_text("late\n", encoding="utf-8")
        (project.parent / "written").touch()

    other = threading.Thread(target=write_meanwhile)
    other.start()
    ran = program("run", "Create code.py", "--solo", "--json", "--project", str(project), env=env)
    other.join()
    late = [f for f in ran.json["findings"] if f["kind"] == "written_while_checked"]
    assert [f["path"] for f in late] == ["late.txt"]


def test_ignored_files_count_only_when_the_task_names_them(
    program: Program, project: Path, tmp_path: Path
) -> None:
    (project / ".gitignore").write_text("build/\n*.env\n", "utf-8")
    (project / "old.env").write_text("A=1\n", "utf-8")
    # Named by the task: it counts.
    env = ClaudeScript(tmp_path / "bin").does("mkdir build; echo out > build/out.txt")
    named = ("run", "Create build/out.txt", "--solo", "--project", str(project))
    ran = program(*named, env=env)
    assert ran.code == 0, ran.out + ran.err
    # Not named: nothing visible changed, and un-ignoring makes nothing new.
    env = ClaudeScript(tmp_path / "bin").does("echo more > build/out.txt; echo > .gitignore")
    unnamed = ("run", "Add a greeting", "--solo", "--json", "--project", str(project))
    ran = program(*unnamed, env=env)
    assert [c["path"] for c in ran.json["changes"]] == [".gitignore"]


def test_a_gate_that_alters_records_makes_the_task_invalid(
    program: Program, project: Path, tmp_path: Path
) -> None:
    # A build runs in the directory itself; lint and test see a view that is thrown away.
    harm = "for f in .claude/evidence/ev-*.json; do sed -i s/enter/leave/ $$f; done"
    (project / "Makefile").write_text(f"build:\n\t{harm}\n", encoding="utf-8")
    ran = program("run", "ビルドを実行して", "--solo", "--json", "--project", str(project))
    assert (ran.code, ran.json["status"]) == (1, "INVALID"), ran.out + ran.err


def test_what_is_written_late_is_reported_without_a_gate_too(
    program: Program, project: Path, tmp_path: Path
) -> None:
    env = ClaudeScript(tmp_path / "bin").does("echo '# Readme' > README.md; touch ../done")
    ended = threading.Event()

    def keep_writing() -> None:
        deadline = time.monotonic() + 40
        while not ended.is_set() and time.monotonic() < deadline:
            if (project.parent / "done").exists():
                with (project / "late.md").open("a", encoding="utf-8") as late:
                    late.write("late\n")
            time.sleep(0.0005)

    other = threading.Thread(target=keep_writing)
    other.start()
    arguments = ("--solo", "--json", "--project", str(project))
    ran = program("run", "Create README.md", *arguments, env=env)
    ended.set()
    other.join()
    late = {f["path"] for f in ran.json["findings"] if f["kind"] == "written_while_checked"}
    assert late == {"late.md"}, ran.out + ran.err
