"""Executors out of their minds: the Runner stays small, says what happened, and goes on."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.programs.measured_program import Measured, run_measured

pytestmark = [pytest.mark.timeout(60), pytest.mark.unmeasured]

MEMORY_LIMIT_MB = 200
RESULT = '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1}'
WORK = "echo '# R' > README.md"
SCRIPT = "/start\nCreate README.md\nCreate OK.md\n/exit\n"

Expected = tuple[str, str]
"""The verdict in the last event of the task's log, and a part of its reason."""
DONE: Expected = ("COMPLETE", "")
ALTERED: Expected = ("INVALID", "E505: while an executor or gate ran, the Runner's own records")


class Madhouse:
    """A project, and a `claude` that is mad once and honest when asked for OK.md."""

    def __init__(self, tmp_path: Path, project: Path, environment: Mapping[str, str]) -> None:
        self._where = tmp_path
        self.project = project
        self._bin = tmp_path / "mad-bin"
        self._bin.mkdir()
        path = f"{self._bin}{os.pathsep}{environment['PATH']}"
        self._environment = {**environment, "PATH": path}

    def endures(
        self, body: str, *, interpreter: str = "/bin/sh", limit_ms: int = 40_000
    ) -> Measured:
        """A session with the mad executor first and an honest one after it."""
        (self._bin / "mad").write_text(body, encoding="utf-8")
        script = self._bin / "claude"
        script.write_text(
            '#!/bin/sh\ncase "$2" in\n*OK.md*) echo fine > OK.md ;;\n'
            f"*) {interpreter} '{self._bin}/mad' || exit 1 ;;\nesac\necho '{RESULT}'\n",
            encoding="utf-8",
        )
        script.chmod(0o755)
        timers = ("--executor-timeout", str(limit_ms), "--progress-timeout", str(limit_ms))
        arguments = ("repl", "--non-interactive", *timers, "--project", str(self.project))
        patience_s = 15 + limit_ms / 1000
        return run_measured(
            self._where, self._environment, *arguments, stdin=SCRIPT, patience_s=patience_s
        )

    def run(self, *arguments: str) -> Measured:
        return run_measured(
            self._where, self._environment, *arguments, "--project", str(self.project)
        )

    def logs(self) -> list[dict[str, Any]]:
        found = sorted((self.project / ".claude/logs/sessions").glob("*/tasks/task-*.json"))
        return [json.loads(path.read_text(encoding="utf-8")) for path in found]


@pytest.fixture
def madhouse(tmp_path: Path, project: Path, environment: dict[str, str]) -> Madhouse:
    return Madhouse(tmp_path, project, environment)


def survived(house: Madhouse, ran: Measured, expected: Expected) -> dict[str, Any]:
    """Both logs are closed, the honest task is done, and memory stayed bounded."""
    assert "Traceback" not in ran.err
    status, reason = expected
    mad, honest = house.logs()
    said = f"{mad.get('error_reason')}\n{ran.out}\n{ran.err}"
    assert verdict(mad) == status, said
    assert reason in (mad.get("error_reason") or ""), said
    assert (house.project / "OK.md").is_file(), said
    assert verdict(honest) == "COMPLETE", said
    if status in {"ERROR", "INVALID"}:
        assert "\nHINT: " in ran.err
    assert ran.peak < MEMORY_LIMIT_MB
    return mad


def verdict(log: dict[str, Any]) -> str | None:
    """None while the log is open: only the event that closes it has a verdict."""
    return log["events"][-1]["content"].get("status")


def findings(log: dict[str, Any]) -> set[tuple[str, str]]:
    """Kind and path of everything odd that the log names."""
    found = [f for e in log["events"] for f in e["content"].get("findings", ())]
    return {(f["kind"], f["path"]) for f in found}


FLOODS = {
    "lines": "yes | head -c {size}",
    "stderr": "yes | head -c {size} >&2",
    "one line without end": "head -c {size} /dev/zero | tr '\\0' x",
    "one event without end": "printf '{{\"type\":'; head -c {size} /dev/zero | tr '\\0' x; echo",
    "beginnings of events": "yes '{{' | head -c {size}; echo",
    "no text at all": "yes \"$(printf '\\377\\376')\" | head -c {size}; echo",
}


def two_now(cases: Iterable[str]) -> list[object]:
    """Two of each kind every time; the whole matrix with the long tests."""
    return [
        pytest.param(name, marks=[] if number < 2 else pytest.mark.long)
        for number, name in enumerate(cases)
    ]


@pytest.mark.parametrize("name", two_now(FLOODS))
def test_a_flood(madhouse: Madhouse, name: str) -> None:
    flood = FLOODS[name].format(size=60_000_000)
    survived(madhouse, madhouse.endures(f"{WORK}; {flood}; echo"), DONE)
    size = sum(f.stat().st_size for f in (madhouse.project / ".claude").rglob("*") if f.is_file())
    assert size < 4_000_000


