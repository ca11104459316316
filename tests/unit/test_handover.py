"""Handing over: everything comes home, and only what is proved goes any further."""

from pathlib import Path
from typing import cast

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.run_log import RunLogs
from pm_orchestrator.ports.repository import MergeResult, Repository
from pm_orchestrator.runner.places.handover import Handover, may_merge_into
from pm_orchestrator.testing.memory.fake_clock import FakeClock

BASE, TREE = "b" * 40, "c" * 40
BRANCH = "agent/20260115-ab12-integration"
REFS = {
    f"refs/heads/{BRANCH}": TREE,
    "refs/heads/agent/20260115-ab12-01-x": TREE,
    "refs/pm/rescue/run_001/01/stash-0": TREE,
}


class Shelf:
    """The part of a repository that is asked here; what it `refuses` fails."""

    def __init__(self, **refuses: str) -> None:
        self.refuses = refuses
        self.checked_out = ""
        self.exported: list[str] = []
        self.pushed: list[str] = []
        self.merged: list[str] = []
        self.conflicts: tuple[str, ...] = ()

    async def set_branch(self, branch: str, commit: str) -> None:
        assert (branch, commit) == (BRANCH, TREE)

    async def own_refs(self) -> dict[str, str]:
        return REFS

    async def export(self, project: Path, refs: tuple[str, ...]) -> None:
        if self.checked_out in refs:
            raise PmError("branch_checked_out", branch=self.checked_out, path=project)
        self._refuse("export")
        self.exported += refs

    async def push(self, project: Path, remote: str, branch: str) -> None:
        self._refuse("push")
        self.pushed.append(branch)

    async def merge_into(
        self, project: Path, branch: str, commit: str, message: str
    ) -> MergeResult:
        self._refuse("merge")
        if self.conflicts:
            return MergeResult(commit=None, conflicts=self.conflicts)
        self.merged.append(branch)
        return MergeResult(commit=commit)

    def _refuse(self, what: str) -> None:
        if what in self.refuses:
            raise PmError("git_failed", operation=what, reason=self.refuses[what])


def handover(
    folder: Path, shelf: Shelf, *, remote: str | None = "origin", integration: str | None = None
) -> Handover:
    return Handover(
        run_id="run_001",
        ticket="20260115-ab12",
        project=folder,
        base=BASE,
        remote=remote,
        integration=integration,
        repository=cast("Repository", shelf),
        logs=RunLogs(folder, Masker(), FakeClock()),
    )


async def test_what_is_complete_is_pushed(tmp_path: Path) -> None:
    shelf = Shelf()
    done = await handover(tmp_path, shelf).deliver(TREE, complete=True)
    assert (done.branch, done.left_to_do) == (BRANCH, ())
    assert done.kept_refs == ("refs/pm/rescue/run_001/01/stash-0",)
    assert (set(shelf.exported), shelf.pushed) == (set(REFS), [BRANCH])


@pytest.mark.parametrize(("tree", "complete"), [(TREE, False), (None, True), (BASE, True)])
async def test_nothing_else_is(tmp_path: Path, tree: str | None, complete: bool) -> None:
    shelf = Shelf()
    done = await handover(tmp_path, shelf, integration="develop").deliver(tree, complete=complete)
    assert (shelf.pushed, shelf.merged, done.left_to_do) == ([], [], ())
    assert set(shelf.exported) == set(REFS), "it comes home all the same"


async def test_a_project_without_a_remote_has_nothing_left_to_do(tmp_path: Path) -> None:
    done = await handover(tmp_path, Shelf(), remote=None).deliver(TREE, complete=True)
    assert done.left_to_do == ()


async def test_a_push_that_fails_is_left_to_do(tmp_path: Path) -> None:
    shelf = Shelf(push="no route to host")
    done = await handover(tmp_path, shelf).deliver(TREE, complete=True)
    assert [what.key for what in done.left_to_do] == ["push_left"]
    assert "no route to host" in done.left_to_do[0].say()
    assert done.branch == BRANCH


async def test_a_repository_that_takes_nothing_is_told_and_nothing_is_pushed(
    tmp_path: Path,
) -> None:
    shelf = Shelf(export="the disk is full")
    done = await handover(tmp_path, shelf).deliver(TREE, complete=True)
    assert [what.key for what in done.left_to_do] == ["export_left"]
    assert shelf.pushed == []


async def test_a_branch_somebody_looks_at_keeps_no_other_from_coming_home(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.checked_out = "refs/heads/agent/20260115-ab12-01-x"
    brought = await handover(tmp_path, shelf).put_aside()
    assert set(brought) == set(REFS) - {shelf.checked_out}


@pytest.mark.parametrize("branch", ["develop", "staging", "next"])
async def test_a_finished_run_goes_into_the_integration_branch(tmp_path: Path, branch: str) -> None:
    """E-8 Merge Branch Restriction: into the project's integration branch, as a whole."""
    shelf = Shelf()
    done = await handover(tmp_path, shelf, integration=branch).deliver(TREE, complete=True)
    assert (shelf.merged, done.left_to_do) == ([branch], ())


@pytest.mark.parametrize("branch", ["main", "master", "Main", "refs/heads/master"])
async def test_main_is_for_a_person(tmp_path: Path, branch: str) -> None:
    """E-8 Merge Branch Restriction: never into main or master, whatever a setting says."""
    shelf = Shelf()
    done = await handover(tmp_path, shelf, integration=branch).deliver(TREE, complete=True)
    assert shelf.merged == []
    assert [what.key for what in done.left_to_do] == ["merge_left"]


async def test_conflicts_and_failures_of_a_merge_are_left_to_do(tmp_path: Path) -> None:
    torn, broken = Shelf(), Shelf(merge="it is locked")
    torn.conflicts = ("a.py",)
    for shelf, said in ((torn, "conflicts in a.py"), (broken, "it is locked")):
        done = await handover(tmp_path, shelf, integration="develop").deliver(TREE, complete=True)
        assert [what.key for what in done.left_to_do] == ["merge_left"]
        assert said in done.left_to_do[0].say()


@pytest.mark.parametrize(
    ("branch", "may"),
    [
        ("develop", True),
        ("refs/heads/staging", True),
        ("agent/t-01", True),
        ("agent/", False),
        ("main", False),
        ("refs/heads/Master", False),
        ("release", False),
        ("xagent/t-01", False),
    ],
)
def test_where_a_merge_may_go_unless_settings_say_otherwise(branch: str, *, may: bool) -> None:
    assert may_merge_into(branch) is may
