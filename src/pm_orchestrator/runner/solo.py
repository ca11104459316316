"""Solo mode: one executor in the project directory, the same seven phases, the same verdict."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.evidence import Artifact, Evidence
from pm_orchestrator.domain.gate import Gate, GateReport, GateVerdict
from pm_orchestrator.domain.outcome import (
    ExecutorClaim,
    Facts,
    VerifiedOutcome,
    listed,
    rightly_gone,
)
from pm_orchestrator.domain.phase import Phase
from pm_orchestrator.domain.settings import Settings
from pm_orchestrator.domain.supervision import WatchLimits
from pm_orchestrator.domain.task import TaskType
from pm_orchestrator.evidence.answer_book import AnswerBook, KeptAnswer
from pm_orchestrator.evidence.masking import Masker
from pm_orchestrator.evidence.open_log import OpenLog
from pm_orchestrator.evidence.redaction import redact
from pm_orchestrator.evidence.task_facts import FactsBook, TaskFacts
from pm_orchestrator.evidence.unwaiting import read_file
from pm_orchestrator.evidence.workspace_diff import is_delivered
from pm_orchestrator.gates.asked_gates import detect_build, run_page
from pm_orchestrator.gates.completion import decide
from pm_orchestrator.gates.detection import altered_gates, detect
from pm_orchestrator.gates.hard_limits import Usage
from pm_orchestrator.ports.events import EventSink
from pm_orchestrator.ports.executor import Activity, Executor, ExecutorResult, ExecutorTask
from pm_orchestrator.ports.recorder import Operation, Recorder
from pm_orchestrator.runner.execution_record import (
    ask_if_open,
    log_dispatch,
    log_execution,
    refuse_unusable,
    said_by,
    was_dispatched,
)
from pm_orchestrator.runner.findings import OddFinding, edited_tests, log_findings
from pm_orchestrator.runner.lifecycle import Announce, Lifecycle, together
from pm_orchestrator.runner.record_guard import RecordGuard
from pm_orchestrator.runner.requirements.clarification import answers_in
from pm_orchestrator.runner.requirements.requirement import (
    Requirement,
    refuse_overwriting,
    understand,
)
from pm_orchestrator.runner.requirements.task_types import is_unclear
from pm_orchestrator.runner.solo_qa import Delivered, QaParts, SoloQa
from pm_orchestrator.runner.workspace import Workspace, project_path

SecondVoice = Callable[[str, OpenLog], Awaitable[TaskType | None]]
"""A model's opinion on the kind of work, where it has one; what it was asked is in the log."""

NOT_CALLED = ExecutorResult(
    claim=ExecutorClaim(kind="finished", summary="no executor was needed; the Runner ran it")
)


class SoloOrder(msgspec.Struct, frozen=True, kw_only=True):
    """One instruction for one executor."""

    session_id: str
    task_id: str
    instruction: str
    project: Path
    run_id: str
    model: str | None = None
    conversation: str | None = None
    """The executor's own session, where a task goes on."""
    attended: bool = False
    """Somebody is there who can answer what the executor asks at its terminal."""
    timers: WatchLimits | None = None
    """Timers that mean the executor is stuck; None for the budget of the settings."""


class SoloEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict beside the claim."""

    outcome: VerifiedOutcome
    claim: ExecutorClaim
    evidence_ids: tuple[str, ...]
    findings: tuple[OddFinding, ...] = ()
    """What was odd; proof of nothing."""
    answer: KeptAnswer | None = None
    """The stored answer, where that is what was asked for."""


class SoloParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a solo task works with."""

    executor: Executor
    qa: QaParts
    facts: FactsBook
    answers: AnswerBook
    recorder: Recorder
    masker: Masker
    settings: Settings
    events: EventSink
    workspace: Workspace
    guard: RecordGuard
    entered: Announce
    """Puts the phase on the session's own record."""
    told: Callable[[Activity], None] | None = None
    """Hears what the executor is at, where somebody watches."""
    second_voice: SecondVoice | None = None
    """Asked about instructions that no rule understands."""


