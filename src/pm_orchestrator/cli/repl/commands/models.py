"""`/models` and `/model`: which model does the work."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand
from pm_orchestrator.cli.repl.ui import Choice
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.providers import Provider

if TYPE_CHECKING:
    from pm_orchestrator.cli.pages.model_pages import VendorList


async def _models(conversation: Conversation, argument: str) -> None:
    if not argument:
        _show_current(conversation)
    elif argument == "list":
        await _list(conversation)
    elif argument == "select":
        await _choose(conversation)
    else:
        await _select_listed(conversation, argument)


async def _model(conversation: Conversation, name: str) -> None:
    from pm_orchestrator.runner.project.selecting import select_model

    if not name:
        _show_current(conversation)
        return
    evidence = await select_model(conversation.opened, name, conversation.session_id)
    _show_selected(conversation, name, evidence)


def _show_current(conversation: Conversation) -> None:
    from pm_orchestrator.runner.project.selecting import selected

    model = selected(conversation.opened).selected_model
    lines = [f"Model: {model or 'UNSET'}"]
    if model is None:
        lines.append(tell("model_choose", conversation.screen.lang))
    conversation.screen.line("\n".join(lines))


async def _list(conversation: Conversation) -> None:
    from pm_orchestrator.bootstrap.shipped_models import model_registry
    from pm_orchestrator.cli.pages.model_pages import models_page
    from pm_orchestrator.runner.project.selecting import selected

    state, lang = selected(conversation.opened), conversation.screen.lang
    said = await _said_by_vendor(conversation, state.provider)
    page = models_page(model_registry(), state.provider, state.selected_model, lang, said)
    conversation.screen.line(page)


async def _said_by_vendor(conversation: Conversation, provider: Provider) -> "VendorList":
    from pm_orchestrator.bootstrap.vendor_models import vendor_models
    from pm_orchestrator.cli.pages.model_pages import VendorList

    try:
        settings = conversation.opened.settings.model_calls
        names = await vendor_models(provider, conversation.environment.variables, settings)
    except PmError as error:
        return VendorList(reason=error.code)
    return VendorList(names=names)


async def _choose(conversation: Conversation) -> None:
    from pm_orchestrator.bootstrap.shipped_models import model_registry
    from pm_orchestrator.cli.pages.model_pages import model_label
    from pm_orchestrator.runner.project.selecting import selected

    state, lang = selected(conversation.opened), conversation.screen.lang
    said = await _said_by_vendor(conversation, state.provider)
    listed = model_registry().offered(state.provider, said.names)
    chosen = await conversation.ui.choose(
        tell("models_select", lang, provider=state.provider),
        [Choice(value=model.name, label=model_label(model, lang)) for model in listed],
        current=state.selected_model,
        instead="/models <name>",
    )
    if chosen is None:
        conversation.screen.line(tell("selection_unchanged", lang))
    else:
        await _select_listed(conversation, chosen, said.names)


async def _select_listed(conversation: Conversation, name: str, said: tuple[str, ...] = ()) -> None:
    from pm_orchestrator.runner.project.selecting import select_listed_model, selected

    provider = selected(conversation.opened).provider
    if not said and name not in _known(provider):
        # Only who names a model that is not known here waits for its vendor.
        said = (await _said_by_vendor(conversation, provider)).names
    evidence = await select_listed_model(conversation.opened, name, conversation.session_id, said)
    _show_selected(conversation, name, evidence)


def _show_selected(conversation: Conversation, name: str, evidence: str) -> None:
    proof = tell("selection_evidence", conversation.screen.lang, evidence=evidence)
    conversation.screen.line(f"Model: {name}\n{proof}")


def _known(provider: Provider) -> list[str]:
    from pm_orchestrator.bootstrap.shipped_models import model_registry

    return [model.name for model in model_registry().of(provider)]


def _listed_names(conversation: Conversation, text: str) -> Iterable[str]:
    from pm_orchestrator.runner.project.selecting import selected

    if not conversation.is_project:
        return []
    known = _known(selected(conversation.opened).provider)
    return [name for name in known if name.startswith(text)]


def _words(conversation: Conversation, text: str) -> Iterable[str]:
    words = [word for word in ("list", "select") if word.startswith(text)]
    return [*words, *_listed_names(conversation, text)]


MODELS = SlashCommand(name="/models", run=_models, arguments="[name]", complete=_words)
MODEL = SlashCommand(name="/model", run=_model, arguments="[name]", complete=_listed_names)
