"""The bus in memory keeps the contract that it stands in for."""

import pytest
from typing_extensions import override

from pm_orchestrator.testing.contracts.queue_contract import OpenQueue, QueueContract
from pm_orchestrator.testing.memory.fake_clock import FakeClock
from pm_orchestrator.testing.memory.memory_queue import MemoryQueue


class TestMemoryQueue(QueueContract):
    """E-28 Message Queue Abstraction: the same promises without a disk."""

    @pytest.fixture
    @override
    def open_queue(self, clock: FakeClock) -> OpenQueue:
        queue = MemoryQueue(clock)
        return lambda: queue
