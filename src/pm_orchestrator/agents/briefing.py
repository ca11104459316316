"""What a worker is told besides its sub-task: the whole, the project's rules, what is there."""

import posixpath
from collections.abc import Iterable
from pathlib import PurePosixPath

import msgspec

from pm_orchestrator.agents.tools.text_files import read_text
from pm_orchestrator.domain.company.assignment import Assignment
from pm_orchestrator.domain.judging.outcome import CommitInfo, FileChange
from pm_orchestrator.domain.text import cut_between_words
from pm_orchestrator.ports.repository import Repository

RULE_FILES = ("AGENTS.md", "CLAUDE.md")
"""What projects write for agents."""
LONGEST_RULES = 24_000
"""Characters of all of them."""


class ProjectRules(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the project that is addressed to agents, as it stands in the base commit."""

    path: str
    text: str
    left_out: int = 0
    """Characters at its end."""


class Briefing(msgspec.Struct, frozen=True, kw_only=True):
    """What stands around a sub-task."""

    instruction: str = ""
    """The whole that it is a part of; empty where it is the whole itself."""
    rules: tuple[ProjectRules, ...] = ()
    other_rules: tuple[str, ...] = ()
    """Paths of rules for other parts of the project."""
    commits: tuple[CommitInfo, ...] = ()
    """What earlier attempts have left on the branch."""
    changes: tuple[FileChange, ...] = ()
    uncommitted: tuple[FileChange, ...] = ()
    """What the last attempt had not committed when it was ended; it lies in the workspace."""
    uncommitted_as: str | None = None
    """The commit that keeps it."""


async def briefing(
    repository: Repository, base: str, instruction: str, assignment: Assignment
) -> Briefing:
    """Look up what a worker should know before it begins.

    Raises:
        PmError: E801 when git itself fails.
    """
    sub_task = assignment.sub_task
    told = await repository.files(base)
    near, far = _rule_files(told, sub_task.expected_files)
    rules = await _rules(repository, base, near)
    held = assignment.start != base
    kept = await _uncommitted(repository, assignment)
    return Briefing(
        instruction="" if instruction.strip() == sub_task.description.strip() else instruction,
        rules=rules,
        other_rules=far,
        commits=await repository.commits(base, assignment.start) if held else (),
        changes=await repository.changes(base, assignment.start) if held else (),
        uncommitted=await repository.changes(assignment.start, kept) if kept else (),
        uncommitted_as=kept,
    )


async def _uncommitted(repository: Repository, assignment: Assignment) -> str | None:
    """Where the work of an attempt that did not come to its end was saved."""
    if not assignment.goes_on:
        return None
    kept = (await repository.own_refs()).get(assignment.rescue_ref("uncommitted"))
    # What is older than the branch was saved by an attempt before that one.
    on_it = kept is not None and await repository.descends(kept, assignment.start)
    return kept if on_it else None


def _rule_files(
    files: Iterable[str], concerned: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those above the files that are concerned, the outermost first; and all others."""
    found = [path for path in files if posixpath.basename(path) in RULE_FILES]
    above = {""}
    for path in concerned:
        above |= {"" if str(p) == "." else str(p) for p in PurePosixPath(path).parents}
    near = [path for path in found if posixpath.dirname(path) in above]
    near.sort(key=lambda path: (path.count("/"), path))
    return tuple(near), tuple(sorted(set(found) - set(near)))


async def _rules(
    repository: Repository, base: str, paths: tuple[str, ...]
) -> tuple[ProjectRules, ...]:
    contents = await repository.read_all(base, paths)
    rules: list[ProjectRules] = []
    room = LONGEST_RULES
    said: set[str] = set()
    for path in paths:
        # A link to the other one is no file, and a copy of it says nothing new.
        text = read_text(contents.get(path, b"")).lines.strip()
        if not text or text in said or "\0" in text:
            continue
        said.add(text)
        shown = cut_between_words(text, max(room, 0))
        room -= len(shown)
        rules.append(ProjectRules(path=path, text=shown, left_out=len(text) - len(shown)))
    return tuple(rules)
