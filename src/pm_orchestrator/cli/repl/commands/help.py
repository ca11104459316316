"""`/help` and `/exit`."""

from collections.abc import Mapping

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand
from pm_orchestrator.domain.catalogue.repl_texts import tell

WIDTH = 24


def state_lines(conversation: Conversation) -> list[str]:
    """Where we are: project, session, provider, model, executor."""
    none = tell("none", conversation.screen.lang)
    lines = [
        f"  Project: {conversation.project}",
        f"  Session: {conversation.session_id or none}",
    ]
    if conversation.is_project:
        from pm_orchestrator.runner.project.project_sessions import repl_states

        state = repl_states(conversation.opened).read()
        executor = conversation.opened.settings.executor.name
        lines.append(f"  Provider: {state.selected_provider or 'UNSET (claude-code)'}")
        lines.append(f"  Model: {state.selected_model or 'UNSET'}")
        lines.append(f"  Executor: {executor}")
    return lines


def help_on(commands: Mapping[str, SlashCommand]) -> SlashCommand:
    """`/help` for the given commands."""

    async def run(conversation: Conversation, _: str) -> None:
        lang = conversation.screen.lang
        usable = [c for c in commands.values() if conversation.is_project or c.before_init]
        lines = [tell("help_title", lang)]
        for command in usable:
            usage = f"{command.name} {command.arguments}".rstrip()
            lines.append(f"  {usage:<{WIDTH}} {tell(command.help_key, lang)}")
        lines += ["", tell("help_state", lang), *state_lines(conversation)]
        conversation.screen.line("\n".join(lines))

    return SlashCommand(name="/help", run=run, before_init=True)


async def _exit(conversation: Conversation, _: str) -> None:
    conversation.finished = True


EXIT = SlashCommand(name="/exit", run=_exit, before_init=True)
