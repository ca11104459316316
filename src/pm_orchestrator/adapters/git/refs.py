"""Which refs are ours.

Everything we make in anybody's repository is below two roofs, and of all other refs
only an integration branch is ever moved. A name that is not plainly one of these is
refused, not repaired.
"""

import unicodedata

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.late_pattern import LatePattern

OWN_BRANCHES = "refs/heads/agent/"
PRIVATE = "refs/pm/"
OWN_ROOFS = (OWN_BRANCHES, PRIVATE)
NEVER_MERGED_INTO = frozenset({"main", "master"})
# Narrower than git's own rule: letters, digits and `._-` in every component, so that
# no name of ours can be a pattern, an option, a revision expression or a lock file.
COMPONENT = LatePattern(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?")
MAX_LENGTH = 200
OBJECT_ID = LatePattern(r"[0-9a-f]{40}|[0-9a-f]{64}")


def own_ref(ref: str) -> str:
    """Return `ref` if we may write it.

    Raises:
        PmError: E802 for any other name.
    """
    if not ref.startswith(OWN_ROOFS) or not _well_formed(ref):
        raise PmError("git_ref_refused", ref=ref)
    return ref


def branch_ref(branch: str) -> str:
    """The full ref of a branch whose name is well formed, ours or not.

    Raises:
        PmError: E802 when it is not.
    """
    ref = f"refs/heads/{branch}"
    if not _well_formed(ref):
        raise PmError("git_ref_refused", ref=branch)
    return ref


def merge_target(branch: str) -> str:
    """The full ref of a branch of the user's that work may be merged into.

    Which ones may be is the caller's rule; main and master never are.

    Raises:
        PmError: E802 for those two, and for a name that is not well formed.
    """
    ref = branch_ref(branch)
    # Some file systems keep refs without regard to case or form.
    if unicodedata.normalize("NFKC", branch).casefold() in NEVER_MERGED_INTO:
        raise PmError("merge_target_refused", branch=branch)
    return ref


def object_id(text: str) -> str:
    """Return `text` if it is a full object id, so that it can be nothing else to git.

    Raises:
        PmError: E801 otherwise.
    """
    if OBJECT_ID.fullmatch(text) is None:
        raise PmError("git_failed", operation="rev-parse", reason=f"{text!r} is no commit id")
    return text


def _well_formed(ref: str) -> bool:
    return len(ref) <= MAX_LENGTH and all(
        COMPONENT.fullmatch(part) and ".." not in part and not part.endswith(".lock")
        for part in ref.split("/")
    )
