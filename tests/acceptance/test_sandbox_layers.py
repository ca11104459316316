"""What a project's lock files ask for is installed once, and every sandbox sees it offline."""

import base64
import hashlib
import json
import os
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.calc_parts import ONE, adds
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_company import allow_one_attempt

INSTALL = "mkdir -p tools/bin && cat lib.txt > tools/bin/check && chmod 755 tools/bin/check"
CHECK = '#!/bin/sh\nread -r tail < product.txt && test -n "$tail"\n'
Sandbox = Callable[..., Ran]


def set_up(project: Path, **sandbox: object) -> None:
    """Say in the settings how sandboxes are made."""
    path = project / ".claude/settings.json"
    settings = json.loads(path.read_text("utf-8"))
    settings["sandbox"] |= sandbox
    path.write_text(json.dumps(settings), "utf-8")


def wheel(folder: Path) -> str:
    """A wheel with one module, as a package index would have it; its name."""
    name = "greeting-1.0-py3-none-any.whl"
    files = {
        "greeting.py": "def hello():\n    return 'hello'\n",
        "greeting-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n",
        "greeting-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n",
    }
    rows: list[str] = []
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
            digest = hashlib.sha256(text.encode()).digest()
            value = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            rows.append(f"{path},sha256={value},{len(text)}")
        record = "greeting-1.0.dist-info/RECORD"
        archive.writestr(record, "\n".join([*rows, f"{record},,\n"]))
    return name


@pytest.fixture
def prepared(project: Path) -> Path:
    """A project whose check is a program that has to be installed."""
    repository = GitProject.at(project)
    repository.write("Makefile", "test:\n\ttools/bin/check\n")
    repository.write("lib.txt", CHECK)
    repository.write("product.txt", "something\n")
    repository.write("requirements.txt", "greeting\n")
    repository.write(".gitignore", "tools/\n")
    repository.commit("Want a tool")
    set_up(project, setup=[INSTALL])
    return project


@pytest.fixture
def sandbox(program: Program, prepared: Path) -> Sandbox:
    """`sandbox …` in that project."""

    def call(*arguments: str) -> Ran:
        return program("sandbox", arguments[0], "--project", str(prepared), *arguments[1:])

    return call


def test_nothing_reaches_the_network_before_somebody_has_said_yes(
    sandbox: Sandbox, prepared: Path
) -> None:
    assert "`pm-orchestrator sandbox build` runs mkdir -p tools/bin" in sandbox("list").out
    refused = sandbox("build")
    assert refused.code == 1
    assert "E707" in refused.err
    assert "sandbox build --yes" in refused.err
    set_up(prepared, setup_allowed=True)
    built = sandbox("build", "--json")
    assert (built.code, built.json["directories"], built.json["size"]) == (0, ["tools"], len(CHECK))


def test_what_was_installed_is_seen_and_stays_as_it_is(
    sandbox: Sandbox, prepared: Path, program: Program
) -> None:
    built = sandbox("build", "--yes")
    assert (built.code, "layer " in built.out) == (0, True), built.err
    assert not (prepared / "tools").exists()
    script = "rm tools/bin/check; echo 1 > tools/new; git status --short; ls tools"
    assert sandbox("exec", "--", "sh", "-c", script).out.split() == ["bin", "new"]
    # At the project's own path too.
    shown = sandbox("exec", "--", "sh", "-c", f"ls {prepared}/tools; make test")
    assert (shown.code, shown.out.split()[0]) == (0, "bin"), shown.out + shown.err
    listed = sandbox("list").out
    assert "is built (" in listed
    assert "✓ test: `make test` has its program" in listed
    # It is there: nothing is asked, and nothing is run.
    assert sandbox("build").code == 0
    # Other lock files, another layer.
    GitProject.at(prepared).write("requirements.txt", "greeting==2\n")
    GitProject.at(prepared).commit("Newer")
    assert sandbox("build").code == 1
    (layer,) = (Path(program.environment["HOME"]) / ".local/state/pm-orchestrator/layers").iterdir()
    long_ago = time.time() - 10 * 86_400
    os.utime(layer, (long_ago, long_ago))
    kept = program("prune", "--older-than", "20", "--project", str(prepared))
    assert "Layers of sandboxes: 0 removed (0 B), 1 left" in kept.out
    gone = program("prune", "--older-than", "5", "--json", "--project", str(prepared))
    assert gone.json["layers"]["pruned"] == 1
    assert not layer.exists()


