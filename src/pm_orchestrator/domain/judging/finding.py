"""What was odd about a piece of work: reported, and proof of nothing."""

from typing import Literal

from pm_orchestrator.domain.record import Record

OddKind = Literal[
    "unreadable",
    "special",
    "link_outside",
    "large",
    "history_rewritten",
    "head_moved",
    "branch_switched",
    "written_while_checked",
    "claimed_outside",
    "changed_outside",
    "not_saved",
    "locked",
    "put_back",
    "record_gone",
    "record_rewritten",
    "saved",
    "test_edited",
    "toolchain_changed",
    "conversation_lost",
]


class OddFinding(Record, frozen=True, kw_only=True):
    """One thing worth a look."""

    kind: OddKind
    path: str
    """A file, a commit or a ref, by kind."""
    note: str = ""
