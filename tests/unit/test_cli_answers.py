"""One request after the other is put to a person, as long as anybody waits for it."""

import asyncio
import json
from typing import Any

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.executors.claude_control import ClaudeTalk
from pm_orchestrator.adapters.executors.cli_answers import CliAnswers
from pm_orchestrator.domain.company.asking import OpenChoice, Permit, Wish
from pm_orchestrator.ports.executor import Person


class SlowPerson(Person):
    """Answers when the test says so."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.words: asyncio.Queue[str | Exception] = asyncio.Queue()

    async def _word(self, about: str) -> str:
        self.asked.append(about)
        word = await self.words.get()
        if isinstance(word, Exception):
            raise word
        return word

    @override
    async def permit(self, wish: Wish) -> Permit:
        word = await self._word(wish.subject)
        return Permit(decision="once") if word == "once" else Permit(decision="no", words=word)

    @override
    async def pick(self, choice: OpenChoice) -> str:
        return await self._word(choice.question)


class Talk:
    """The answers of one run, and what the CLI was told."""

    def __init__(self) -> None:
        self.person = SlowPerson()
        self.heard: list[Any] = []
        self.released = 0
        self.answers = CliAnswers(ClaudeTalk(), self.person, "Do it", self._release)
        self.answers.begin(self._hear)

    def _release(self) -> None:
        self.released += 1

    def _hear(self, data: bytes) -> None:
        self.heard.append(json.loads(data) if data else "end")

    def asks(self, name: str, tool: str = "Bash", **given: Any) -> bool:
        request = {
            "subtype": "can_use_tool",
            "tool_name": tool,
            "input": given or {"command": name},
        }
        return self.answers.take(
            {"type": "control_request", "request_id": name, "request": request}
        )

    async def says(self, word: str | Exception) -> None:
        await self.person.words.put(word)
        await asyncio.sleep(0.01)

    @property
    def answered(self) -> list[tuple[str, str]]:
        responses = [each["response"] for each in self.heard[1:] if each != "end"]
        return [(each["request_id"], each["response"]["behavior"]) for each in responses]


@pytest.fixture
async def talk() -> Talk:
    return Talk()


async def test_requests_are_asked_one_after_the_other(talk: Talk) -> None:
    assert talk.heard[0]["message"]["content"][0]["text"] == "Do it"
    assert talk.asks("a")
    assert talk.asks("b")
    await asyncio.sleep(0.01)
    assert talk.person.asked == ["a"]
    await talk.says("once")
    assert (talk.answered, talk.person.asked) == ([("a", "allow")], ["a", "b"])
    assert talk.released == 0, "somebody is still waited for"
    await talk.says("never")
    assert talk.answered == [("a", "allow"), ("b", "deny")]
    assert talk.released == 1
    assert talk.answers.declined == {"Bash b"}


async def test_what_is_withdrawn_is_asked_no_more(talk: Talk) -> None:
    talk.asks("a")
    talk.asks("b")
    await asyncio.sleep(0.01)
    cancelled = {"type": "control_cancel_request", "request_id": "a"}
    assert not talk.answers.take(cancelled)
    await talk.says("once")
    assert talk.person.asked == ["a", "b"]
    assert talk.answered == [("b", "allow")]
    assert talk.released == 1


async def test_after_the_last_withdrawal_the_clocks_go_on(talk: Talk) -> None:
    talk.asks("a")
    await asyncio.sleep(0.01)
    talk.answers.take({"type": "control_cancel_request", "request_id": "a"})
    await asyncio.sleep(0.01)
    assert talk.released == 1
    assert talk.answered == []


async def test_a_question_left_is_declined_and_several_are_answered_in_one(talk: Talk) -> None:
    both = [{"question": "Which?"}, {"question": "Why?"}]
    talk.asks("a", "AskUserQuestion", questions=both)
    await talk.says("this")
    await talk.says("so")
    response = talk.heard[-1]["response"]["response"]
    assert response["updatedInput"]["answers"] == {"Which?": "this", "Why?": "so"}
    talk.asks("b", "AskUserQuestion", questions=both)
    await talk.says("")
    assert talk.answered[-1] == ("b", "deny")


async def test_where_nobody_can_be_asked_it_is_not_waited_for(talk: Talk) -> None:
    talk.asks("a")
    await talk.says(OSError("the terminal has gone"))
    assert isinstance(talk.answers.failure, OSError)
    assert talk.answered == []


async def test_after_the_end_nothing_is_said(talk: Talk) -> None:
    talk.asks("a")
    await asyncio.sleep(0.01)
    talk.answers.end()
    await talk.says("once")
    assert talk.heard[1:] == ["end"]