@pytest.mark.parametrize(
    ("commands", "code", "says"),
    [
        (["true", "echo oops >&2; exit 3"], "E705", "exit code 3 in the sandbox: oops"),
        (["true"], "E706", "left no new directory"),
        ([], "E210", "nothing to install"),
    ],
)
def test_what_cannot_be_installed_is_said_and_leaves_nothing(
    sandbox: Sandbox, prepared: Path, program: Program, commands: list[str], code: str, says: str
) -> None:
    set_up(prepared, setup=commands)
    ran = sandbox("build", "--yes")
    assert ran.code == 1
    assert code in ran.err
    assert says in ran.err
    layers = Path(program.environment["HOME"]) / ".local/state/pm-orchestrator/layers"
    assert not layers.is_dir() or not list(layers.iterdir())


@pytest.mark.long
def test_a_company_is_told_what_to_build_and_then_sees_it(
    bench: CompanyBench, program: Program
) -> None:
    folder = bench.root / "wheels"
    folder.mkdir()
    name = wheel(folder)
    bench.repository.write("requirements.txt", f"--no-index\n./wheels/{name}\n")
    bench.repository.write("tests/test_greeting.py", GREETS)
    bench.repository.write(
        "Makefile", "test:\n\t.venv/bin/python -m unittest discover -s tests -t .\n"
    )
    bench.repository.write(".gitignore", "__pycache__/\n.venv\n")
    bench.repository.commit("Greet in the tests")
    allow_one_attempt(bench.root)
    bench.company.does(f"{adds('double', 2)}make test && rm -rf .venv/lib")
    before = bench.worktree()
    refused = bench.run(ONE)
    assert refused.code == 1
    assert "run `pm-orchestrator sandbox build`" in refused.err
    assert "pip install -r requirements.txt" in refused.err
    assert bench.company.asked() == 0
    built = bench("sandbox", "build", "--yes")
    assert built.code == 0, built.err
    ran = bench.run(ONE)
    assert (ran.code, ran.json["status"]) == (0, "COMPLETE"), ran.out + ran.err
    bench.company.does(f"{adds('triple', 3)}echo 'assert False' >> calc/core.py")
    spoilt = bench.run("Create calc/triple.py with a function triple and a test for it")
    assert (spoilt.code, spoilt.json["status"]) == (2, "INCOMPLETE"), spoilt.out + spoilt.err
    # Neither the checkout nor the layer has changed by any of this.
    assert bench.worktree() == before
    greets = ("--", ".venv/bin/python", "-c", "import greeting")
    shown = program("sandbox", "exec", "--project", str(bench.root), *greets)
    assert shown.code == 0, shown.err


GREETS = (
    "import unittest\n\nimport greeting\n\n\nclass GreetingTest(unittest.TestCase):\n"
    "    def test_hello(self):\n        self.assertEqual(greeting.hello(), 'hello')\n"
)


def test_a_project_that_has_no_room_is_refused_at_once(bench: CompanyBench) -> None:
    # Next to nothing for git, which packs it, and too much where it is unpacked.
    (bench.root / "blob.bin").write_bytes(bytes(9 * 1024**2))
    bench.repository.commit("Large")
    set_up(bench.root, disk_mb=16)
    refused = bench.run(ONE)
    assert refused.code == 1
    assert "E704" in refused.err
    assert "need 19 MB in a sandbox, and there are 16 MB" in refused.err
    assert bench.company.asked() == 0
