"""Which crew works on a task; what a crew needs is loaded when it is called for."""

from pm_orchestrator.bootstrap.registry import EXECUTORS, MODELS
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.runner.project.crew import Crew, TaskOptions
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.records.task_run import Way


def make_crew(project: Project, way: Way, options: TaskOptions) -> Crew:
    """The crew for a way of working.

    Raises:
        PmError: E210 for a model that is a key, minutes for a company or an adapter for
            solo; E211 or E503 when it cannot work here.
    """
    for model in (options.get("model"), project.settings.company.model):
        if model is not None and project.masker.mask(model).found:
            raise PmError("model_name_is_secret")
    adapter = options.get("adapter")
    if adapter is not None:
        _refuse_adapter(project, way, adapter, options.get("model"))
    if way != "company" and options.get("executor") is not None:
        raise PmError("executor_only_company")
    if way == "company":
        from pm_orchestrator.bootstrap.crews.company_crew import CompanyCrew

        return CompanyCrew(project, options)
    from pm_orchestrator.bootstrap.crews.solo_crew import SoloCrew

    return SoloCrew(project, options)


def _refuse_adapter(project: Project, way: Way, adapter: str, model: str | None) -> None:
    if way == "solo" and adapter in EXECUTORS.names:
        return
    # Loaded to be known; each has models of its own.
    MODELS.load(adapter)
    if way == "solo":
        return
    if model is None and adapter != project.settings.company.adapter:
        raise PmError("adapter_without_model", adapter=adapter)
