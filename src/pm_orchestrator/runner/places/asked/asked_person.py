"""Whoever is asked while an executor works: shown nothing secret, and every answer on record."""

from collections.abc import Awaitable, Callable

from msgspec.structs import replace
from typing_extensions import override

from pm_orchestrator.domain.company.asking import OpenChoice, Permit, Wish
from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.evidence.masking.redaction import redact
from pm_orchestrator.ports.executor import Person
from pm_orchestrator.ports.recorder import PERSON
from pm_orchestrator.runner.records.notes import Notes


class AskedPerson(Person):
    """Stands between an executor and the person; one who is not there permits nothing new."""

    def __init__(
        self, person: Person | None, permitted: frozenset[str], masker: Masker, note: Notes
    ) -> None:
        """`permitted` are calls that were permitted before, in the words of the task's log."""
        self._person = person
        self._permitted = permitted
        self._masker = masker
        self._note = note

    @override
    async def permit(self, wish: Wish) -> Permit:
        shown = redact(wish, self._masker)
        if shown.rules != wish.rules:
            # A rule is written down as it is, and this one holds a secret.
            shown = replace(shown, rules=())
        if self._masker.for_log_events().mask(wish.call).text in self._permitted:
            permit = Permit(decision="once")
        elif self._person is None:
            permit = Permit(decision="nobody")
        else:
            permit = await self._person.permit(shown)
        said = f"{shown.call}\n{permit.decision} {permit.words}".rstrip()
        await self._note("permission", said, by=PERSON)
        return permit

    @override
    async def pick(self, choice: OpenChoice) -> str:
        if self._person is None:
            return ""
        answer = await self._person.pick(redact(choice, self._masker))
        await self._note("choice", f"{choice.question}\n{answer}", by=PERSON)
        return answer


def asked_person(
    person: Person | None, permitted: frozenset[str], masker: Masker, note: Notes
) -> Person | None:
    """Somebody to ask, where there is anything that they could say."""
    if person is None and not permitted:
        return None
    return AskedPerson(person, permitted, masker, note)


class AskedAfterNews(Person):
    """Is asked only when all that the executor said before has been passed on."""

    def __init__(self, person: Person, caught_up: Callable[[], Awaitable[None]]) -> None:
        self._person = person
        self._caught_up = caught_up

    @override
    async def permit(self, wish: Wish) -> Permit:
        await self._caught_up()
        return await self._person.permit(wish)

    @override
    async def pick(self, choice: OpenChoice) -> str:
        await self._caught_up()
        return await self._person.pick(choice)
