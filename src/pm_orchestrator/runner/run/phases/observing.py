"""What became of each thing that was asked for besides the content of files.

The place is asked, never whoever worked. What the instruction cannot have meant (a branch that
never was, a directory that was not there) is not held against the work.
"""

import posixpath

import msgspec

from pm_orchestrator.domain.judging.commit_terms import is_said, left_out_unasked, says, within
from pm_orchestrator.domain.judging.effect import IN_HISTORY, Effect, Recorded, Refs
from pm_orchestrator.domain.judging.outcome import FileChange, Reason
from pm_orchestrator.gates.judge.acceptable import names
from pm_orchestrator.gates.judge.content import adds_nothing, is_blank, is_same_content
from pm_orchestrator.runner.instructions.words.families import is_member
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.places.place import Place, Seen
from pm_orchestrator.runner.run.facts import Wanted

LARGEST = 256 * 1024
"""Bytes; what is larger is not looked through for something to see."""
MOST_READ = 100
"""Files that are looked into, those that were asked for first."""
WORK = frozenset({"directory", *IN_HISTORY})
"""What is work although no file shows it."""

REPLACED = frozenset({"history_rewritten", "branch_switched"})
"""Findings after which the commit from before may have nothing that leads to it."""
CHANGE_HISTORY = frozenset({"amended", "squashed", "reworded", "reverted"})
# What takes commits out of a history is not told from what else is done to them.
GOES_BACK = pattern(
    r"""
    \b(?:amend|squash|fix-?up|rebase|reset|re-?writ|reword|drop|undo|discard|throw|uncommit|roll\s*back|go(?:ing)?\s+back|abandon|purge|scrub|filter-|force|restore|revert|take\s+back|start\s+over)
    |\b(?:remove|delete|erase|strip|split|combine|reorder|edit)\b[^.]{0,40}\b(?:commits?|history)\b
    |取り消|巻き戻|戻し|戻す|リセット|リベース|書き換え|捨て|破棄|やり直|なかったこと|履歴|コミット[^。]{0,12}(?:消|削除|まとめ|分割|外)
    """
)
# Where the room between the words is what was asked for.
SPACES = pattern(
    r"format|blank|white|newline|line\s+(?:break|end)|empty\s+line|indent|spac|tidy|clean|lint|style|tab"
    r"|空行|改行|空白|整形|インデント|フォーマット|スペース|整え"
)


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """What was found out."""

    met: tuple[Effect, ...] = ()
    """Effects that are work by themselves, and new."""
    unmet: tuple[Effect, ...] = ()
    blank: tuple[str, ...] = ()
    """Changed files in which nobody can see anything."""
    shortfalls: tuple[Reason, ...] = ()
    """What was stated of the content of files, and is not so."""


async def observe(place: Place, wanted: Wanted, seen: Seen, since: Refs | None) -> Observed:
    """Look for each effect, and into the files that were to get a content."""
    blank = await _blank(place, wanted, seen)
    looking = _Looking(place, wanted, seen, since, blank)
    met: list[Effect] = []
    unmet: list[Effect] = []
    for effect in wanted.effects:
        found = await looking.found(effect)
        if found is False:
            unmet.append(effect)
        elif found and effect.kind in WORK:
            met.append(effect)
    return Observed(
        met=tuple(met),
        unmet=tuple(unmet),
        blank=blank,
        shortfalls=(
            *await _shortfalls(place, wanted, seen),
            *await _lost(place, wanted, seen, since),
        ),
    )


def changes_history(wanted: Wanted) -> bool:
    """Whether the history was to be another one."""
    asked = {effect.kind for effect in wanted.effects} & CHANGE_HISTORY
    return bool(asked) or GOES_BACK.search(wanted.instruction) is not None


async def _lost(place: Place, wanted: Wanted, seen: Seen, since: Refs | None) -> tuple[Reason, ...]:
    """Commits that were thrown away, unless the history was to be another one."""
    was = next((f.note for f in seen.findings if f.kind in REPLACED), "")
    if not wanted.whole or not was or changes_history(wanted):
        return ()
    before = since or Refs(head=was.rpartition(" ")[2])
    now = await place.recorded(seen, before, ())
    files = sorted(now.lost)[:MOST_READ] if now is not None else []
    return (Reason(key="work_lost", params={"files": names(files)}),) if files else ()


