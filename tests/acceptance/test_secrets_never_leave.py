"""Keys of every shape, planted wherever text comes in, and looked for in every byte that left."""

import json
from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.calc_parts import TWO, adds, calc_project
from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.data.planting import Planting
from pm_orchestrator.testing.data.secrets import kept_text
from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript
from pm_orchestrator.testing.scripted.scripted_company import Part, ScriptedCompany

pytestmark = [pytest.mark.timeout(120), pytest.mark.unmeasured]

MAIL = "bob.smith@example.com"
PHONE = "+81 90-1234-5678"
USERS_OWN = (".claude/settings.json", "/rescue/", "/objects/")
"""What a person or an agent wrote is kept byte by byte, and never pushed."""


class Sweep:
    """A program, what it printed, and all that it may have written."""

    def __init__(self, program: Program, project: Path, home: Path, temporary: Path) -> None:
        self.planting = Planting(20260115)
        self.printed: dict[str, str] = {}
        self.project = project
        self._program = program
        self._home = home
        self._temporary = temporary

    def __call__(self, *arguments: str, stdin: str = "", env: dict[str, str] | None = None) -> Ran:
        secret = {"MY_SECRET_TOKEN": self.literal} | (env or {})
        where = ("--project", str(self.project))
        ran = self._program(*arguments, *where, stdin=stdin, env=secret)
        self.printed[f"{len(self.printed)} {' '.join(arguments[:2])}"[:40]] = ran.out + ran.err
        assert "Traceback" not in ran.err, ran.err
        return ran

    @property
    def literal(self) -> str:
        """The value of the user's own secret variable."""
        if not hasattr(self, "_literal"):
            self._literal = self.planting.literal("environment")
        return self._literal

    def key(self, place: str) -> str:
        return self.planting.key(place)

    def text(self, place: str) -> str:
        """All shapes in one line."""
        return self.planting.text(place, " , ")

    def leaks(self) -> dict[str, list[str]]:
        """What was found, by where; nothing where nothing left."""
        found = {name: self.planting.found(text.encode()) for name, text in self.printed.items()}
        for name, data in self.written().items():
            found[name] = self.planting.found(data) + self.planting.found(name.encode())
        return {name: keys for name, keys in found.items() if keys}

    def written(self) -> dict[str, bytes]:
        """Every file of ours, but those whose content belongs to others."""
        places = (
            self.project / ".claude",
            self.project / ".pm-orchestrator",
            self._home,
            self._temporary,
        )
        files = [path for place in places for path in place.rglob("*") if path.is_file()]
        return {
            str(path): kept_text(path)
            for path in files
            if not any(part in path.as_posix() for part in USERS_OWN)
        }


@pytest.fixture
def sweep(program: Program, project: Path, home: Path, tmp_path: Path) -> Sweep:
    return Sweep(program, project, home, tmp_path / "tmp")


def leaky_agent(sweep: Sweep, claude: ClaudeScript, **ends: str | int) -> dict[str, str]:
    """A claude that has a key in everything it says and does."""
    key, output = sweep.key, sweep.planting.output
    tool = {"command": output("tool input"), "password": sweep.planting.literal("tool field")}
    say = {"type": "text", "text": output("executor text")}
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": tool}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": output("tool result")}
    events = [
        {"type": "system", "subtype": "init", "session_id": key("session"), "model": key("model")},
        {"type": "assistant", "message": {"content": [say, use]}},
        {"type": "user", "message": {"content": [result]}},
    ]
    git = "git -c user.name=T -c user.email=t@localhost"
    body = "".join(f"cat <<'EOX'\n{json.dumps(event)}\nEOX\n" for event in events)
    body += f"cat >&2 <<'EOX'\n{output('stderr')}\nEOX\necho \"$MY_SECRET_TOKEN\"\n"
    body += f"echo '# x' >> notes.md; echo hello > '{key('file name')}.txt'\n"
    body += f"git checkout -q -b '{key('branch')}'; {git} commit -qam '{key('commit message')}'\n"
    says = f"Done. Mail {MAIL} or {PHONE}. {sweep.planting.text('summary')}"
    return claude.does(body, says=says, **ends)  # pyright: ignore[reportArgumentType]


