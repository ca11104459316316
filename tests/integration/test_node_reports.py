"""What the nodes of a gate report about each test, whoever starts them and however."""

import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pm_orchestrator.adapters.subprocesses import LocalCommands
from pm_orchestrator.adapters.views.overlay_views import OverlayViews
from pm_orchestrator.gates.judge.runner_reports import RunnerReport, read_report
from pm_orchestrator.ports.process import Command, CommandResult
from pm_orchestrator.ports.tree_views import Patch

pytestmark = pytest.mark.timeout(120)

Gate = Callable[[str], Awaitable[tuple[CommandResult, RunnerReport | None]]]
PASSES = "require('node:test').test('ok', () => {});\n"
FAILS = "require('node:test').test('bad', () => { throw new Error('no'); });\n"
SPAWNS = "node -e \"require('child_process').spawnSync(process.execPath, ['--test'], {env: {}})\""
MIXED = """\
import { describe, it, test } from 'node:test';
test('plain', () => {});
test('later', { todo: true }, () => { throw new Error('not yet'); });
test('elsewhere', { skip: 'not here' }, () => { throw new Error('never'); });
describe('group', () => { it('one', async () => {}); it('two', async () => {}); });
test('above', async (t) => { await t.test('below', () => {}); });
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "a project, of 'mine'"
    root.mkdir()
    return root


@pytest.fixture
def gate(root: Path, tmp_path: Path) -> Gate:
    commands = LocalCommands()
    (tmp_path / "some views").mkdir()
    views = OverlayViews(commands, (tmp_path / "some views",), os.environ["PATH"])

    async def run(script: str) -> tuple[CommandResult, RunnerReport | None]:
        async with views.of(root, Patch()) as view:
            assert view is not None
            env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
            argv = ("sh", "-c", script)
            command = Command(argv=argv, cwd=root, env=env, views=view.directories)
            result = await commands.run(command)
            return result, read_report(view.reported())

    return run


def put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


async def test_each_test_counts_once_and_by_its_whole_name(gate: Gate, root: Path) -> None:
    put(root, {"test/a.test.mjs": MIXED, "test/plain.test.js": "require('assert')(true);\n"})
    result, report = await gate("node --test")
    assert result.exit_code == 0, result.stdout
    assert report is not None
    names = {"plain", "group > one", "group > two", "above", "above > below"}
    assert report.passed == {f"test/a.test.mjs > {name}" for name in names}
    assert (report.failed, report.whole) == ((), True)


@pytest.mark.parametrize(
    "script",
    [
        "env -i $(command -v node) --test --test-reporter=dot || true",
        "npm test || true",
        *(
            pytest.param(script, marks=pytest.mark.long)
            for script in (
                "NODE_OPTIONS= node --test | cat",
                "node test/b.test.js || true",
                "node own_runner.js",
                SPAWNS,
            )
        ),
    ],
)
async def test_a_failure_is_heard_however_node_is_started(
    gate: Gate, root: Path, script: str
) -> None:
    package = json.dumps({"scripts": {"test": "node --test"}})
    put(root, {"test/a.test.js": PASSES, "test/b.test.js": FAILS, "package.json": package})
    runs = "require('node:test').run({ files: ['test/b.test.js'] }).resume();\n"
    put(root, {"own_runner.js": runs, ".npmrc": "node-options=--no-deprecation\n"})
    result, report = await gate(script)
    assert result.exit_code == 0, result.stdout
    assert report is not None
    assert (report.failed, report.whole) == (("test/b.test.js > bad",), True)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (PASSES + "require('node:test').test('ends', () => process.exit(0));\n", False),
        (PASSES + "process.exit(0);\n", False),
        (PASSES + "require('node:test').after(() => setTimeout(() => process.exit(0)));\n", True),
        pytest.param(
            PASSES + "process.kill(process.pid, 'SIGKILL');\n", False, marks=pytest.mark.long
        ),
    ],
)
async def test_a_file_that_leaves_in_the_middle_is_seen(
    gate: Gate, root: Path, text: str, whole: bool
) -> None:
    put(root, {"a.test.js": text, "b.test.js": PASSES})
    _, report = await gate("node --test; node b.test.js")
    assert report is not None
    assert report.whole is whole


async def test_a_file_that_cannot_be_loaded_has_failed(gate: Gate, root: Path) -> None:
    put(root, {"a.test.js": "require('./nowhere');\n" + PASSES})
    _, report = await gate("node --test")
    assert report is not None
    assert report.failed == ("a.test.js",)


async def test_runs_inside_a_test_are_its_own_business(gate: Gate, root: Path) -> None:
    inner = """\
const { test } = require('node:test');
const { spawnSync } = require('child_process');
test('a run that fails', () => {
  const env = { ...process.env };
  delete env.NODE_TEST_CONTEXT;
  const ended = spawnSync(process.execPath, ['--test', 'inner/b.js'], { env });
  if (ended.status !== 1) throw new Error(ended.stdout);
});
"""
    put(root, {"a.test.js": inner, "inner/b.js": FAILS})
    _, report = await gate("node --test a.test.js")
    assert report is not None
    assert (report.failed, report.passed) == ((), {"a.test.js > a run that fails"})


async def test_a_program_does_not_see_how_it_was_started(gate: Gate, root: Path) -> None:
    seen = (
        "const { isMainThread, Worker } = require('worker_threads');\n"
        "const { argv, env, execArgv, execPath } = process;\n"
        "const named = Object.keys(env).filter((name) => name !== 'PWD').sort();\n"
        "const loaded = Object.keys(require.cache).length;\n"
        "const lists = [require('module').globalPaths, process.listenerCount('exit')];\n"
        "console.log([argv, named, execArgv, execPath, loaded, lists]);\n"
        "if (isMainThread) new Worker(__filename);\n"
    )
    put(root, {"seen.js": seen})
    script = "node --no-warnings seen.js; env -i /usr/bin/env node seen.js a 'b c'"
    inside, report = await gate(script)
    env = {"PATH": os.environ["PATH"], "HOME": str(root.parent)}
    command = Command(argv=("sh", "-c", script), cwd=root, env=env)
    outside = await LocalCommands().run(command)
    assert inside.stdout.decode() == outside.stdout.decode()
    assert inside.stderr == outside.stderr
    assert report is None


async def test_results_that_a_gate_writes_count_where_no_runner_can_be_asked(
    gate: Gate, root: Path
) -> None:
    stale = "<testsuite><testcase name='old'><failure/></testcase></testsuite>"
    put(root, {"old.xml": stale})
    _, report = await gate("mkdir out; sed s/old/new/ old.xml > out/results.xml")
    assert report is not None
    assert report.failed == ("new",)
