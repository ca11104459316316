"""What may be selected, where it is kept, and when no executor may be called."""

import json
from pathlib import Path

import pytest

from pm_orchestrator.bootstrap.crews.solo_executor import make_executor
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.bootstrap.registry import EXECUTORS, MODELS
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.history.repl_state import ReplState
from pm_orchestrator.domain.setup.providers import PROVIDERS, Provider
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.selecting import (
    LONGEST_NAME,
    ready_selection,
    select_listed_model,
    select_model,
    select_provider,
    selected,
    start_selected_session,
)
from pm_orchestrator.runner.tasks.run_task import run_task
from pm_orchestrator.testing.scripted.fake_executors import ErrorFake, FixedExecutors, SuccessFake

NOW = "2026-11-15T12:00:00.000Z"


async def project(root: Path, **variables: str) -> Project:
    await init_at(root, adopt=False)
    given = {"HOME": str(root / "home"), "PATH": "/nowhere", **variables}
    return await open_project(read_environment(given), root)


def evidence_of(app: Project, kind: str) -> list[str]:
    folder = app.paths.claude / "evidence"
    records = [json.loads(p.read_text("utf-8")) for p in folder.rglob("ev-*.json")]
    return [
        (app.paths.claude / record["raw_logs"]).read_text("utf-8")
        for record in records
        if record["operation_type"] == kind
    ]


def files_with(root: Path, part: bytes) -> list[Path]:
    return [p for p in root.rglob("*") if p.is_file() and part in p.read_bytes()]


@pytest.mark.parametrize(
    ("before", "provider", "model"),
    [
        (ReplState(), "openai", None),
        (ReplState(selected_model="opus"), "claude-code", "opus"),
        (ReplState(selected_model="opus"), "openai", None),
        (ReplState(selected_provider="openai", selected_model="m"), "openai", "m"),
        (ReplState(selected_provider="openai", selected_model="m"), "anthropic", None),
    ],
)
def test_a_model_goes_with_its_provider(
    before: ReplState, provider: Provider, model: str | None
) -> None:
    after = before.with_provider(provider, NOW)
    assert (after.selected_provider, after.selected_model) == (provider, model)
    assert after.updated_at == NOW


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b'{"selected_model": ""}',
        b'{"selected_model": "  "}',
        b'{"selected_provider": "gemini"}',
        b'{"updated_at": "yesterday"}',
        b'{"api_key": "x"}',
        b"\xff\xfe",
    ],
)
async def test_a_damaged_file_is_e105_and_never_repaired(tmp_path: Path, damage: bytes) -> None:
    app = await project(tmp_path)
    path = app.paths.claude / "repl.json"
    path.write_bytes(damage)
    for attempt in (
        select_provider(app, "openai", None),
        select_model(app, "m", None),
        select_listed_model(app, "opus", None),
        start_selected_session(app),
    ):
        with pytest.raises(PmError) as refused:
            await attempt
        assert refused.value.code == "E105"
    assert path.read_bytes() == damage
    assert evidence_of(app, "select_provider") == []


async def test_a_directory_in_its_place_is_e105(tmp_path: Path) -> None:
    app = await project(tmp_path)
    (app.paths.claude / "repl.json").unlink()
    (app.paths.claude / "repl.json").mkdir()
    with pytest.raises(PmError) as refused:
        selected(app)
    assert refused.value.code == "E105"


async def test_without_claude_directory_nothing_is_made(tmp_path: Path) -> None:
    app = await project(tmp_path)
    app.paths.claude.rename(tmp_path / "elsewhere")
    with pytest.raises(PmError) as refused:
        await select_provider(app, "openai", None)
    assert refused.value.code == "E101"
    assert not app.paths.claude.exists()


async def test_a_change_without_evidence_is_no_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = await project(tmp_path)
    before = (app.paths.claude / "repl.json").read_bytes()

    async def refuse(_: object) -> None:
        raise PmError("evidence_not_collected", path="chain", reason="the disk is full")

    monkeypatch.setattr(app.recorder, "record", refuse)
    with pytest.raises(PmError) as refused:
        await select_model(app, "opus", None)
    assert refused.value.code == "E301"
    assert (app.paths.claude / "repl.json").read_bytes() == before


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "a\x1b[2Jb", "x" * (LONGEST_NAME + 1)])
async def test_what_cannot_be_a_name_is_e210(tmp_path: Path, name: str) -> None:
    app = await project(tmp_path)
    with pytest.raises(PmError) as refused:
        await select_model(app, name, None)
    assert refused.value.code == "E210"
    assert refused.value.what().isprintable()
    assert selected(app).selected_model is None


