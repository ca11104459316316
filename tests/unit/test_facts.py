"""From what a place reports to the facts a verdict rests on, honest work beside dishonest."""

import msgspec
import pytest
from msgspec.structs import replace

from pm_orchestrator.domain.judging.gate import Gate, GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import LISTED_CHANGES, Facts, FileChange, Reason
from pm_orchestrator.domain.judging.quality import BaseComparison, Dilution
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import LimitViolation, SubTask
from pm_orchestrator.gates.judge.completion import (
    decide,
    not_proved,
    only_doubted,
    open_to_acceptance,
)
from pm_orchestrator.gates.judge.content import is_blank
from pm_orchestrator.runner.instructions.requirement import Requirement, understand
from pm_orchestrator.runner.places.place import Seen
from pm_orchestrator.runner.run.facts import (
    KnownElsewhere,
    Quality,
    Wanted,
    facts_of,
    quality_in,
    wanted_of_part,
    wanted_of_task,
)

TREE = "tree"
MAKE = Gate(kind="test", argv=("make", "test"), source="Makefile")
WANTED = Wanted(instruction="Change a.py", repairs="Change a.py", expected_files=("a.py",))


def change(path: str, kind: str = "modified", size: int = 3, was: str | None = None) -> FileChange:
    return msgspec.convert(
        {"path": path, "kind": kind, "size": size, "previous_path": was}, FileChange
    )


EDITED, MADE = change("a.py"), change("a.py", "created")
GONE = change("a.py", "deleted", 0)
MOVED = change("b.py", "renamed", 3, "a.py")


def seen(*changes: FileChange, absent: tuple[str, ...] = (), comparable: bool = True) -> Seen:
    return Seen(tree=TREE, changes=changes, absent=frozenset(absent), comparable=comparable)


def result(verdict: GateVerdict) -> GateResult:
    return GateResult(kind="test", verdict=verdict, output="", command=MAKE.argv, exit_code=1)


def judged(*verdicts: GateVerdict) -> Quality:
    return Quality(report=GateReport(commit=TREE, results=tuple(map(result, verdicts))))


GREEN, RED = judged(GateVerdict.PASS), judged(GateVerdict.FAIL)


