"""`pm-orchestrator demo`, run as a user would, with honest and with broken cassettes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from pm_orchestrator.domain.record import to_file
from pm_orchestrator.testing.programs.called_program import Program, clean_environment
from pm_orchestrator.testing.scripted.demo_replies import (
    REPLIES,
    Block,
    cassette_of,
    first_parts,
    write,
)

pytestmark = [pytest.mark.timeout(120), pytest.mark.unmeasured]


def cassette(tmp_path: Path, changes: dict[str, list[list[Block]]]) -> str:
    """The first worker's part alone, with other words of its own."""
    path = tmp_path / "cassette.json"
    path.write_bytes(to_file(cassette_of({**first_parts(1), **changes})))
    return str(path)


class Kept:
    """A demo whose project was kept, for the tests that only look at it."""

    def __init__(self, folder: Path) -> None:
        temporary, home = folder / "tmp", folder / "home"
        temporary.mkdir()
        home.mkdir()
        self.program = Program(folder, clean_environment(home, temporary))
        self.ran = self.program("demo", "--keep")
        (self.folder,) = temporary.iterdir()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return Kept(tmp_path_factory.mktemp("kept"))


def leftovers(environment: dict[str, str]) -> list[str]:
    return [p.name for p in Path(environment["TMPDIR"]).iterdir()]


def test_the_demo_proves_its_result(kept: Kept) -> None:
    ran = kept.ran
    assert ran.code == 0, ran.out + ran.err
    for number, phase in enumerate(
        (
            "Requirement analysis",
            "Task decomposition",
            "Planning",
            "Execution",
            "Quality assurance",
            "Completion validation",
            "Report",
        ),
        start=1,
    ):
        assert f"{number}/7 {phase}" in ran.out
    assert "REFUSED: Nothing was delivered" in ran.out
    assert "The word counter is implemented and all tests pass." in ran.out
    assert "test: pass on the delivered commit" in ran.out
    assert "COMPLETE  run_001" in ran.out


@pytest.mark.long
def test_the_demo_speaks_json_and_leaves_nothing(
    program: Program, environment: dict[str, str]
) -> None:
    result = program("demo", "--json").json
    assert leftovers(environment) == []
    assert not (Path(environment["HOME"]) / ".local").exists()
    assert result["status"] == "COMPLETE"
    assert [w["status"] for w in result["work"]] == ["success"] * 3
    refusals = [(w["ticket_id"][-2:], len(w["refusals"])) for w in result["work"]]
    assert refusals == [("01", 0), ("02", 1), ("03", 0)]
    assert result["work"][1]["refusals"][0]["reason"]["key"] == "nothing_delivered"
    branches = [w["git_branch"] for w in result["work"]]
    assert all(b.startswith(f"agent/{result['ticket_id']}-0") for b in branches)
    verdicts = {r["kind"]: r["verdict"] for r in result["gates"]["results"]}
    assert verdicts == {"lint": "pass", "test": "pass"}
    assert {w["agent_id"] for w in result["work"]} <= {"worker-1", "worker-2", "worker-3"}


def test_what_is_kept_can_be_looked_at(kept: Kept) -> None:
    ran, folder = kept.ran, kept.folder
    root = folder / "project"
    commands = [
        line.split()[1:] for line in ran.out.splitlines() if line.startswith("  pm-orchestrator ")
    ]
    assert len(commands) == 3
    for arguments in commands:
        looked = kept.program(*arguments)
        assert looked.code == 0, looked.err
        assert looked.out.strip()
    git = next(line for line in ran.out.splitlines() if line.startswith("  git -C"))
    log = subprocess.run(git.split(), capture_output=True, text=True, check=True).stdout
    assert log.count("merge: ") == 3
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=True
    )
    # The user's tree is as it was, and our records hide themselves.
    assert status.stdout == ""
    pushed = subprocess.run(
        ["git", "branch", "--list", "agent/*"],
        cwd=folder / "remote.git",
        capture_output=True,
        text=True,
        check=True,
    )
    assert pushed.stdout.strip().endswith("-integration")