async def _shortfalls(place: Place, wanted: Wanted, seen: Seen) -> tuple[Reason, ...]:
    if not wanted.whole or not seen.changes:
        return ()
    from pm_orchestrator.runner.run.phases.texts.shortfalls import (
        changed_unasked,
        not_read,
        shortfalls,
    )

    found = (
        *not_read(wanted.expected_files, seen),
        *await shortfalls(place, wanted.instruction, seen),
    )
    return (*found, *changed_unasked(seen.changes)) if wanted.read_only else found


async def _blank(place: Place, wanted: Wanted, seen: Seen) -> tuple[str, ...]:
    expected = set(wanted.expected_files) - set(wanted.modes)
    there = [c for c in seen.changes if c.kind != "deleted" and c.size <= LARGEST]
    there.sort(key=lambda change: change.path not in expected)
    large = [c for c in seen.changes if c.kind != "deleted" and c.size > LARGEST]
    found = [
        change.path
        for change in large[:MOST_READ]
        if (await place.standing(seen, change.path)).hollow
    ]
    for change in there[:MOST_READ]:
        content = await place.read_now(seen, change.path)
        if content is None:
            continue
        before = None
        if change.kind == "modified" and change.path in expected and not _asks_for_space(wanted):
            before = await place.read_base(change.path) if seen.comparable else None
        if is_blank(content) or (before is not None and adds_nothing(before, content)):
            found.append(change.path)
    return tuple(found)


def _asks_for_space(wanted: Wanted) -> bool:
    return SPACES.search(wanted.instruction) is not None


class _Looking:
    """Asks the place about one effect after the other."""

    def __init__(
        self,
        place: Place,
        wanted: Wanted,
        seen: Seen,
        since: Refs | None,
        blank: tuple[str, ...],
    ) -> None:
        self._place = place
        self._wanted = wanted
        self._seen = seen
        self._since = since or Refs()
        self._blank = frozenset(blank)
        self._recorded: Recorded | None = None
        self._asked = False

    async def found(self, effect: Effect) -> bool | None:
        """Whether it is so now; None where it cannot have been meant, or was so before."""
        match effect.kind:
            case "written":
                return any(is_member(effect.name, c.path) for c in self._made())
            case "moved":
                return await self._moved(effect)
            case "linked":
                return await self._linked(effect)
            case "directory" | "gone" | "executable":
                return await self._stands(effect)
            case "picked" | "reverted" | "untracked":
                return await self._carried(effect)
            case _:
                return await self._in_history(effect)

    async def _stands(self, effect: Effect) -> bool | None:
        stands = await self._place.standing(self._seen, effect.name)
        if effect.kind == "executable":
            return stands.executable
        before = await self._place.exists(effect.name)
        if effect.kind == "gone":
            return stands.kind == "nothing" if before else None
        there = stands.kind == "directory" or (stands.kind == "link" and stands.leads)
        return None if there and before else there

    def _made(self) -> list[FileChange]:
        """Changes that left something to be seen."""
        return [
            change
            for change in self._seen.changes
            if change.kind != "deleted" and change.size and change.path not in self._blank
        ]

    async def _moved(self, effect: Effect) -> bool | None:
        place, seen = self._place, self._seen
        if not await place.exists(effect.source):
            return None
        left = await place.standing(seen, effect.source)
        if left.kind != "nothing" and not (left.kind == "link" and self._asks_for_link()):
            return False
        target = effect.name
        stands = await place.standing(seen, target)
        before = await place.read_base(effect.source)
        if stands.kind == "directory" and before is not None:
            target = posixpath.join(target, posixpath.basename(effect.source))
            stands = await place.standing(seen, target)
        if stands.kind == "nothing" and "/" not in target:
            # A new name alone leaves a file where it is.
            target = posixpath.join(posixpath.dirname(effect.source), target)
            stands = await place.standing(seen, target)
        if before is None:
            return stands.kind in {"directory", "link"}
        from pm_orchestrator.runner.instructions.stated.kinds_of_result import asks_to_rewrite

        now = await place.read_now(seen, target)
        if now is not None and asks_to_rewrite(self._wanted.instruction):
            return not is_blank(now) or is_blank(before)
        return now is not None and is_same_content(before, now)

    def _asks_for_link(self) -> bool:
        return any(effect.kind == "linked" for effect in self._wanted.effects)

    async def _linked(self, effect: Effect) -> bool:
        made = [c.path for c in self._seen.changes if c.kind in {"created", "modified"}]
        named = [name for name in effect.name.split("|") if name]
        if len(named) > 1:
            # One of them is the link, wherever it was put.
            ends = {posixpath.basename(name) for name in named}
            made = [path for path in made if posixpath.basename(path) in ends]
        for path in dict.fromkeys((*named, *made[:MOST_READ])):
            stands = await self._place.standing(self._seen, path)
            if stands.kind == "link" and stands.leads:
                return True
        return False

    async def _history(self) -> Recorded | None:
        if not self._asked:
            asked = self._wanted.effects
            self._recorded = await self._place.recorded(self._seen, self._since, asked)
            self._asked = True
        return self._recorded

    async def _carried(self, effect: Effect) -> bool | None:
        """Whether a commit was brought over or taken back, or a file let go."""
        now = await self._history()
        if now is None or effect in now.unknown:
            return None
        return effect not in now.unpicked and effect.name not in now.tracked

    async def _in_history(self, effect: Effect) -> bool | None:
        now, since = await self._history(), self._since
        if now is None:
            # Without a repository nothing is a branch, and nothing can be committed.
            return None if effect.kind == "merged" else False
        if effect.kind == "committed":
            return self._committed(effect, now)
        if effect.kind == "squashed":
            return self._squashed(effect, now)
        if effect.kind != "merged":
            return _holds(effect, now, since)
        if effect.name not in {*now.refs.branches, *since.branches}:
            return None
        left = now.merged.get(effect.name)
        return left is not None and not left_out_unasked(left, self._wanted.instruction)

    def _squashed(self, effect: Effect, now: Recorded) -> bool:
        """Fewer commits with the same work, unless one more was asked for as well."""
        more = any(other.kind == "committed" for other in self._wanted.effects)
        lost = left_out_unasked(now.dropped, self._wanted.instruction)
        less = now.amended and (now.fewer or more)
        return less and not lost and is_said(effect.name, now.messages)

    def _committed(self, effect: Effect, now: Recorded) -> bool:
        """A new commit that holds the change: what was asked for, and every old file it touched."""
        if not now.committed or not is_said(effect.name, now.messages):
            return False
        asked = set(self._wanted.expected_files)
        own = {c.path for c in self._seen.changes if c.kind != "created" or c.path in asked}
        own |= {c.previous_path for c in self._seen.changes if c.previous_path}
        if within(now.touched or (), effect.never):
            return False
        own |= within(now.uncommitted, effect.takes)
        if effect.only:
            own = within(now.uncommitted, effect.only)
            if (now.touched or set()) - within(now.touched or (), effect.only):
                return False
        return not own & now.uncommitted


