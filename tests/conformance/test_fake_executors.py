"""Executors that stand in for others keep the contract as far as it goes."""

import pytest
from typing_extensions import override

from pm_orchestrator.adapters.executors.recovery_stub import RecoveryStub
from pm_orchestrator.ports.executor import Executor
from pm_orchestrator.testing.contracts.executor_contract import (
    CONTENT,
    MADE,
    FailingContract,
    UnreadyContract,
    WorkingContract,
)
from pm_orchestrator.testing.scripted.fake_executors import (
    AskingFake,
    BlockedFake,
    ErrorFake,
    SuccessFake,
)


class TestSuccessFake(WorkingContract):
    @pytest.fixture
    @override
    def working(self) -> Executor:
        return SuccessFake(MADE, CONTENT)


class TestErrorFake(FailingContract):
    @pytest.fixture
    @override
    def failing(self) -> Executor:
        return ErrorFake()


class TestBlockedFake(FailingContract):
    @pytest.fixture
    @override
    def failing(self) -> Executor:
        return BlockedFake(said="Which one?")


class TestAskingFake(FailingContract):
    @pytest.fixture
    @override
    def failing(self) -> Executor:
        return AskingFake(["Which one?"])


class TestRecoveryStub(FailingContract, UnreadyContract):
    @pytest.fixture(params=["timeout", "blocked", "fail-closed"])
    @override
    def failing(self, request: pytest.FixtureRequest) -> Executor:
        return RecoveryStub(str(request.param))

    @pytest.fixture
    @override
    def unready(self) -> Executor:
        return RecoveryStub("no such scenario")
