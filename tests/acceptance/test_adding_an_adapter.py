"""A new technology is one file, one line and one test; whoever adds more has found a leak.

Each is really added to a copy of the tree. Its conformance test runs there, and a company
of nothing but added parts carries out an instruction because the settings name them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE, calc_project
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.programs.called_program import Program
from pm_orchestrator.testing.scripted.scripted_company import KEY, ScriptedCompany

ROOT = Path(__file__).parents[2]
ADDED = Path(__file__).parent / "added"
REGISTRY = Path("src/pm_orchestrator/bootstrap/registry.py")
SETTINGS = {
    "company": {"adapter": "added", "message_queue": "added", "engine": "added", "forge": "added"},
    "sandbox": {"runtime": "added"},
    "executor": {"name": "added"},
}
HEAD = """
from pathlib import Path
import pytest
from pm_orchestrator.adapters.{family}.added import Added
from pm_orchestrator.testing.benches.adapter_site import adapter_site
from pm_orchestrator.testing.memory.fake_clock import CountingIds, FakeClock
"""
CONTRACTS = {
    "queues": """
from pm_orchestrator.testing.contracts.queue_contract import QueueContract

class TestAdded(QueueContract):
    @pytest.fixture
    def open_queue(self, tmp_path: Path, clock: FakeClock):
        site = adapter_site(tmp_path, clock, ADDED_BUS="there")
        return lambda: Added().open(site)
""",
    "engines": """
from pm_orchestrator.testing.contracts.durable_engine_contract import DurableEngineContract

class TestAdded(DurableEngineContract):
    @pytest.fixture
    def execute(self, tmp_path: Path, clock: FakeClock):
        async def start_or_resume(code, given, output, bodies):
            clock.advance(1)
            engine = Added().open(adapter_site(tmp_path, clock), bodies)
            return await engine.execute(code, given, output)

        return start_or_resume
""",
    "forges": """
from pm_orchestrator.testing.contracts.forge_contract import ForgeContract

class TestAdded(ForgeContract):
    @pytest.fixture
    def forge(self, tmp_path: Path):
        return Added().open(adapter_site(tmp_path))
""",
    "sandboxes": """
from pm_orchestrator.testing.contracts.sandbox_contract import SandboxContract

class TestAdded(SandboxContract):
    @pytest.fixture
    def runtime(self, tmp_path: Path):
        return Added().create(adapter_site(tmp_path))
""",
    "executors": """
from pm_orchestrator.domain.setup.settings import ExecutorSettings
from pm_orchestrator.ports.executor import ExecutorConfig
from pm_orchestrator.testing.contracts.executor_contract import WorkingContract

class TestAdded(WorkingContract):
    @pytest.fixture
    def working(self):
        settings = ExecutorSettings(name="added")
        return Added().create(ExecutorConfig(settings=settings, variables={}, clock=FakeClock()))
""",
    "models": """
from pm_orchestrator.adapters.gateway.upstream import Forward
from pm_orchestrator.bootstrap.traffic.gateway_source import model_behind
from pm_orchestrator.testing.benches.any_gateway import any_gateway
from pm_orchestrator.testing.contracts.chat_model_contract import ChatModelContract
from pm_orchestrator.testing.contracts.vendor_bench import SECRET, VendorBench
from pm_orchestrator.testing.scripted.scripted_vendor import ScriptedVendor

class TestAdded(ChatModelContract):
    @pytest.fixture
    async def bench(self):
        bench = VendorBench(Added().dialect)
        async with ScriptedVendor(bench.script, Added().dialect) as vendor:
            variables = {"ADDED_URL": vendor.base_url, "OPENAI_API_KEY": SECRET}
            gateway = any_gateway(Forward(Added().upstream, variables, timeout=0.8), CountingIds())
            await gateway.start()
            bench.model = model_behind(gateway, "worker-1", "added", timeout_s=3)
            bench.received = vendor.received
            yield bench
            await gateway.close()
        assert all(r.headers["authorization"] == f"Bearer {SECRET}" for r in vendor.received)
