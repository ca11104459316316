"""The forms of `logs` and `/logs`: a list, one task, a tree, or data for programs."""

from collections.abc import Callable
from typing import Literal

import msgspec

from pm_orchestrator.cli.pages.logs.browsable_logs import LogPages
from pm_orchestrator.cli.pages.logs.log_detail import Mask, task_page
from pm_orchestrator.cli.pages.logs.log_pages import log_table
from pm_orchestrator.cli.pages.logs.log_tree import tree_page
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.task_log import TaskLog, TaskLogEntry, VisibilityLevel
from pm_orchestrator.evidence.records.log_book import TaskLogBook

FORMS = ("--full", "--tree", "--json")
Form = Literal["list", "tree", "json"]
Below = Callable[[TaskLog], list[str]]


class LogRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be shown of a session."""

    task: str | None = None
    form: Form = "list"
    level: VisibilityLevel = VisibilityLevel.SUMMARY


def request_in(line: str) -> LogRequest:
    """What was typed behind `/logs`.

    Raises:
        PmError: E210 for an unknown option or more than one id.
    """
    words = line.split()
    options = [word for word in words if word.startswith("--")]
    names = [word for word in words if not word.startswith("--")]
    unknown = [option for option in options if option not in FORMS]
    if unknown or len(names) > 1:
        raise PmError("logs_usage", what=(*unknown, *names[1:])[0])
    form: Form = "json" if "--json" in options else "tree" if "--tree" in options else "list"
    level = VisibilityLevel.FULL if "--full" in options else VisibilityLevel.SUMMARY
    return LogRequest(task=names[0] if names else None, form=form, level=level)


class LogViews:
    """The logs of one session."""

    def __init__(self, book: TaskLogBook, session_id: str, mask: Mask, told: Below) -> None:
        """`told` is what stands below the log of a task."""
        self._book = book
        self._session = session_id
        self._mask = mask
        self._told = told

    def show(self, request: LogRequest) -> str:
        """The page that was asked for; `--json` asks for none.

        Raises:
            PmError: E210 for an unknown task, E204 where tasks and logs disagree.
        """
        self._book.check(self._session)
        if request.form == "tree":
            return self.tree(request.level)
        if request.task is not None:
            return self.task(request.task, request.level)
        return self.list()

    def data(self, task: str | None) -> TaskLog | tuple[TaskLogEntry, ...]:
        """What programs get: the list, or one log.

        Raises:
            PmError: as `show`.
        """
        self._book.check(self._session)
        return self._book.entries(self._session) if task is None else self._read(task)

    def pages(self) -> LogPages:
        """The same for a reader who goes to and fro."""
        levels = {False: VisibilityLevel.SUMMARY, True: VisibilityLevel.FULL}
        return LogPages(
            ids=tuple(entry.task_id for entry in self._book.entries(self._session)),
            list_page=lambda selected: self._mask(self.list(selected)),
            detail_page=lambda task, full: self._mask(self.task(task, levels[full])),
            tree_page=lambda: self._mask(self.tree(VisibilityLevel.SUMMARY)),
        )

    def list(self, selected: int | None = None) -> str:
        entries = self._book.entries(self._session)
        return log_table(self._session, entries, self._read, selected)

    def task(self, any_id: str, level: str) -> str:
        log = self._read(any_id)
        return "\n".join([task_page(log, self._mask, level), *self._told(log)])

    def tree(self, level: str) -> str:
        records = self._book.records(self._session)
        return tree_page(
            self._session,
            records.threads(),
            tuple(records.runs().values()),
            self._book.entries(self._session),
            self._read,
            level,
        )

    def _read(self, any_id: str) -> TaskLog:
        return self._book.read(self._session, any_id)