@pytest.mark.long
@pytest.mark.timeout(200)
@pytest.mark.parametrize("name", ["lines", "one line without end"])
def test_a_flood_of_a_gigabyte(madhouse: Madhouse, name: str) -> None:
    flood = FLOODS[name].format(size=1_000_000_000)
    ran = madhouse.endures(f"{WORK}; {flood}; echo", limit_ms=170_000)
    survived(madhouse, ran, DONE)


PRINTS = {
    "odd bytes": "printf '\\377\\376\\000\\033[31mred\\033[0m\\000\\r\\n\\355\\240\\200\\n'; "
    "head -c 300000 /dev/urandom; echo",
    "an event of a million parts": 'printf \'{"type":"x","a":[\'; '
    "yes '[],' | tr -d '\\n' | head -c 6000000; echo '0]}'",
    "a hundred thousand open tool calls": "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); "
    'echo "{\\"type\\":\\"assistant\\",\\"message\\":{\\"content\\":[{\\"type\\":\\"tool_use\\",'
    '\\"id\\":\\"c$i\\",\\"name\\":\\"Write\\",\\"input\\":{\\"command\\":\\"x\\"}}]}}"; done',
}


@pytest.mark.parametrize("name", two_now(PRINTS))
def test_strange_output(madhouse: Madhouse, name: str) -> None:
    survived(madhouse, madhouse.endures(f"{WORK}; {PRINTS[name]}; echo"), DONE)


SOCKET = "import socket; socket.socket(socket.AF_UNIX).bind('sock')"
NAMES = """
import os
os.mkdir(b"d\\xff"); open(b"d\\xff/x\\xfe.txt", "w").write("x")
open("n" * 255, "w").write("x"); open("new\\nline", "w").write("x")
"""
DEEP = """
import os
for _ in range(1500):
    os.mkdir("deep" * 5); os.chdir("deep" * 5)
open("bottom", "w").write("x")
"""
PYTHON = f"{WORK}; {sys.executable} -c '{{}}'"
TREES: dict[str, tuple[str, Expected, set[tuple[str, str]]]] = {
    "a pipe and a socket instead of work": (
        f'mkfifo README.md pipe; {sys.executable} -c "{SOCKET}"',
        ("INCOMPLETE", ""),
        {("special", "README.md"), ("special", "pipe"), ("special", "sock")},
    ),
    "pipes beside the work": (
        f"{WORK}; mkfifo pipe; rm notes.md; mkfifo notes.md",
        DONE,
        {("special", "pipe"), ("special", "notes.md")},
    ),
    "pipes where git and the gates look": (
        f"{WORK}; mkdir d; mkfifo .gitignore d/.gitattributes Makefile package.json .git/hang; "
        "mv .git/HEAD .git/was; mkfifo .git/HEAD; rm .git/HEAD; mv .git/was .git/HEAD",
        DONE,
        {("special", ".gitignore"), ("special", "Makefile"), ("locked", ".git/hang")},
    ),
    "names that are no text": (
        PYTHON.format(NAMES),
        DONE,
        set(),
    ),
    "a tree too deep for a path": (PYTHON.format(DEEP), DONE, set()),
    "a repository nobody may open": (
        f"{WORK}; chmod 000 .git",
        DONE,
        {("locked", ".git")},
    ),
    "a file nobody may read": (
        f"{WORK}; chmod 000 README.md",
        ("INCOMPLETE", ""),
        {("unreadable", "README.md")},
    ),
    "a directory nobody may open": (
        f"{WORK}; mkdir d; echo x > d/f; chmod 000 d",
        DONE,
        {("unreadable", "d/")},
    ),
}


@pytest.mark.parametrize("name", two_now(TREES))
def test_a_strange_tree(madhouse: Madhouse, name: str) -> None:
    body, expected, odd = TREES[name]
    log = survived(madhouse, madhouse.endures(body), expected)
    assert odd <= findings(log)


RECORDS = ".claude/logs/sessions/*/tasks"
ATTACKS = {
    "deletes the whole directory": 'rm -rf "$PWD"',
    "deletes everything in it": "rm -rf ./* ./.git ./.claude ./.pm-orchestrator",
    "a file instead of the directory": 'p="$PWD"; cd /; rm -rf "$p"; echo x > "$p"',
    "deletes the records": f"{WORK}; rm -rf .claude",
    "a pipe instead of the settings": (
        f"{WORK}; rm .claude/settings.json; mkfifo .claude/settings.json"
    ),
    "a directory instead of the settings": (
        f"{WORK}; rm .claude/settings.json; mkdir .claude/settings.json"
    ),
    "pipes instead of all records": (
        f"{WORK}; for f in .claude/evidence/* {RECORDS}/*; do rm $f; mkfifo $f; done"
    ),
    "a pipe where a log will be locked": f"{WORK}; for d in {RECORDS}; do mkfifo $d/x.lock; done",
    "locks the directory": f"{WORK}; chmod 000 .",
    "no more writing in the directory": f"{WORK}; chmod 555 .",
    "locks the records": f"{WORK}; chmod 000 .claude",
    "locks everything": f"{WORK}; chmod -R 000 .",
}


