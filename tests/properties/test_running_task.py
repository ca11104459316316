"""The task that runs and the task that ended last, as `repl.json` names them."""

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.repl_state import ReplState

NOW = "2026-01-01T00:00:00.000Z"

moves = st.lists(
    st.tuples(st.sampled_from(["start", "end", "reopen"]), st.sampled_from(["a", "b", "c"])),
    max_size=12,
)


def moved(state: ReplState, move: str, task: str) -> ReplState:
    if move == "start":
        return state.started(task, NOW)
    return state.ended(task, NOW) if move == "end" else state.reopened(task, None, NOW)


@given(moves)
def test_no_move_makes_a_task_running_and_ended(steps: list[tuple[str, str]]) -> None:
    """R-38 Current Task ID Clearing: started and ended in turn, never both at once."""
    state = ReplState()
    for move, task in steps:
        old = state
        running, last = old.current_task_id, old.last_task_id
        if (running != task) if move == "end" else (running or (move == "start" and last == task)):
            with pytest.raises(PmError, match="E204"):
                moved(old, move, task)
            continue
        state = moved(old, move, task)
        assert state.problem() is None
        if move == "end":
            assert (state.current_task_id, state.last_task_id) == (None, task)
        else:
            assert state.current_task_id == task != state.last_task_id
