"""`/tasks`, `/logs` and `/diff`: what was done."""

from collections.abc import Iterable

from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_command import SlashCommand


async def _tasks(conversation: Conversation, _: str) -> None:
    from pm_orchestrator.cli.pages.logs.log_pages import tasks_page, tasks_paint

    book, name = conversation.looked_at()
    book.check(name)
    page = tasks_page(book.entries(name), lambda log: book.read(name, log))
    conversation.screen.page(page, tasks_paint)


async def _logs(conversation: Conversation, line: str) -> None:
    from pm_orchestrator.cli.log_reading import LogReading
    from pm_orchestrator.cli.pages.logs.log_views import request_in

    request = request_in(line)
    _, session_id = conversation.looked_at()
    held = None if conversation.session_id is None else conversation.current_session()
    reading = LogReading(conversation.opened, conversation.screen, held)
    if line or not await conversation.ui.browse_logs(reading.views(session_id).pages()):
        reading.show(request, session_id)


def _forms(_conversation: Conversation, _text: str) -> Iterable[str]:
    from pm_orchestrator.cli.pages.logs.log_views import FORMS

    return FORMS


async def _diff(conversation: Conversation, task: str) -> None:
    from pm_orchestrator.cli.pages.ends.diff_page import diff_page, diff_paint
    from pm_orchestrator.runner.tasks.task_diff import diff_of

    screen = conversation.screen
    diff = await diff_of(conversation.opened, task or None, conversation.session)
    page = diff_page(diff, screen.lang, for_terminal=screen.is_terminal())
    screen.page(page, diff_paint, wraps=False)


TASKS = SlashCommand(name="/tasks", run=_tasks)
DIFF = SlashCommand(name="/diff", run=_diff, arguments="[task]")
LOGS = SlashCommand(name="/logs", run=_logs, arguments="[task-id]", complete=_forms)
