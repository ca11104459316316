"""Which run it is: the three names under which everything about a run is kept."""

from pm_orchestrator.domain.record import Record


class RunIds(Record, frozen=True, kw_only=True):
    """One run of one task of one session; records of a run have these and more."""

    session_id: str
    task_id: str
    run_id: str
