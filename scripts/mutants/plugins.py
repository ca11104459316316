"""What pytest is told by plugins: how to try quickly, what is wanted, and what is reached."""

import os
from collections.abc import Callable, Generator
from pathlib import Path

import hypothesis
import pytest
from scripts.mutants.forks import Answer, Said, in_fork, note

FEW, FEWEST = "30", "10"
"""So many cases of each property: enough to see a break, and enough to see what is reached."""
PLUGINS = ("_hypothesis_pytestplugin", "pytest_asyncio.plugin", "pytest_socket", "pytest_timeout")


LOADED_BEFORE = (*PLUGINS, "coverage", "hypothesis.strategies", "httpx2", "msgspec", "starlette")
"""What tests need of others, loaded once."""


def arguments(*more: str) -> list[str]:
    """What every start of pytest is given; the plugins that others may have are not asked for."""
    os.environ.update(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    given = ["-q", "-s", "-m", "not long", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    for plugin in PLUGINS:
        given += ["-p", plugin]
    return [*given, "-p", "no:cacheprovider", *more]


class Quick:
    """Properties are tried without looking for the simplest failure, and remember nothing."""

    def pytest_sessionstart(self) -> None:
        quick = hypothesis.settings(
            hypothesis.settings.default,
            database=None,
            phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
        )
        hypothesis.settings.register_profile("quick", quick)
        hypothesis.settings.load_profile("quick")


class Heard:
    """How each test ended, and how long it took."""

    def __init__(self) -> None:
        self.said = Said(failed=[], seconds={})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = self.said["seconds"]
        seconds[report.nodeid] = seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.said["failed"].append(report.nodeid)


class Traced:
    """Notes for each test the lines of the product that it reaches."""

    def __init__(self) -> None:
        import coverage

        os.environ["PROPERTY_CASES"] = FEWEST
        self._notes = Path(".traced").resolve()
        self._notes.mkdir()
        self._current = self._notes / "current"
        self._current.touch()
        self._coverage = coverage.Coverage(
            data_file=str(self._notes / "data"),
            data_suffix=True,
            config_file=False,
            include=[str(Path("src").resolve() / "*")],
            messages=False,
        )
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._current.write_text(item.nodeid, encoding="utf-8")
        self._coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self._coverage.switch_context("")

    def end(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        self._current.unlink()


class Collected:
    """Holds collected tests, and runs some in a fork for each who asks."""

    def __init__(self, serve: Callable[["Collected"], None]) -> None:
        self._serve = serve
        self._items: dict[str, pytest.Item] = {}
        self._heard = Heard()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._items = {item.nodeid: item for item in session.items}
        session.config.pluginmanager.register(self._heard)
        self._serve(self)
        return True

    def run(self, tests: list[str], before: Callable[[], None], patience_s: float) -> Answer:
        """Those of the tests that are there, in this order, to the first that fails."""
        return in_fork(lambda folder: self._run(tests, before, folder), patience_s)

    def _run(self, tests: list[str], before: Callable[[], None], folder: Path) -> int:
        before()
        items = [self._items[test] for test in tests if test in self._items]
        for place, item in enumerate(items):
            following = items[place + 1] if place + 1 < len(items) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._heard.said["failed"]:
                break
        note(folder, self._heard.said)
        return int(bool(self._heard.said["failed"]))
