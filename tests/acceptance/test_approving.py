"""An approval has effect only where something can go on, and names what waits for an answer."""

import json
from pathlib import Path

import pytest

from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = [pytest.mark.timeout(60), pytest.mark.unmeasured]

ASKED = json.dumps(
    {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "I need to know the license.",
        "permission_denials": [
            {
                "tool_name": "AskUserQuestion",
                "tool_input": {"questions": [{"question": "Which license shall it have?"}]},
            }
        ],
    }
)
ASKS = f"case \"$*\" in *LICENSE*) cat <<'ASKED'\n{ASKED}\nASKED\nexit 0;; esac"


class Talk:
    """A conversation in one project, and commands in a shell beside it."""

    def __init__(self, program: Program, project: Path, claude: ClaudeScript) -> None:
        self._program = program
        self._where = ("--project", str(project))
        self._claude = claude

    def says(self, *lines: str, body: str = ASKS) -> Ran:
        script = "\n".join(("/start", *lines, "/exit", ""))
        env = self._claude.does(body)
        return self._program("repl", "--non-interactive", *self._where, stdin=script, env=env)

    def __call__(self, *words: str, body: str = ASKS) -> Ran:
        return self._program(*words, *self._where, env=self._claude.does(body))

    @property
    def session(self) -> str:
        return str(self("status", "--json").json["session"]["session_id"])

    @property
    def tasks(self) -> list[str]:
        return [task["external_task_id"] for task in self("status", "--json").json["tasks"]]


@pytest.fixture
def talk(program: Program, project: Path, claude: ClaudeScript) -> Talk:
    return Talk(program, project, claude)


def test_what_waits_for_an_answer_is_not_approved(talk: Talk) -> None:
    """R-16 The task is named, with the way to answer it; nothing is changed by trying."""
    said = talk.says("Create LICENSE.md", "/approve", "/status")
    (task,) = talk.tasks
    assert "continuation_approved: false" in said.out
    for refused in (said, talk("approve", talk.session), talk("continue", talk.session)):
        assert refused.code == 1, refused.out
        assert f"ERROR E207: session {talk.session} waits for an answer to task {task}" in (
            refused.err
        )
        spelt = "/reply TEXT" if refused is said else f"pm-orchestrator reply {task} TEXT"
        assert f"answer with `{spelt}`" in refused.err
    assert "[NEXT]    /reply ANSWER goes on" in said.out


def test_an_approval_names_what_goes_on(talk: Talk) -> None:
    """R-16 Of several unfinished tasks, the one it is for: not the later one that waits."""
    talk.says("Create a.md", "Create LICENSE.md")
    first, _ = talk.tasks
    approved = talk("approve", talk.session)
    assert (approved.code, first in approved.out) == (0, True), approved.out + approved.err
    went_on = talk("continue", talk.session, body="echo a > a.md")
    assert went_on.code == 0, went_on.out + went_on.err
    assert f"[TASK]    {first}" in went_on.out


def test_an_approval_is_not_for_what_comes_after_it(talk: Talk) -> None:
    """R-16 A task that nobody had seen when the approval was given needs its own."""
    talk.says("Create a.md", "/approve", "Create b.md", body="true")
    refused = talk("continue", talk.session)
    assert (refused.code, refused.err[:11]) == (1, "ERROR E207:"), refused.out
    assert "only after an explicit approval" in refused.err


ALTERS = (
    'for f in .claude/logs/sessions/*/session_state.json; do echo " " >> $f; done; echo b > b.md'
)


def test_nothing_goes_on_from_what_counts_for_nothing(talk: Talk) -> None:
    """R-16 An INVALID task is taken back, and the instruction given again."""
    ran = talk.says("Create b.md", body=ALTERS)
    (task,) = talk.tasks
    assert (ran.code, "were altered" in ran.out, "approve" in ran.out) == (1, True, False)
    cure = f"`pm-orchestrator undo {task}`"
    run_id = talk("runs", "--json").json[0]["run_id"]
    for words in (
        ("approve", talk.session),
        ("continue", talk.session),
        ("reply", task, "go on"),
        ("resume", run_id),
        ("accept", task),
    ):
        refused = talk(*words)
        assert refused.code == 1, (words, refused.out)
        if words[0] != "accept":
            assert refused.err.startswith(f"ERROR E207: task {task} is INVALID"), refused.err
            assert cure in refused.err
    assert talk("status", "--json").json["session"]["continuation_approved"] is False
    assert talk("undo", task).code == 0
    done = talk("run", "Create b.md", "--solo", body="echo b > b.md")
    assert done.code == 0, done.out + done.err


def test_what_was_unfinished_before_goes_on_beside_an_invalid_task(talk: Talk) -> None:
    """R-16 One task that counts for nothing does not hold up the others."""
    alters = f'case "$*" in *b.md*) {ALTERS};; esac'
    talk.says("Create a.md", "Create b.md", body=alters)
    first, invalid = talk.tasks
    assert "is INVALID" in talk("reply", invalid, "go on").err
    approved = talk("approve", talk.session)
    assert (approved.code, first in approved.out) == (0, True), approved.out + approved.err
    went_on = talk("continue", talk.session, body="echo a > a.md")
    assert (went_on.code, f"[TASK]    {first}" in went_on.out) == (0, True), went_on.out
