"""The gateway put together: what it speaks, where its answers come from, and who asks it."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pm_orchestrator.adapters.gateway.answers import AnswerSource
from pm_orchestrator.adapters.gateway.cassette import load_cassette, save_cassette
from pm_orchestrator.adapters.gateway.recording import KeptTake, R, Recording
from pm_orchestrator.adapters.gateway.replay import Replay
from pm_orchestrator.adapters.gateway.server import LoopbackGateway
from pm_orchestrator.adapters.gateway.upstream import Forward
from pm_orchestrator.adapters.gateway.vendors import Vendors
from pm_orchestrator.adapters.models.http_model import HttpModel
from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.record import from_json, to_json
from pm_orchestrator.domain.setup.settings import CompanySettings, ModelSettings
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.ports.chat_model import ChatModel
from pm_orchestrator.ports.clock import IdSource
from pm_orchestrator.ports.gateway import ModelGateway, OnExchange
from pm_orchestrator.runner.project.project import Project

ANSWER_S = 600.0
KEPT = "recording.jsonl"
"""In the directory of a run."""


class MaskedBy:
    """Takes the secrets out of records."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker

    def __call__(self, record: R, /) -> R:
        return redact(record, self._masker)


def models_in(company: CompanySettings, asked: str | None) -> tuple[str, ...]:
    """The model adapters that a company may ask; `asked` for one in place of its first."""
    first, other = asked or company.adapter, company.fallback
    return (first,) if other is None else (first, other.adapter)


def new_gateway(source: AnswerSource, ids: IdSource, keep: OnExchange | None) -> LoopbackGateway:
    """A gateway for every registered dialect; coding CLIs speak their own."""
    dialects = [MODELS.load(name).dialect for name in MODELS.names]
    return LoopbackGateway(source, dialects, ids, keep)


def model_behind(
    gateway: ModelGateway,
    agent: str,
    adapter: str,
    timeout_s: float = ANSWER_S,
    models: ModelSettings | None = None,
) -> ChatModel:
    """The model that `agent` asks through the gateway, at the vendor of `adapter`."""
    access, asked = gateway.admit(agent, adapter), models or ModelSettings()
    dialect = MODELS.load(adapter).dialect
    return HttpModel(dialect, access, timeout_s, asked.temperature, asked.max_tokens)


def answers(
    environment: Environment,
    adapters: Iterable[str],
    cassette: Path | None,
    models: ModelSettings | None = None,
) -> AnswerSource:
    """Replay `cassette` if one is given, else ask the vendors of the model `adapters`.

    Raises:
        PmError: E211 when there is neither a cassette nor a key; E604 for a bad cassette.
    """
    if cassette is not None:
        return Replay(load_cassette(cassette), MaskedBy(environment.masker))
    settings = models or ModelSettings()
    return Vendors({name: _vendor(environment, name, settings) for name in adapters})


def _vendor(environment: Environment, name: str, settings: ModelSettings) -> AnswerSource:
    upstream = MODELS.load(name).upstream
    if not upstream.is_ready(environment.variables):
        raise PmError(
            "provider_not_set",
            what=upstream.key_variable,
            provider=name,
            cure="set it in the environment, or use `run --solo` with your own coding CLI",
        )
    variables = environment.variables
    also = sent_besides(settings, name, variables)
    return Forward(upstream, variables, ca_file=settings.ca_file, also=also)


def sent_besides(
    settings: ModelSettings, name: str, variables: Mapping[str, str]
) -> dict[str, str]:
    """The headers that the settings want at the vendor of the adapter `name`."""
    return {
        header: variables.get(value[1:], "") if value.startswith("$") else value
        for header, value in settings.headers.get(name, {}).items()
    }


async def recording_of(source: AnswerSource, project: Project, folder: Path) -> Recording:
    """`source`, recorded: each answer is in the run's `folder` before it is given.

    So a run that was cut off and is taken up again has all of it.
    """
    files, kept = project.own_files, folder / KEPT

    async def keep(answer: KeptTake) -> None:
        await files.append(kept, to_json(answer) + b"\n")

    whole = files.read(kept) if files.size(kept) else b""
    # The last line may be torn, where the one who wrote it was killed.
    whole = whole[: whole.rfind(b"\n") + 1]
    await files.replace(kept, whole)
    before = tuple(from_json(KeptTake, line, str(kept)) for line in whole.splitlines())
    return Recording(source, MaskedBy(project.masker), keep, before)


async def put_into_cassette(project: Project, folder: Path, cassette: Path) -> None:
    """Save what was recorded in `folder`; to be called when nobody looks at the project any more.

    Raises:
        PmError: E604 where it cannot be saved; the recording stays in `folder`.
    """
    nobody = Vendors({})
    save_cassette(cassette, (await recording_of(nobody, project, folder)).cassette)
