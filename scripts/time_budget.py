"""A pytest plugin that stops starting tests when the time is used up.

The long tests take longer than a check before a merge may. Cut off by a signal
they would count as failures; so the rest is skipped, and says why. The order is
random (pytest-randomly), so every run sees another part of them.
"""

import time

import pytest

_DEADLINE = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--time-budget", type=float, help="start no test after this many seconds")


def pytest_configure(config: pytest.Config) -> None:
    budget: float | None = config.getoption("--time-budget")
    config.stash[_DEADLINE] = float("inf") if budget is None else time.monotonic() + budget


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if time.monotonic() > item.config.stash[_DEADLINE]:
        pytest.skip("the time budget is used up")
