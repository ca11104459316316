"""Checking everything again, offline: is the evidence what was recorded?

Nothing here trusts a record's own words: every hash is computed again, every link
followed, every named file opened. The chain is read line by line, so a long
history costs time but no memory.
"""

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import MalformedRecordError, Record, from_json, to_file, to_json
from pm_orchestrator.domain.tasks.evidence_record import Artifact, ChainLink, Evidence
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.evidence.chain.links import (
    FIRST,
    NO_LINK,
    Head,
    chain_path,
    complete_lines,
    evidence_hash,
    head_of,
    link_hash,
    record_path,
)
from pm_orchestrator.evidence.chain.log_seals import LogWords, SteadyChain, words_in
from pm_orchestrator.evidence.chain.tombstones import PRUNE, is_covered, tombstones_in
from pm_orchestrator.evidence.look.plain_open import is_there, names_in, open_file, read_file
from pm_orchestrator.evidence.masking.secret_forms import MARKER

CHECKED_KINDS = frozenset({"answer", "record", "log"})


class Problem(Record, frozen=True, kw_only=True):
    """One thing that does not fit."""

    code: str
    path: str
    sentence: str
    evidence_id: str | None = None


class IntegrityReport(Record, frozen=True, kw_only=True):
    """What a check found. Leftovers of a crash are no problem: they were never committed."""

    intact: bool
    committed: int
    """Lines in the chain."""
    raw_files: int
    pruned: int
    """Raw logs that are gone by right: their tombstones are in the chain."""
    uncommitted: tuple[str, ...]
    problems: tuple[Problem, ...]


def check(claude_dir: Path, head_file: Path | None, lang: Lang = "en") -> IntegrityReport:
    """Check all evidence below `claude_dir`."""
    scan = _Scan(claude_dir, lang)
    scan.run(head_file)
    return IntegrityReport(
        intact=not scan.problems,
        committed=len(scan.committed),
        raw_files=len(scan.raw_files),
        pruned=scan.pruned,
        uncommitted=tuple(scan.uncommitted()),
        problems=tuple(scan.problems),
    )


class _Last(NamedTuple):
    """The last line: how many problems were known before it, and whether it has a head."""

    evidence_id: str
    problems_before: int
    acknowledged: bool


