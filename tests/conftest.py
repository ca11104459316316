"""What every test shares: Hypothesis profiles, a fake clock, and no network but loopback."""

import os

import pytest
from hypothesis import HealthCheck, settings

from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock

settings.register_profile(
    "ci",
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("dev", parent=settings.get_profile("ci"), max_examples=100)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_runtest_setup(item: pytest.Item) -> None:
    import pytest_socket

    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ids() -> CountingIds:
    return CountingIds()
