"""What the instruction says in so many words of the content of files, and is not so.

Values that are to take the place of others, code that is to be written, a text in another
language. Nothing is demanded that a person could have meant otherwise.
"""

import posixpath
from collections.abc import Iterable, Iterator, Sequence

from pm_orchestrator.domain.judging.outcome import FileChange, Reason
from pm_orchestrator.domain.judging.value_change import ValueChange
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.gates.compare.check_files import is_product_code, is_setting
from pm_orchestrator.gates.detect.documents import FOR_PEOPLE, is_document
from pm_orchestrator.gates.judge.stated_values import TwoTexts, holding, is_data, is_set
from pm_orchestrator.runner.instructions.stated.behaviour import asks_for_behaviour
from pm_orchestrator.runner.instructions.stated.kinds_of_result import asks_for_translation
from pm_orchestrator.runner.instructions.stated.literals import is_number
from pm_orchestrator.runner.instructions.stated.named_code import (
    is_named_in,
    named_code,
    wants_no_work,
)
from pm_orchestrator.runner.instructions.stated.value_changes import value_changes
from pm_orchestrator.runner.instructions.words.families import STEMS, is_member
from pm_orchestrator.runner.places.place import Place, Seen
from pm_orchestrator.runner.run.phases.texts.left_in_texts import (
    conflicts_left,
    reaching_for_records,
)
from pm_orchestrator.runner.run.phases.texts.promised_tests import promised_tests
from pm_orchestrator.runner.run.phases.texts.translations import untranslated
from pm_orchestrator.runner.run.texts_of_code import is_read_by_code

LARGEST = 256 * 1024
"""Bytes; what is larger is no text that a person wrote."""
NO_TEXT = 32 * 1024**2
MOST_READ = 100
# What tells of former days, and what tools write.
KEPT_AS_IT_WAS = LatePattern(
    r"(?:^|/)(?:node_modules|vendor|third_party|dist|build|target|out|migrations|__snapshots__|\.[^/]+)/"
    r"|(?:^|/)(?:change(?:s|log)?|history|news|releases?)(?:[._-][^/]*)?$|(?:^|[./-])lock(?:\.\w+)?$|\.lock$",
)


async def shortfalls(place: Place, instruction: str, seen: Seen) -> tuple[Reason, ...]:
    """Each kind of thing that was stated and is missing."""
    made = [c for c in seen.changes if c.kind != "deleted" and c.size <= LARGEST][:MOST_READ]
    found: list[Reason] = []
    if seen.comparable and (wanted := value_changes(instruction)):
        values = _Values(place, seen, made)
        unset = [change.say() for change in wanted if not await values.holds(change)]
        found += _reason("values_not_set", "values", unset)
    if asks_for_behaviour(instruction):
        found += _reason("only_documents", "files", await _only_documents(place, seen))
    if names := named_code(instruction):
        found += _reason("names_missing", "names", await _not_there(place, seen, made, names))
        if not wants_no_work(instruction):
            hollow = await _hollow(place, seen, made, names)
            found += _reason("names_hollow", "names", hollow)
    found += await promised_tests(place, instruction, seen, made)
    if asks_for_translation(instruction):
        same = await untranslated(place, instruction, seen, made)
        found += _reason("not_translated", "files", same)
    conflicts = await conflicts_left(place, instruction, seen, made)
    found += _reason("conflict_markers", "files", conflicts)
    reaching = await reaching_for_records(place, instruction, seen, made)
    found += _reason("records_reached_for", "files", reaching)
    return tuple(found)


def not_read(expected: tuple[str, ...], seen: Seen) -> tuple[Reason, ...]:
    """Texts that were asked for and that nobody can have written, by their size alone."""
    large = [c.path for c in seen.changes if c.size > NO_TEXT and c.path in expected]
    return tuple(_reason("files_not_read", "files", [path for path in large if _is_text(path)]))


def _is_text(path: str) -> bool:
    return is_document(path) or is_product_code(path) or is_setting(path)


def changed_unasked(changes: Iterable[FileChange]) -> Iterator[Reason]:
    """What was changed although nothing was to be; a new text beside it may hold the answer."""
    paths = [c.path for c in changes if c.kind != "created" or is_product_code(c.path)]
    return _reason("changed_unasked", "files", paths)