# A failing test is in `test_same_verdict.py` too, and nothing delivered in `test_company.py`.
@pytest.mark.long
def test_broken_code_is_not_complete(program: Program, tmp_path: Path) -> None:
    turns = REPLIES["worker/01/1"]
    broken = turns[1][0]["input"]["content"].replace(".lower()", ".upper()")
    tests = turns[1][1]["input"]["content"]
    worker = [turns[0], write("slug", broken, tests), *turns[3:]]
    changes = {f"worker/01/{n}": worker for n in (1, 2, 3)}
    ran = program("demo", "--json", "--cassette", cassette(tmp_path, changes))
    assert ran.code == 2, ran.err
    assert ran.json["status"] == "INCOMPLETE"
    assert ran.json["work"][0]["status"] == "quality_failed"
    assert ran.json["work"][0]["quality_gates"]["test"]["verdict"] == "fail"
    assert ran.json["review_id"] is None
    (reason,) = ran.json["left_out"].values()
    assert reason["key"] == "gate_new_failures"


@pytest.mark.long
def test_a_false_claim_that_is_never_repaired_is_not_complete(
    program: Program, tmp_path: Path
) -> None:
    lie = REPLIES["worker/02/1"]
    changes = {f"worker/01/{n}": lie for n in (1, 2, 3)}
    ran = program("demo", "--cassette", cassette(tmp_path, changes))
    assert ran.code == 2, ran.err
    assert "INCOMPLETE  run_001" in ran.out
    assert ran.out.count("REFUSED") == 3
    assert "COMPLETE  run_001" not in ran.out.replace("INCOMPLETE  run_001", "")


@pytest.mark.long
def test_a_worker_without_answers_is_an_outage_and_no_attempt(
    program: Program, tmp_path: Path
) -> None:
    ran = program("demo", "--json", "--cassette", cassette(tmp_path, {"worker/01/1": []}))
    assert ran.code == 1, ran.out
    assert "E605" in ran.err


def test_a_bad_cassette_is_an_error_with_a_cure(program: Program, tmp_path: Path) -> None:
    (tmp_path / "cassette.json").write_text("{", encoding="utf-8")
    ran = program("demo", "--cassette", str(tmp_path / "cassette.json"))
    assert ran.code == 1
    assert ran.err.startswith("ERROR E604: ")
    assert "HINT: " in ran.err


def stop_after(
    environment: dict[str, str], tmp_path: Path, number: int, lines: int, *options: str
) -> tuple[int, list[psutil.Process]]:
    """Stop the demo when it has said so many lines; what was it running then?"""
    running = subprocess.Popen(
        [sys.executable, "-m", "pm_orchestrator", "demo", *options],
        env=environment,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with running:
        assert running.stdout is not None
        said = [running.stdout.readline() for _ in range(lines)]
        assert b"7/7" not in b"".join(said), "it must not be nearly done"
        family = psutil.Process(running.pid).children(recursive=True)
        os.kill(running.pid, number)
        # Nobody reads on, and a last word cannot be said; that must not matter.
        running.stdout.close()
        return running.wait(timeout=20), family


@pytest.mark.long
def test_a_reader_that_leaves_does_not_stop_the_work(
    environment: dict[str, str], tmp_path: Path
) -> None:
    small = ("--cassette", cassette(tmp_path, {}))
    code, _ = stop_after(environment, tmp_path, 0, 5, *small)
    assert code == 0
    assert leftovers(environment) == []


def still_alive(family: list[psutil.Process]) -> list[str]:
    _, alive = psutil.wait_procs(family, timeout=5)
    return [str(p) for p in alive if p.status() != psutil.STATUS_ZOMBIE]


# After how many lines: in the analysis, while three work, after the refusal, and every third line
# up to the merges. One of them is enough for a quick look.
QUICK = 14
LINES = [
    n if n == QUICK else pytest.param(n, marks=pytest.mark.long) for n in (4, 30, *range(5, 48, 3))
]


@pytest.mark.parametrize("lines", LINES)
def test_ctrl_c_leaves_nothing_behind(
    environment: dict[str, str], tmp_path: Path, lines: int
) -> None:
    code, family = stop_after(environment, tmp_path, signal.SIGINT, lines)
    assert code == 2
    assert family
    assert still_alive(family) == []
    assert leftovers(environment) == []


@pytest.mark.parametrize("lines", LINES)
def test_sigkill_leaves_no_sandbox_running(
    environment: dict[str, str], tmp_path: Path, lines: int
) -> None:
    code, family = stop_after(environment, tmp_path, signal.SIGKILL, lines)
    assert code == -signal.SIGKILL
    assert family
    assert still_alive(family) == []
