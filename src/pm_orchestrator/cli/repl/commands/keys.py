"""`/keys`: whether the keys are there; never what they are, not even in part."""

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.setup.providers import KEY_VARIABLES

SETUP = """\
  OpenAI:    export OPENAI_API_KEY="sk-..."
  Anthropic: export ANTHROPIC_API_KEY="sk-ant-..."
"""


async def _keys(conversation: Conversation, _: str) -> None:
    from pm_orchestrator.cli.terminal.text_table import table

    lang, opened = conversation.screen.lang, conversation.opened
    heading = [tell(f"column_{column}", lang) for column in ("provider", "variable", "status")]
    rows = [
        (provider, variable, "SET" if opened.has_key(provider) else "NOT SET")
        for provider, variable in KEY_VARIABLES.items()
    ]
    lines = [tell("keys_title", lang), "", *table(heading, rows), "", tell("keys_setup", lang)]
    # Nothing in it comes from the environment but SET and NOT SET; a masker would take
    # the examples for keys.
    conversation.screen.own("\n".join([*lines, SETUP, tell("keys_note", lang)]))


KEYS = SlashCommand(name="/keys", run=_keys)
