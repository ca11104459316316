"""Product code that is made for its tests: what they ask is read only where it may matter."""

from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.gates.answers.data_tables import may_hold_answers
from pm_orchestrator.gates.answers.equal_to_all import equal_to_all
from pm_orchestrator.gates.answers.suspects import suspects_in
from pm_orchestrator.gates.compare.check_files import is_product_code, is_test
from pm_orchestrator.gates.detect.read_by_code import readers_in
from pm_orchestrator.gates.weaker.dilution import Trees
from pm_orchestrator.runner.places.place import Place, Seen

MOST_FILES = 2000
MOST_BYTES = 256 * 1024


async def deceptions(
    place: Place, seen: Seen, trees: Trees, instruction: str
) -> tuple[Dilution, ...]:
    """Objects that equal everything, and functions that hold the answers of the tests."""
    found = tuple(equal_to_all(trees, instruction))
    suspects = suspects_in(trees, await _new_data(place, seen, trees))
    if not suspects:
        return found
    from pm_orchestrator.gates.answers.held_answers import AnswerReader

    changed = frozenset(trees.before) | frozenset(trees.after)
    left = [path for path in readers_in(await place.listing()) if path not in changed]
    tests = [path for path in left if is_test(path)][:MOST_FILES]
    product = [path for path in left if is_product_code(path)][:MOST_FILES]
    read = await place.read_some(seen, (*tests, *product), MOST_BYTES)
    texts = {path: content.decode("utf-8", "replace") for path, content in read.items()}
    delivered = {p: t for p, t in trees.after.items() if t is not None and is_test(p)}
    asked = {**{p: t for p, t in texts.items() if is_test(p)}, **delivered}
    known = [t for p, t in texts.items() if not is_test(p)]
    known += [t for p, t in trees.before.items() if t is not None and not is_test(p)]
    reader = AnswerReader(instruction, asked, "\n".join(known))
    return (*found, *reader.held(suspects))


async def _new_data(place: Place, seen: Seen, trees: Trees) -> dict[str, str]:
    """New files of data that changed product code has a name for."""
    code = "\n".join(text for path, text in trees.after.items() if text and is_product_code(path))
    created = [c.path for c in seen.changes if c.kind == "created" and may_hold_answers(c.path)]
    named = [path for path in created if path.rpartition("/")[2] in code][:MOST_FILES]
    read = await place.read_some(seen, named, MOST_BYTES)
    return {path: content.decode("utf-8", "replace") for path, content in read.items()}
