"""The chain that orders evidence: each line carries the hash of the one before.

A record taken out, put in or changed breaks every later link. Cutting the end off
would not; so each link is also copied to a place outside the project, the heads,
and a chain that lacks one of its heads is known to be shortened or rewritten.
"""

import hashlib
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from pm_orchestrator.domain.record import Record, to_json
from pm_orchestrator.domain.tasks.evidence_record import ChainLink, Evidence
from pm_orchestrator.evidence.look.plain_open import is_there, open_file

NO_LINK = "0" * 64
FIRST = 1


class Head(Record, frozen=True, kw_only=True):
    """One line of the heads: how far the chain had come."""

    sequence: int
    link: str


class _Named(msgspec.Struct):
    """Of a line only which record it commits."""

    evidence_id: str
    evidence_hash: str


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def evidence_hash(evidence: Evidence) -> str:
    """The hash of a record: over all of it but the hash itself."""
    return digest(to_json(msgspec.structs.replace(evidence, hash="")))


def link_hash(link: ChainLink) -> str:
    """The hash of a line: over all of it but the link itself."""
    return digest(to_json(msgspec.structs.replace(link, link="")))


def follow(previous: ChainLink | None, evidence: Evidence) -> ChainLink:
    """The line that puts `evidence` behind `previous`."""
    bare = ChainLink(
        sequence=FIRST if previous is None else previous.sequence + 1,
        evidence_id=evidence.evidence_id,
        evidence_hash=evidence.hash,
        previous=NO_LINK if previous is None else previous.link,
        link="",
    )
    return msgspec.structs.replace(bare, link=link_hash(bare))


def head_of(link: ChainLink) -> Head:
    """What the heads keep of a line."""
    return Head(sequence=link.sequence, link=link.link)


def chain_path(claude_dir: Path) -> Path:
    """Where the chain is."""
    return claude_dir / "evidence" / "chain.jsonl"


def record_path(claude_dir: Path, evidence_id: str) -> Path:
    """Where a record is."""
    return claude_dir / "evidence" / f"{evidence_id}.json"


def ahead_path(claude_dir: Path, head_file: Path | None) -> Path:
    """Where the store keeps what a power cut may take: beside the heads, out of an agent's way."""
    return (head_file or chain_path(claude_dir)).with_suffix(".ahead")


def complete_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file one by one; a last one without its end was never committed."""
    with open_file(path) as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line


def linked(claude_dir: Path, evidence_ids: Collection[str]) -> dict[str, str]:
    """The hashes under which the chain commits these records."""
    chain = chain_path(claude_dir)
    found: dict[str, str] = {}
    for line in complete_lines(chain) if evidence_ids and is_there(chain) else ():
        try:
            link = msgspec.json.decode(line, type=_Named)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # Whoever checks the chain names it.
        if link.evidence_id in evidence_ids:
            found[link.evidence_id] = link.evidence_hash
    return found
