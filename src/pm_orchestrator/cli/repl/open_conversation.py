"""Opening a REPL: the directory, what the user is told of it, and the project in it."""

from pathlib import Path

import msgspec

from pm_orchestrator.bootstrap.environment import Environment
from pm_orchestrator.bootstrap.project_modes import ProjectChoice, resolve
from pm_orchestrator.cli.pages.summary import SummaryFormat
from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.ui import ReplUi
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.cli.terminal.spelling import Spelling
from pm_orchestrator.domain.catalogue.repl_texts import tell
from pm_orchestrator.domain.company.supervision import WatchLimits


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """How a REPL was asked for."""

    choice: ProjectChoice
    print_path: bool
    timers: WatchLimits | None
    form: SummaryFormat | None


async def open_conversation(
    environment: Environment, screen: Screen, opening: Opening, ui: ReplUi | None = None
) -> Conversation:
    """A conversation in the chosen directory; without a project in it little works.

    Raises:
        PmError: E102 to E105, E210.
    """
    from pm_orchestrator.bootstrap.config import project_directory
    from pm_orchestrator.bootstrap.initialising import initialise
    from pm_orchestrator.bootstrap.opening import open_project
    from pm_orchestrator.cli.repl.slash_commands import COMMANDS

    resolved = resolve(opening.choice)
    root = project_directory(resolved.path)
    if opening.print_path:
        screen.line(f"PROJECT_PATH={root}")
    for notice in resolved.notices:
        screen.aside(tell(notice, screen.lang))
    conversation = Conversation(
        root, environment, screen, timers=opening.timers, ui=ui, form=opening.form
    )
    screen.spelling = Spelling({name: bool(each.arguments) for name, each in COMMANDS.items()})
    if not _has_claude(root):
        if resolved.mode == "cwd":
            return conversation
        await initialise(environment, root, adopt=False)
        screen.aside(tell("initialised", screen.lang, path=root))
    elif resolved.mode == "cwd" and conversation.ui.attended and _is_claudes_alone(root):
        # One yes adopts it; a script is told what is missing.
        return conversation
    conversation.use(await open_project(environment, root))
    from pm_orchestrator.cli.cut_off import tell_cut_off

    await tell_cut_off(screen, conversation.opened, converses=conversation.ui.attended)
    return conversation


def _is_claudes_alone(root: Path) -> bool:
    """Whether only Claude Code has been here before us."""
    from pm_orchestrator.runner.layout import ProjectPaths
    from pm_orchestrator.runner.project.init_project import lacks_our_parts

    return lacks_our_parts(ProjectPaths(root))


def _has_claude(root: Path) -> bool:
    return (root / ".claude").exists()
