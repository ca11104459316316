"""A solo run loads nothing that only a company, a conversation or a network needs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript, python_project

COMPANY = {
    "pm_orchestrator.agents.manager": "nobody splits the task",
    "pm_orchestrator.agents.reviewer": "nothing is put forward for review",
    "pm_orchestrator.agents.merger": "there is nothing to merge",
    "pm_orchestrator.agents.worker": "the executor works alone",
    "pm_orchestrator.agents.tool_loop": "a coding CLI has hands of its own",
    "pm_orchestrator.dispatch": "nobody waits for a place",
    "pm_orchestrator.runner.run.phases.integration": "there are no branches",
    "pm_orchestrator.runner.places.branches": "there are no branches",
    "pm_orchestrator.bootstrap.crews.company_crew": "it is not asked for",
    "pm_orchestrator.adapters.gateway": "no key is handed out",
    "pm_orchestrator.adapters.models": "no model is asked",
    "pm_orchestrator.adapters.queues": "there is one worker",
    "pm_orchestrator.adapters.engines.journal": "a solo run goes on from the directory",
    "pm_orchestrator.adapters.sandboxes.bwrap": "the executor runs as the user would run it",
}
HEAVY = {
    "http": "nothing is sent",
    "urllib.request": "nothing is sent",
    "sqlite3": "there is no journal",
    "psutil": "no other owner is there to be looked at",
    "importlib.metadata": "our version is a literal",
    "email": "comes with importlib.metadata",
    "rich": "nothing is drawn",
    "prompt_toolkit": "nobody types",
    "pm_orchestrator.cli.repl": "nobody types",
    "pm_orchestrator.testing": "this is no test",
}
CHANGES = {
    "pm_orchestrator.gates.compare": "nothing changed that could be compared",
    "pm_orchestrator.runner.run.courses.gate_course": "no gate is called for",
    "pm_orchestrator.runner.places.judged.directory_gates": "no gate is called for",
    "pm_orchestrator.runner.places.judged.put_back": "nothing is put back",
    "pm_orchestrator.evidence.chain.integrity": "nobody else wrote evidence",
    "pm_orchestrator.runner.sessions.recovery": "nothing was left open",
    "pm_orchestrator.runner.instructions.words.japanese_words": "it is English",
    "pm_orchestrator.runner.tasks.task_diff": "nothing changed that could be counted",
    "shutil": "brings three compressors",
}
"""What a question that is answered needs even less."""


@pytest.mark.parametrize(
    ("instruction", "body", "unneeded"),
    [
        ("What does calc.py do?", ":", {**COMPANY, **HEAVY, **CHANGES}),
        (
            "Create notes.txt with the text hello",
            "echo hello > notes.txt",
            {**COMPANY, **HEAVY},
        ),
    ],
)
def test_a_solo_run_loads_solo_only(
    tmp_path: Path, instruction: str, body: str, unneeded: dict[str, str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    python_project(project)
    (tmp_path / "home").mkdir()
    path = ClaudeScript(tmp_path / "bin").does(body, says="It adds two numbers.")
    environment = {**path, "HOME": str(tmp_path / "home"), "LANG": "C.UTF-8"}
    program = [sys.executable, "-X", "importtime", "-m", "pm_orchestrator"]
    subprocess.run(
        [*program, "init"], cwd=project, env=environment, check=True, capture_output=True
    )
    ran = subprocess.run(
        [*program, "run", "--solo", instruction],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr[-2000:]
    loaded = set(re.findall(r"^import time:.*\| +(\S+)$", ran.stderr, re.MULTILINE))
    assert "pm_orchestrator.bootstrap.crews.solo_crew" in loaded
    for name, reason in unneeded.items():
        found = sorted(m for m in loaded if m == name or m.startswith(f"{name}."))
        assert not found, f"{reason}: {found}"
