"""Checks that the task itself makes: an order like any other, which has to run and to end.

Whoever is asked for a `make test` or an npm script is not judged by it, but it is run once: a
target that waits for ever, or that make cannot even read, is no check.
"""

from typing_extensions import override

from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.gates.compare.check_files import is_setting
from pm_orchestrator.gates.compare.task_names import names_path
from pm_orchestrator.gates.detect.base_tree import BaseTree
from pm_orchestrator.gates.detect.detection import detect
from pm_orchestrator.gates.weaker.asked_settings import asks_for_file
from pm_orchestrator.runner.places.place import Place, Seen, names_below
from pm_orchestrator.runner.run.facts import Wanted


async def made_gates(
    place: Place, wanted: Wanted, seen: Seen, gates: tuple[Gate, ...]
) -> tuple[Gate, ...]:
    """Gates that the delivered tree has and the base had not, of files that were asked for."""
    left = {change.path for change in seen.changes if change.kind != "deleted"}
    sources = {path for path in left if is_setting(path)}
    if not any(_is_asked_for(path, wanted) for path in sources):
        return ()
    known = {gate.kind for gate in gates}
    found = [gate for gate in await detect(_Delivered(place, seen)) if gate.kind not in known]
    asked = (g for g in found if g.source in sources and _is_asked_for(g.source, wanted))
    return tuple([gate for gate in asked if await place.can_run(gate.argv)])


def _is_asked_for(path: str, wanted: Wanted) -> bool:
    asked = wanted.instruction
    return names_path(asked, path) or any(asks_for_file(asked, path, k) for k in ("lint", "test"))


class _Delivered(BaseTree):
    """The delivered tree, to be looked through like the one from before."""

    def __init__(self, place: Place, seen: Seen) -> None:
        self._place = place
        self._seen = seen

    @override
    async def read_base(self, path: str) -> bytes | None:
        return await self._place.read_now(self._seen, path)

    @override
    async def names_in(self, folder: str) -> tuple[str, ...]:
        changes = self._seen.changes
        gone = {c.path for c in changes if c.kind == "deleted"}
        gone |= {c.previous_path for c in changes if c.previous_path}
        there = (set(await self._place.listing()) - gone) | {c.path for c in changes} - gone
        return names_below(there, folder)

    @override
    async def can_run(self, argv: tuple[str, ...]) -> bool:
        return await self._place.can_run(argv)