def _reason(key: str, param: str, found: Sequence[str]) -> Iterator[Reason]:
    if found:
        yield Reason(key=key, params={param: ", ".join(found[:10])})


class _Values:
    def __init__(self, place: Place, seen: Seen, made: list[FileChange]) -> None:
        self._place = place
        self._seen = seen
        self._made = made

    async def holds(self, wanted: ValueChange) -> bool:
        made = {c.path: c.previous_path or c.path for c in self._made}
        listing = await self._place.listing()
        named = {p: made.get(p, p) for p in _named(wanted.files, (*made, *listing))}
        if wanted.files and not named:
            # Whatever was meant by the name, it cannot be looked into.
            return True
        # What was moved besides is looked for where it went.
        there = await self._place.read_some(self._seen, list(named), LARGEST)
        named = {path: was for path, was in named.items() if path in there}
        if not is_set(wanted, await self._texts(named), await self._texts(made)):
            return False
        if named or wanted.reach == "somewhere" or is_number(wanted.old):
            return True
        left = [p for p in listing if is_data(p) and not KEPT_AS_IT_WAS.search(p.lower())]
        if wanted.reach == "documents":
            left = [path for path in left if is_document(path)]
            # Where they have a folder of their own, it may be what is meant.
            left = [path for path in left if FOR_PEOPLE & set(path.split("/"))] or left
        contents = await self._place.read_some(self._seen, left, LARGEST)
        return not holding(wanted, {path: _text(content) for path, content in contents.items()})

    async def _texts(self, paths: dict[str, str]) -> dict[str, TwoTexts]:
        return {
            path: TwoTexts(
                _text(await self._place.read_base(was)),
                _text(await self._place.read_now(self._seen, path)),
            )
            for path, was in paths.items()
        }


def _named(names: Iterable[str], paths: Sequence[str]) -> list[str]:
    """The files that are meant: by their path, by the end of it, or by what they are."""
    found: dict[str, None] = {}
    for name in names:
        whole = posixpath.normpath(name)
        ends = [p for p in dict.fromkeys(paths) if p == whole or p.endswith(f"/{whole}")]
        if name in STEMS:
            ends = [p for p in dict.fromkeys(paths) if is_member(name, p)]
        if whole in ends:
            ends = [whole]
        if len(ends) == 1:
            found[ends[0]] = None
    return list(found)


async def _only_documents(place: Place, seen: Seen) -> list[str]:
    """The documents, where there is nothing else and the project has code."""
    paths = [change.path for change in seen.changes]
    # Hidden folders hold texts that tools obey.
    written = all(is_document(path) and not path.startswith(".") for path in paths)
    if not written or not any(map(is_product_code, await place.listing())):
        return []
    # What tests read of a text makes it no program.
    return [] if await is_read_by_code(place, seen, by_tests=False) else paths


async def _not_there(
    place: Place, seen: Seen, made: list[FileChange], names: tuple[str, ...]
) -> list[str]:
    """Names of new code that nothing changed has, and that were not there before either."""
    changed = [change.path for change in made if not is_document(change.path)]
    texts = [_text(await place.read_now(seen, path)) for path in changed]
    left = [name for name in names if not any(is_named_in(name, text) for text in texts)]
    if not left or not changed:
        # Where nothing but documents was changed, that is said.
        return []
    code = [path for path in await place.listing() if is_product_code(path)]
    there = await place.read_some(seen, code, LARGEST)
    known = [_text(content) for content in there.values()]
    return [name for name in left if not any(is_named_in(name, text) for text in known)]


async def _hollow(
    place: Place, seen: Seen, made: list[FileChange], names: tuple[str, ...]
) -> list[str]:
    """Names of functions that came, and do nothing with what they are given."""
    from pm_orchestrator.gates.answers.hollow import hollow_functions

    found: dict[str, bool] = {}
    for path in (change.path for change in made if is_product_code(change.path)):
        for name, is_hollow in hollow_functions(
            path, _text(await place.read_now(seen, path))
        ).items():
            found[name] = found.get(name, True) and is_hollow
    return [name for name in names if found.get(name, False)]


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "replace")