def plant_settings(sweep: Sweep) -> None:
    path = sweep.project / ".claude" / "settings.json"
    settings = json.loads(path.read_text("utf-8"))
    said = sweep.text("gate command").replace("'", "")
    settings["gates"] = {"test": ["sh", "-c", f"echo '{said}'; echo $MY_SECRET_TOKEN"]}
    settings["foreign"] = {"apiKey": sweep.key("foreign settings")}
    path.write_text(json.dumps(settings), "utf-8")


def test_no_key_leaves_a_run(sweep: Sweep, claude: ClaudeScript, tmp_path: Path) -> None:
    """R-24 API Key Secrecy: from settings, instruction, executor and gates into no byte of ours."""
    plant_settings(sweep)
    settings = (sweep.project / ".claude" / "settings.json").read_bytes()
    asked = tmp_path / "asked.txt"
    asked.write_text(f"Add a comment to notes.md\n{sweep.planting.text('file')}", "utf-8")
    agent = leaky_agent(sweep, claude)
    ran = sweep("run", "-f", str(asked), "--solo", "--json", env=agent)
    assert ran.json["task_id"], "still data"
    assert "[MASKED:" in ran.json["claim"]["summary"]
    assert sweep("validate", "--json").json["gates"]["test"]
    sweep("run", "fix it", "--solo", env=agent)
    entries = sweep("logs", "--json").json
    waiting = sweep("logs", entries[-1]["task_id"], "--full", "--json").json
    sweep("reply", waiting["task_id"], f"In notes.md. {sweep.text('reply')}", env=agent)
    failing = leaky_agent(sweep, claude, ends_with=sweep.text("no JSON"), exit_code=3)
    sweep("run", f"Add a line to notes.md {sweep.text('instruction')}", "--solo", env=failing)
    for page in (["logs"], ["logs", "--tree"], ["status"], ["status", "--json"], ["runs"]):
        assert sweep(*page).code == 0
    assert sweep("doctor", "--report").out
    assert sweep("evidence", "verify").code == 0
    assert sweep.leaks() == {}
    assert (sweep.project / ".claude" / "settings.json").read_bytes() == settings


def test_no_key_leaves_settings_that_are_wrong(sweep: Sweep, claude: ClaudeScript) -> None:
    """R-24 API Key Secrecy: a key in place of a name or a value is not repeated to say so."""
    path = sweep.project / ".claude" / "settings.json"
    settings = json.loads(path.read_text("utf-8"))
    key, agent = sweep.key, claude.does("echo x >> notes.md")
    for wrong in (
        {"gates": {key("name of a gate"): ["sh", "-c", "exit 1"]}},
        {"task_limits": {"files": key("number")}},
        {"task_limits": {key("name of a limit"): 3}},
        {"company": {"model": key("model")}},
    ):
        path.write_text(json.dumps(settings | wrong), "utf-8")
        sweep("validate")
        sweep("doctor", "--report")
        sweep("run", "Add a line to notes.md", "--solo", "--json", env=agent)
    path.write_text('{"a": "' + key("torn file"), "utf-8")
    assert "E105" in sweep("validate").err
    assert sweep.leaks() == {}


def test_addresses_of_persons_stay_out_of_what_is_told(sweep: Sweep, claude: ClaudeScript) -> None:
    """R-25 Log Visibility Control: mail addresses and phone numbers of an executor's words."""
    ran = sweep(
        "run", "Add a comment to notes.md", "--solo", "--json", env=leaky_agent(sweep, claude)
    )
    assert "[MASKED:EMAIL]" in ran.json["claim"]["summary"]
    sweep("logs", ran.json["task_id"], "--full")
    everywhere = sweep.written() | {name: said.encode() for name, said in sweep.printed.items()}
    found = [name for name, data in everywhere.items() if MAIL.encode() in data]
    assert found == []
    assert not [name for name, data in everywhere.items() if b"1234-5678" in data]


def test_an_answer_keeps_the_address_it_was_asked_for(sweep: Sweep, claude: ClaudeScript) -> None:
    """R-25 Log Visibility Control: what a person asked for is readable where it is kept."""
    agent = claude.does("true", says=f"Write to {MAIL}.")
    ran = sweep("run", "Who maintains this project?", "--solo", "--json", env=agent)
    assert ran.code == 0, ran.out + ran.err
    assert MAIL in Path(ran.json["answer"]).read_text("utf-8")


