"""One yes makes a project of a directory, at the first instruction and not before."""

from pathlib import Path

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.ui import Choice
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.runner.layout import ProjectPaths

YES, TOP, HERE, NO = "yes", "top", "here", "no"
INSTEAD = "/init"


def needs_project(line: str) -> bool:
    """Whether the line can only be carried out in a project: an instruction, or `/start`."""
    return not line.startswith("/") or line.split()[0] in {"/start", INSTEAD}


async def set_up(conversation: Conversation) -> bool:
    """Ask, and do it; whether the directory is a project now.

    Raises:
        PmError: E102 to E105 for a directory or settings that cannot be used.
    """
    from pm_orchestrator.bootstrap.arrival.repository_around import repository_above
    from pm_orchestrator.bootstrap.initialising import initialise
    from pm_orchestrator.bootstrap.opening import open_project

    screen, here = conversation.screen, conversation.project
    if here == conversation.environment.home:
        screen.line(tell("set_up_home", screen.lang))
        return False
    top = repository_above(here)
    if top is None or top == conversation.environment.home:
        top = here
    picked = await conversation.ui.choose(
        tell("set_up", screen.lang, path=top, names=_added(top, conversation)),
        _choices(here, top, conversation),
        current=None,
        instead=INSTEAD,
    )
    if picked in {None, NO}:
        screen.line(tell("selection_unchanged", screen.lang))
        return False
    root = here if picked == HERE else top
    environment = conversation.environment
    await initialise(environment, root, adopt=True)
    conversation.project = root
    conversation.use(await open_project(environment, root))
    screen.line(tell("set_up_done", screen.lang, path=root))
    return True


def _choices(here: Path, top: Path, conversation: Conversation) -> list[Choice]:
    lang = conversation.screen.lang
    no = Choice(value=NO, label=tell("set_up_no", lang))
    if top == here:
        return [Choice(value=YES, label=""), no]
    return [
        Choice(value=TOP, label=tell("set_up_top", lang, path=top)),
        Choice(value=HERE, label=tell("set_up_here", lang, path=here)),
        no,
    ]


def _added(root: Path, conversation: Conversation) -> str:
    """What is not there yet, as a person reads it."""
    paths = ProjectPaths(root)
    names = [".claude/CLAUDE.md", ".claude/agents", ".claude/rules", ".claude/repl.json"]
    lacking = [name for name in names if not (root / name).exists()]
    settings = ".claude/settings.json"
    if paths.settings.exists():
        settings = tell("set_up_settings", conversation.screen.lang)
    return ", ".join([settings, *lacking])
