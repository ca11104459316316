"""Provider, model, keys: what is selected is kept, proved and used; a key is seen nowhere."""

import asyncio
import io
import json
import shutil
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.initialising import init_at
from pm_orchestrator.bootstrap.opening import open_project
from pm_orchestrator.bootstrap.shipped_models import model_registry
from pm_orchestrator.cli.repl.conversation import Conversation
from pm_orchestrator.cli.repl.slash_commands import dispatch
from pm_orchestrator.cli.terminal.screen import Screen
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.providers import KEY_VARIABLES, PROVIDERS, Provider
from pm_orchestrator.runner.project.project import Project
from pm_orchestrator.runner.project.selecting import (
    ready_selection,
    select_listed_model,
    select_model,
    select_provider,
)

FIELDS = [
    "selected_provider",
    "selected_model",
    "updated_at",
    "current_task_id",
    "last_task_id",
]
LISTED = {p: [m.name for m in model_registry().of(p)] for p in PROVIDERS}
T = TypeVar("T")

some_text = st.text(st.characters(codec="utf-8"), max_size=12)
names = some_text | st.sampled_from([*PROVIDERS, *(n for p in PROVIDERS for n in LISTED[p])])
actions = st.tuples(st.sampled_from(["provider", "models", "model"]), names)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that is copied for every case: making one waits for the disk."""
    root = tmp_path_factory.mktemp("fresh")
    asyncio.run(init_at(root, adopt=False))
    return root


def in_project(
    fresh: Path,
    variables: dict[str, str],
    work: Callable[[Project, Path], Coroutine[Any, Any, T]],
) -> T:
    """Do something in a new project of its own, with a home of its own."""

    async def course(root: Path) -> T:
        project = root / "project"
        shutil.copytree(fresh, project)
        given = {"HOME": str(root / "home"), "PATH": str(root), **variables}
        return await work(await open_project(read_environment(given), project), root)

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(course(Path(folder)))


def proofs(app: Project) -> list[str]:
    """The kinds of all evidence there is."""
    records = (app.paths.claude / "evidence").rglob("ev-*.json")
    return sorted(json.loads(p.read_text("utf-8"))["operation_type"] for p in records)


class Model:
    """What ought to be selected."""

    def __init__(self) -> None:
        self.provider: Provider | None = None
        self.model: str | None = None

    def accepts(self, kind: str, name: str) -> bool:
        """Whether the rules allow it; if so, it counts from now on."""
        if kind == "provider":
            if name not in PROVIDERS:
                return False
            if name != (self.provider or "claude-code"):
                self.model = None
            self.provider = name
            return True
        listed = LISTED[self.provider or "claude-code"]
        good = name in listed if kind == "models" else bool(name.strip()) and name.isprintable()
        if good:
            self.model = name
        return good


@given(
    steps=st.lists(actions, min_size=1, max_size=4),
    with_key=st.sets(st.sampled_from(list(KEY_VARIABLES))),
)
def test_a_selection_is_valid_kept_and_proved(
    fresh: Path, steps: list[tuple[str, str]], with_key: set[Provider]
) -> None:
    """R-23 Provider and Model Configuration Control: closed set, evidence, fail closed."""
    select = {"provider": select_provider, "models": select_listed_model, "model": select_model}

    async def work(app: Project, _: Path) -> None:
        path, expected, changes = app.paths.claude / "repl.json", Model(), list[str]()
        for kind, name in steps:
            before = path.read_bytes()
            if expected.accepts(kind, name):
                await select[kind](app, name, None)
                changes.append("select_provider" if kind == "provider" else "select_model")
            else:
                with pytest.raises(PmError, match="E210"):
                    await select[kind](app, name, None)
                assert path.read_bytes() == before
            state = json.loads(path.read_text("utf-8"))
            assert list(state) == FIELDS
            assert state["selected_provider"] == expected.provider
            assert state["selected_model"] == expected.model
        assert proofs(app) == sorted(changes)
        check_use(app, expected, with_key)

    in_project(fresh, {KEY_VARIABLES[p]: f"key-of-{p}" for p in with_key}, work)


def check_use(app: Project, expected: Model, with_key: set[Provider]) -> None:
    """Nothing starts with a half selection; otherwise exactly what was selected is used."""
    provider = expected.provider or "claude-code"
    ready = provider == "claude-code" or (expected.model is not None and provider in with_key)
    if not ready:
        with pytest.raises(PmError, match="E211"):
            ready_selection(app)
        return
    chosen = ready_selection(app)
    assert (chosen.provider, chosen.model) == (provider, expected.model)


# Without vowels: nothing that a program says, or calls its settings, is a part of a key.
WORD = st.text("BCDFGHJKMNPQRSTVWXZbcdfghjkmnpqrstvwxz23456789-", min_size=12)
keys = st.one_of(
    st.tuples(st.sampled_from(["sk-", "sk-ant-api03-", "sk-proj-"]), WORD).map("".join),
    WORD.map(lambda word: f"Z9{word}"),
    WORD.map(lambda word: f"Q8{word * 9}"),
)


@given(openai=keys, anthropic=keys, provider=st.sampled_from(PROVIDERS))
def test_no_command_shows_or_keeps_a_key(
    fresh: Path, openai: str, anthropic: str, provider: Provider
) -> None:
    """R-24 API Key Secrecy: SET or NOT SET is all that is ever seen, wherever a key turns up."""

    async def work(app: Project, root: Path) -> str:
        screen = Screen("en", app.masker)
        conversation = Conversation(app.paths.root, read_environment(app.variables), screen)
        conversation.use(app)
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(out):
            for line in (
                "/keys",
                f"/provider {provider}",
                "/models list",
                f"/provider {openai}",
                f"/models {anthropic}",
                "/model m",
                f"/model {openai}",
                "/help",
                f"Explain what {anthropic} is",
            ):
                try:
                    await dispatch(conversation, line)
                except PmError as error:
                    screen.error(error)
            await conversation.leave()
        kept = [p.read_bytes().decode("utf-8", "replace") for p in files_below(root)]
        return "\n".join([out.getvalue(), *kept])

    variables = {"OPENAI_API_KEY": openai, "ANTHROPIC_API_KEY": anthropic}
    seen = in_project(fresh, variables, work)
    assert "openai    | OPENAI_API_KEY    | SET\n" in seen
    for key in (openai, anthropic):
        assert key not in seen
        assert key[-12:] not in seen
        assert key[:14] not in seen


def files_below(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]
