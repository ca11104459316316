"""What the Runner accepts of a manager's proposal."""

from pathlib import PurePosixPath

from hypothesis import given, strategies as st
from msgspec.structs import replace

from pm_orchestrator.agents.manager import Proposal, ProposedSubTask
from pm_orchestrator.domain.naming import branch_name, sub_task_file
from pm_orchestrator.domain.tasks.task import TaskLimits
from pm_orchestrator.runner.instructions.requirement import understand
from pm_orchestrator.runner.run.phases.backlog import page
from pm_orchestrator.runner.run.phases.decomposition import TITLE_LENGTH, the_task_itself
from pm_orchestrator.runner.run.phases.proposals import (
    LONGEST_DESCRIPTION,
    MAX_SUB_TASKS,
    approved_split,
    why_no_split,
    why_unusable,
)

LIMITS = TaskLimits(max_files=3, max_tests=10, max_seconds=300)
NAMES = st.sampled_from(
    [
        "a.py",
        "b.py",
        "c/d.py",
        "c/e.py",
        "x.md",
        "y.md",
        "z.md",
        "../up.py",
        "/abs.py",
        "./a.py",
        ".",
    ]
)
TITLES = st.sampled_from(["Slug maker", "", " ", "単語を数える", "Roman\nnumerals"])

PARTS = st.builds(
    ProposedSubTask,
    title=TITLES,
    description=st.sampled_from(["Do it.", ""]),
    acceptance_criteria=st.lists(st.just("it works"), max_size=2).map(tuple),
    expected_files=st.lists(NAMES, max_size=5).map(tuple),
)
PROPOSALS = st.builds(Proposal, sub_tasks=st.lists(PARTS, max_size=11).map(tuple))
GOOD_PARTS = st.lists(
    st.sampled_from(["a.py", "b.py", "c/d.py", "c/e.py", "x.md"]),
    min_size=1,
    max_size=5,
    unique=True,
).map(
    lambda names: Proposal(
        sub_tasks=tuple(
            ProposedSubTask(
                title=f"Make {name}",
                description="Do it.",
                acceptance_criteria=("it works",),
                expected_files=(name,),
            )
            for name in names
        )
    )
)


@given(PROPOSALS)
def test_accepted_sub_tasks_touch_different_files(proposal: Proposal) -> None:
    """E-2 Task Decomposition Independence: no file belongs to two sub-tasks."""
    if why_unusable(proposal, LIMITS) is None:
        files = [PurePosixPath(f) for part in proposal.sub_tasks for f in part.expected_files]
        assert len(files) == len(set(files))


def test_a_part_that_takes_a_book_is_refused() -> None:
    part = ProposedSubTask(
        title="Make it",
        description="x" * LONGEST_DESCRIPTION,
        acceptance_criteria=("it works",),
        expected_files=("a.py",),
    )
    reason = why_unusable(Proposal(sub_tasks=(part,)), LIMITS)
    assert reason is not None
    assert str(LONGEST_DESCRIPTION) in reason
    shorter = replace(part, description="x" * (LONGEST_DESCRIPTION - 100))
    assert why_unusable(Proposal(sub_tasks=(shorter,)), LIMITS) is None


@given(GOOD_PARTS)
def test_independent_proposals_are_accepted(proposal: Proposal) -> None:
    """E-2 Task Decomposition Independence: honest, independent plans are not refused."""
    assert why_unusable(proposal, LIMITS) is None


@given(GOOD_PARTS.filter(lambda p: len(p.sub_tasks) > 1), st.data())
def test_sub_tasks_that_share_a_file_are_refused(proposal: Proposal, data: st.DataObject) -> None:
    """E-2 Task Decomposition Independence: one shared file, however written, is one too many."""
    first, second, *rest = data.draw(st.permutations(proposal.sub_tasks))
    shared = data.draw(st.sampled_from(["{}", "./{}", ".//{}"])).format(first.expected_files[0])
    greedy = replace(second, expected_files=(*second.expected_files, shared))
    reason = why_unusable(Proposal(sub_tasks=(first, greedy, *rest)), LIMITS)
    assert reason is not None
    assert "two sub-tasks" in reason