async def test_the_evidence_says_what_changed(tmp_path: Path) -> None:
    app = await project(tmp_path)
    await select_listed_model(app, "opus", None)
    await select_provider(app, "openai", "session-1")
    await select_model(app, "anything at all", None)
    assert evidence_of(app, "select_provider") == [
        "selected_provider: UNSET -> openai\nselected_model: opus -> UNSET"
    ]
    assert sorted(evidence_of(app, "select_model")) == [
        "selected_provider: UNSET -> UNSET\nselected_model: UNSET -> opus",
        "selected_provider: openai -> openai\nselected_model: UNSET -> anything at all",
    ]
    assert (app.paths.claude / "raw" / "session-1").is_dir()


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("model", [None, "m"])
@pytest.mark.parametrize("key", [None, "", "k"])
async def test_no_executor_without_model_and_key(
    tmp_path: Path, provider: Provider, model: str | None, key: str | None
) -> None:
    variables = {} if key is None else {"OPENAI_API_KEY": key, "ANTHROPIC_API_KEY": key}
    app = await project(tmp_path, **variables)
    await select_provider(app, provider, None)
    if model is not None:
        await select_model(app, model, None)
    fake = SuccessFake("README.md")
    app.executors = FixedExecutors(fake)
    if provider == "claude-code" or (model and key):
        await run_task(app, "Create README.md")
        assert [task.model for task in fake.tasks] == [model]
        return
    with pytest.raises(PmError) as refused:
        await run_task(app, "Create README.md")
    assert refused.value.code == "E211"
    assert fake.tasks == []
    assert not (tmp_path / "README.md").exists()


async def test_a_model_named_for_one_task_comes_first(tmp_path: Path) -> None:
    app = await project(tmp_path)
    await select_model(app, "opus", None)
    assert ready_selection(app, "haiku").model == "haiku"
    assert ready_selection(app).model == "opus"


async def test_whoever_is_registered_works_under_its_own_name(tmp_path: Path) -> None:
    """A coding CLI, or a model of any vendor: a new one needs no edit here."""
    app = await project(tmp_path)
    assert make_executor(app).name == "claude-code"
    for name in (*EXECUTORS.names, *MODELS.names):
        assert make_executor(app, name).name == name
    with pytest.raises(PmError, match="E503"):
        make_executor(app, "nobody")


async def test_a_model_named_for_one_task_is_its_vendors(tmp_path: Path) -> None:
    app = await project(tmp_path, OPENAI_API_KEY="k")
    await select_provider(app, "openai", None)
    await select_model(app, "gpt-x", None)
    for adapter, named, expected in (
        (None, None, ("openai", "gpt-x")),
        ("openai", None, ("openai", "gpt-x")),
        ("openai", "gpt-y", ("openai", "gpt-y")),
        ("ollama", "qwen", ("ollama", "qwen")),
        ("claude-code", None, ("claude-code", None)),
    ):
        chosen = ready_selection(app, named, adapter)
        assert (chosen.provider, chosen.model) == expected


async def test_the_session_knows_what_its_latest_task_used(tmp_path: Path) -> None:
    app = await project(tmp_path)
    app.executors = FixedExecutors(SuccessFake("README.md"))
    session = await start_selected_session(app)
    try:
        assert session.state is not None
        assert (session.state.selected_provider, session.state.selected_model) == (
            "claude-code",
            None,
        )
        await select_model(app, "haiku", session.session_id)
        end = await run_task(app, "Create README.md", session=session)
        assert session.state.selected_model == "haiku"
        assert end.report is not None
        assert end.report.selected_model == "haiku"
    finally:
        await session.leave()


@pytest.mark.parametrize("before", [0, 60, 90])
async def test_a_key_in_an_instruction_is_masked_before_anything_is_cut(
    tmp_path: Path, before: int
) -> None:
    """Half a key is known to nobody as one, and would be kept."""
    key = "Q8" + "GiB8ber34Axf" * 9
    app = await project(tmp_path, OPENAI_API_KEY=key)
    app.executors = FixedExecutors(ErrorFake())
    with pytest.raises(PmError):
        await run_task(app, f"Explain in README.md {'x' * before} what {key} is")
    assert files_with(tmp_path, b"GiB8ber34Axf") == []
