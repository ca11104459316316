"""R-1, R-7, R-21, R-23: whatever the Runner wrote, seen when it was touched, and never used."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

HONEST = "echo '# Readme' > README.md"
SESSIONS, STATE = ".claude/logs/sessions", ".pm-orchestrator/runtime/state"
ALTERED = {
    # by part of the name that has to be said
    ".claude/repl.json": 'sed -i \'s/"selected_model": null/"selected_model": "evil"/\' {}',
    f"{STATE}/unfinished.json": "echo '{{\"tasks\": []}}' > {}",
    f"{STATE}/owners/session-": f"for f in {STATE}/owners/session-*; do echo '{{{{}}}}' > $f; done",
    f"{STATE}/owners/executing.json": 'sed -i \'s/"pid": /"pid": 1/\' {}',
    "/facts/": f"for f in {SESSIONS}/*/facts/*; do echo ' ' >> $f; done",
    "/session_state.json": f"for f in {SESSIONS}/*/session_state.json; do echo ' ' >> $f; done",
    # Only a session in which a task has ended holds facts.
    "/session.json": f"for f in {SESSIONS}/*/facts; do echo ' ' >> $f/../session.json; done",
    "/threads.json": f"for f in {SESSIONS}/*/facts; do echo ' ' >> $f/../threads.json; done",
    "/runs.jsonl": f"sed -i s/COMPLETED/FAILED/ {SESSIONS}/*/facts/../runs.jsonl",
    ".claude/logs/index.json": 'sed -i \'s/"complete"/"error"/\' {}',
    ".claude/raw/": "for f in .claude/raw/*/*.log; do echo ' ' >> $f; done",
    "run_001/events.jsonl": "for f in .pm-orchestrator/runtime/runs/*/events.jsonl; do "
    "echo '{{}}' > $f; done",
    "run_001/report.json": "sed -i s/COMPLETE/INVALID/ .pm-orchestrator/runtime/runs/*/report.json",
    "run_001/git.log": "sed -i s/git/got/ .pm-orchestrator/runtime/runs/*/git.log",
    ".pm-orchestrator/workflows/backlog/": "echo done >> .pm-orchestrator/workflows/backlog/a.md",
    "refs/pm/rescue/run_001/": "git for-each-ref --format='%(refname)' refs/pm | "
    "while read ref; do git update-ref $ref HEAD; done",
}


@pytest.fixture
def worked_in(program: Program, project: Path, claude: ClaudeScript) -> Path:
    """A project in which a task was done, in a session of its own."""
    assert run(program, project, claude, "echo hello > hello.md", "Create hello.md").code == 0
    backlog = project / ".pm-orchestrator" / "workflows" / "backlog"
    backlog.mkdir(parents=True)
    (backlog / "a.md").write_text("# A\n", encoding="utf-8")
    return project


def run(
    program: Program, project: Path, claude: ClaudeScript, body: str, what: str = "Create README.md"
) -> Ran:
    arguments = ("--solo", "--json", "--project", str(project))
    return program("run", what, *arguments, env=claude.does(body))


def altered_in(project: Path) -> str:
    """What was recorded as altered."""
    for path in (project / ".claude" / "evidence").glob("ev-*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["operation_type"] == "records_altered":
            return (project / ".claude" / record["raw_logs"]).read_text(encoding="utf-8")
    return ""


def test_everything_of_ours_that_is_altered_is_named_and_not_used(
    program: Program, worked_in: Path, claude: ClaudeScript
) -> None:
    harm = "\n".join(how.format(name) for name, how in ALTERED.items())
    ran = run(program, worked_in, claude, f"{HONEST}\n{harm}")
    assert (ran.code, ran.json["status"]) == (1, "INVALID"), ran.out + ran.err
    assert ran.err.startswith("ERROR E505: ")
    named = altered_in(worked_in)
    assert [name for name in ALTERED if name not in named] == []
    # None of it is used: the next task goes to whom the person selected, undo and facts hold.
    state = json.loads((worked_in / ".claude" / "repl.json").read_text(encoding="utf-8"))
    assert state["selected_model"] is None
    first = json.loads(
        (worked_in / ".pm-orchestrator/runtime/runs/run_001/report.json").read_text("utf-8")
    )
    assert first["overall_status"] == "COMPLETE"
    listed = json.loads((worked_in / ".claude/logs/index.json").read_text(encoding="utf-8"))
    assert listed[0]["entries"][0]["status"] == "complete"
    undone = program("undo", first["tasks"][0]["task_id"], "--project", str(worked_in))
    assert undone.code == 0, undone.err
    assert not (worked_in / "hello.md").exists()


def test_a_model_that_was_written_into_the_selection_is_not_used(
    program: Program, worked_in: Path, claude: ClaudeScript
) -> None:
    ran = run(
        program,
        worked_in,
        claude,
        f"{HONEST}\n{ALTERED['.claude/repl.json']}".format(".claude/repl.json"),
    )
    assert (ran.code, ran.json["status"]) == (1, "INVALID")
    assert "repl.json" in ran.err
    called = 'echo "$@" > called.md; echo x > other.md'
    assert run(program, worked_in, claude, called, "Create other.md").code == 0
    assert "evil" not in (worked_in / "called.md").read_text(encoding="utf-8")


ALTER = f"{ALTERED['.claude/repl.json']}; ".format(".claude/repl.json")
SAYS = ".claude/repl.json was altered since then"


@pytest.mark.parametrize("harm", ["", ALTER, "echo '{' > .claude/repl.json; "])
def test_a_selection_altered_before_the_runner_was_killed_is_said_and_not_used(
    program: Program, project: Path, claude: ClaudeScript, harm: str
) -> None:
    at = ("--project", str(project))
    kill_at_work(program, project, claude, harm)
    called = 'echo "$@" > called.md; echo x > other.md'
    ran = run(program, project, claude, called, "Create other.md")
    assert ran.code == 0, ran.err
    assert (SAYS in ran.err, altered_in(project).split()) == (
        (True, [".claude/repl.json"]) if harm else (False, [])
    )
    cut_off = min(task["task_id"] for task in program("runs", "--json", *at).json)
    log = program("logs", cut_off, "--json", *at).json
    assert ("repl.json was altered" in log["error_reason"]) == bool(harm)
    assert log["status"] == "error"
    assert "evil" not in (project / "called.md").read_text(encoding="utf-8")
    assert selected_model(project) is None
    # Between tasks it is anybody's to edit.
    select_by_hand(project, "mine")
    assert run(program, project, claude, called, "Create third.md").code == 2
    assert "mine" in (project / "called.md").read_text("utf-8")
    assert selected_model(project) == "mine"


SMALLER = """sed -i 's/"files": 20/"files": 1/' .claude/settings.json; """
SETTINGS_SAY = ".claude/settings.json was altered since then"


@pytest.mark.parametrize(
    "harm", [SMALLER, pytest.param("echo '{' > .claude/settings.json; ", marks=pytest.mark.long)]
)
def test_settings_altered_before_the_runner_was_killed_are_said_and_not_used(
    program: Program, project: Path, claude: ClaudeScript, harm: str
) -> None:
    settings = project / ".claude" / "settings.json"
    before = settings.read_bytes()
    kill_at_work(program, project, claude, harm)
    altered = settings.read_bytes()
    assert altered != before
    two = "echo x > b.md; echo x > c.md"
    ran = run(program, project, claude, two, "Create b.md and c.md")
    assert (ran.code, SETTINGS_SAY in ran.err) == (0, True), ran.err
    assert altered_in(project) == ".claude/settings.json"
    cut_off = min(task["task_id"] for task in program("runs", "--json", *at(project)).json)
    log = program("logs", cut_off, "--json", *at(project)).json
    assert "settings.json was altered" in log["error_reason"]
    assert settings.read_bytes() == before
    assert settings.with_name("settings.json.put-aside-1").read_bytes() == altered
    # Between tasks they are anybody's to edit.
    settings.write_bytes(before.replace(b'"files": 20', b'"files": 1'))
    third = run(program, project, claude, "echo x > d.md; echo x > e.md", "Create d.md and e.md")
    assert (third.code, SETTINGS_SAY in third.err) == (2, False), third.err


def at(project: Path) -> tuple[str, str]:
    return "--project", str(project)


def test_a_kill_and_a_clearing_up_leave_nothing_running(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    """Without our own state nobody remembers the task, which must not stand in the way."""
    kill_at_work(program, project, claude, ALTER)
    shutil.rmtree(project / ".pm-orchestrator")
    ran = run(program, project, claude, "echo x > other.md", "Create other.md")
    assert ran.code == 0, ran.err
    assert selected_model(project) is None
    assert altered_in(project) == ".claude/repl.json"


def kill_at_work(program: Program, project: Path, claude: ClaudeScript, harm: str) -> None:
    working = project.parent / "working"
    words = ("run", "--solo", "Create a.md", "--project", str(project))
    process = subprocess.Popen(
        [sys.executable, "-m", "pm_orchestrator", *words],
        env={**program.environment, **claude.does(f"{harm}touch ../working; sleep 60")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    patience = time.monotonic() + 30
    while not working.exists():
        assert time.monotonic() < patience
        time.sleep(0.02)
    process.kill()
    process.wait()


def selected_model(project: Path) -> str | None:
    return json.loads((project / ".claude" / "repl.json").read_text("utf-8"))["selected_model"]


def select_by_hand(project: Path, model: str) -> None:
    path = project / ".claude" / "repl.json"
    state = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**state, "selected_model": model}), encoding="utf-8")


def test_facts_that_nobody_found_are_forged(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    plant = (
        "for s in .claude/logs/sessions/*; do mkdir -p $s/facts; echo '{}' > $s/facts/a.json; done"
    )
    ran = run(program, project, claude, f"{HONEST}\n{plant}")
    assert (ran.code, ran.json["status"]) == (1, "INVALID"), ran.out + ran.err
    assert "facts/a.json" in ran.err


def test_lost_raw_logs_of_this_task_leave_it_without_evidence(
    program: Program, project: Path, claude: ClaudeScript
) -> None:
    ran = run(program, project, claude, f"{HONEST}\nrm .claude/raw/session-*/*.log")
    assert (ran.code, ran.json["status"]) == (2, "NO_EVIDENCE"), ran.out + ran.err
    report = ran.json["report"]["evidence_inventory"]
    assert report["missing_evidence_operations"]
    assert {f["kind"] for f in ran.json["findings"]} >= {"record_gone"}
    refused = program("accept", ran.json["task_id"], "--project", str(project))
    assert refused.code == 1


def test_lost_raw_logs_of_earlier_tasks_are_a_warning(
    program: Program, worked_in: Path, claude: ClaudeScript
) -> None:
    logs = sorted((worked_in / ".claude" / "raw").glob("session-*/*.log"))
    harm = "\n".join(f"rm '{path}'" for path in logs)
    ran = run(program, worked_in, claude, f"{HONEST}\n{harm}")
    assert (ran.code, ran.json["status"]) == (0, "COMPLETE"), ran.out + ran.err
    assert "older_evidence_damaged" in {note["key"] for note in ran.json["notes"]}


def test_old_reports_are_guarded_as_well(
    program: Program, worked_in: Path, claude: ClaudeScript
) -> None:
    """R-1: whatever came since, an old report says what it said, or it is said that it does not."""
    runs = worked_in / ".pm-orchestrator" / "runtime" / "runs"
    for number in range(2, 9):
        (runs / f"run_00{number}").mkdir()
    report = "run_001/report.json"
    again = "sed -i s/COMPLETE/complete/ .pm-orchestrator/runtime/runs/run_001/report.json"
    ran = run(program, worked_in, claude, f"{HONEST}\n{again}")
    assert (ran.code, ran.json["status"]) == (0, "COMPLETE"), ran.out + ran.err
    (odd,) = (f for f in ran.json["findings"] if f["kind"] == "record_rewritten")
    assert odd["path"].endswith(report)
    longer = again.replace("s/COMPLETE/complete/", "s/complete/INCOMPLETE/I")
    ran = run(program, worked_in, claude, f"echo more >> README.md\n{longer}", "Update README.md")
    assert (ran.code, ran.json["status"]) == (1, "INVALID"), ran.out + ran.err
    assert altered_in(worked_in).endswith(report)
    ran = run(program, worked_in, claude, "echo again >> README.md", "Update README.md")
    kinds = {finding["kind"] for finding in ran.json["findings"]}
    assert (ran.json["status"], "record_rewritten" in kinds) == ("COMPLETE", False)


def test_what_honest_work_does_to_the_same_files_is_fine(
    program: Program, worked_in: Path, claude: ClaudeScript
) -> None:
    # Another process of ours selects a model meanwhile, and another session begins and ends.
    ours = f"'{sys.executable}' -m pm_orchestrator"
    select = f"printf '/model other\\n/start\\n' | {ours} repl --non-interactive --project ."
    touch = "find .claude .pm-orchestrator -type f -exec touch {} +; git pack-refs --all; git gc -q"
    ran = run(program, worked_in, claude, f"{select} > said.md 2>&1\n{touch}\n{HONEST}")
    assert (ran.code, ran.json["status"]) == (0, "COMPLETE"), ran.out + ran.err
    state = json.loads((worked_in / ".claude" / "repl.json").read_text(encoding="utf-8"))
    assert state["selected_model"] == "other", (worked_in / "said.md").read_text("utf-8")


def test_what_was_cleared_away_is_put_back_and_named(
    program: Program, worked_in: Path, claude: ClaudeScript
) -> None:
    cleared = f"rm .claude/repl.json {STATE}/unfinished.json {STATE}/owners/executing.json"
    refs = "git for-each-ref --format='delete %(refname)' refs/pm | git update-ref --stdin"
    ran = run(program, worked_in, claude, f"{HONEST}\n{cleared}\n{refs}")
    assert (ran.code, ran.json["status"]) == (0, "COMPLETE"), ran.out + ran.err
    back = {f["path"] for f in ran.json["findings"] if f["kind"] == "put_back"}
    assert {".claude/repl.json", f"{STATE}/unfinished.json", "executing.json"} <= back
    shown = subprocess.run(
        ["git", "for-each-ref", "refs/pm"], cwd=worked_in, capture_output=True, check=True
    )
    assert shown.stdout.count(b"refs/pm/rescue/") == 4, "before and after either task"


def test_damage_to_another_task_does_not_stand_in_the_way_of_an_acceptance(
    program: Program, worked_in: Path, claude: ClaudeScript
) -> None:
    older = sorted((worked_in / ".claude" / "raw").glob("session-*/*.log"))
    ran = run(program, worked_in, claude, "echo hi > some.md", "Create other.md and some.md")
    assert (ran.code, ran.json["status"]) == (2, "INCOMPLETE"), ran.out + ran.err
    older[0].unlink()
    at = ("--project", str(worked_in), "--json")
    taken = program("accept", ran.json["task_id"], *at)
    assert (taken.code, taken.json["status"]) == (0, "COMPLETE"), taken.out + taken.err
    assert "older_evidence_damaged" in {note["key"] for note in taken.json["notes"]}


def test_a_rescue_that_is_gone_for_good_is_named(
    program: Program, worked_in: Path, claude: ClaudeScript
) -> None:
    """R-1: what cannot be put back is said, and not passed over."""
    refs = "git for-each-ref --format='delete %(refname)' refs/pm | git update-ref --stdin"
    prune = "git reflog expire --all --expire=now; git gc -q --prune=now"
    ran = run(program, worked_in, claude, f"{HONEST}\n{refs}\n{prune}")
    gone = {f["path"] for f in ran.json["findings"] if f["kind"] == "record_gone"}
    assert any(path.startswith("refs/pm/rescue/run_001/") for path in gone), ran.out + ran.err
