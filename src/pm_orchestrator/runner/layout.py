"""Where things are in a project: one place knows the layout."""

from pathlib import Path

from pm_orchestrator.domain.ids import numbered

ENGINE_HOME = ".pm-orchestrator"


class ProjectPaths:
    """The Runner's directories inside a project."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.claude = root / ".claude"
        self.settings = self.claude / "settings.json"
        self.home = root / ENGINE_HOME
        self.backlog = self.home / "workflows" / "backlog"
        self.runs = self.home / "runtime" / "runs"
        self.state = self.home / "runtime" / "state"
        self.owners = self.state / "owners"
        self.executing = self.owners / "executing.json"
        """Owned while an executor may write into the project directory."""
        self.unfinished = self.state / "unfinished.json"
        self._last_run: int | None = None

    def run(self, run_id: str) -> "RunDirectory":
        """The directory of one run."""
        return RunDirectory(self.runs / run_id)

    def new_run(self) -> "RunDirectory":
        """Take the next free run number; two processes never get the same one."""
        self.runs.mkdir(parents=True, exist_ok=True)
        if self._last_run is None:
            self._last_run = max((_number(p.name) for p in self.runs.iterdir()), default=0)
        while True:
            self._last_run += 1
            folder = self.runs / numbered("run", self._last_run)
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return RunDirectory(folder)


class RunDirectory:
    """`.pm-orchestrator/runtime/runs/<run-id>/`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run_id = folder.name
        self.journal = folder / "journal.db"
        self.repository = folder / "repository.git"
        self.base = folder / "base.git"
        """The objects that the run starts from; sandboxes may read them."""
        self.receipts = folder / "receipts"
        self.kept = folder / "kept"
        self.order = folder / "order.json"
        self.cancel = folder / "cancel"
        """Whoever wants the run to end leaves this; its owner looks for it."""
        self.result = folder / "execution_result.json"
        self.summary = folder / "summary.md"

    def has_journal(self) -> bool:
        """Whether the run keeps one, or is about to."""
        return self.order.exists() or self.journal.exists()


def _number(name: str) -> int:
    prefix, _, digits = name.partition("_")
    return int(digits) if prefix == "run" and digits.isdigit() else 0