@given(GOOD_PARTS, st.data())
def test_a_sub_task_over_the_limit_is_refused(proposal: Proposal, data: st.DataObject) -> None:
    """R-14 Task Granularity Enforcement: one part that is too large spoils the proposal."""
    first, *rest = data.draw(st.permutations(proposal.sub_tasks))
    names = tuple(f"many/{n}.py" for n in range(LIMITS.max_files + 1))
    reason = why_unusable(Proposal(sub_tasks=(replace(first, expected_files=names), *rest)), LIMITS)
    assert reason is not None
    assert "allowed are 3" in reason


@given(PROPOSALS)
def test_limits_hold_for_everything_accepted(proposal: Proposal) -> None:
    """R-14 Task Granularity Enforcement: nothing over the limit is ever accepted."""
    if why_unusable(proposal, LIMITS) is None:
        assert 1 <= len(proposal.sub_tasks) <= MAX_SUB_TASKS
        for part in proposal.sub_tasks:
            assert len(part.expected_files) <= LIMITS.max_files
            assert part.title.strip()
            assert part.description.strip()
            assert part.acceptance_criteria
            for name in part.expected_files:
                path = PurePosixPath(name)
                assert not path.is_absolute()
                assert ".." not in path.parts


@given(GOOD_PARTS, st.from_regex(r"[0-9]{8}-[0-9a-z]{4}", fullmatch=True))
def test_every_sub_task_names_its_parent(proposal: Proposal, parent: str) -> None:
    """E-3 Sub-Task Parent Reference: the Runner numbers sub-tasks below the task it has."""
    approved = approved_split(proposal, parent)
    assert [s.parent_id for s in approved] == [parent] * len(approved)
    assert len({s.ticket for s in approved}) == len(approved)
    for sub_task in approved:
        assert sub_task.ticket == f"{parent}-{sub_task.sub_id}"
        assert sub_task_file(parent, sub_task.sub_id) == f"{sub_task.ticket}.md"
        assert branch_name(sub_task.ticket, sub_task.title).startswith(f"agent/{sub_task.ticket}-")
        assert sub_task.ticket in page(sub_task, "todo")


@given(
    st.sampled_from(["Create a.py", "Create a.py and b.py\n\nBoth are new.", "  \nUpdate x.md"]),
    st.text(max_size=200),
    st.from_regex(r"[0-9]{8}-[0-9a-z]{4}", fullmatch=True),
)
def test_a_task_that_is_not_split_is_its_own_part(start: str, more: str, parent: str) -> None:
    """E-3 Sub-Task Parent Reference: the task itself is a sub-task like any other."""
    requirement = understand(start, "task-1")
    whole = the_task_itself(replace(requirement, instruction=f"{start} {more}"), parent)
    assert (whole.parent_id, whole.ticket) == (parent, f"{parent}-01")
    assert whole.description == f"{start} {more}", "not a word of it is lost"
    assert whole.expected_files == requirement.expected_files
    assert 0 < len(whole.title) <= TITLE_LENGTH
    assert whole.title == " ".join(whole.title.split())
    assert whole.acceptance_criteria
    assert branch_name(whole.ticket, whole.title).startswith(f"agent/{whole.ticket}-")


@given(PROPOSALS)
def test_only_the_runner_decides_ids(proposal: Proposal) -> None:
    """R-13 Task Decomposition Authority: a proposal has no field that could set an id."""
    fields = set(ProposedSubTask.__struct_fields__)
    assert fields.isdisjoint({"ticket", "parent_id", "id", "status", "assignee"})
    assert (why_unusable(proposal, LIMITS) is None) == (
        why_unusable(Proposal(sub_tasks=tuple(reversed(proposal.sub_tasks))), LIMITS) is None
    )


@given(GOOD_PARTS, st.integers(0, 30))
def test_a_split_has_room_for_what_is_named(proposal: Proposal, named: int) -> None:
    """R-14 Task Granularity Enforcement: parts that fit have to have room for all of it."""
    room = LIMITS.max_files * len(proposal.sub_tasks)
    assert (why_no_split(proposal, named, LIMITS) is None) == (named <= room)
