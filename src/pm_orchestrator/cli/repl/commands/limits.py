"""`/limits`: how much a task may do, and how to let the next ones do more."""

from collections.abc import Iterable

from msgspec.structs import replace

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand
from pm_orchestrator.cli.task_options import MOST_MINUTES, SECONDS
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.tasks.task import AskedLimits

RESET = "reset"
FORM = "[files N] [minutes N] | reset"


async def _limits(conversation: Conversation, argument: str) -> None:
    if argument == RESET:
        conversation.limits = None
    elif argument:
        conversation.limits = _asked(argument, conversation.limits or AskedLimits())
    conversation.screen.line(_page(conversation))


def _asked(argument: str, before: AskedLimits) -> AskedLimits:
    """What was asked for before, with what the words change of it.

    Raises:
        PmError: E210 for words that are not of the form.
    """
    words = argument.split()
    given = dict(zip(words[::2], words[1::2], strict=False))
    # Each once, each with its number; the whole line counts or nothing of it.
    sound = len(given) * 2 == len(words) and given.keys() <= {"files", "minutes"}
    if not sound or not all(map(_is_amount, given.values())):
        raise _misused()
    if "files" in given:
        before = replace(before, files=int(given["files"]))
    if "minutes" in given:
        minutes = int(given["minutes"])
        if minutes > MOST_MINUTES:
            raise _misused()
        before = replace(before, seconds=minutes * SECONDS)
    return before


def _is_amount(word: str) -> bool:
    return word.isascii() and word.isdigit() and int(word[:9]) > 0 and len(word) <= 9


def _misused() -> PmError:
    return PmError("limits_misused", usage=f"{LIMITS.name} {FORM}")


def _page(conversation: Conversation) -> str:
    lang, asked = conversation.screen.lang, conversation.limits
    settings = conversation.opened.settings.task_limits
    own = asked or AskedLimits()
    seconds = settings.seconds if own.seconds is None else own.seconds
    amounts = {
        "files": str(settings.files if own.files is None else own.files),
        "tests": str(settings.tests),
        "minutes": f"{seconds / SECONDS:g}",
    }
    source = "limits_of_settings" if asked is None else "limits_of_conversation"
    lines = (tell("limits_now", lang, **amounts), tell(source, lang), tell("limits_how", lang))
    return "\n".join(lines)


def _words(_conversation: Conversation, _text: str) -> Iterable[str]:
    return ("files ", "minutes ", RESET)


LIMITS = SlashCommand(name="/limits", run=_limits, arguments="[limits]", complete=_words)