def said(facts: Facts) -> str:
    """What the verdict on these facts rests on."""
    return decide(facts).reason_key


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of work, and what is to be found out about it."""

    wanted: Wanted = WANTED
    seen: Seen = seen(EDITED)
    quality: Quality = GREEN
    besides: KnownElsewhere = KnownElsewhere()
    says: str
    names: tuple[str, ...] = ()
    """The files that are named against it."""


def wants(**what: object) -> Wanted:
    return msgspec.convert({"instruction": "Do it", "repairs": "", **what}, Wanted)


TO_GO = wants(files_to_go=["a.py"])
TO_CHANGE = wants(expected_files=["a.py"], files_to_change=["a.py"])
CONVERTED = wants(expected_files=["a.py", "b.py"])
EMPTY = change("a.py", "created", 0)
ASKS = wants(wants_answer=True)
RUNS = wants(wants_answer=True, asked_gates=["test"])
VIOLATION = LimitViolation(
    limit_type="files", limit_value=5, actual_value=9, timestamp="", resolution_required=True
)
BY_HEART = Dilution(kind="product_holds_answers", path="a.py", detail='f 4: "IV"')
WEAKER = Dilution(kind="test_deleted", path="test_a.py", detail="test_a")

HONEST = {
    "edited": Row(says="all_proved"),
    "created": Row(seen=seen(MADE), says="all_proved"),
    "created where one was to be made empty": Row(
        wanted=replace(WANTED, may_be_empty=("a.py",)), seen=seen(EMPTY), says="all_proved"
    ),
    "another file than the one it was about": Row(seen=seen(change("b.py")), says="all_proved"),
    "deleted as asked": Row(wanted=TO_GO, seen=seen(GONE, absent=("a.py",)), says="all_proved"),
    "moved as asked": Row(wanted=TO_GO, seen=seen(MOVED, absent=("a.py",)), says="all_proved"),
    "was not there in the first place": Row(
        wanted=TO_GO, seen=seen(change("b.py"), absent=("a.py",)), says="all_proved"
    ),
    "changed as asked": Row(wanted=TO_CHANGE, says="all_proved"),
    "converted into another one": Row(
        wanted=CONVERTED,
        seen=seen(change("b.py", "created"), GONE, absent=("a.py",)),
        says="all_proved",
    ),
    "claimed and there": Row(besides=KnownElsewhere(claimed=("a.py", "lib.py")), says="all_proved"),
    "claimed and deleted": Row(
        seen=seen(EDITED, change("old.py", "deleted", 0), absent=("old.py",)),
        besides=KnownElsewhere(claimed=("old.py",)),
        says="all_proved",
    ),
    "answered": Row(
        wanted=ASKS,
        seen=seen(),
        quality=judged(),
        besides=KnownElsewhere(answer_size=9),
        says="answer_stored",
    ),
    "asked runs are green": Row(
        wanted=RUNS, seen=seen(), besides=KnownElsewhere(answer_size=9), says="asked_gates_passed"
    ),
    "as red as before": Row(
        quality=replace(RED, comparisons=(BaseComparison(kind="test", left=("x",)),)),
        says="all_settled",
    ),
}
DISHONEST = {
    "nothing was done": Row(seen=seen(), says="nothing_delivered"),
    "expected and not there": Row(
        seen=seen(change("b.py"), absent=("a.py",)), says="files_missing", names=("a.py",)
    ),
    "claimed and not there": Row(
        seen=seen(EDITED, absent=("never.py",)),
        besides=KnownElsewhere(claimed=("never.py",)),
        says="files_missing",
        names=("never.py",),
    ),
    "deleted instead of changed": Row(
        seen=seen(GONE, absent=("a.py",)), says="files_missing", names=("a.py",)
    ),
    "moved away instead of changed": Row(
        seen=seen(MOVED, absent=("a.py",)), says="files_missing", names=("a.py",)
    ),
    "empty": Row(seen=seen(EMPTY), says="files_empty", names=("a.py",)),
    "left where it was to go": Row(
        wanted=TO_GO, seen=seen(change("b.py")), says="files_left_alone", names=("a.py",)
    ),
    "changed where it was to go": Row(
        wanted=TO_GO, seen=seen(EDITED), says="files_left_alone", names=("a.py",)
    ),
    "a copy beside it is no move": Row(
        wanted=TO_GO, seen=seen(change("b.py", "created")), says="files_left_alone", names=("a.py",)
    ),
    "left as it was where it was to change": Row(
        wanted=TO_CHANGE, seen=seen(change("b.py")), says="files_unchanged", names=("a.py",)
    ),
    "out of time": Row(besides=KnownElsewhere(budget_seconds=60), says="budget_ran_out"),
    "no answer": Row(
        wanted=ASKS, seen=seen(), besides=KnownElsewhere(answer_size=0), says="answer_empty"
    ),
    "an answer to what was no question": Row(
        seen=seen(), besides=KnownElsewhere(answer_size=9), says="nothing_delivered"
    ),
    "an asked run is red": Row(
        wanted=RUNS,
        seen=seen(),
        quality=RED,
        besides=KnownElsewhere(answer_size=9),
        says="asked_gate_failed",
    ),
    "an asked run is not to be had": Row(
        wanted=RUNS,
        seen=seen(),
        quality=judged(),
        besides=KnownElsewhere(answer_size=9),
        says="asked_gate_absent",
    ),
    "red": Row(quality=RED, says="gate_failed"),
    "newly red": Row(
        quality=replace(RED, comparisons=(BaseComparison(kind="test", new_failures=("x",)),)),
        says="gate_new_failures",
    ),
    "what was to be repaired is red": Row(
        quality=replace(RED, comparisons=(BaseComparison(kind="test", unfixed=("x",)),)),
        says="named_failures_left",
    ),
    "another tree was judged": Row(
        quality=Quality(report=GateReport(commit="elsewhere", results=())),
        says="gates_on_other_commit",
    ),
}
FOR_A_PERSON = {
    "could not run": Row(quality=judged(GateVerdict.COULD_NOT_RUN), says="gate_could_not_run"),
    "weaker checks": Row(quality=replace(GREEN, dilution=(WEAKER,)), says="checks_diluted"),
    "answers by heart": Row(
        quality=replace(GREEN, dilution=(BY_HEART,)), says="product_made_for_tests"
    ),
    "over the limits": Row(quality=replace(GREEN, violations=(VIOLATION,)), says="limits_overrun"),
    "a key": Row(quality=replace(GREEN, secrets=("a.py:1 key",)), says="secrets_delivered"),
    "a gate wrote": Row(quality=replace(GREEN, gate_changes=("x",)), says="gates_changed_tree"),
    "not told apart": Row(
        quality=replace(RED, comparisons=(BaseComparison(kind="test", told_apart=False),)),
        says="failures_indistinct",
    ),
    "a gate rewritten where nothing can be compared": Row(
        seen=seen(EDITED, change("Makefile"), comparable=False),
        quality=replace(GREEN, dilution=None),
        says="gates_altered",
        names=("Makefile",),
    ),
}


def facts(row: Row) -> Facts:
    return facts_of(row.wanted, row.seen, row.quality, (MAKE,), row.besides)


@pytest.mark.parametrize("row", HONEST.values(), ids=HONEST.keys())
def test_nothing_speaks_against_honest_work(row: Row) -> None:
    assert said(facts(row)) == row.says
    assert decide(facts(row)).status == "COMPLETE"


@pytest.mark.parametrize("row", DISHONEST.values(), ids=DISHONEST.keys())
def test_what_was_not_done_speaks_against_it(row: Row) -> None:
    outcome = decide(facts(row))
    assert outcome.reason_key == row.says
    assert outcome.status == "INCOMPLETE"
    assert not only_doubted(outcome.facts), "it may not be merged"
    if row.names:
        assert outcome.reason_params["files"] == ", ".join(row.names)


@pytest.mark.parametrize("row", FOR_A_PERSON.values(), ids=FOR_A_PERSON.keys())
def test_what_is_not_known_is_for_a_person(row: Row) -> None:
    outcome = decide(facts(row))
    assert outcome.reason_key == row.says
    assert outcome.status == "INCOMPLETE"
    assert only_doubted(outcome.facts)
    assert open_to_acceptance(outcome.facts)
    if row.names:
        assert outcome.reason_params["files"] == ", ".join(row.names)


def test_what_can_be_compared_in_detail_is_not_suspected_as_a_whole() -> None:
    row = Row(seen=seen(EDITED, change("Makefile")), says="all_proved")
    assert facts(row).altered_gates == ()
    assert said(facts(row)) == row.says


def test_a_flood_is_counted_and_what_was_asked_for_is_named() -> None:
    flood = [change(f"b{n:05}.py", "created") for n in range(LISTED_CHANGES + 5)]
    found = facts(Row(seen=seen(*flood, change("z/a.py"), EDITED), says="all_proved"))
    assert len(found.changes) == LISTED_CHANGES
    assert found.unlisted_changes == 7
    assert EDITED in found.changes
    assert change("z/a.py") in found.changes, "old files before new ones"


def test_the_delivered_tree_is_named_only_where_something_changed() -> None:
    assert facts(Row(says="")).commit == TREE
    assert facts(Row(seen=seen(), says="")).commit is None


def test_what_was_known_of_a_tree_can_be_taken_up_again() -> None:
    whole = Quality(
        report=RED.report,
        comparisons=(BaseComparison(kind="test", left=("x",)),),
        dilution=(WEAKER,),
        gate_changes=("x",),
        violations=(VIOLATION,),
        secrets=("a.py:1 key",),
    )
    assert quality_in(facts(Row(quality=whole, says=""))) == whole
    assert quality_in(replace(facts(Row(says="")), gates=None)) is None


def requirement(instruction: str) -> Requirement:
    return understand(instruction, "task-1")


def test_a_task_is_judged_by_every_word_of_its_instruction() -> None:
    asked = requirement("Update README.md, delete old.py and create an empty file new.py")
    wanted = wanted_of_task(asked)
    assert wanted.instruction == wanted.repairs == asked.instruction
    assert wanted.expected_files == ("README.md", "new.py")
    assert wanted.files_to_go == ("old.py",)
    assert wanted.files_to_change == ("README.md",)
    assert wanted.may_be_empty == ("new.py",)
    assert wanted.limited
    assert not wanted.wants_answer
    runs = wanted_of_task(requirement("Run the tests"))
    assert (runs.wants_answer, runs.asked_gates) == (True, ("test",))


def test_a_part_is_judged_by_its_own_files_and_the_users_words() -> None:
    asked = requirement("Delete old.py and create new.py")
    part = SubTask(
        ticket="20260115-ab12-01",
        parent_id="20260115-ab12",
        title="Fix test_a",
        description="Repair it.",
        acceptance_criteria=("it works",),
        expected_files=("new.py", "old.py", "more.py"),
    )
    wanted = wanted_of_part(asked, part)
    assert wanted.instruction == asked.instruction, "an agent's words allow nothing"
    assert wanted.repairs == "Fix test_a\nRepair it."
    assert wanted.expected_files == ("new.py", "more.py"), "what is to go is not expected"
    assert (wanted.files_to_go, wanted.files_to_change) == ((), ()), "the whole answers for them"
    assert wanted.limited
    executable = wanted_of_part(requirement("Make run.sh executable"), part)
    assert (executable.effects, executable.modes) == ((), ("run.sh",)), "a mode is work, too"


def test_what_speaks_against_the_work_twice_is_said_once() -> None:
    """A check that was asked for, and that the changes call for as well, could not be run."""
    facts = facts_of(
        RUNS,
        seen(EDITED),
        judged(GateVerdict.COULD_NOT_RUN),
        (MAKE,),
        KnownElsewhere(answer_size=9),
    )
    assert [reason.key for reason in not_proved(facts)] == ["gate_could_not_run"]


@pytest.mark.parametrize(
    ("content", "blank"),
    [(b"\0\0", False), (b" \n", True), (b"\xff\xfe \0", True), (b"\xff", False), (b"x", False)],
)
def test_data_is_not_blank_and_an_empty_page_is(content: bytes, *, blank: bool) -> None:
    assert is_blank(content) is blank


def test_what_was_stated_and_is_missing_waits_for_a_person() -> None:
    short = Reason(key="values_not_set", params={"values": "a.yaml: 1 → 2"})
    facts = facts_of(WANTED, seen(EDITED), GREEN, (MAKE,), KnownElsewhere(shortfalls=(short,)))
    outcome = decide(facts)
    assert (outcome.status, outcome.because()) == (TaskStatus.INCOMPLETE, short)
    assert open_to_acceptance(facts) == ("asked",)
    assert "a.yaml: 1 → 2" in outcome.reason("ja")
    assert decide(replace(facts, accepted=("asked",))).status is TaskStatus.COMPLETE
