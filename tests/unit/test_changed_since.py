"""Whether a file is still as a change left it."""

import hashlib
from pathlib import Path

import pytest

from pm_orchestrator.domain.judging.outcome import ChangeKind, FileChange
from pm_orchestrator.runner.places.plain_files import differs


def change(kind: ChangeKind, text: bytes, *, known: bool = True) -> FileChange:
    digest = hashlib.sha256(text).hexdigest() if known else None
    return FileChange(path="a.txt", kind=kind, size=len(text), sha256=digest)


@pytest.mark.parametrize(
    ("there", "left", "other"),
    [
        (b"one\n", change("modified", b"one\n"), False),
        (b"two\n", change("modified", b"one\n"), True),
        (b"three\n", change("modified", b"one\n"), True),
        (None, change("modified", b"one\n"), True),
        (None, change("deleted", b""), False),
        (b"", change("deleted", b""), True),
        # Where the content was not noted only the size tells.
        (b"two\n", change("modified", b"one\n", known=False), False),
    ],
)
def test_what_became_of_it(
    tmp_path: Path, there: bytes | None, left: FileChange, other: bool
) -> None:
    if there is not None:
        (tmp_path / "a.txt").write_bytes(there)
    assert differs(tmp_path, left) is other