def test_no_key_leaves_an_argument(sweep: Sweep, claude: ClaudeScript) -> None:
    """R-24 API Key Secrecy: what is typed in the wrong place is neither kept nor repeated."""
    agent = claude.does("echo x >> notes.md")
    ran = sweep("run", "Add a line to notes.md", "--solo", "--model", sweep.key("model"), env=agent)
    assert (ran.code, "E210" in ran.err) == (1, True)
    assert (sweep.project / "notes.md").read_text("utf-8") == "# Notes\n", "nothing has begun"
    for command in ("status", "cancel", "undo", "accept", "continue", "approve", "resume", "watch"):
        assert sweep(command, sweep.key(command)).code == 1
    sweep("logs", sweep.key("logs"))
    assert sweep("evidence", "show", sweep.key("evidence")).code == 1
    assert sweep("run", "x", "--workers", sweep.key("--workers")).code == 1
    assert sweep("run", "x", f"--{sweep.key('option')}").code == 1
    assert sweep(sweep.key("command")).code == 1
    assert sweep("repl", "--project-mode", sweep.key("--project-mode")).code == 1
    assert sweep.leaks() == {}


def test_a_project_called_by_a_key_is_refused(
    program: Program, sweep: Sweep, tmp_path: Path
) -> None:
    """R-24 API Key Secrecy: every record names the project."""
    root = tmp_path / sweep.planting.key("project", "gitlab")
    root.mkdir()
    ran = program("init", "--project", str(root))
    assert (ran.code, "E102" in ran.err) == (1, True)
    assert sweep.planting.found((ran.out + ran.err).encode()) == []
    assert list(root.iterdir()) == []


def test_no_key_leaves_a_conversation(sweep: Sweep, claude: ClaudeScript) -> None:
    """R-24 API Key Secrecy: nothing typed into the REPL comes out of it again."""
    lines = [
        "/start",
        *(f"/{name} {sweep.key(name)}" for name in ("model", "provider", "models", "continue")),
        *(f"/{name} {sweep.key(name)}" for name in ("logs", "undo", "accept", "diff")),
        f"/{sweep.key('unknown command')}",
        f"Add a comment to notes.md. {sweep.text('line')}",
        "fix it",
        f"/reply In notes.md. {sweep.text('reply')}",
        *("/tasks", "/status", "/logs", "/logs --json", "/help", "/keys", "/exit"),
    ]
    agent = leaky_agent(sweep, claude)
    ran = sweep("repl", "--non-interactive", stdin="\n".join(lines) + "\n", env=agent)
    assert ran.out.count("=== TASK SUMMARY ===") >= 3, ran.out + ran.err
    assert sweep.leaks() == {}


@pytest.mark.long
def test_no_key_leaves_a_company(sweep: Sweep, company: ScriptedCompany, program: Program) -> None:
    """R-24 API Key Secrecy: into no plan, ticket, message, branch, transcript or journal."""
    calc_project(sweep.project)

    # What is said of one part may take 4000 characters.
    titles = {"double": "", "triple": sweep.text("title")}

    def part(name: str, factor: int) -> Part:
        git = "git -c user.name=T -c user.email=t@localhost"
        body = adds(name, factor)
        said = sweep.planting.output(f"{name} output") if factor == 2 else ""
        body += f"cat <<'EOX'\n{said}\nEOX\n"
        body += f"git add -A; {git} commit -qm '{sweep.key(f'{name} commit')}'\n"
        return Part(
            title=f"The {name} part {sweep.key(f'{name} title')} {titles[name]}",
            body=body,
            says=f"Done. {MAIL} {sweep.planting.text(f'{name} summary')}",
            files=(f"calc/{name}.py", f"tests/test_{name}.py", sweep.key(f"{name} claimed")),
        )

    env = company.plans(part("double", 2), part("triple", 3))
    ran = sweep("run", f"{TWO}\nUse {sweep.text('instruction')}", "--json", env=env)
    assert ran.json["work"], ran.out + ran.err
    sweep("run", TWO, "--base", sweep.key("base"), env=env)
    sweep("run", TWO, "--model", sweep.key("model"), env=env)
    for page in (
        ["runs"],
        ["status", "run_001", "--json"],
        ["review", "list"],
        ["watch", "run_001"],
    ):
        sweep(*page)
    refs = CompanyBench(program, sweep.project, company).refs("refs/")
    assert sweep.planting.found("\n".join(refs).encode()) == []
    assert sweep.leaks() == {}