def _holds(effect: Effect, now: Recorded, since: Refs) -> bool | None:
    """Whether the refs, or the commit at HEAD, are as they were to be."""
    match effect.kind:
        case "branched" | "switched":
            return _is_branched(effect, now, since)
        case "branch_gone":
            was, left = since.branches, now.refs.branches
            swept = was.keys() > left.keys() and not now.unswept
            return _is_gone(effect.name, left, was) if effect.name else swept
        case "tagged":
            new = now.refs.tags.keys() - since.tags.keys()
            return effect.name in new - now.elsewhere
        case "tag_gone":
            return _is_gone(effect.name, now.refs.tags, since.tags)
        case "reworded":
            return now.amended and bool(now.message) and says(now.message, effect.name)
        case _:
            return now.amended and is_said(effect.name, now.messages)


def _is_branched(effect: Effect, now: Recorded, since: Refs) -> bool | None:
    branches = now.refs.branches
    if effect.source and effect.source not in {*branches, *since.branches}:
        return None
    new = branches.keys() - since.branches.keys()
    there = effect.name in since.branches and effect.name in branches
    if effect.kind == "switched" or there:
        # "Check out the branch x" makes none where there is one.
        return _is_switched(effect, now, since)
    return effect.name in new - now.elsewhere if effect.name else bool(new)


def _is_switched(effect: Effect, now: Recorded, since: Refs) -> bool | None:
    """Whether a branch is checked out that was not; a word that is no branch demands nothing."""
    is_on = now.refs.on == effect.name
    if effect.name not in {*now.refs.branches, *since.branches}:
        return None
    return None if is_on and since.on == effect.name else is_on


def _is_gone(name: str, now: dict[str, str], since: dict[str, str]) -> bool | None:
    if name in now:
        return False
    return True if name in since else None
