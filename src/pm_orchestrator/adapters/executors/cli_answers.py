"""Answering what a CLI asks while it runs: one request after the other is put to a person."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from pm_orchestrator.adapters.executors.cli_story import CliRequest, CliTalk
from pm_orchestrator.domain.company.asking import Permit, Wish
from pm_orchestrator.ports.executor import Person
from pm_orchestrator.ports.process import Say


class CliAnswers:
    """The talk of one run of a CLI, from what it is told first to the end of its input."""

    def __init__(
        self, talk: CliTalk, person: Person, instruction: str, answered: Callable[[], None]
    ) -> None:
        """`answered` hears when nobody is asked any more for the moment."""
        self._talk = talk
        self._person = person
        self._instruction = instruction
        self._answered = answered
        self._say: Say = _to_nobody
        self._requests: dict[str, CliRequest] = {}
        self._asked: str | None = None
        self._asking: asyncio.Task[None] | None = None
        self.failure: Exception | None = None
        """Why nobody could be asked; the CLI would wait for ever."""
        self.declined: set[str] = set()
        """Calls that the person would not have."""

    def begin(self, say: Say) -> None:
        """The CLI is there."""
        self._say = say
        say(self._talk.opening(self._instruction))

    def take(self, event: Mapping[str, Any]) -> bool:
        """Whether the event asks something; then a person is asked."""
        request = self._talk.asked(event)
        if request is not None:
            self._requests[request.name] = request
            self._ask_on()
            return True
        gone = self._talk.withdrawn(event)
        if gone is not None and self._requests.pop(gone, None) is not None and gone == self._asked:
            self._stop_asking()
            self._ask_on()
        return False

    def end(self) -> None:
        """It has said its last word, and hears no more."""
        self._requests.clear()
        self._stop_asking()
        self._say(b"")

    def _ask_on(self) -> None:
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())

    def _stop_asking(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    async def _ask(self) -> None:
        while self._requests:
            self._asked, request = next(iter(self._requests.items()))
            try:
                said = await self._answer(request)
            except Exception as error:  # noqa: BLE001 - raised again by who started the CLI
                self.failure = error
                return
            del self._requests[self._asked]
            self._say(said)
        self._asking = None
        self._answered()

    async def _answer(self, request: CliRequest) -> bytes:
        if isinstance(request.about, Wish):
            permit: Permit = await self._person.permit(request.about)
            if permit.decision == "no":
                self.declined.add(request.about.call)
            return self._talk.permit(request, permit)
        answers: dict[str, str] = {}
        for choice in request.about:
            answer = (await self._person.pick(choice)).strip()
            if not answer:
                return self._talk.choose(request, {})
            answers[choice.question] = answer
        return self._talk.choose(request, answers)


def _to_nobody(_: bytes) -> None:
    """Before the CLI is there."""