""",
}
# These contracts wait for time-outs and take half a minute: enough of each to see it bite.
PART = {"sandboxes": "ready or host or round_trip", "models": "whole or final or recovers"}


class Copy:
    """The tree as whoever adds an adapter has it before them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # With what was compiled, which stays valid: the copies have the times of the originals.
        shutil.copytree(ROOT / "src", folder / "src")
        for name in ("pyproject.toml", "tests/conftest.py"):
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)

    def add(self, family: str) -> None:
        """One file, one line, one test."""
        adapters = self.folder / "src/pm_orchestrator/adapters" / family
        shutil.copy(ADDED / f"{family}.py", adapters / "added.py")
        registry = self.folder / REGISTRY
        head, name, tail = registry.read_text("utf-8").partition(f'    "{family}",\n')
        before, opening, after = tail.partition("    {\n")
        line = f'        "added": "pm_orchestrator.adapters.{family}.added:Added",\n'
        registry.write_text("".join((head, name, before, opening, line, after)), "utf-8")
        test = self.folder / "tests/conformance" / f"test_added_{family}.py"
        test.parent.mkdir(exist_ok=True)
        test.write_text(HEAD.format(family=family) + CONTRACTS[family], "utf-8")

    def source(self) -> dict[str, bytes]:
        found = (path for path in self.folder.rglob("*") if path.suffix in {".py", ".toml"})
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in found}

    @property
    def environment(self) -> dict[str, str]:
        return {"PYTHONPATH": str(self.folder / "src")}


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "tree")


def lines_added(before: bytes, after: bytes) -> list[str]:
    """The new lines, where nothing else has changed."""
    old, new = before.decode().splitlines(), after.decode().splitlines()
    added = [line for line in new if line not in old]
    assert [line for line in new if line not in added] == old
    return added


@pytest.mark.parametrize("family", CONTRACTS)
def test_adding_an_adapter_is_one_file_one_line_and_one_test(family: str, copy: Copy) -> None:
    before = copy.source()
    copy.add(family)
    after = copy.source()
    assert {name for name in after if after[name] != before.get(name)} == {
        f"src/pm_orchestrator/adapters/{family}/added.py",
        str(REGISTRY),
        f"tests/conformance/test_added_{family}.py",
    }
    assert len(lines_added(before[str(REGISTRY)], after[str(REGISTRY)])) == 1


def test_what_was_added_keeps_its_contract(copy: Copy) -> None:
    """All in one process: starting the tests takes longer than they do."""
    for family in CONTRACTS:
        copy.add(family)
    chosen = " or ".join(f"({family} and ({PART.get(family, 'Added')}))" for family in CONTRACTS)
    test = ["-m", "pytest", "-v", "-p", "no:cacheprovider", "tests/conformance", "-k", chosen]
    # The copy is not the product, and counts for nothing in its coverage.
    unmeasured = {k: v for k, v in os.environ.items() if not k.startswith("COV")}
    ran = subprocess.run(
        [sys.executable, *test],
        cwd=copy.folder,
        env={**unmeasured, **copy.environment},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for family in CONTRACTS:
        assert len(re.findall(f"test_added_{family}.py::.* PASSED", ran.stdout)) >= 2, ran.stdout


@pytest.mark.unmeasured
def test_settings_choose_what_was_added(
    copy: Copy,
    program: Program,
    project: Path,
    company: ScriptedCompany,
) -> None:
    for family in CONTRACTS:
        copy.add(family)
    calc_project(project)
    place = project / ".claude/settings.json"
    settings = json.loads(place.read_bytes())
    place.write_text(
        json.dumps({k: {**v, **SETTINGS.get(k, {})} for k, v in settings.items()}), "utf-8"
    )
    bench = CompanyBench(
        Program(project, {**program.environment, **copy.environment}), project, company
    )
    # Whoever were to ask Anthropic would get nowhere.
    vendor = {"ADDED_URL": company.environment["ANTHROPIC_BASE_URL"], "OPENAI_API_KEY": KEY}
    nobody = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": ""}
    company.plans(DOUBLE)
    ran = bench.run(ONE, env={**nobody, **vendor, "ADDED_BUS": "added-bus"})
    assert ran.code == 0, ran.out + ran.err
    assert ran.json["status"] == "COMPLETE"
    (run,) = bench.run_folders()
    state = run.parent.parent / "state"
    for made in (run / "added-bus", run / "added-journal.db", state / "added-sandbox"):
        assert made.exists(), made
    assert ran.json["review_id"] in (state / "added-reviews.jsonl").read_text("utf-8")
    assert not (run / "bus").exists()
    assert not (run / "journal.db").exists()

    solo = bench("run", "--solo", "Create made/note.md", env=nobody)
    assert solo.code == 0, solo.out + solo.err
    assert (project / "made/note.md").read_text("utf-8") == "made\n"
