"""A company asks any vendor there is an adapter for, and goes on with another where one fails."""

import json
from pathlib import Path

import pytest

from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.testing.benches.calc_parts import DOUBLE, ONE
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.scripted.scripted_company import KEY, ScriptedCompany

NOBODY = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": ""}


@pytest.mark.long
def test_one_conversation_with_every_vendor_ends_in_the_same_tree(bench: CompanyBench) -> None:
    """E-15: the adapter is a word on the command line, and nothing else changes."""
    trees: dict[str, str] = {}
    for name in MODELS.names:
        with ScriptedCompany(name) as vendor:
            vendor.plans(DOUBLE)
            env = {**NOBODY, **vendor.environment}
            ran = bench.run(ONE, "--adapter", name, "--model", "model-1", env=env)
            assert ran.code == 0, (name, ran.out + ran.err)
            assert vendor.asked("worker") == 3
            trees[name] = bench.tree(ran.json["commit"])
    assert len(trees) == 5
    assert len(set(trees.values())) == 1
    # Nobody's key is left anywhere, whoever's it is.
    kept = (path for path in bench.root.rglob("*") if path.is_file())
    assert [path for path in kept if KEY.encode() in path.read_bytes()] == []


@pytest.mark.long
def test_a_refused_key_goes_straight_to_the_fallback_of_another_vendor(
    bench: CompanyBench,
) -> None:
    """E-15: the conversation goes on where it was, in the other vendor's words."""
    place = bench.root / ".claude" / "settings.json"
    settings = json.loads(place.read_bytes())
    settings["company"] |= {
        "adapter": "openai",
        "model": "model-1",
        "fallback": {"adapter": "gemini", "model": "model-2"},
    }
    place.write_text(json.dumps(settings), "utf-8")
    with ScriptedCompany("openai") as first, ScriptedCompany("gemini") as second:
        first.plans(DOUBLE)
        second.plans(DOUBLE)
        first.fails("status", status=401, after_turn=1)
        ran = bench.run(ONE, env={**NOBODY, **first.environment, **second.environment})
        assert ran.code == 0, ran.out + ran.err
        # One question was refused, once; that one and the next went to the other one.
        assert first.asked("worker") == 2
        assert second.asked("worker") == 2


@pytest.mark.long
def test_a_model_without_tool_calls_does_the_same_work_in_words(
    bench: CompanyBench, tmp_path: Path
) -> None:
    """It is found out once; also a recording of such a model can be replayed elsewhere."""
    cassette = tmp_path / "run.json"
    asks = ("--adapter", "ollama", "--model", "tiny")
    with ScriptedCompany("ollama", toolless=True) as vendor:
        vendor.plans(DOUBLE)
        env = {**NOBODY, **vendor.environment}
        first = bench.run(ONE, *asks, "--record", str(cassette), env=env)
        assert first.code == 0, first.out + first.err
        refused = vendor.refused
        again = bench.run(ONE, *asks, env=env)
        assert again.code == 0, again.out + again.err
        assert (refused, vendor.refused) == (1, 1)
    known = bench.root / ".pm-orchestrator/runtime/state/toolless-models.json"
    assert json.loads(known.read_bytes()) == {"models": ["ollama/tiny"]}
    known.unlink()
    replayed = bench.run(ONE, *asks, "--replay", str(cassette), env=NOBODY)
    assert replayed.code == 0, replayed.out + replayed.err
    trees = {bench.tree(ran.json["commit"]) for ran in (first, again, replayed)}
    assert len(trees) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--adapter", "openai"), "E211: no model of openai is named"),
        (("--adapter", "opnai", "--model", "m"), "anthropic, gemini, ollama, openai"),
        (("--adapter", "gemini", "--model", "m"), "GEMINI_API_KEY"),
    ],
)
def test_what_cannot_be_chosen_is_said_before_anything_begins(
    bench: CompanyBench, options: tuple[str, ...], said: str
) -> None:
    ran = bench("run", ONE, *options)
    assert ran.code == 1
    assert said in ran.err
    assert bench.company.asked() == 0
    assert bench.run_folders() == []
