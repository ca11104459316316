"""R-1, R-7: what earlier sessions and runs left, seen by its size and times alone."""

import os
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from pm_orchestrator.evidence.guard import sealed_past
from pm_orchestrator.evidence.guard.sealed_history import RUNS, SESSIONS
from pm_orchestrator.evidence.guard.sealed_part import Difference
from pm_orchestrator.evidence.guard.sealed_past import SealedPast
from pm_orchestrator.evidence.guard.spoken_since import SpokenSince

OWN = "session-own"


class Past:
    """Many sessions and runs; work is done in the last session."""

    def __init__(self, root: Path, count: int) -> None:
        self.root = root
        self.sessions = [f"session-{number}" for number in range(count)]
        for name in self.sessions:
            facts = self.session(name) / "facts"
            facts.mkdir(parents=True)
            (facts / "task.run.json").write_text("{}", encoding="utf-8")
            (facts.parent / "session_state.json").write_text("{}", encoding="utf-8")
            (facts.parent / "session.json.lock").touch()
        for number in range(count):
            run = self.run(number)
            run.mkdir(parents=True)
            (run / "report.json").write_text("{}", encoding="utf-8")
            (run / "cancel").touch()
        self.living: Collection[str] = ()
        self.below: Callable[[int], int] = lambda count: 0

    def session(self, name: str) -> Path:
        return self.root / "logs" / "sessions" / name

    def run(self, number: int) -> Path:
        return self.root / "runs" / f"run_{number}"

    def after(self, *, own: str = OWN) -> "Since":
        part = SealedPast(self.root / "logs", self.root / "runs", self.below)
        since = SpokenSince(self.root, 0, own, lambda: self.living)
        compare = part.seal(own, tuple(self.sessions))
        return Since(lambda: compare(since))


class Since:
    def __init__(self, compare: Callable[[], Difference]) -> None:
        self._compare = compare

    @property
    def found(self) -> Difference:
        return self._compare()


@pytest.fixture
def past(tmp_path: Path) -> Past:
    return Past(tmp_path, max(SESSIONS, RUNS) + 2)


def test_what_got_longer_was_altered_and_what_is_gone_is_named(past: Past) -> None:
    since = past.after()
    assert since.found == Difference()
    old = past.session("session-1")
    report, state, facts = (
        past.run(0) / "report.json",
        old / "session_state.json",
        old / "facts" / "task.run.json",
    )
    for path in (report, state):
        path.write_text('{"forged": true}', encoding="utf-8")
    facts.unlink()
    assert set(since.found.altered) == {report, state}
    assert since.found.gone == (facts,)
    assert since.found.put_back == {}, "nobody has what was in it"


def test_written_again_at_the_same_length_is_named_and_no_lie(past: Past) -> None:
    """A tool that goes over every file may write the same again."""
    since = past.after()
    report = past.run(0) / "report.json"
    report.write_text("{}", encoding="utf-8")
    assert since.found == Difference(rewritten=(report,))


def test_times_that_were_set_back_hide_nothing(past: Past) -> None:
    report = past.run(0) / "report.json"
    was = report.stat()
    since = past.after()
    report.write_text("[]", encoding="utf-8")
    os.utime(report, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert since.found.rewritten == (report,)
    since, copy = past.after(), report.with_name("copy")
    copy.write_text("{}", encoding="utf-8")
    os.utime(copy, ns=(was.st_atime_ns, was.st_mtime_ns))
    copy.replace(report)
    assert since.found.rewritten == (report,), "another file of the same look"


def test_permissions_may_be_given_and_files_that_are_no_record_written(past: Past) -> None:
    since = past.after()
    for path in past.session("session-0").rglob("*"):
        path.chmod(0o700)
    (past.session("session-0") / "session.json.lock").write_text("x", encoding="utf-8")
    (past.run(0) / "cancel").write_text("x", encoding="utf-8")
    (past.session("session-0") / "new.json").touch()
    assert since.found == Difference()


def test_facts_that_appear_are_forged(past: Past) -> None:
    since = past.after()
    forged = past.session("session-0") / "facts" / "other.json"
    forged.write_text("{}", encoding="utf-8")
    assert since.found.altered == (forged,)


def test_others_write_what_is_theirs_while_they_live(past: Past) -> None:
    since = past.after()
    theirs = past.session("session-0") / "session_state.json"
    facts = past.session("session-0") / "facts" / "task.run.json"
    for path in (theirs, facts, past.run(0) / "report.json"):
        path.write_text("longer", encoding="utf-8")
    past.living = ["session-0"]
    assert since.found.altered == (facts,), "whoever lives, facts are written once"
    past.living = ["session-1"]
    assert set(since.found.altered) == {theirs, facts}, "runs do not say whose they are"


def test_the_session_in_which_work_is_done_and_the_latest_are_left_to_others(past: Past) -> None:
    since = past.after(own="session-0")
    latest = past.session(past.sessions[-SESSIONS])
    for folder in (past.session("session-0"), latest):
        (folder / "session_state.json").write_text("longer", encoding="utf-8")
    (past.run(len(past.sessions) - RUNS) / "report.json").write_text("longer", encoding="utf-8")
    assert since.found == Difference()


def test_of_what_is_older_still_some_are_chosen_by_chance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealed_past, "PAST", 2)
    monkeypatch.setattr(sealed_past, "BY_CHANCE", 3)
    past = Past(tmp_path, SESSIONS + 2 + 7)
    seen: list[int] = []
    for drawn in range(7):
        past.below = lambda count, drawn=drawn: drawn if count == 7 else count - 1
        since = past.after()
        for number in range(9):
            state = past.session(f"session-{number}") / "session_state.json"
            state.write_text("x" * (drawn + 3), encoding="utf-8")
        altered = {int(path.parent.name.rpartition("-")[2]) for path in since.found.altered}
        assert altered == {*((drawn + step) % 7 for step in range(3)), 7, 8}
        seen += altered
    assert set(seen) == set(range(9))


def test_a_project_without_a_past_has_nothing_to_look_at(tmp_path: Path) -> None:
    assert Past(tmp_path, 0).after().found == Difference()
