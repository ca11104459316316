"""Which crew works on a task; what a crew needs is loaded when it is called for."""

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.project.crew import Crew, TaskOptions
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.records.task_run import Way


def make_crew(project: Project, way: Way, options: TaskOptions) -> Crew:
    """The crew for a way of working.

    Raises:
        PmError: E210 for a model that is a key or minutes for a company; E211 or E503
            when it cannot work here.
    """
    for model in (options.get("model"), project.settings.company.model):
        if model is not None and project.masker.mask(model).found:
            raise PmError("model_name_is_secret")
    if way == "company":
        limits = options.get("limits")
        if limits is not None and limits.seconds is not None:
            raise PmError("minutes_only_solo")
        from pm_orchestrator.bootstrap.crews.company_crew import CompanyCrew

        return CompanyCrew(project, options)
    from pm_orchestrator.bootstrap.crews.solo_crew import SoloCrew

    return SoloCrew(project, options)
