"""The receipts a run had when it was cut off: none of them may be written a second time."""

from pathlib import Path

from pm_orchestrator.domain.record import from_json
from pm_orchestrator.runner.layout import RunDirectory
from pm_orchestrator.runner.run.receipts import Receipt


class ReceiptsLeft:
    """Looks at the files themselves: a receipt that is written again is another file."""

    def __init__(self, directory: RunDirectory) -> None:
        self._folder = directory.receipts
        self._left: dict[Path, tuple[int, int]] = {}

    def take(self) -> None:
        """Remember what is there."""
        self._left = self._found()

    def check_untouched(self) -> None:
        """Every step with a receipt was done once: by whoever wrote it."""
        now = self._found()
        assert {path: now.get(path) for path in self._left} == self._left
        keys = [self._read(path).key for path in now]
        assert len(set(keys)) == len(keys)

    def evidence_of(self, step: str) -> list[str]:
        """Ids of the evidence for each time a step was done."""
        found = [self._read(path) for path in self._left]
        return [receipt.evidence_id for receipt in found if receipt.step == step]

    def _found(self) -> dict[Path, tuple[int, int]]:
        stats = {path: path.stat() for path in self._folder.glob("*.json")}
        return {path: (about.st_ino, about.st_mtime_ns) for path, about in stats.items()}

    def _read(self, path: Path) -> Receipt:
        return from_json(Receipt, path.read_bytes(), source=str(path))
