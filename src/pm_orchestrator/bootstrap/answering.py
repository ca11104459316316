"""While a person is asked: the session's record says what everything waits for."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from pm_orchestrator.bootstrap.application import Application
from pm_orchestrator.bootstrap.sessions import owned, sessions_of
from pm_orchestrator.runner.sessions.open_session import OpenSession


@asynccontextmanager
async def answer_awaited(
    app: Application, task_id: str, session: OpenSession | None
) -> AsyncGenerator[None]:
    """Mark the task's session as waiting for its answer, until it has one or none comes."""
    where = session or sessions_of(app).session_of(task_id)
    async with owned(app, where) as mine:
        await mine.await_answer()
    try:
        yield
    finally:
        async with owned(app, where) as mine:
            await mine.refresh()
