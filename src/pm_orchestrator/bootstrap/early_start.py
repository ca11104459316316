"""What costs less the earlier it is done: before the rest of the program is imported."""

from pm_orchestrator.adapters.processes.zygote_owner import prepare


def children_will_be_started() -> None:
    """For commands that run other programs."""
    prepare()
