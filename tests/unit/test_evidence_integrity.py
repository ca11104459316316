"""Whatever is done to the evidence afterwards, the check sees it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from pm_orchestrator.adapters.stores.local_files import LocalFiles
from pm_orchestrator.domain.record import from_json, to_file, to_json
from pm_orchestrator.domain.tasks.evidence_record import Artifact, ChainLink, Evidence
from pm_orchestrator.evidence.chain.integrity import check
from pm_orchestrator.evidence.chain.links import digest, evidence_hash, follow
from pm_orchestrator.evidence.chain.recorder import EvidenceRecorder
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.task_inventory import task_inventory
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock
from pm_orchestrator.testing.memory.memory_files import MemoryFiles


class Archive:
    """Three records on a real disk."""

    def __init__(self, root: Path) -> None:
        self.claude = root / ".claude"
        self.heads = root / "heads"
        self.chain = self.claude / "evidence" / "chain.jsonl"
        self.evidence: list[Evidence] = []

    async def fill(self, artifacts: tuple[Artifact, ...] = ()) -> None:
        files = MemoryFiles()
        recorder = EvidenceRecorder(
            files, FakeClock(), CountingIds(), Masker(), self.claude, self.heads
        )
        for number in range(3):
            given = artifacts if number == 1 else ()
            self.evidence.append(
                await recorder.record(
                    Operation(
                        type="t", raw=f"{number}", session_id="s", task_id="k", artifacts=given
                    )
                )
            )
        files.dump()

    def record(self, number: int) -> Path:
        return self.claude / "evidence" / f"{self.evidence[number].evidence_id}.json"

    def raw(self, number: int) -> Path:
        return self.claude / self.evidence[number].raw_logs

    def lines(self) -> list[bytes]:
        return self.chain.read_bytes().splitlines(keepends=True)

    def codes(self) -> list[str]:
        report = check(self.claude, self.heads)
        assert report.intact == (not report.problems)
        return [problem.code for problem in report.problems]


@pytest.fixture
async def archive(tmp_path: Path) -> Archive:
    archive = Archive(tmp_path)
    await archive.fill()
    return archive


def test_untouched_evidence_is_intact(archive: Archive) -> None:
    report = check(archive.claude, archive.heads)
    assert report.intact
    assert (report.committed, report.raw_files, report.uncommitted) == (3, 3, ())


def test_nothing_at_all_is_intact(tmp_path: Path) -> None:
    report = check(tmp_path / ".claude", None)
    assert report.intact
    assert report.committed == 0


def _edit(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))


def _drop_line(number: int) -> Callable[[Archive], None]:
    def work(archive: Archive) -> None:
        lines = archive.lines()
        del lines[number]
        archive.chain.write_bytes(b"".join(lines))

    return work


def _rewrite(archive: Archive) -> None:
    """A consistent forgery: the record and the whole chain made anew."""
    path = archive.record(1)
    forged = replace(archive.evidence[1], operation_type="forged")
    forged = replace(forged, hash=evidence_hash(forged))
    path.write_bytes(to_file(forged))
    link: ChainLink | None = None
    lines: list[bytes] = []
    for evidence in (archive.evidence[0], forged, archive.evidence[2]):
        link = follow(link, evidence)
        lines.append(to_json(link) + b"\n")
    archive.chain.write_bytes(b"".join(lines))


def _unknown_field(archive: Archive) -> None:
    path = archive.record(1)
    path.write_bytes(path.read_bytes().replace(b"{", b'{"new": 1, ', 1))


def _wrong_name(archive: Archive) -> None:
    path = archive.record(1)
    path.write_bytes(archive.record(0).read_bytes())


def _swap(archive: Archive) -> None:
    lines = archive.lines()
    archive.chain.write_bytes(lines[0] + lines[2] + lines[1])


def _twice(archive: Archive) -> None:
    link = from_json(ChainLink, archive.lines()[2])
    again = follow(link, archive.evidence[2])
    archive.chain.write_bytes(archive.chain.read_bytes() + to_json(again) + b"\n")


def _elsewhere(archive: Archive) -> None:
    path = archive.record(1)
    moved = replace(archive.evidence[1], raw_logs="../heads")
    path.write_bytes(to_file(replace(moved, hash=evidence_hash(moved))))


TAMPERINGS: list[tuple[Callable[[Archive], object], set[str]]] = [
    (lambda a: a.record(1).unlink(), {"E303"}),
    (lambda a: a.raw(1).unlink(), {"E303"}),
    (lambda a: _edit(a.raw(1)), {"E304"}),
    (lambda a: a.record(1).write_bytes(b"{}"), {"E305"}),
    (lambda a: a.record(1).write_bytes(b"\xff\xfe"), {"E305"}),
    (lambda a: a.record(1).write_bytes(b"[" * 100_000), {"E305"}),
    (lambda a: a.record(1).write_bytes(a.record(1).read_bytes() + b"\n"), {"E304"}),
    (_unknown_field, {"E305"}),
    (_wrong_name, {"E302", "E304"}),
    (_elsewhere, {"E302", "E304"}),
    (_drop_line(0), {"E304"}),
    (_drop_line(1), {"E304"}),
    (_drop_line(2), {"E304"}),
    (_swap, {"E304"}),
    (_twice, {"E302"}),
    (_rewrite, {"E304"}),
    (lambda a: a.chain.write_bytes(b"not json\n" + a.chain.read_bytes()), {"E305"}),
    (lambda a: a.heads.write_bytes(b"{}\n" + a.heads.read_bytes()), {"E305"}),
    (lambda a: a.chain.unlink(), {"E304"}),
    (lambda a: shutil.rmtree(a.claude), {"E304"}),
]


@pytest.mark.parametrize(("tamper", "expected"), TAMPERINGS)
def test_tampering_is_seen(
    archive: Archive, tamper: Callable[[Archive], object], expected: set[str]
) -> None:
    tamper(archive)
    assert set(archive.codes()) == expected


def test_any_changed_byte_of_a_record_is_seen(archive: Archive) -> None:
    path = archive.record(1)
    data = path.read_bytes()
    for place in range(0, len(data), 3):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x15]) + data[place + 1 :])
        assert archive.codes() != []


def test_a_regrown_chain_still_lacks_its_old_heads(archive: Archive) -> None:
    lines = archive.lines()
    first = from_json(ChainLink, lines[0])
    regrown = follow(first, archive.evidence[2])
    archive.chain.write_bytes(lines[0] + to_json(regrown) + b"\n")
    assert "E304" in archive.codes()


def test_leftovers_of_a_crash_are_reported_and_no_failure(archive: Archive) -> None:
    (archive.claude / "evidence" / "ev-left.json").write_bytes(b"half a rec")
    archive.chain.write_bytes(archive.chain.read_bytes() + b'{"sequence":4')
    archive.heads.write_bytes(archive.heads.read_bytes() + b'{"seq')
    report = check(archive.claude, archive.heads)
    assert report.intact
    assert report.uncommitted == ("ev-left.json",)


def test_a_last_line_nobody_was_told_of_may_lack_its_files(archive: Archive) -> None:
    heads = archive.heads.read_bytes().splitlines(keepends=True)
    archive.heads.write_bytes(b"".join(heads[:2]))
    archive.raw(2).unlink()
    report = check(archive.claude, archive.heads)
    assert report.intact
    assert report.committed == 2
    assert report.uncommitted == (archive.record(2).name,)
    assert not check(archive.claude, None).intact


def test_a_last_line_without_a_head_counts_when_it_is_complete(archive: Archive) -> None:
    heads = archive.heads.read_bytes().splitlines(keepends=True)
    archive.heads.write_bytes(b"".join(heads[:2]))
    assert check(archive.claude, archive.heads).committed == 3


async def test_artifacts_inside_are_checked(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    content = b"kept"
    await archive.fill(
        (
            Artifact(kind="record", ref="logs/one.json", sha256=digest(content)),
            Artifact(kind="log", ref=".claude/logs/two.log"),
            Artifact(kind="file", ref=str(tmp_path / ".claude" / "logs" / "three"), sha256=None),
            Artifact(kind="file", ref="src/main.py", sha256="0" * 64),
            Artifact(kind="record", ref="../outside.json", sha256="0" * 64),
            Artifact(kind="commit", ref="abc"),
            Artifact(kind="log", ref="[MASKED:JWT]"),
        )
    )
    logs = tmp_path / ".claude" / "logs"
    logs.mkdir()
    for name in ("one.json", "two.log", "three"):
        (logs / name).write_bytes(content)
    assert archive.codes() == []
    (logs / "one.json").write_bytes(b"changed")
    (logs / "two.log").unlink()
    assert archive.codes() == ["E304", "E303"]


def test_problems_are_told_in_the_language_asked_for(archive: Archive) -> None:
    archive.raw(0).unlink()
    english, japanese = (
        check(archive.claude, archive.heads, lang).problems[0] for lang in ("en", "ja")
    )
    assert "is gone" in english.sentence
    assert "ありません" in japanese.sentence
    assert english.path == str(archive.raw(0))
    assert english.evidence_id == archive.evidence[0].evidence_id


def test_the_inventory_names_what_is_missing_and_what_fails(archive: Archive) -> None:
    archive.raw(0).unlink()
    _edit(archive.raw(1))
    ids = [evidence.evidence_id for evidence in archive.evidence]
    found = task_inventory(LocalFiles(FakeClock()), archive.claude, [*ids, "ev-never"])
    assert found.total_evidence_items == len(ids) + 1
    assert found.missing_evidence_operations == (ids[0], "ev-never")
    assert found.integrity_failures == (ids[1],)
    assert len(found.raw_evidence_files) == len(ids) - 1
