"""What the log says about files can be followed by whoever reads it later."""

import asyncio
import shutil
from pathlib import Path

from hypothesis import given, strategies as st
from typing_extensions import override

from pm_orchestrator.domain.judging.gate import GateReport
from pm_orchestrator.domain.judging.outcome import gone_files
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.evidence.look.differences import is_delivered
from pm_orchestrator.evidence.look.snapshot import DirectoryWalk
from pm_orchestrator.evidence.look.stat_cache import StatCache
from pm_orchestrator.gates.judge.completion import decide
from pm_orchestrator.ports.ignored import IgnoredFiles
from pm_orchestrator.runner.places.place import Seen
from pm_orchestrator.runner.places.workspace import After, Workspace, project_path
from pm_orchestrator.runner.run.facts import KnownElsewhere, Quality, Wanted, facts_of
from pm_orchestrator.runner.run.run_report import evidence_summary
from pm_orchestrator.testing.memory.memory_rescue import MemoryRescue

NAMES = st.sampled_from(["a.txt", "src/b.py", "日本.md", ".env", "old.txt"])
TREES = st.dictionaries(NAMES, st.sampled_from([b"", b"1", b"22"]), max_size=5)
CLAIMS = st.lists(
    st.one_of(NAMES, st.sampled_from(["/etc/hostname", "../x", "./a.txt", "{root}/a.txt", "no"])),
    max_size=4,
)


class EnvIgnored(IgnoredFiles):
    """`.env` is ignored, as in most projects."""

    @override
    async def ignored(self, project: Path) -> frozenset[str]:
        return frozenset({".env"})


def lay(root: Path, tree: dict[str, bytes]) -> None:
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for name, data in tree.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(data)


async def work(
    root: Path, before: dict[str, bytes], after: dict[str, bytes], claimed: tuple[str, ...]
) -> After:
    lay(root, before)
    walk = DirectoryWalk(root, StatCache(), lambda: 0)
    workspace = Workspace(root, walk, EnvIgnored(), MemoryRescue())
    seen = await workspace.before("run_001/task-1", ())
    lay(root, after)
    return await workspace.after(seen, claimed)


def lies(root: Path, path: str) -> bool:
    return not path.startswith("../") and (root / path).is_file()


@given(before=TREES, after=TREES, claims=CLAIMS)
def test_verified_files_can_be_followed(
    tmp_path: Path, before: dict[str, bytes], after: dict[str, bytes], claims: list[str]
) -> None:
    """R-33 Verified Files Traceability: root plus path is the file, and it is as was said."""
    root = tmp_path / "root"
    claimed = tuple(project_path(root, c.format(root=root)) for c in claims)
    seen = asyncio.run(work(root, before, after, claimed))
    absent = frozenset(p for p in claimed if not is_delivered(p, seen.files))
    facts = facts_of(
        Wanted(instruction="Do it", repairs="Do it"),
        Seen(tree="tree", changes=seen.changes, absent=absent),
        # Judged was something else, so that nothing here can be COMPLETE.
        Quality(report=GateReport(commit="another", results=())),
        (),
        KnownElsewhere(claimed=claimed),
    )
    outcome = decide(facts)
    summary = evidence_summary(facts, outcome.status, outcome.because(), "2026-01-01T00:00:00Z")
    gone = gone_files(seen.changes)
    assert set(facts.missing_files) == {c for c in claimed if not lies(root, c) and c not in gone}
    for file in summary.verified_files:
        assert not file.path.startswith("/")
        assert file.detection_method in {"diff", "executor_claim"}
        if not file.path.startswith("../"):
            assert (root / file.path).is_file() is file.exists
    touched = {n for n in {*before, *after} if before.get(n) != after.get(n)} - {".env"}
    sources = {c.previous_path for c in seen.changes if c.kind == "renamed"}
    by_diff = {f.path for f in summary.verified_files if f.detection_method == "diff"}
    assert by_diff == touched - sources
    assert outcome.status is not TaskStatus.COMPLETE
    assert summary.verification_passed is False


@given(before=TREES, claims=CLAIMS)
def test_a_claim_changes_nothing(
    tmp_path: Path, before: dict[str, bytes], claims: list[str]
) -> None:
    """R-31 Verified Files Detection: without a change on disk no claim makes one."""
    root = tmp_path / "root"
    claimed = tuple(project_path(root, c.format(root=root)) for c in claims)
    assert asyncio.run(work(root, before, before, claimed)).changes == ()
