"""Where the merger may merge.

The list says what is allowed, because what is not known may be somebody's main
branch. main and master stay closed whatever a setting says: they are reached by
a pull request that a person approves.
"""

import unicodedata

NEVER = frozenset({"main", "master"})
INTEGRATION = frozenset({"develop", "staging"})


def may_merge_into(branch: str, integration: frozenset[str] = INTEGRATION) -> bool:
    """Whether the merger may move `branch`: one of our own, or an integration branch."""
    name = branch.removeprefix("refs/heads/")
    # Some file systems keep refs without regard to case or form.
    if unicodedata.normalize("NFKC", name).casefold() in NEVER:
        return False
    return name in integration or (name.startswith("agent/") and name != "agent/")
