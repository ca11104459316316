"""Whether changed texts are read by the project's own code, so that they are no mere documents."""

from pm_orchestrator.gates.compare.check_files import is_test
from pm_orchestrator.gates.detect import read_by_code as rules
from pm_orchestrator.gates.detect.detection import touched_paths
from pm_orchestrator.runner.places.place import Place, Seen


async def is_read_by_code(place: Place, seen: Seen, *, by_tests: bool = True) -> bool:
    """Whether a changed text is one that a program reads, or a test where these count as well."""
    paths, listing = touched_paths(seen.changes), frozenset(await place.listing())
    if any(rules.lies_among_code(path, listing) for path in paths):
        return True
    readers = [path for path in rules.readers_in(listing) if by_tests or not is_test(path)]
    if len(readers) > rules.MOST_READERS:
        # Nobody knows what they read.
        return True
    contents = await place.read_some(seen, readers, rules.MOST_BYTES)
    texts = {path: content.decode("utf-8", "replace") for path, content in contents.items()}
    return any(rules.is_read_by(path, texts) for path in paths)
