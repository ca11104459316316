"""Git in the place where an agent works, run by its hands.

The repository there is the agent's to fill, so nothing it says is believed on the host,
and none of its hooks runs for us.
"""

from datetime import datetime

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.ports.hands import Hands
from pm_orchestrator.ports.process import CommandResult

GIT = ("git", "-c", "core.hooksPath=/dev/null")
TIMEOUT_S = 120.0
LISTING_LIMIT = 16 * 1024**2
LARGEST_SAVED = 64 * 1024**2
"""Bytes of a file that is saved although nobody committed it."""
ADD_ALL = (
    r"{ printf '.\0'; find . -name .git -prune -o -type f"
    rf" -size +{LARGEST_SAVED // 512} -printf ':(exclude,literal)%P\0'; }} |"
    " git -c core.hooksPath=/dev/null add --all --ignore-errors"
    " --pathspec-from-file=- --pathspec-file-nul"
)
"""For the shell: everything into the index, but what is too large."""


def author_at(now: datetime) -> tuple[str, ...]:
    """Variables for git, so that the same work makes the same commit again."""
    return (
        *(f"GIT_{who}_DATE={now.isoformat()}" for who in ("AUTHOR", "COMMITTER")),
        *(f"GIT_{who}_NAME=pm-orchestrator agent" for who in ("AUTHOR", "COMMITTER")),
        *(f"GIT_{who}_EMAIL=agent@localhost" for who in ("AUTHOR", "COMMITTER")),
    )


class AgentGit:
    """The few git commands that agents and their workers need."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands

    async def run(self, *args: str, now: datetime | None = None) -> CommandResult:
        """Whatever comes of it; what is committed gets the time `now`."""
        argv = (*GIT, *args)
        if now is not None:
            argv = ("env", *author_at(now), *argv)
        return await self._hands.run(argv, timeout_s=TIMEOUT_S, output_limit=LISTING_LIMIT)

    async def must(self, *args: str, now: datetime | None = None) -> str:
        """What git says.

        Raises:
            PmError: E801 when it fails.
        """
        result = await self.run(*args, now=now)
        if result.exit_code != 0:
            reason = (result.stderr or result.stdout).decode(errors="replace").strip()
            raise PmError("git_failed", operation=f"{args[0]} in the sandbox", reason=reason)
        return result.stdout.decode(errors="replace")

    async def commit_of(self, revision: str) -> str | None:
        """The commit id of a revision, or None where it names none."""
        result = await self.run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        return result.stdout.decode().strip() if result.exit_code == 0 else None

    async def has_more(self, commit: str, *than: str) -> bool:
        """Whether `commit` reaches anything that none of the others does.

        What cannot be read counts as more: whoever then takes it finds out why.
        """
        listed = await self.run("rev-list", "-n", "1", commit, "--not", *than)
        return listed.exit_code != 0 or bool(listed.stdout)

    async def status(self) -> str:
        """Changed and untracked files, one per line; empty when clean."""
        return await self.must("status", "--porcelain", "--untracked-files=all")

    async def commit(self, message: str, now: datetime) -> str:
        """Commit everything; returns what git said, also when there was nothing to commit.

        The time is the caller's, so that the same work makes the same commit again.
        """
        await self.must("add", "--all", "--", ".")
        result = await self.run("commit", "--quiet", "--no-verify", "-m", message, now=now)
        if result.exit_code != 0:
            return (result.stdout + result.stderr).decode(errors="replace").strip()
        return "committed " + (await self.must("log", "-1", "--format=%h %s")).strip()
