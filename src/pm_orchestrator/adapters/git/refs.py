"""Which refs are ours.

Everything we write in anybody's repository is below two roofs. A name that is not
plainly below one of them is refused, not repaired.
"""

import re

from pm_orchestrator.domain.errors import PmError

OWN_ROOFS = ("refs/heads/agent/", "refs/pm/")
# Narrower than git's own rule: letters, digits and `._-` in every component, so that
# no name of ours can be a pattern, an option, a revision expression or a lock file.
COMPONENT = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?")
MAX_LENGTH = 200
OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


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
