"""What a task may be started with: a provider, its model and its key, or nothing at all."""

from collections.abc import Callable

import msgspec

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.domain.setup.providers import KEY_VARIABLES, Provider


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The provider in force and the model's name, which is handed on as it is."""

    provider: str
    """One of ours, or the model adapter that was named for one task."""
    model: str | None
    """None lets Claude Code decide."""


def selection_in(state: ReplState, model: str | None = None) -> Selection:
    """What `repl.json` selects; a `model` named for one task comes before its own."""
    return Selection(provider=state.provider, model=model or state.selected_model)


def refuse_unready(selection: Selection, has_key: Callable[[Provider], bool]) -> None:
    """Stop before any executor is called with a selection that cannot work.

    Raises:
        PmError: E211 without a model or a key, for a provider that needs them.
    """
    for provider, variable in KEY_VARIABLES.items():
        if provider != selection.provider:
            continue
        if selection.model is None:
            raise PmError("model_not_selected", provider=provider)
        if not has_key(provider):
            raise PmError("key_not_set", provider=provider, variable=variable)