class SoloTask:
    """Runs one instruction with one executor."""

    def __init__(self, parts: SoloParts) -> None:
        self._executor = parts.executor
        self._qa = parts.qa
        self._facts = parts.facts
        self._answers = parts.answers
        self._recorder = parts.recorder
        self._masker = parts.masker
        self._settings = parts.settings
        self._events = parts.events
        self._workspace = parts.workspace
        self._guard = parts.guard
        self._entered = parts.entered
        self._told = parts.told
        self._second_voice = parts.second_voice
        self._evidence: list[str] = []

    async def run(self, order: SoloOrder, log: OpenLog) -> SoloEnd:
        """Walk the phases; each leaves its evidence before the next begins."""

        async def announce(phase: Phase) -> None:
            # Two durable writes side by side cost the disk one wait.
            await together(self._record(order, "enter_phase", phase), self._entered(phase))
            await self._events.publish("phase", phase)

        life = Lifecycle(announce)
        await life.enter(Phase.REQUIREMENT_ANALYSIS)
        requirement = await self._analyse(order, log)
        expected = requirement.expected_files

        await life.enter(Phase.TASK_DECOMPOSITION)
        limit = self._settings.task_limits.files
        if len(expected) > limit:
            raise PmError("limit_exceeded", limit="files", allowed=limit, actual=len(expected))

        await life.enter(Phase.PLANNING)
        gates = await self._gates(order, requirement)
        before = await self._workspace.before(f"{order.run_id}/{order.task_id}", expected)
        await self._note(order, log, before.findings)

        await life.enter(Phase.EXECUTION)
        started = self._qa.clock.monotonic()
        result = await self._execute(order, requirement, log)
        claim = result.claim
        usage = Usage(
            tokens=claim.tokens or None,
            characters=len(order.instruction) + len(result.transcript),
            turns=claim.turns or None,
            seconds=int(self._qa.clock.monotonic() - started),
        )

        await life.enter(Phase.QA)
        claimed = tuple(project_path(order.project, path) for path in claim.claimed_files)
        seen = await self._workspace.after(before, claimed)
        after, changes = seen.files, seen.changes
        quality = await SoloQa(
            self._qa,
            look=lambda: self._workspace.look_again(seen),
            note=lambda kind, raw: self._record(order, kind, raw),
        ).examine(
            Delivered(
                project=order.project,
                instruction=order.instruction,
                gates=gates,
                changes=changes,
                tree=after,
                name=self._workspace.name_of(after),
                saved=before.saved,
                usage=usage,
                asked=requirement.asked_gates,
            )
        )
        # Where nothing was delivered and no gate ran, the look before was only just now.
        gated = any(r.verdict is not GateVerdict.ABSENT for r in quality.report.results)
        late = await self._workspace.written_since(seen) if gated or changes else ()
        odd = (*seen.findings, *late, *edited_tests(changes, quality.dilution or ()))
        await self._note(order, log, odd)

        await life.enter(Phase.COMPLETION_VALIDATION)
        gone = rightly_gone(changes, expected)
        wanted = dict.fromkeys((*expected, *claimed))
        named = listed(changes, wanted)
        touched = {change.path for change in changes} | gone
        answer = await self._keep_answer(order, requirement, result, quality.report)
        facts = Facts(
            commit=quality.report.commit if changes else None,
            changes=named,
            unlisted_changes=len(changes) - len(named),
            expected_files=expected,
            missing_files=tuple(p for p in wanted if p not in gone and not is_delivered(p, after)),
            left_alone=tuple(p for p in requirement.files_to_go if p in after and p not in touched),
            gates=quality.report,
            altered_gates=altered_gates(gates, changes, expected),
            budget_seconds=self._budget() if result.out_of_budget else None,
            may_be_empty=requirement.may_be_empty,
            answer_size=_size(answer) if requirement.wants_answer else None,
            asked_gates=requirement.asked_gates if requirement.wants_answer else (),
        )
        outcome = await self._validate(order, quality.into(facts), claim)
        await life.enter(Phase.REPORT)
        ask_if_open(result, outcome)
        return SoloEnd(
            outcome=outcome,
            claim=claim,
            evidence_ids=tuple(self._evidence),
            findings=(*before.findings, *odd),
            answer=answer,
        )

    async def _analyse(self, order: SoloOrder, log: OpenLog) -> Requirement:
        """A verifiable task, with every answer the log knows of, or one question."""
        answers = answers_in(log.log.events)
        opinion = None
        if self._second_voice is not None and is_unclear(order.instruction):
            opinion = await self._second_voice(order.instruction, log)
        requirement = understand(order.instruction, order.task_id, answers, opinion)
        if not was_dispatched(log.log):
            # A file that is there now may be the task's own half of the work.
            refuse_overwriting(
                requirement, order.task_id, lambda p: os.path.lexists(order.project / p), answers
            )
        return requirement

    async def _gates(self, order: SoloOrder, requirement: Requirement) -> tuple[Gate, ...]:
        """From before the task, so that nobody who works on it chooses what it is judged by."""
        read = _reader(order.project)
        gates = await detect(read, self._settings.gates)
        if "build" in requirement.asked_gates:
            gates += await detect_build(read, self._settings.gates)
        return gates

    async def _keep_answer(
        self,
        order: SoloOrder,
        requirement: Requirement,
        result: ExecutorResult,
        report: GateReport,
    ) -> KeptAnswer | None:
        if not requirement.wants_answer:
            return None
        if result is NOT_CALLED:
            said = run_page(report, requirement.asked_gates)
        else:
            said = said_by(result)
        kept = await self._answers.keep(order.session_id, order.task_id, order.run_id, said)
        if kept is not None:
            await self._record(order, "answer", f"{kept.size} bytes", kept.artifact)
        return kept

    async def _execute(
        self, order: SoloOrder, requirement: Requirement, log: OpenLog
    ) -> ExecutorResult:
        if not requirement.needs_executor:
            # The Runner runs a check itself, so nobody's word about it is needed.
            return NOT_CALLED
        limits = order.timers or WatchLimits(
            seconds=float(self._budget()),
            silence_seconds=float(self._settings.timeouts.operation_timeout_seconds),
        )
        task = ExecutorTask(
            task_id=order.task_id,
            instruction=order.instruction,
            project=order.project,
            timeout_s=limits.seconds,
            silence_s=limits.silence_seconds,
            timeout_is_budget=order.timers is None,
            token_budget=self._settings.budgets.tokens,
            model=order.model,
            task_type=requirement.task_type,
            conversation=order.conversation,
            told=self._told,
        )
        # Masked before it is cut: half a key would not be known as one.
        summary = self._masker.mask(order.instruction).text
        await log_dispatch(log, self._executor.name, summary)
        result = await self._guard.watch(log, lambda: self._executor.execute(task))
        result = replace(result, claim=redact(result.claim, self._masker))
        claim = result.claim
        raw = f"{claim.kind}: {claim.summary}\n{result.transcript}"
        evidence = await self._record(order, "execute", raw)
        await log_execution(log, self._executor.name, result, evidence.raw_logs)
        refuse_unusable(self._executor.name, result, attended=order.attended)
        return result

    def _budget(self) -> int:
        return self._settings.task_limits.seconds

    async def _validate(
        self, order: SoloOrder, facts: Facts, claim: ExecutorClaim
    ) -> VerifiedOutcome:
        """The verdict, with its facts kept so that a person's acceptance can renew it."""
        outcome = decide(facts)
        kept = await self._facts.keep(
            TaskFacts(
                session_id=order.session_id,
                task_id=order.task_id,
                run_id=order.run_id,
                facts=facts,
                claim=claim,
            )
        )
        await self._record(order, "validate", f"{outcome.status}: {outcome.reason()}", kept)
        return outcome

    async def _note(self, order: SoloOrder, log: OpenLog, findings: tuple[OddFinding, ...]) -> None:
        if findings:
            lines = "\n".join(f"{f.kind} {f.path} {f.note}".rstrip() for f in findings)
            await self._record(order, "odd_findings", lines)
            await log_findings(log, findings)

    async def _record(
        self, order: SoloOrder, kind: str, raw: str, *artifacts: Artifact
    ) -> Evidence:
        evidence = await self._recorder.record(
            Operation(
                type=kind,
                raw=raw,
                session_id=order.session_id,
                task_id=order.task_id,
                artifacts=artifacts,
                executor_id=self._executor.name,
            )
        )
        self._evidence.append(evidence.evidence_id)
        return evidence


def _size(answer: KeptAnswer | None) -> int:
    return 0 if answer is None else answer.size


def _reader(root: Path) -> Callable[[str], Awaitable[bytes | None]]:
    async def read(path: str) -> bytes | None:
        try:
            return await asyncio.to_thread(read_file, root / path)
        except PermissionError as error:
            # It may define a gate, so nothing may pass for want of reading it.
            raise PmError("config_corrupt", path=path, reason=error.strerror) from error
        except OSError:
            return None

    return read
