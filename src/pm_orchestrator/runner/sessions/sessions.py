"""Sessions: beginning them, owning them, looking at them, going on with them."""

import msgspec

from pm_orchestrator import __version__
from pm_orchestrator.domain import ids
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.session import Session, SessionStatus
from pm_orchestrator.domain.ids import iso, safe_name
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.domain.tasks.phase import Phase
from pm_orchestrator.evidence.chain.log_seals import LogSeals
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.records.log_book import TaskLogBook
from pm_orchestrator.ports.clock import Clock, IdSource
from pm_orchestrator.ports.ownership import Owners
from pm_orchestrator.ports.recorder import Recorder
from pm_orchestrator.ports.store import DurableFiles
from pm_orchestrator.runner.layout import ProjectPaths
from pm_orchestrator.runner.sessions.fenced_files import FencedFiles
from pm_orchestrator.runner.sessions.open_session import OpenSession


class SessionParts(msgspec.Struct, frozen=True, kw_only=True):
    """What sessions stand on."""

    files: DurableFiles
    owners: Owners
    clock: Clock
    ids: IdSource
    masker: Masker
    paths: ProjectPaths
    settings: Settings
    recorder: Recorder
    book: TaskLogBook
    """For looking at sessions that others may own."""


class Sessions:
    """The sessions of one project."""

    def __init__(self, parts: SessionParts) -> None:
        self._parts = parts

    async def start(self, model: str | None = None, provider: str | None = None) -> OpenSession:
        """Begin a session; it is owned by this process from now on."""
        parts = self._parts
        now = parts.clock.now()
        session = self.own(ids.session_id(now, parts.ids.token(8)))
        await session.book.start_session(session.session_id, iso(now))
        await session.book.records(session.session_id).save_state(
            Session(
                session_id=session.session_id,
                started_at=iso(now),
                target_project=str(parts.paths.root),
                runner_version=__version__,
                configuration=parts.settings,
                current_phase=Phase.REQUIREMENT_ANALYSIS,
                status=SessionStatus.READY,
                continuation_approved=False,
                limit_violations=(),
                selected_provider=provider,
                selected_model=model,
            )
        )
        return session

    async def open(self, session_id: str) -> OpenSession:
        """Own an existing session.

        Raises:
            PmError: E210 for one that is not there, E402 for one that another process
                owns, E204 for one whose tasks and logs disagree.
        """
        if safe_name(session_id, "session") not in self._parts.book.session_ids():
            raise PmError("session_unknown", session=session_id)
        session = self.own(session_id)
        try:
            session.book.check(session_id)
        except PmError:
            await session.leave()
            raise
        return session

    def own(self, session_id: str) -> OpenSession:
        """Take a session that may not be written yet.

        Raises:
            PmError: E402 naming the process that owns it.
        """
        parts = self._parts
        owner = parts.owners.take(
            parts.paths.owners / f"{session_id}.json", f"session {session_id}"
        )
        files = FencedFiles(parts.files, owner)
        claude = parts.paths.claude
        book = TaskLogBook(files, parts.clock, claude, parts.masker, sole=True)
        book.seals = LogSeals(parts.recorder, claude)
        return OpenSession(session_id, book, owner, parts.clock, parts.paths.root)
