"""What the log says about files can be followed by whoever reads it later."""

import asyncio
import shutil
from pathlib import Path

from hypothesis import given, strategies as st
from typing_extensions import override

from pm_orchestrator.domain.outcome import Facts, gone_files
from pm_orchestrator.domain.status import TaskStatus
from pm_orchestrator.evidence.snapshot import Walk
from pm_orchestrator.evidence.stat_cache import StatCache
from pm_orchestrator.gates.completion import decide
from pm_orchestrator.ports.ignored import IgnoredFiles
from pm_orchestrator.runner.run_report import evidence_summary
from pm_orchestrator.runner.workspace import After, Workspace, project_path
from pm_orchestrator.testing.memory_rescue import MemoryRescue

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
    walk = Walk(root, StatCache(), lambda: 0)
    workspace = Workspace(root, walk, EnvIgnored(), MemoryRescue())
    seen = await workspace.before("run_001/task-1", ())
    lay(root, after)
    return await workspace.after(seen, claimed)


@given(before=TREES, after=TREES, claims=CLAIMS)
def test_verified_files_can_be_followed(
    tmp_path: Path, before: dict[str, bytes], after: dict[str, bytes], claims: list[str]
) -> None:
    """R-33 Verified Files Traceability: root plus path is the file, and it is as was said."""
    root = tmp_path / "root"
    claimed = tuple(project_path(root, c.format(root=root)) for c in claims)
    seen = asyncio.run(work(root, before, after, claimed))
    gone = gone_files(seen.changes)
    missing = tuple(p for p in dict.fromkeys(claimed) if p not in seen.files and p not in gone)
    facts = Facts(
        commit="tree" if seen.changes else None,
        changes=seen.changes,
        expected_files=(),
        missing_files=missing,
        gates=None,
    )
    summary = evidence_summary(decide(facts), "2026-01-01T00:00:00Z")
    for file in summary.verified_files:
        assert not file.path.startswith("/")
        assert file.detection_method in {"diff", "executor_claim"}
        if not file.path.startswith("../"):
            assert (root / file.path).is_file() is file.exists
    touched = {n for n in {*before, *after} if before.get(n) != after.get(n)} - {".env"}
    sources = {c.previous_path for c in seen.changes if c.kind == "renamed"}
    by_diff = {f.path for f in summary.verified_files if f.detection_method == "diff"}
    assert by_diff == touched - sources
    assert decide(facts).status is not TaskStatus.COMPLETE


@given(before=TREES, claims=CLAIMS)
def test_a_claim_changes_nothing(
    tmp_path: Path, before: dict[str, bytes], claims: list[str]
) -> None:
    """R-31 Verified Files Detection: without a change on disk no claim makes one."""
    root = tmp_path / "root"
    claimed = tuple(project_path(root, c.format(root=root)) for c in claims)
    assert asyncio.run(work(root, before, before, claimed)).changes == ()
