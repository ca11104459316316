"""Names of branches, commits and sub-task files.

Titles come from people and models, in any language; what leaves here is always
a valid ref, a one-line subject, a plain file name.
"""

import re
import unicodedata

SLUG_LENGTH = 40
SUBJECT_LENGTH = 100


def slug(title: str) -> str:
    """Lower-case ASCII words joined by hyphens; `task` where nothing is left.

    Japanese titles have no ASCII letters, so the ticket id in front carries the
    meaning and the slug only has to be valid.
    """
    ascii_text = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", ascii_text.lower())
    return "-".join(words)[:SLUG_LENGTH].strip("-") or "task"


def branch_name(ticket: str, title: str) -> str:
    """`agent/<ticket-id>-<slug>`."""
    return f"agent/{ticket}-{slug(title)}"


def integration_branch(ticket: str) -> str:
    """The branch that collects a run."""
    return f"agent/{ticket}-integration"


def commit_message(ticket: str, description: str) -> str:
    """`[<ticket-id>] <description>` on one line, without control characters."""
    printable = "".join(c if c.isprintable() else " " for c in description)
    subject = " ".join(printable.split())[:SUBJECT_LENGTH].strip()
    return f"[{ticket}] {subject or 'work'}"


def sub_task_file(parent: str, sub: str) -> str:
    """`<parent-id>-<sub-id>.md`."""
    return f"{parent}-{sub}.md"
