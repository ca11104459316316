"""A company killed right after any entry of its journal: `resume` ends as if nothing had been."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.cli.demo.sample_project import INSTRUCTION
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.testing.benches.company_bench import still_there
from pm_orchestrator.testing.benches.receipts_left import ReceiptsLeft
from pm_orchestrator.testing.benches.sample_site import Site, open_site

KILLED = Path(__file__).with_name("killed_company.py")
RUN = "run_001"
SIGKILLED = -9
ENTRIES = 57
"""Of the demo's instruction: the journal's own two, start and end of 27 steps, the outcome."""
SLICE = (47,)
"""At a merge; `test_company_resume.py` stops in the work, at an examination."""

pytestmark = [pytest.mark.timeout(150), pytest.mark.unmeasured]


class Killed:
    """One project, and the program that is killed in it."""

    def __init__(self, folder: Path, site: Site) -> None:
        self._folder = folder
        self._notes = folder / "notes.json"
        self.site = site
        self.directory = RunDirectory(site.app.paths.runs / RUN)

    def __call__(self, fatal: int, *arguments: str) -> tuple[int, dict[str, Any]]:
        """Exit code, and the result where it came so far; nothing it started is left."""
        ran = subprocess.run(
            [
                *(sys.executable, str(KILLED), str(fatal), str(self._notes)),
                *(*arguments, "--json", "--project", str(self.site.root)),
            ],
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self._folder),
                "XDG_STATE_HOME": str(self._folder),
                "LANG": "C.UTF-8",
            },
            capture_output=True,
            timeout=100,
            check=False,
        )
        # Shown by pytest where the test fails.
        sys.stderr.write(ran.stderr.decode("utf-8", "replace"))
        assert still_there(self.notes()["children"]) == []
        return ran.returncode, {} if ran.returncode else json.loads(ran.stdout)

    def notes(self) -> dict[str, Any]:
        notes: dict[str, Any] = json.loads(self._notes.read_text("utf-8"))
        return notes

    def phases(self) -> list[str]:
        events = (self.directory.folder / "events.jsonl").read_text("utf-8").splitlines()
        told = [json.loads(line) for line in events]
        return [event["subject"] for event in told if event["kind"] == "phase"]

    def tree(self, result: dict[str, Any]) -> str:
        argv = ["git", "rev-parse", f"{result['commit']}^{{tree}}"]
        found = subprocess.run(argv, cwd=self.site.root, capture_output=True, check=True)
        return found.stdout.decode().strip()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, Any], str]:
    """How often it could have died, how it ends, and with which tree."""
    calm = begin(tmp_path_factory.mktemp("calm"))
    code, result = calm(0, "run", INSTRUCTION)
    assert code == 0
    return calm.notes()["entries"], result, calm.tree(result)


def begin(folder: Path) -> Killed:
    return Killed(folder, asyncio.run(open_site(folder, state="pm-orchestrator")))


@pytest.mark.long
def test_every_entry_is_in_the_matrix(undisturbed: tuple[int, dict[str, Any], str]) -> None:
    assert undisturbed[0] == ENTRIES


@pytest.mark.long
@pytest.mark.parametrize(
    "entry",
    [n if n in SLICE else pytest.param(n, marks=pytest.mark.long) for n in range(1, ENTRIES + 1)],
)
def test_a_company_killed_after_an_entry(
    tmp_path: Path, undisturbed: tuple[int, dict[str, Any], str], entry: int
) -> None:
    """E-22 State Persistence Round-Trip: a killed run ends with the same tree and verdict."""
    killed = begin(tmp_path)
    assert killed(entry, "run", INSTRUCTION)[0] == SIGKILLED
    receipts = ReceiptsLeft(killed.directory)
    receipts.take()

    code, result = killed(0, "resume", RUN)

    assert code == 0
    _, calm, tree = undisturbed
    assert killed.tree(result) == tree
    assert (result["run_id"], result["status"], result["reason"], result["changes"]) == (
        RUN,
        calm["status"],
        calm["reason"],
        calm["changes"],
    )
    receipts.check_untouched()
    phases = killed.phases()
    assert list(dict.fromkeys(phases)) == list(Phase)
    # The one it died in, between the word and the record of it, is told once more.
    assert len(phases) <= len(Phase) + 1
    assert check(killed.site.app.paths.claude, killed.site.app.head_file).intact
