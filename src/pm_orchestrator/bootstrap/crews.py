"""Which crew works on a task; what a crew needs is loaded when it is called for."""

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.crew import Crew, TaskOptions
from pm_orchestrator.runner.records.ways import Way
from pm_orchestrator.runner.run.steps import RunOrder


def read_order(app: Application, run_id: str) -> RunOrder:
    """What a company's run was started with.

    Raises:
        PmError: E210 where it never got to work, or is from before that was kept.
    """
    from pm_orchestrator.bootstrap.company_orders import CompanyOrders

    return CompanyOrders(app).read(run_id)


def make_crew(app: Application, way: Way, options: TaskOptions) -> Crew:
    """The crew for a way of working.

    Raises:
        PmError: E211 or E503 when it cannot work here.
    """
    if app.crews is not None:
        return app.crews(way, options)
    if way == "company":
        from pm_orchestrator.bootstrap.company_crew import CompanyCrew

        return CompanyCrew(app, options)
    from pm_orchestrator.bootstrap.solo_crew import SoloCrew

    return SoloCrew(app, options)