class _Scan:
    """One walk over the chain, collecting what it sees."""

    def __init__(self, claude_dir: Path, lang: Lang) -> None:
        self._claude_dir = claude_dir
        self._lang: Lang = lang
        self.committed: set[str] = set()
        self.raw_files: list[str] = []
        self.problems: list[Problem] = []
        self.pruned = 0
        self._absent: list[tuple[Evidence, Problem]] = []
        """Records whose raw log is gone, with what is to be said of it."""
        self._tombstones: dict[str, str] = {}
        self._logs = LogWords(claude_dir)

    def run(self, head_file: Path | None) -> None:
        chain = SteadyChain(self._claude_dir)
        heads = self._read_heads(head_file)
        last = self._follow_chain(heads)
        if head_file is not None and last is not None and not last.acknowledged:
            self._forgive(last)
        self._excuse_pruned()
        self._check_logs(chain)
        if heads:
            # Links that were recorded and are no longer there.
            self._problem("hash_mismatch", chain_path(self._claude_dir))

    def _forgive(self, last: _Last) -> None:
        """A power cut can leave a line without its files; nobody was told of that record."""
        if len(self.problems) > last.problems_before:
            del self.problems[last.problems_before :]
            self.committed.discard(last.evidence_id)

    def _excuse_pruned(self) -> None:
        """A tombstone comes later in the chain than what it stands for, so this is last."""
        excused = {
            problem
            for evidence, problem in self._absent
            if is_covered(evidence, self._tombstones.get(evidence.evidence_id))
        }
        self.problems = [problem for problem in self.problems if problem not in excused]
        self.pruned = len(excused)

    def _check_logs(self, chain: SteadyChain) -> None:
        """The last word about a log counts, so this can only come after all of them."""
        while (broken := self._logs.broken()) and chain.grew():
            self._logs = words_in(self._claude_dir)
        for log in broken:
            slug = "task_log_gone" if log.gone else "task_log_altered"
            self._problem(slug, log.path, log.evidence_id, task=log.task_id)

    def uncommitted(self) -> list[str]:
        """Records that no line commits, in order of name."""
        folder = self._claude_dir / "evidence"
        names = set(names_in(folder, ".json")) if is_there(folder) else set[str]()
        return sorted(names - {f"{evidence_id}.json" for evidence_id in self.committed})

    def _problem(
        self,
        slug: str,
        path: Path,
        evidence_id: str | None = None,
        reason: object = "",
        task: str = "",
    ) -> None:
        evidence = evidence_id or path.name
        error = PmError(slug, path=path, evidence=evidence, reason=reason, task=task)
        self.problems.append(
            Problem(
                code=error.code,
                path=str(path),
                sentence=error.what(self._lang),
                evidence_id=evidence_id,
            )
        )

    def _read_heads(self, head_file: Path | None) -> set[Head]:
        if head_file is None or not is_there(head_file):
            return set()
        heads: set[Head] = set()
        for line in complete_lines(head_file):
            try:
                heads.add(from_json(Head, line, head_file.name))
            except MalformedRecordError as error:
                self._problem("evidence_unknown_format", head_file, reason=error.__cause__)
        return heads

    def _follow_chain(self, heads: set[Head]) -> _Last | None:
        """Check every line; takes the heads it meets out of `heads`."""
        chain = chain_path(self._claude_dir)
        last: _Last | None = None
        if not is_there(chain):
            return last
        sequence, previous = FIRST, NO_LINK
        for line in complete_lines(chain):
            try:
                link = from_json(ChainLink, line, chain.name)
            except MalformedRecordError as error:
                self._problem("evidence_unknown_format", chain, reason=error.__cause__)
                continue
            in_place = (link.sequence, link.previous) == (sequence, previous)
            if not in_place or link.link != link_hash(link) or line != to_json(link) + b"\n":
                self._problem("hash_mismatch", chain, link.evidence_id)
            if link.evidence_id in self.committed:
                reason = "it is committed twice"
                self._problem("evidence_invalid", chain, link.evidence_id, reason)
            self.committed.add(link.evidence_id)
            last = _Last(link.evidence_id, len(self.problems), head_of(link) in heads)
            heads.discard(head_of(link))
            self._check_record(link)
            sequence, previous = link.sequence + 1, link.link
        return last

    def _check_record(self, link: ChainLink) -> None:
        path = record_path(self._claude_dir, link.evidence_id)
        try:
            data = read_file(path)
            evidence = from_json(Evidence, data, path.name)
        except OSError:
            return self._problem("artifacts_missing", path, link.evidence_id)
        except MalformedRecordError as error:
            reason = error.__cause__
            return self._problem("evidence_unknown_format", path, link.evidence_id, reason)
        if evidence.evidence_id != link.evidence_id:
            reason = f"it calls itself {evidence.evidence_id}"
            self._problem("evidence_invalid", path, link.evidence_id, reason)
        fits = evidence.hash == evidence_hash(evidence) == link.evidence_hash
        if not fits or data != to_file(evidence):
            self._problem("hash_mismatch", path, link.evidence_id)
        raw = self._check_raw_log(evidence)
        if raw is not None and fits and evidence.operation_type == PRUNE:
            self._take_tombstones(evidence, raw)
        if self._logs.take(evidence):
            return None
        for artifact in evidence.artifacts:
            self._check_artifact(artifact, evidence.evidence_id)
        return None

    def _check_raw_log(self, evidence: Evidence) -> Path | None:
        """Where its raw log is, if it is there as it was recorded."""
        raw = Path(os.path.normpath(self._claude_dir / evidence.raw_logs))
        self.raw_files.append(evidence.raw_logs)
        if not raw.is_relative_to(self._claude_dir / "raw"):
            reason = f"its raw log is elsewhere: {evidence.raw_logs}"
            self._problem("evidence_invalid", raw, evidence.evidence_id, reason)
        elif (found := _file_digest(raw)) is None:
            self._problem("artifacts_missing", raw, evidence.evidence_id)
            self._absent.append((evidence, self.problems[-1]))
        elif evidence.raw_evidence_refs != (f"sha256:{found}",):
            self._problem("hash_mismatch", raw, evidence.evidence_id)
        else:
            return raw
        return None

    def _take_tombstones(self, evidence: Evidence, raw: Path) -> None:
        try:
            stones = tombstones_in(evidence, read_file(raw))
        except MalformedRecordError as error:
            reason = error.__cause__
            self._problem("evidence_unknown_format", raw, evidence.evidence_id, reason)
        else:
            # Nothing that comes later in the chain can have been pruned by it.
            named = self.committed.intersection(stones.evidence_ids)
            self._tombstones |= dict.fromkeys(named, stones.before)

    def _check_artifact(self, artifact: Artifact, evidence_id: str) -> None:
        path = self._inside(artifact)
        if path is None:
            return
        found = _file_digest(path)
        if found is None:
            self._problem("artifacts_missing", path, evidence_id)
        elif artifact.sha256 is not None and artifact.sha256 != found:
            self._problem("hash_mismatch", path, evidence_id)

    def _inside(self, artifact: Artifact) -> Path | None:
        """Where an artifact is, if it is one of ours; the user's files may change freely.

        Paths are absolute, relative to the project, or, for records and logs, relative
        to `.claude` like `raw_logs`.
        """
        if artifact.kind not in CHECKED_KINDS or MARKER.search(artifact.ref):
            return None
        home = self._claude_dir
        within_project = artifact.ref.startswith(f"{home.name}/")
        base = home.parent if within_project else home
        path = Path(os.path.normpath(base / artifact.ref))
        return path if path.is_relative_to(home) else None


def _file_digest(path: Path) -> str | None:
    """The file's SHA-256; None where it cannot be read, which counts as gone."""
    try:
        with open_file(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
