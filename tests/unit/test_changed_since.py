"""Whether a file is still as a change left it."""

import hashlib
from pathlib import Path

import pytest
from msgspec.structs import replace

from pm_orchestrator.domain.judging.gate import GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import ChangeKind, Facts, FileChange
from pm_orchestrator.runner.places.plain_files import differs
from pm_orchestrator.runner.tasks.seen_again import changed_since, unchecked


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


@pytest.mark.parametrize(
    ("gates", "other", "told_apart"),
    [
        (None, ("a.py",), False),
        (GateVerdict.ABSENT, ("a.py",), False),
        (GateVerdict.PASS, ("a.py",), True),
        (GateVerdict.FAIL, ("a.py", "b.md"), True),
        (GateVerdict.PASS, ("b.md",), False),
    ],
)
def test_gates_speak_of_the_tree_that_they_saw(
    gates: GateVerdict | None, other: tuple[str, ...], *, told_apart: bool
) -> None:
    results = (
        () if gates is None else (GateResult(kind="test", command=(), verdict=gates, output=""),)
    )
    report = None if gates is None else GateReport(commit="c1", results=results)
    changes = (change("modified", b"one\n"),)
    facts = Facts(commit="c1", changes=changes, expected_files=(), missing_files=(), gates=report)
    now = unchecked(facts, other)
    assert (now.commit != "c1") is told_apart
    assert unchecked(facts, other).commit == now.commit
    more = replace(facts, changes=(change("modified", b"two\n"),))
    assert (unchecked(more, other).commit != now.commit) is told_apart


def test_what_is_not_as_it_was_judged_is_named() -> None:
    one, two = change("modified", b"one\n"), change("created", b"two\n")
    facts = Facts(commit="c1", changes=(one,), expected_files=(), missing_files=(), gates=None)
    assert changed_since(facts, facts) == ()
    assert changed_since(facts, replace(facts, changes=())) == ("a.txt",)
    assert changed_since(facts, replace(facts, changes=(two,))) == ("a.txt",)
