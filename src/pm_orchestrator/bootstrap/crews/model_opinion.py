"""The model as a second voice on unclear instructions: only with a key, and only for seconds.

Like all traffic with the user's key it goes through the gateway, which leaves each
exchange as masked evidence; the task's log has it as LLM_MEDIATION. Whatever goes wrong
is on record there, and the task goes on with what the rules say.
"""

import asyncio
from typing import TYPE_CHECKING

import msgspec

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.evidence.records.open_log import OpenLog
from pm_orchestrator.ports.recorder import Operation
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.run.run_parts import SecondVoice

if TYPE_CHECKING:
    from collections.abc import Callable

    from pm_orchestrator.adapters.gateway.answers import AnswerSource
    from pm_orchestrator.ports.call_meter import CallMeter
    from pm_orchestrator.ports.gateway import Exchange

AGENT = "second-voice"
ANSWER_S = 5.0
"""An instruction waits no longer for a second opinion."""
WHOLE_S = 8.0
"""With the gateway's start and end."""


class Recordable(msgspec.Struct, frozen=True):
    """Who answers in a task that is recorded or replayed, and is asked for what."""

    source: "AnswerSource"
    adapter: str
    model: str


def second_voice(
    project: Project, meter: "Callable[[], CallMeter]", instead: Recordable | None = None
) -> SecondVoice | None:
    """None where the settings do not want it. Without a key nobody is asked.

    `instead` of the vendor, what is recorded or replayed is asked.
    """
    if not project.settings.executor.second_voice:
        return None
    adapter = project.settings.company.adapter

    async def ask(instruction: str, log: OpenLog) -> TaskType | None:
        # Looked up here: most instructions are clear, and their tasks need no model.
        if instead is None and not MODELS.load(adapter).upstream.is_ready(project.variables):
            return None
        try:
            async with asyncio.timeout(WHOLE_S):
                words = project.masker.mask(instruction).text
                return await _ask(project, meter(), words, log, instead)
        except (PmError, TimeoutError):
            # On record already; an opinion that cannot be had is none.
            return None

    return ask


async def _ask(
    project: Project,
    meter: "CallMeter",
    instruction: str,
    log: OpenLog,
    instead: Recordable | None,
) -> TaskType | None:
    # Few instructions are unclear; all others do without a gateway.
    from pm_orchestrator.adapters.gateway.metering import Metered
    from pm_orchestrator.agents.second_voice import opinion
    from pm_orchestrator.bootstrap.traffic.gateway_source import answers, model_behind, new_gateway
    from pm_orchestrator.evidence.records.model_exchanges import ExchangeRecords
    from pm_orchestrator.runner.records.mediated_model import MediatedModel

    exchanges = ExchangeRecords(project.masker)

    async def keep(exchange: "Exchange") -> None:
        await project.recorder.record(
            Operation(
                type="model_exchange",
                raw=exchanges.raw(exchange),
                session_id=log.log.session_id,
                task_id=log.log.task_id,
                executor_id=AGENT,
            )
        )

    if instead is None:
        company = project.settings.company
        environment, models = read_environment(project.variables), project.settings.model_calls
        source = answers(environment, [company.adapter], None, models)
        instead = Recordable(source, company.adapter, company.model)
    gateway = new_gateway(Metered(instead.source, meter), project.ids, keep)
    await gateway.start()
    try:
        model = model_behind(gateway, AGENT, instead.adapter, ANSWER_S)
        mediated = MediatedModel(model, log, project.clock, instead.adapter)
        return await opinion(mediated, instead.model, instruction)
    finally:
        await gateway.close()
