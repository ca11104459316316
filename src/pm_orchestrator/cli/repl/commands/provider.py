"""`/provider`: who the models come from."""

from collections.abc import Iterable

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand
from pm_orchestrator.cli.repl.ui import Choice
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.domain.setup.providers import PROVIDERS
from pm_orchestrator.domain.text import Lang


async def _provider(conversation: Conversation, argument: str) -> None:
    from pm_orchestrator.runner.project.selecting import selected

    state, lang = selected(conversation.opened), conversation.screen.lang
    if not argument:
        lines = [_current(state, lang)]
        if state.selected_provider is None:
            lines.append(tell("provider_choose", lang))
        conversation.screen.line("\n".join(lines))
    elif argument == "show":
        conversation.screen.line(_providers_page(state, lang))
    elif argument == "select":
        await _choose(conversation, state)
    else:
        await _select(conversation, argument)


async def _choose(conversation: Conversation, state: ReplState) -> None:
    lang = conversation.screen.lang
    chosen = await conversation.ui.choose(
        tell("provider_select", lang),
        [Choice(value=name, label=f"({tell(f'provider_{name}', lang)})") for name in PROVIDERS],
        current=state.provider,
        instead="/provider <name>",
    )
    if chosen is None:
        conversation.screen.line(tell("selection_unchanged", lang))
    else:
        await _select(conversation, chosen)


async def _select(conversation: Conversation, name: str) -> None:
    from pm_orchestrator.runner.project.selecting import select_provider, selected

    before, lang = selected(conversation.opened), conversation.screen.lang
    evidence = await select_provider(conversation.opened, name, conversation.session_id)
    state = selected(conversation.opened)
    lines = [f"Provider: {state.provider}", f"Model: {state.selected_model or 'UNSET'}"]
    if before.selected_model is not None and state.selected_model is None:
        dropped = {"model": before.selected_model, "provider": before.provider}
        lines.append(tell("model_dropped", lang, **dropped))
    lines.append(tell("selection_evidence", lang, evidence=evidence))
    conversation.screen.line("\n".join(lines))


def _current(state: ReplState, lang: Lang) -> str:
    if state.selected_provider is None:
        return tell("provider_unset", lang, provider=state.provider)
    return f"Provider: {state.selected_provider}"


def _providers_page(state: ReplState, lang: Lang) -> str:
    width = max(map(len, PROVIDERS))
    lines = [tell("providers_title", lang)]
    for name in PROVIDERS:
        mark = ">" if name == state.provider else " "
        lines.append(f"  {mark} {name:<{width}}  ({tell(f'provider_{name}', lang)})")
    return "\n".join([*lines, "", _current(state, lang)])


def _names(_conversation: Conversation, text: str) -> Iterable[str]:
    return [word for word in ("show", "select", *PROVIDERS) if word.startswith(text)]


PROVIDER = SlashCommand(name="/provider", run=_provider, arguments="[name]", complete=_names)
