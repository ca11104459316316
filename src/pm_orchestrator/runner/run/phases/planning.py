"""PLANNING: what is there is seen and saved, and every sub-task gets a branch and a start."""

from pm_orchestrator.domain.company.assignment import Assignment
from pm_orchestrator.domain.history.run_events import NoticeDetail, NoticeEvent
from pm_orchestrator.domain.judging.finding import OddFinding
from pm_orchestrator.domain.naming import branch_name
from pm_orchestrator.domain.tasks.evidence_record import Artifact
from pm_orchestrator.domain.tasks.task import SubTask
from pm_orchestrator.gates.judge.acceptable import names
from pm_orchestrator.runner.instructions.requirement import Requirement
from pm_orchestrator.runner.run.phases.oddities import log_findings, noted_findings
from pm_orchestrator.runner.run.run_parts import RunParts
from pm_orchestrator.runner.run.steps import Begun, PlanInput, Schedule

SAVING = frozenset({"saved", "not_saved"})


def _saved(findings: tuple[OddFinding, ...]) -> list[Artifact]:
    return [Artifact(kind="commit", ref=f.note) for f in findings if f.kind == "saved"]


class Planning:
    """The body of the third phase."""

    def __init__(self, parts: RunParts) -> None:
        self._parts = parts

    async def plan(self, given: PlanInput) -> Schedule:
        """The next attempt at each sub-task, all from the same base and all at once."""
        requirement = given.analysis.requirement
        findings = await self._parts.place.begin(
            (*requirement.expected_files, *requirement.files_to_go)
        )
        if findings:
            kind = "rescue_save" if any(f.kind in SAVING for f in findings) else "odd_findings"
            await self._parts.note(kind, noted_findings(findings), *_saved(findings))
            await log_findings(self._parts.log, findings)
            await self._tell(findings)
        gates = tuple(f"{g.kind}: {_typed(g.argv)}" for g in given.analysis.gates if g.argv)
        begun = [await self._begun(s, requirement, gates) for s in given.plan.sub_tasks]
        return Schedule(items=tuple(begun), findings=findings)

    async def _tell(self, findings: tuple[OddFinding, ...]) -> None:
        """Before anybody works there, a person learns what could not be taken back."""
        paths = [f.path for f in findings if f.kind == "not_saved"]
        if paths:
            detail = NoticeDetail(key="not_saved", params={"paths": names(paths)})
            notice = NoticeEvent(subject=self._parts.order.task_id, detail=detail)
            # The file of what is heard is not begun before anybody works.
            await self._parts.events.publish(notice, kept=False)

    async def _begun(
        self, sub_task: SubTask, requirement: Requirement, gates: tuple[str, ...]
    ) -> Begun:
        order, earlier = self._parts.order, self._parts.earlier
        first = Assignment(
            run_id=order.run_id,
            task_id=order.task_id,
            sub_task=sub_task,
            branch=branch_name(sub_task.ticket, sub_task.title),
            start=order.base,
            attempt=1,
            feedback="",
            model=order.model,
            max_turns=order.max_turns,
            task_type=requirement.task_type,
            gates=gates,
            answers=requirement.wants_answer,
        )
        return await earlier.begun(first) if earlier is not None else Begun(assignment=first)


def _typed(argv: tuple[str, ...]) -> str:
    import shlex

    return shlex.join(argv)
