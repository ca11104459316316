"""`--record` and `--replay`: a run with its models kept, and the same run without them."""

import json
import signal
from pathlib import Path

import pytest

from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE, TRIPLE, TWO
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.data.planting import Planting
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript
from pm_orchestrator.testing.scripted.scripted_company import KEY, Part, ScriptedCompany

pytestmark = pytest.mark.timeout(120)
NOBODY = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": ""}
SECRET = "MY_SECRET_TOKEN"


def saying(part: Part, says: str) -> Part:
    return Part(title=part.title, body=part.body, files=part.files, says=says)


@pytest.mark.long
def test_a_recorded_run_is_replayed_without_key_or_network(
    bench: CompanyBench, tmp_path: Path
) -> None:
    """The tree is the same, secrets are in no cassette, and another question is refused."""
    secret = Planting(20260115).literal("environment")
    cassette = tmp_path / "run.json"
    bench.company.plans(saying(DOUBLE, f"Done, with {secret}."))
    recorded = bench.run(ONE, "--record", str(cassette), env={SECRET: secret})
    assert recorded.code == 0, recorded.out + recorded.err
    asked = bench.company.asked()
    text = cassette.read_text("utf-8")
    assert secret not in text
    assert KEY not in text
    # What was asked can be read, and whose answer it is.
    first = json.loads(text)["takes"][-3]
    assert (first["agent"], first["turn"]) == ("worker/01/1", 1)
    assert ONE in first["asked"]

    again = bench.run(ONE, "--replay", str(cassette), env=NOBODY)
    assert again.code == 0, again.out + again.err
    assert bench.tree(again.json["commit"]) == bench.tree(recorded.json["commit"])

    other = bench.run(ONE.replace("double", "twice"), "--replay", str(cassette), env=NOBODY)
    assert other.code == 1, other.out + other.err
    assert "E605" in other.err
    assert "calc/double.py with a function double" in other.err
    assert "calc/twice.py with a function twice" in other.err
    assert bench.company.asked() == asked


@pytest.mark.long
def test_a_recording_goes_on_where_a_run_was_killed(bench: CompanyBench, tmp_path: Path) -> None:
    """Two workers side by side, one cut off by a kill: the cassette has all of both."""
    cassette = tmp_path / "run.json"
    bench.company.plans(DOUBLE, TRIPLE)
    bench.company.fails("hang", title=TRIPLE.title, after_turn=1)
    with bench.started("run", TWO, "--record", str(cassette)) as running:
        bench.company.wait_for(TRIPLE.title, turn=1)
        running.send(signal.SIGKILL)
        running.ends()
    assert not cassette.exists()
    kept = bench.run_folders()[0] / "recording.jsonl"
    with kept.open("ab") as torn:
        torn.write(b'{"take": {"agent": "wor')
    bench.company.heals()
    recorded = bench("resume", "run_001", "--json")
    assert recorded.code == 0, recorded.out + recorded.err

    again = bench.run(TWO, "--replay", str(cassette), env=NOBODY)
    assert again.code == 0, again.out + again.err
    assert bench.tree(again.json["commit"]) == bench.tree(recorded.json["commit"])


@pytest.mark.long
def test_every_vendor_is_recorded_and_replayed_as_any_other(
    bench: CompanyBench, tmp_path: Path
) -> None:
    """A cassette is in nobody's dialect."""
    trees: set[str] = set()
    cassettes: dict[str, str] = {}
    for name in MODELS.names:
        cassette = tmp_path / f"{name}.json"
        asks = ("--adapter", name, "--model", "model-1")
        with ScriptedCompany(name) as vendor:
            vendor.plans(DOUBLE)
            env = {**NOBODY, **vendor.environment}
            ran = bench.run(ONE, *asks, "--record", str(cassette), env=env)
            assert ran.code == 0, (name, ran.out + ran.err)
            trees.add(bench.tree(ran.json["commit"]))
        cassettes[name] = cassette.read_text("utf-8")
    for name in MODELS.names:
        asks = ("--adapter", name, "--model", "model-1")
        ran = bench.run(ONE, *asks, "--replay", str(tmp_path / "gemini.json"), env=NOBODY)
        assert ran.code == 0, (name, ran.out + ran.err)
        trees.add(bench.tree(ran.json["commit"]))
    assert len(trees) == 1
    assert [name for name, text in cassettes.items() if KEY in text] == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--record", "a.json", "--replay", "b.json"), "--record and --replay cannot go together"),
        (("--record", "none/a.json"), "there is no such folder"),
        (("--record", "notes.md"), "E604: cassette notes.md cannot be used"),
        (("--solo", "--record", "a.json"), "claude-code alone can be neither"),
        (("--solo", "--replay", "a.json"), "claude-code alone can be neither"),
    ],
)
def test_what_cannot_be_recorded_or_replayed_is_said_first(
    bench: CompanyBench, claude: ClaudeScript, options: tuple[str, ...], said: str
) -> None:
    (bench.root.parent / "notes.md").write_text("mine", "utf-8")
    ran = bench("run", ONE, *options, env=claude.does("touch worked"))
    assert ran.code == 1
    assert said in ran.err
    assert bench.run_folders() == []
    assert not (bench.root / "worked").exists()
    assert (bench.root.parent / "notes.md").read_text("utf-8") == "mine"


@pytest.mark.long
def test_a_solo_task_of_a_model_is_recorded_and_replayed(
    bench: CompanyBench, tmp_path: Path
) -> None:
    """The cassette may lie in the project: it comes when the work has been judged."""
    asks = ("--solo", "--adapter", "anthropic", "--model", "model-1")
    turns = ((("write_file", {"path": "TEXT.md", "content": "# Text\n"}),),)
    claim = (("task_complete", {"summary": "Done.", "files": ["TEXT.md"]}),)
    bench.company.plans(Part(turns=(*turns, claim)))
    env = {"ANTHROPIC_API_KEY": KEY}
    recorded = bench.run("Create TEXT.md", *asks, "--record", "run.json", env=env)
    assert recorded.code == 0, recorded.out + recorded.err
    assert "run.json" not in recorded.out
    cassette = bench.root.parent / "run.json"
    text = cassette.read_text("utf-8")
    assert KEY not in text
    assert {take["agent"] for take in json.loads(text)["takes"]} == {"solo"}

    asked = bench.company.asked()
    (bench.root / "TEXT.md").unlink()
    again = bench.run("Create TEXT.md", *asks, "--replay", str(cassette), env=NOBODY)
    assert again.code == 0, again.out + again.err
    assert (bench.root / "TEXT.md").read_text("utf-8") == "# Text\n"
    other = bench.run("Create OTHER.md", *asks, "--replay", str(cassette), env=NOBODY)
    assert other.code != 0
    assert "OTHER.md" in other.err
    assert "E605" in other.out + other.err
    assert bench.company.asked() == asked
