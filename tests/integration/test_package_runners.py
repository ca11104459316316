"""What the runners that projects install from the registry report about each test."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.views.overlay_views import OverlayViews
from pm_orchestrator.gates.judge.runner_reports import RunnerReport, read_report
from pm_orchestrator.ports.process import Command
from pm_orchestrator.ports.tree_views import Patch

# They are installed first.
pytestmark = [pytest.mark.long, pytest.mark.timeout(600), pytest.mark.enable_socket]

Install = Callable[[str], Path]
RUNNERS = {
    "mocha 9": ("mocha@9.2.2", "npx mocha some.test.js"),
    "mocha 11": ("mocha@11.1.0", "npx mocha some.test.js"),
    "mocha 11 in parallel": ("mocha@11.1.0", "npx mocha --parallel some.test.js"),
    "jest 27": ("jest@27.5.1", "npx jest --testMatch '**/some.test.js'"),
    "jest 29": ("jest@29.7.0", "npx jest --testMatch '**/some.test.js'"),
    "jest 30": (
        "jest@30.0.0",
        "NODE_OPTIONS=--experimental-vm-modules npx jest --testMatch '**/some.test.js'",
    ),
    "vitest 1": ("vitest@1.6.0", "npx vitest run --globals some.test.mjs"),
    "vitest 2": ("vitest@2.1.9", "npx vitest run --globals --reporter=json some.test.mjs"),
    "vitest 3": ("vitest@3.0.9", "npx vitest run --globals --pool=threads some.test.mjs"),
}
GOOD = (
    "describe('group', () => { it('good', () => {}); it.skip('later', () => { nothing(); }); });\n"
)
BAD = "it('bad', () => { throw new Error('no'); });\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Install:
    """Installs a package, each in a folder of its own and only once."""
    place = tmp_path_factory.mktemp("packages")

    def install(package: str) -> Path:
        folder = place / package
        if not folder.exists():
            folder.mkdir()
            (folder / "package.json").write_text("{}", encoding="utf-8")
            argv = ["npm", "install", "--no-audit", "--no-fund", "--silent", package]
            subprocess.run(argv, cwd=folder, check=True, capture_output=True)
        return folder

    return install


async def ran(root: Path, tmp_path: Path, script: str) -> tuple[int | None, RunnerReport | None]:
    commands = LocalCommands()
    views = OverlayViews(commands, (tmp_path,), os.environ["PATH"])
    async with views.of(root, Patch()) as view:
        assert view is not None
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        argv = ("sh", "-c", script)
        command = Command(argv=argv, cwd=root, env=env, views=view.directories)
        result = await commands.run(command)
        return result.exit_code, read_report(view.reported())


@pytest.mark.parametrize("name", RUNNERS)
async def test_each_test_is_heard(installed: Install, tmp_path: Path, name: str) -> None:
    package, script = RUNNERS[name]
    root = installed(package)
    spec = "some.test.mjs" if "vitest" in package else "some.test.js"
    (root / spec).write_text(GOOD + BAD, encoding="utf-8")
    (root / "package.json").write_text(json.dumps({"scripts": {"test": script}}), encoding="utf-8")
    code, report = await ran(root, tmp_path, "npm test || true")
    assert code == 0
    assert report is not None
    assert report.passed == {f"{spec} > group > good"}
    assert (report.failed, report.whole) == ((f"{spec} > bad",), True)

    (root / spec).write_text(GOOD, encoding="utf-8")
    code, report = await ran(root, tmp_path, script)
    assert code == 0
    assert report is not None
    assert (report.executed, report.failed, report.whole) == (1, (), True)


@pytest.mark.parametrize("name", ["mocha 11", "jest 29"])
async def test_a_run_that_is_cut_off_is_seen(installed: Install, tmp_path: Path, name: str) -> None:
    package, script = RUNNERS[name]
    (installed(package) / "some.test.js").write_text(
        GOOD + "it('leaves', () => process.exit(0));\n", encoding="utf-8"
    )
    code, report = await ran(installed(package), tmp_path, script)
    assert code == 0
    assert report is not None
    assert not report.whole


async def test_a_rehearsal_runs_nothing(installed: Install, tmp_path: Path) -> None:
    package, script = RUNNERS["mocha 11"]
    (installed(package) / "some.test.js").write_text(GOOD, encoding="utf-8")
    _, report = await ran(installed(package), tmp_path, f"{script} --dry-run")
    assert report is not None
    assert report.executed == 0
