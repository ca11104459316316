"""Selecting provider and model, on the record; and what the next task will use."""

from collections.abc import Collection

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.domain.setup.providers import provider_named
from pm_orchestrator.domain.text import printed
from pm_orchestrator.evidence.guard.sealed_marks import selection_words
from pm_orchestrator.ports.recorder import PERSON, Operation
from pm_orchestrator.runner.project.init_project import refuse_unless_project
from pm_orchestrator.runner.project.project import PROJECT, Project
from pm_orchestrator.runner.project.project_sessions import repl_states, start_session
from pm_orchestrator.runner.records.repl_states import Move
from pm_orchestrator.runner.sessions.open_session import OpenSession
from pm_orchestrator.runner.sessions.selection import Selection, refuse_unready, selection_in

LONGEST_NAME = 500
"""No model is called more than that; a longer line was meant for something else."""


def selected(project: Project) -> ReplState:
    """What is selected now.

    Raises:
        PmError: E101 without `.claude`; E105 for a damaged `repl.json`.
    """
    refuse_unless_project(project.paths)
    return repl_states(project).read()


def ready_selection(
    project: Project,
    model: str | None = None,
    adapter: str | None = None,
    *,
    keyless: bool = False,
) -> Selection:
    """What the next task will use; `model` and `adapter` for this task alone.

    A recording is as good as a key: then it may be `keyless`.

    Raises:
        PmError: as `selected`; E211 when model or key are wanted and missing.
    """
    state = selected(project)
    if adapter is not None and adapter != state.provider:
        # The selected model is another one's.
        selection = Selection(provider=adapter, model=model)
    else:
        selection = selection_in(state, model)
    refuse_unready(selection, (lambda _: True) if keyless else project.has_key)
    return selection


async def start_selected_session(project: Project) -> OpenSession:
    """A new session for the selection.

    Raises:
        PmError: as `ready_selection`; nothing has begun then.
    """
    selection = ready_selection(project)
    return await start_session(project, selection.model, selection.provider)


async def select_provider(project: Project, name: str, session: str | None) -> str:
    """Use another provider from now on; returns the id of the evidence.

    Raises:
        PmError: E210 for a name that is none of ours; as `selected`.
    """
    provider = provider_named(_repeatable(project, name))
    return await _change(
        project, "select_provider", session, lambda state, now: state.with_provider(provider, now)
    )


async def select_listed_model(
    project: Project, name: str, session: str | None, also: Collection[str] = ()
) -> str:
    """Use another model of the provider's list; returns the id of the evidence.

    `also` are models that the provider itself has named.

    Raises:
        PmError: E210 for a name that is not on the list; as `selected`.
    """
    listed = project.models().named(selected(project).provider, _repeatable(project, name), also)
    return await _change_model(project, listed.name, session)


async def select_model(project: Project, name: str, session: str | None) -> str:
    """Use a model of any name, listed or not; returns the id of the evidence.

    Raises:
        PmError: E210 for what cannot be a name or holds a key; as `selected`.
    """
    if project.masker.mask(name).found:
        # Whoever mixes up the commands must not find the key in a file afterwards.
        raise PmError("model_name_is_secret")
    if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise PmError("model_name_refused", model=printed(name))
    return await _change_model(project, name, session)


def _repeatable(project: Project, name: str) -> str:
    """The name as an error may repeat it: masked as a whole, before any of it is cut off."""
    return project.masker.mask(name).text


async def _change_model(project: Project, name: str, session: str | None) -> str:
    return await _change(
        project, "select_model", session, lambda state, now: state.with_model(name, now)
    )


async def _change(project: Project, kind: str, session: str | None, change: Move) -> str:
    selected(project)
    proofs: list[str] = []

    async def prove(old: ReplState, new: ReplState) -> None:
        evidence = await project.recorder.record(
            Operation(
                type=kind,
                raw=selection_words(old, new),
                session_id=session or PROJECT,
                task_id=kind,
                executor_id=PERSON,
            )
        )
        proofs.append(evidence.evidence_id)

    await repl_states(project).select(change, prove)
    return proofs[0]