@pytest.mark.parametrize("name", two_now(ATTACKS))
def test_the_records_come_back(madhouse: Madhouse, name: str) -> None:
    survived(madhouse, madhouse.endures(ATTACKS[name]), ALTERED)
    # What else was in `.claude` is the project's own; it comes back when a person says so.
    if not (madhouse.project / ".claude" / "CLAUDE.md").exists():
        refused = madhouse.run("status")
        assert refused.err.startswith("ERROR E103: "), refused.err
        assert "init --adopt" in refused.err
        assert madhouse.run("init", "--adopt").code == 0
    assert madhouse.run("status").code in {0, 2}


def test_what_was_deleted_with_the_repository_cannot_be_undone(madhouse: Madhouse) -> None:
    """The files from before the task were in the repository, and are gone with it."""
    survived(madhouse, madhouse.endures('rm -rf "$PWD"'), ALTERED)
    assert madhouse.run("init", "--adopt").code == 0
    undone = madhouse.run("undo", madhouse.logs()[0]["task_id"])
    assert undone.code == 1
    assert undone.err.startswith("ERROR E210: "), undone.err
    assert "\nHINT: " in undone.err
    # The heads of the chain are kept outside the project: the loss cannot be denied.
    verified = madhouse.run("evidence", "verify")
    assert verified.code == 1
    assert "E304" in verified.out


def alive(marker: str) -> list[str]:
    """Processes whose command line holds the marker."""
    found: list[str] = []
    for process in Path("/proc").iterdir():
        try:
            line = (process / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if marker in line:
            found.append(line)
    return found


PROCESSES: dict[str, tuple[str, Expected]] = {
    "forks until its limit": (
        f"{WORK}; for i in $(seq 300); do (trap '' TERM HUP; exec sleep {{marker}}) & done",
        DONE,
    ),
    "leaves a daemon that writes on": (
        f'{WORK}; setsid sh -c \'trap "" TERM HUP INT; '
        "while :; do echo x >> late.txt; sleep 0.1; done; : {marker}' > /dev/null 2>&1 &",
        DONE,
    ),
    "never ends and holds its pipes": (
        f"{WORK}; trap '' TERM INT HUP; (trap '' TERM; sleep {{marker}}) & "
        "while :; do sleep {marker}; done",
        ("ERROR", "TIMEOUT"),
    ),
}


ENDLESS = pytest.param("never ends and holds its pipes", marks=pytest.mark.long)


@pytest.mark.parametrize("name", [n if n not in ENDLESS.values else ENDLESS for n in PROCESSES])
def test_processes_do_not_outlive_the_task(madhouse: Madhouse, name: str) -> None:
    body, expected = PROCESSES[name]
    marker = f"6{os.getpid()}.{list(PROCESSES).index(name)}"
    limit_ms = 2_000 if expected != DONE else 40_000
    survived(madhouse, madhouse.endures(body.format(marker=marker), limit_ms=limit_ms), expected)
    assert alive(marker) == []


MANY = """
import os
open("README.md", "w").write("# R")
for part in range({parts}):
    os.makedirs(f"generated/part-{{part:04d}}")
    for number in range(1000):
        with open(f"generated/part-{{part:04d}}/some-file-{{number:05d}}.dat", "w") as file:
            file.write(f"{{part}} {{number}}")
"""


def flooded_with_files(house: Madhouse, parts: int, limit_ms: int) -> Measured:
    gate = "test:\n\t@echo 'Ran 1 tests'; echo OK\n"
    (house.project / "Makefile").write_text(gate, encoding="utf-8")
    body = MANY.format(parts=parts)
    ran = house.endures(body, interpreter=sys.executable, limit_ms=limit_ms)
    log = survived(house, ran, ("INCOMPLETE", f"files {parts * 1000 + 1} > 20"))
    assert "README.md" in log["artifacts"]["files_touched"]
    assert len(log["artifacts"]["files_touched"]) <= 1_000
    (rest,) = [e["content"] for e in log["events"] if e["content"].get("operation") == "more"]
    assert rest["count"] == parts * 1000 + 1 - 100
    size = sum(f.stat().st_size for f in (house.project / ".claude").rglob("*") if f.is_file())
    assert size < 4_000_000
    subprocess.run(["rm", "-rf", str(house.project / "generated")], check=True)
    return ran


@pytest.mark.long
def test_three_thousand_files(madhouse: Madhouse) -> None:
    flooded_with_files(madhouse, 3, 40_000)


@pytest.mark.long
@pytest.mark.timeout(280)
def test_a_hundred_thousand_files(madhouse: Madhouse) -> None:
    flooded_with_files(madhouse, 100, 180_000)
