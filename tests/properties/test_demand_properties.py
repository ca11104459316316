"""What is demanded of the work, over made-up instructions and trees."""

import string

from hypothesis import given, strategies as st

from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.domain.judging.gate import GateReport
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.gates.judge.completion import decide
from pm_orchestrator.gates.judge.content import is_blank, is_same_content
from pm_orchestrator.runner.instructions.requirement import Requirement, understand
from pm_orchestrator.runner.places.place import Seen
from pm_orchestrator.runner.run.facts import KnownElsewhere, Quality, Wanted, facts_of

STEMS = st.text(string.ascii_lowercase, min_size=1, max_size=8)
NAMES = st.tuples(STEMS, st.sampled_from(["py", "md", "txt"])).map(".".join)
LISTS = st.lists(NAMES, min_size=2, max_size=4, unique=True)
ORDERS = st.sampled_from(
    ["Create {}", "Update {}", "Delete {}", "{}を作成して", "{}を更新して", "{}を削除して",
     "Add a section to {}", "Rename {} to new.txt", "Make {} executable"]
)  # fmt: skip
PASTED = st.sampled_from(
    ["```\n{}\n```", "~~~text\n{}\n~~~", "> {}", "Steps to reproduce:\n1. {}", "再現手順:\n1. {}",
     "ERROR: {}", '"it said: {} and stopped"', "$ {}", "E   {}"]
)  # fmt: skip
INVISIBLE = st.text(
    st.sampled_from(" \t\r\n\u00a0\u200b\u200d\u2060\u3000\ufeff\u00ad\u2800\u3164")
)
TREE = "tree"


def demands(found: Requirement) -> tuple[object, ...]:
    return (found.files_to_change, found.files_to_go, found.effects, found.expected_files)


@given(ORDERS, NAMES, PASTED)
def test_what_was_pasted_demands_nothing(order: str, name: str, paste: str) -> None:
    """R-31 Verified Files Detection: names in logs, quotes and code are nobody's demand."""
    whole = f"Improve the speed of the pager.\n\n{paste.format(order.format(name))}"
    assert demands(understand(whole, "task-1")) == ((), (), (), ())


@given(LISTS)
def test_each_of_a_list_is_demanded(names: list[str]) -> None:
    """R-31 Verified Files Detection: half of what was asked for is not all of it."""
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    assert understand(f"Update {listed}", "task-1").files_to_change == tuple(names)
    assert understand(f"Create {listed}", "task-1").expected_files == tuple(names)
    assert understand(f"Delete {listed}", "task-1").files_to_go == tuple(names)
    japanese = understand(f"{'と'.join(names)}を更新して", "task-1")
    assert japanese.files_to_change == tuple(names)


@given(st.text(max_size=300))
def test_any_text_can_be_asked_for_its_demands(text: str) -> None:
    """R-9 Fail-Safe Error Handling: no text breaks the reading, and a bare one demands no ref."""
    words = f"Improve the pager 1. {text.replace('`', '')}"
    found = understand(words, "task-1", second_voice=None) if _is_harmless(words) else None
    assert found is None or demands(found) == demands(understand(words, "task-1"))


def _is_harmless(text: str) -> bool:
    from pm_orchestrator.runner.instructions.dangers import is_dangerous

    return not is_dangerous(text)


@given(
    INVISIBLE,
    st.characters(categories=["L", "N", "P"], exclude_characters="\u3164\u115f\u1160\uffa0"),
)
def test_invisible_characters_are_no_content(blank: str, seen: str) -> None:
    """R-31 Verified Files Detection: what nobody can see is not there."""
    assert is_blank(blank.encode())
    assert not is_blank(f"{blank}{seen}{blank}".encode())


@given(st.binary(max_size=200), st.binary(min_size=1, max_size=50))
def test_a_moved_file_keeps_its_content(content: bytes, more: bytes) -> None:
    """R-31 Verified Files Detection: a move may add to a file, and may not lose it."""
    assert is_same_content(content, content)
    assert is_same_content(content, content + b"\n" + more)
    words = b"\n".join(b"line %d of the old file" % n for n in range(20))
    assert not is_same_content(words, b"moved")


CHANGES = st.lists(
    st.builds(
        FileChange,
        path=NAMES,
        kind=st.sampled_from(["created", "modified"]),
        size=st.integers(0, 2),
    ),
    max_size=3,
    unique_by=lambda change: change.path,
).map(tuple)
WANTED = st.builds(
    Wanted,
    instruction=st.just("x"),
    repairs=st.just("x"),
    expected_files=st.lists(NAMES, max_size=2).map(tuple),
    files_to_change=st.lists(NAMES, max_size=2).map(tuple),
    wants_answer=st.just(False),
    unsure=st.booleans(),
)


@given(WANTED, CHANGES, st.lists(NAMES, max_size=3).map(tuple), st.integers(0, 50))
def test_for_one_truth_no_claim_raises_the_status(
    wanted: Wanted, changes: tuple[FileChange, ...], claimed: tuple[str, ...], said: int
) -> None:
    """R-8 Completion Validation Authority: whatever is said, the same tree is no more complete."""
    there = {change.path for change in changes}
    asked = {*wanted.expected_files, *wanted.files_to_change, *claimed}
    seen = Seen(tree=TREE, changes=changes, absent=frozenset(asked - there))
    quality = Quality(report=GateReport(commit=TREE, results=()))
    silent = decide(facts_of(wanted, seen, quality, ()))
    besides = KnownElsewhere(claimed=claimed, answer_size=said)
    loud = decide(facts_of(wanted, seen, quality, (), besides))
    if silent.status is not TaskStatus.COMPLETE:
        assert loud.status is not TaskStatus.COMPLETE


@given(
    st.sampled_from(["committed", "branched", "branch_gone", "reworded", "executable", "linked"])
)
def test_an_effect_that_is_not_so_holds_the_work_back(kind: str) -> None:
    """R-8 Completion Validation Authority: a demand that is not met is never completed."""
    change = FileChange(path="a.py", kind="modified", size=3)
    seen = Seen(tree=TREE, changes=(change,), absent=frozenset())
    quality = Quality(report=GateReport(commit=TREE, results=()))
    wanted = Wanted(instruction="x", repairs="x")
    unmet = (Effect(kind=kind, name="x"),)  # pyright: ignore[reportArgumentType]
    met = decide(facts_of(wanted, seen, quality, ()))
    held = decide(facts_of(wanted, seen, quality, (), KnownElsewhere(unmet=unmet)))
    assert met.status is TaskStatus.COMPLETE
    assert (held.status, held.reason_key) == (TaskStatus.INCOMPLETE, "effects_missing")
