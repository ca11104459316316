"""Raw logs, facts and answers: files that records name by their hash, and nobody writes again.

A look from outside is enough while nobody touched them; the hash in the record decides for
the others. One that is gone proves nothing any more, so its operation has no evidence.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from pm_orchestrator.domain.record import MalformedRecordError, from_json
from pm_orchestrator.domain.tasks.evidence_record import Evidence
from pm_orchestrator.evidence.guard.sealed_part import Difference
from pm_orchestrator.evidence.look.plain_open import about, try_read

BY_HASH = frozenset({"answer", "record"})
HASHED = "sha256:"
Outside = tuple[int, int, int, int]


class ProvedFile(msgspec.Struct, frozen=True):
    """One of them, as it was."""

    evidence_id: str
    sha256: str
    outside: Outside | None
    """None where it was gone already."""


def outside_of(path: Path) -> Outside | None:
    """What tells an untouched file; the kernel alone sets its change time."""
    seen = about(path)
    return None if seen is None else (seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)


def proved_files(claude_dir: Path, records: Iterable[bytes]) -> dict[Path, ProvedFile]:
    """What these records name; one that is none is named by whoever compares the records."""
    found: dict[Path, ProvedFile] = {}
    for data in records:
        try:
            evidence = from_json(Evidence, data, "evidence")
        except MalformedRecordError:
            continue
        refs = (ref.removeprefix(HASHED) for ref in evidence.raw_evidence_refs)
        named = [(evidence.raw_logs, ref) for ref in refs]
        named += [(a.ref, a.sha256) for a in evidence.artifacts if a.kind in BY_HASH and a.sha256]
        for ref, sha256 in named:
            path = claude_dir / ref
            found[path] = ProvedFile(evidence.evidence_id, sha256, outside_of(path))
    return found


def damage_to(files: Mapping[Path, ProvedFile]) -> Difference:
    """What is no longer as its record says; what was gone before is lost too, and no news."""
    altered: list[Path] = []
    gone: dict[str, Path] = {}
    lost: dict[str, Path] = {}
    for path, known in files.items():
        now = outside_of(path)
        if now is None:
            lost[known.evidence_id] = path
            if known.outside is not None:
                gone[known.evidence_id] = path
            continue
        if now == known.outside or known.outside is None:
            continue
        data = try_read(path)
        if data is None or hashlib.sha256(data).hexdigest() != known.sha256:
            altered.append(path)
    return Difference(altered=tuple(altered), gone=tuple(gone.values()), lost=lost)
