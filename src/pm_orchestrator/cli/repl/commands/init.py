"""`/init`: make the directory a project."""

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand
from pm_orchestrator.domain.catalogue.messages import say


async def _init(conversation: Conversation, _: str) -> None:
    from pm_orchestrator.bootstrap.initialising import initialise
    from pm_orchestrator.bootstrap.opening import open_project

    environment = conversation.environment
    made = await initialise(environment, conversation.project, adopt=False)
    for path in made:
        conversation.screen.line(say("created", conversation.screen.lang, path=path))
    if not conversation.is_project:
        conversation.use(await open_project(environment, conversation.project))


INIT = SlashCommand(name="/init", run=_init, before_init=True)
