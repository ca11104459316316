"""What nobody leaves in a text: markers of a conflict, a hand on the Runner's records."""

from collections.abc import AsyncIterator, Iterator

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.detect.documents import is_document
from pm_orchestrator.runner.instructions.words.pasted import FENCED
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.places.place import Place, Seen

MARKER = LatePattern(r"(?m)^(?:<{7}|>{7}|\|{7})(?: [^\n]*)?$")
"""As git writes them; seven equals signs alone underline many a heading."""
ABOUT_MARKERS = pattern(
    r"<{7}|>{7}|\b(?:conflict|merge)\s+markers?\b|\bconflict(?:ed)?\s+(?:files?|blocks?|hunks?|sections?|parser)\b|(?:コンフリクト|競合)(?:の)?(?:マーカー|印|目印)"
)
RECORDS = pattern(r"""\.claude["'`)\s,/\\+(]{1,12}(?:evidence|raw|logs)\b""")
REMOVES = pattern(
    r"""
    \brm\b|rmtree|rmdir|unlink|\bremove|rimraf|\brmSync|\bdelete|truncate|write_|writeFile|open\([^)\n]*["'][wa]|\bshred\b|\bmv\b|\bmove\(|rename|copytree|copyfile|\bcp\b|symlink|\bln\b|chmod|\bsed\s+-i|>\s*["']?\$?\S*\.claude
    """
)
ABOUT_RECORDS = pattern(r"\.claude\b|\bevidence\b|\brecords\b|記録|証跡|エビデンス")


async def conflicts_left(
    place: Place, instruction: str, seen: Seen, made: list[FileChange]
) -> list[str]:
    """Texts with more markers of a conflict than before."""
    if ABOUT_MARKERS.search(instruction):
        return []
    found: list[str] = []
    async for change, before, now in _texts(place, seen, made):
        if _markers(change.path, now) > _markers(change.path, before):
            found.append(change.path)
    return found


async def reaching_for_records(
    place: Place, instruction: str, seen: Seen, made: list[FileChange]
) -> list[str]:
    """Programs and scripts with a new line that removes or overwrites our records."""
    if ABOUT_RECORDS.search(instruction):
        return []
    found: list[str] = []
    async for change, before, now in _texts(place, seen, made):
        new = set(_reaching(now)) - set(_reaching(before))
        if new and not is_document(change.path):
            found.append(change.path)
    return found


def _markers(path: str, text: str) -> int:
    # An example in a page about git is a block of its own.
    rest = FENCED.sub("", text) if is_document(path) else text
    return len(MARKER.findall(rest))


def _reaching(text: str) -> Iterator[str]:
    """Lines that name the records, where the line itself or the one before it does harm."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if RECORDS.search(line) and REMOVES.search(
            "\n".join(lines[max(0, number - 2) : number + 3])
        ):
            yield line.strip()


async def _texts(
    place: Place, seen: Seen, made: list[FileChange]
) -> AsyncIterator[tuple[FileChange, str, str]]:
    """Each text that was made or changed, as it was and as it is."""
    for change in made:
        now = await place.read_now(seen, change.path)
        if now is None or b"\0" in now[:8000]:
            continue
        before = None
        if change.kind != "created" and seen.comparable:
            before = await place.read_base(change.previous_path or change.path)
        yield change, (before or b"").decode("utf-8", "replace"), now.decode("utf-8", "replace")
