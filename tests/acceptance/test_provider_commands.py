"""`/provider`, `/models`, `/model`, `/keys` as a script types them, and what they leave behind."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pm_orchestrator.testing.data.secrets import kept_text
from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = pytest.mark.unmeasured

OPENAI_KEY = "s" + "k-proj-Zq81mXw02LkPr64TnVb95YcDs37Hg"
ANTHROPIC_KEY = "s" + "k-ant-api03-Rt58Uy21QwEz90MnBv64KjHg73Fd"
KEYS = {"OPENAI_API_KEY": OPENAI_KEY, "ANTHROPIC_API_KEY": ANTHROPIC_KEY}


class Repl:
    """Scripts in one project."""

    def __init__(self, program: Program, project: Path) -> None:
        self._program = program
        self.project = project

    def __call__(self, *lines: str, env: dict[str, str] | None = None) -> Ran:
        return self._program(
            "repl",
            "--non-interactive",
            "--project",
            str(self.project),
            stdin="\n".join(lines) + "\n",
            env=env,
        )

    @property
    def state(self) -> dict[str, str | None]:
        content: dict[str, str | None] = json.loads(self.file.read_text("utf-8"))
        return content

    @property
    def file(self) -> Path:
        return self.project / ".claude" / "repl.json"

    def evidence(self, kind: str) -> list[tuple[dict[str, Any], str]]:
        """Records of this kind, each with its raw log."""
        claude = self.project / ".claude"
        records = [json.loads(p.read_text("utf-8")) for p in claude.rglob("ev-*.json")]
        return [
            (record, (claude / record["raw_logs"]).read_text("utf-8"))
            for record in records
            if record["operation_type"] == kind
        ]


@pytest.fixture
def repl(program: Program, project: Path) -> Repl:
    return Repl(program, project)


def test_a_provider_and_a_model_are_selected_and_kept(repl: Repl, program: Program) -> None:
    """R-23: only known providers are selected, and each change is on record."""
    settings = (repl.project / ".claude/settings.json").read_bytes()
    ran = repl("/provider", "/provider openai", "/provider", "/models", "/models gpt-4o-mini")
    assert ran.code == 0, ran.err
    shown = ran.out.splitlines()
    assert shown[0] == "Provider: UNSET (claude-code is used)"
    assert shown[1] == "Choose one with /provider select or /provider <name>."
    assert shown[2:4] == ["Provider: openai", "Model: UNSET"]
    assert shown[5:7] == ["Provider: openai", "Model: UNSET"]
    assert shown[8] == "Model: gpt-4o-mini"
    assert list(repl.state) == [
        "selected_provider",
        "selected_model",
        "updated_at",
        "current_task_id",
        "last_task_id",
    ]
    assert (repl.state["selected_provider"], repl.state["selected_model"]) == (
        "openai",
        "gpt-4o-mini",
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", repl.state["updated_at"] or "")
    ((record, raw),) = repl.evidence("select_provider")
    assert f"Evidence: {record['evidence_id']}" in shown
    assert raw == "selected_provider: UNSET -> openai\nselected_model: UNSET -> UNSET"
    ((_, raw),) = repl.evidence("select_model")
    assert raw.endswith("selected_model: UNSET -> gpt-4o-mini")
    assert (repl.project / ".claude/settings.json").read_bytes() == settings
    verified = program("evidence", "verify", "--project", str(repl.project))
    assert verified.code == 0, verified.out + verified.err
    # The next program finds it again.
    assert repl("/models").out == "Model: gpt-4o-mini\n"


def test_lists_name_what_there_is(repl: Repl) -> None:
    ran = repl("/provider show", "/models list", "/provider openai", "/models list")
    assert ran.code == 0, ran.err
    assert ran.out.startswith(
        "Available providers:\n"
        "  > claude-code  (Claude Code Executor - recommended)\n"
        "    openai       (OpenAI API direct)\n"
        "    anthropic    (Anthropic API direct)\n"
    )
    assert "\nAvailable models for claude-code:\n" in ran.out
    assert re.search(r"\n  opus +\| - ", ran.out)
    assert re.search(r"\n  gpt-4o-mini +\| 128K +\| \$0\.15 +\| \$0\.60 +\| ", ran.out)
    assert re.search(r"\nPrices in US dollars as of \d{4}-\d\d-\d\d", ran.out)


MISTAKES = {
    "/provider gemini": "claude-code, openai, anthropic",
    "/provider OpenAI": "claude-code, openai, anthropic",
    "/provider openai anthropic": "claude-code, openai, anthropic",
    "/models gpt-4o": "opus",
    "/provider select": "/provider <name>",
    "/models select": "/models <name>",
    "/keys openai": "/keys",
}


def test_a_mistake_is_e210_and_changes_nothing(repl: Repl) -> None:
    before = repl.file.read_bytes()
    ran = repl(*MISTAKES, "/model")
    assert ran.code == 1
    said = ran.err.splitlines()
    assert len(said) == 2 * len(MISTAKES)
    for what, hint, words in zip(said[::2], said[1::2], MISTAKES.values(), strict=True):
        assert what.startswith("ERROR E210: ")
        assert hint.startswith("HINT: ")
        assert words in hint
    assert ran.out.startswith("Model: UNSET\n")
    assert repl.file.read_bytes() == before
    assert repl.evidence("select_provider") == repl.evidence("select_model") == []


def test_a_damaged_state_is_e105_for_every_command(repl: Repl) -> None:
    damage = '{"selected_provider": "gemini"'
    repl.file.write_text(damage, "utf-8")
    lines = ("/provider", "/provider openai", "/models", "/models list", "/model x", "/start")
    ran = repl(*lines)
    assert ran.code == 1
    assert ran.out == ""
    assert [line[:11] for line in ran.err.splitlines()[::2]] == ["ERROR E105:"] * len(lines)
    assert repl.file.read_text("utf-8") == damage


def test_without_a_project_it_is_e101(program: Program, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    ran = Repl(program, empty)("/provider openai", "/models", "/model x", "/keys")
    assert ran.code == 1
    assert ran.err.count("ERROR E101: ") == 4
    assert list(empty.iterdir()) == []


def test_the_selected_model_does_the_work(repl: Repl, claude: ClaudeScript, tmp_path: Path) -> None:
    said = tmp_path / "arguments"
    env = claude.does(f"echo \"$@\" >> '{said}'; echo '# Readme' > README.md")
    ran = repl("/models haiku", "/start", "Create README.md", "/model my-own", "/status", env=env)
    assert ran.code == 0, ran.out + ran.err
    assert " --model haiku" in said.read_text("utf-8")
    assert "selected_provider: claude-code\nselected_model: haiku\n" in ran.out
    (session,) = (repl.project / ".claude/logs/sessions").glob("session-*")
    state = json.loads((session / "session_state.json").read_text("utf-8"))
    assert (state["selected_provider"], state["selected_model"]) == ("claude-code", "haiku")
    assert repl.state["selected_model"] == "my-own"
    assert repl.state["current_task_id"] is None
    assert repl.state["last_task_id"] is not None


def test_no_model_is_named_where_none_was_selected(
    repl: Repl, claude: ClaudeScript, tmp_path: Path
) -> None:
    said = tmp_path / "arguments"
    env = claude.does(f"echo \"$@\" >> '{said}'; echo '# Readme' > README.md")
    ran = repl("/start", "Create README.md", env=env)
    assert ran.code == 0, ran.out + ran.err
    assert "selected_provider: claude-code\nselected_model: UNSET\n" in ran.out
    assert "--model" not in said.read_text("utf-8")


@pytest.mark.parametrize(
    ("lines", "env", "code", "words"),
    [
        (("/provider openai",), KEYS, "E211", "/models"),
        (("/provider anthropic", "/model m"), {}, "E211", "ANTHROPIC_API_KEY"),
        (("/provider openai", "/models gpt-4o"), {"OPENAI_API_KEY": ""}, "E211", "/keys"),
    ],
)
def test_no_executor_is_called_for_half_a_selection(
    repl: Repl,
    claude: ClaudeScript,
    lines: tuple[str, ...],
    env: dict[str, str],
    code: str,
    words: str,
) -> None:
    """R-24 API Key Secrecy: where the key is NOT SET, nobody is called in its place."""
    start = repl("/start", env=claude.does("touch called"))
    session = start.out.splitlines()[0].removeprefix("session_id: ")
    given = {**env, **claude.does("touch called")}
    ran = repl(*lines, f"/continue {session}", "Create README.md", env=given)
    assert ran.code == 1
    last = ran.err.splitlines()[-2:]
    assert last[0].startswith(f"ERROR {code}: ")
    assert words in last[1]
    assert not (repl.project / "called").exists()
    again = repl("/start", env=given)
    assert again.err.startswith("ERROR E211: ")
    assert again.out == ""


def test_run_solo_uses_the_selection_too(
    repl: Repl, program: Program, claude: ClaudeScript, tmp_path: Path
) -> None:
    said = tmp_path / "arguments"
    env = claude.does(f"echo \"$@\" >> '{said}'; echo '# Readme' > README.md")
    assert repl("/models haiku").code == 0
    at = ("--project", str(repl.project), "--json")
    ran = program("run", "Create README.md", "--solo", *at, env=env)
    assert ran.code == 0, ran.out + ran.err
    assert " --model haiku" in said.read_text("utf-8")
    assert repl("/provider openai").code == 0
    refused = program("run", "Create OTHER.md", "--solo", *at, env=env)
    assert refused.code == 1
    assert refused.err.startswith("ERROR E211: ")
    assert not (repl.project / "OTHER.md").exists()


def test_keys_are_set_or_not_set_and_nowhere_else(
    repl: Repl, program: Program, claude: ClaudeScript, tmp_path: Path
) -> None:
    """R-24 API Key Secrecy: not on a screen, not in a file, not even where an agent prints them."""
    env = {**KEYS, **claude.does("env; env >&2; echo '# Readme' > README.md")}
    lines = (
        "/keys",
        "/provider show",
        f"/provider {OPENAI_KEY}",
        f"/models {OPENAI_KEY}",
        f"/model {ANTHROPIC_KEY}",
        f"/{OPENAI_KEY}",
        "/models list",
        "/start",
        f"Create README.md and mention {ANTHROPIC_KEY}",
        "/tasks",
        "/logs",
        "/logs task-001",
        "/status",
        "/help",
    )
    ran = repl(*lines, env=env)
    at = ("--project", str(repl.project))
    more = [
        program("status", *at, "--json", env=env),
        program("logs", "task-001", *at, env=env),
        program("evidence", "show", *at, env=env),
        repl("/keys", env={"PM_LANG": "ja", "OPENAI_API_KEY": OPENAI_KEY}),
    ]
    assert (
        "  openai    | OPENAI_API_KEY    | SET\n  anthropic | ANTHROPIC_API_KEY | SET\n" in ran.out
    )
    assert '  Anthropic: export ANTHROPIC_API_KEY="sk-ant-..."\n' in ran.out
    assert "  anthropic    | ANTHROPIC_API_KEY | NOT SET\n" in more[-1].out
    # The scripted claude itself is no part of the program; its folder holds no key either.
    kept = [kept_text(p) for p in tmp_path.rglob("*") if p.is_file()]
    seen = b"\n".join([*kept, *(f"{r.out}{r.err}".encode() for r in [ran, *more])])
    for key in KEYS.values():
        for part in (key, key[-12:], key[8:24]):
            assert part.encode() not in seen


def test_everything_is_said_in_japanese_too(repl: Repl) -> None:
    ran = repl("/provider", "/provider x", "/models list", "/keys", env={"PM_LANG": "ja"})
    assert ran.out.startswith("Provider: UNSET (claude-code を使用します)\n")
    assert "claude-code の利用可能モデル:" in ran.out
    assert "注意: API キーは環境変数からのみ読み取ります。" in ran.out
    assert ran.err.startswith("ERROR E210: プロバイダー x はありません。\n")
