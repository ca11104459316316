"""Whatever is sent is delivered until it is acknowledged, whoever dies in between."""

import asyncio
import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test
from typing_extensions import override

from pm_orchestrator.adapters.queues.file_queue import FileQueue
from pm_orchestrator.adapters.queues.outbox import Outbox
from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.ports.message_queue import Delivery, MessageQueue
from pm_orchestrator.testing.contracts.queue_contract import message
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock
from pm_orchestrator.testing.memory.memory_queue import MemoryQueue

RECIPIENTS = ["worker-1", "worker-2"]


class PowerCut(BaseException):
    """The sender ends here."""


@contextmanager
def power_cut_at(call: int) -> Generator[None]:
    """Cut the power before the `call`-th change of the disk."""
    left = call

    def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
        def act(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                raise PowerCut
            return function(*args, **kwargs)

        return act

    with (
        mock.patch.object(os, "link", guarded(os.link)),
        mock.patch.object(os, "fsync", guarded(os.fsync)),
        mock.patch.object(Path, "rename", guarded(Path.rename)),
        mock.patch.object(Path, "unlink", guarded(Path.unlink)),
    ):
        yield


class Kept:
    """What the model knows of one message."""

    def __init__(self, sent: AgentMessage) -> None:
        self.sent = sent
        self.acknowledged = False
        self.attempt = 0
        self.hidden_until: datetime | None = None


class Bus(RuleBasedStateMachine):
    """Sending, claiming, dying, expiring, acknowledging, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self._loop = asyncio.Runner()
        self._root = Path(self._folder.name) / "bus"
        self._clock = FakeClock()
        self._ids = CountingIds()
        self._queue = self._open()
        self._model: list[Kept] = []
        self._claims: list[tuple[Kept, Delivery]] = []
        self._count = 0

    def _open(self) -> FileQueue:
        return FileQueue(self._root, self._clock, self._ids)

    def _new(self, recipient: str) -> AgentMessage:
        self._count += 1
        return message(self._count, recipient=recipient)

    @rule(recipient=st.sampled_from(RECIPIENTS))
    def send(self, recipient: str) -> None:
        new = self._new(recipient)
        self._loop.run(self._queue.send(new))
        self._model.append(Kept(new))

    @precondition(lambda self: self._model)
    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        self._loop.run(self._queue.send(data.draw(st.sampled_from(self._model)).sent))

    @rule(recipient=st.sampled_from(RECIPIENTS), call=st.integers(1, 8), same=st.booleans())
    def die_while_sending(self, recipient: str, call: int, *, same: bool) -> None:
        """What was half sent is sent once, by sending it again or by the next sender."""
        new = self._new(recipient)
        try:
            with power_cut_at(call):
                Outbox(self._root).post(new)
        except PowerCut:
            pass
        self._queue = self._open()
        if same:
            self._loop.run(self._queue.send(new))
            self._model.append(Kept(new))
            return
        self._model += [Kept(new)] if self._half_sent(new) else []
        self.send(recipient)

    def _half_sent(self, new: AgentMessage) -> bool:
        return any(
            new.id in path.read_text("utf-8")
            for folder in ("sending", "messages", "inbox")
            for path in (self._root / folder).rglob("*")
            if path.is_file()
        )

    @rule(recipient=st.sampled_from(RECIPIENTS), visibility=st.integers(1, 20))
    def claim(self, recipient: str, visibility: int) -> None:
        now = self._clock.now()
        expected = next(
            (
                kept
                for kept in self._model
                if kept.sent.recipient == recipient
                and not kept.acknowledged
                and (kept.hidden_until is None or kept.hidden_until <= now)
            ),
            None,
        )
        delivery = self._loop.run(self._queue.claim(recipient, visibility_s=visibility))
        if expected is None:
            assert delivery is None
            return
        assert delivery is not None
        expected.attempt += 1
        expected.hidden_until = now + timedelta(seconds=visibility)
        assert (delivery.message, delivery.attempt) == (expected.sent, expected.attempt)
        self._claims.append((expected, delivery))

    @precondition(lambda self: self._claims)
    @rule(data=st.data())
    def acknowledge(self, data: st.DataObject) -> None:
        kept, delivery = data.draw(st.sampled_from(self._claims))
        current = delivery.attempt == kept.attempt
        assert self._loop.run(self._queue.acknowledge(delivery)) == current
        kept.acknowledged = kept.acknowledged or current

    @rule(seconds=st.integers(1, 15))
    def wait(self, seconds: int) -> None:
        self._clock.advance(seconds)

    @rule()
    def claimer_dies(self) -> None:
        self._queue = self._open()
        self._claims.clear()

    async def _drain(self, recipient: str) -> list[str]:
        got: list[str] = []
        while delivery := await self._queue.claim(recipient, visibility_s=60):
            got.append(delivery.message.id)
            assert await self._queue.acknowledge(delivery)
        return got

    @override
    def teardown(self) -> None:
        try:
            self._clock.advance(100)
            for recipient in RECIPIENTS:
                owed = [k.sent for k in self._model if not k.acknowledged]
                expected = [sent.id for sent in owed if sent.recipient == recipient]
                assert self._loop.run(self._drain(recipient)) == expected
            history = self._loop.run(self._queue.history("run_001"))
            assert history == tuple(kept.sent for kept in self._model)
            assert not (self._root / "quarantine").exists()
        finally:
            self._loop.close()
            self._folder.cleanup()


def test_message_delivery_guarantee() -> None:
    """E-18 Message Delivery Guarantee: delivered until acknowledged, and in the history."""
    run_state_machine_as_test(Bus, settings=settings(stateful_step_count=25))


QUEUES: dict[str, Callable[[Path, FakeClock], MessageQueue]] = {
    "file": lambda root, clock: FileQueue(root, clock, CountingIds()),
    "memory": lambda _, clock: MemoryQueue(clock),
}
PAYLOADS = st.dictionaries(
    st.text(max_size=8),
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=8,
    ),
    max_size=4,
)


@given(payloads=st.lists(PAYLOADS, max_size=5))
def test_every_queue_delivers_alike(payloads: list[dict[str, Any]]) -> None:
    """E-28 Message Queue Abstraction: the same messages arrive over whatever queue is used."""
    sent = [message(n, body=payload) for n, payload in enumerate(payloads)]

    async def carry(queue: MessageQueue) -> list[AgentMessage]:
        for one in sent:
            await queue.send(one)
        got: list[AgentMessage] = []
        while delivery := await queue.claim("worker-1", visibility_s=60):
            got.append(delivery.message)
            assert await queue.acknowledge(delivery)
        assert await queue.history("run_001") == tuple(sent)
        return got

    for make in QUEUES.values():
        with tempfile.TemporaryDirectory() as folder:
            assert asyncio.run(carry(make(Path(folder), FakeClock()))) == sent
