"""The person before a task, as its executor asks them while it works."""

from typing_extensions import override

from pm_orchestrator.domain.company.asking import OpenChoice, Permit, Wish
from pm_orchestrator.ports.executor import Person


class AskedAtWork(Person):
    """Passes on what is asked, and remembers what outlives the task."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self.rules: list[str] = []
        """What is to be allowed from now on."""
        self.left = False
        """They left a question unanswered; it is not put again."""

    @override
    async def permit(self, wish: Wish) -> Permit:
        permit = await self._person.permit(wish)
        if permit.decision == "always":
            self.rules += wish.rules
        return permit

    @override
    async def pick(self, choice: OpenChoice) -> str:
        answer = await self._person.pick(choice)
        self.left = not answer
        return answer
