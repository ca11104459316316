"""What every test shares: how many cases, a fake clock, Ctrl-C, and no network but loopback."""

import gc
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from pm_orchestrator.testing.corpus.listing import summary
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock
from pm_orchestrator.testing.programs.preloaded_calls import PRELOADED

# `make cov`, which CI runs as well, tries more.
settings.register_profile(
    "cases",
    max_examples=int(os.environ.get("PROPERTY_CASES", "100")),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("cases")
# Whoever starts the tests in the background has Ctrl-C ignored, and every program a test starts
# would inherit that; for a program in the foreground of a terminal it is not.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The shims of a version manager are shell scripts, ten times as dear as the python3 they find; the
# small projects of the tests call it a thousand times.
os.environ["PATH"] = os.pathsep.join(
    sorted(os.environ["PATH"].split(os.pathsep), key=lambda place: place.endswith("shims"))
)


SLOWEST_FIRST = ("acceptance", "integration", "properties", "conformance", "architecture", "unit")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Deal the modules out to the workers, the slow ones first, so that all end together.

    A worker begins with an equal share of the list, front to back, and at its end takes over
    from the back of another's. Within a folder the order stays random.
    """
    modules: dict[str, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(str(item.path), []).append(item)
    dealt = sorted(modules.values(), key=lambda module: _rank(module[0]))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    hands = (dealt[worker::workers] for worker in range(workers))
    items[:] = [item for hand in hands for module in hand for item in module]


def _rank(item: pytest.Item) -> int:
    folder = item.path.parent.name
    return SLOWEST_FIRST.index(folder) if folder in SLOWEST_FIRST else 0


def pytest_collection_finish() -> None:
    """Take thousands of tests, which all stay to the end, out of every look for garbage."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    PRELOADED.end()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    stats = terminalreporter.stats
    kinds = ("passed", "failed", "xfailed", "xpassed")
    if lines := summary(report for kind in kinds for report in stats.get(kind, ())):
        terminalreporter.section("corpus")
        terminalreporter.write_line("\n".join(lines))


def pytest_runtest_setup(item: pytest.Item) -> None:
    import pytest_socket

    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ids() -> CountingIds:
    return CountingIds()
