"""What became of each file, in lines: for people who want to see the work, and proof of nothing."""

from typing import Literal

from pm_orchestrator.domain.judging.outcome import ChangeKind
from pm_orchestrator.domain.record import Record

Contents = Literal["text", "binary", "large", "not_kept", "outside", "nested"]
"""`large` is not read line by line; of what is `not_kept` nobody knows how it was before.
`outside` is not in the project, but in its repository; `nested` is in another one inside."""


class ChangedLines(Record, frozen=True, kw_only=True):
    """One file that differs between two trees."""

    path: str
    kind: ChangeKind
    previous_path: str | None = None
    added: int | None = None
    removed: int | None = None
    """None where there are no lines to be counted."""
    contents: Contents = "text"
    mode_before: str | None = None
    mode_after: str | None = None
    """As git writes them (`100755`, `120000` for a link); None where there is no file."""

    @property
    def mode_changed(self) -> bool:
        """Whether a file of before and after is not of the same kind, or not as executable."""
        return None not in (self.mode_before, self.mode_after) and (
            self.mode_before != self.mode_after
        )


def lines_in_all(files: tuple[ChangedLines, ...]) -> tuple[int, int]:
    """How many lines came and went, as far as they can be counted."""
    return sum(f.added or 0 for f in files), sum(f.removed or 0 for f in files)
