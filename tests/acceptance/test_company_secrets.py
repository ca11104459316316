"""A secret in delivered work stays at home until a person accepts it, and is told to nobody."""

import secrets
import string
from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.company_bench import CompanyBench
from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.data.secrets import kept_text
from pm_orchestrator.testing.programs.called_program import Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript

pytestmark = [pytest.mark.timeout(90), pytest.mark.unmeasured]

ASKED = "Create service.ini with the address of the service"


@pytest.fixture
def token() -> str:
    letters = string.ascii_letters + string.digits
    return "gh" + "p_" + "".join(secrets.choice(letters) for _ in range(36))


def writes(token: str) -> str:
    return f"echo 'address = https://{token}@example.invalid' > service.ini"


def leaks(bench: CompanyBench, ran: Ran, token: str) -> list[str]:
    """Where the program has said or written it, but for git's own objects and the project."""
    kept = [
        path
        for folder in (".claude", ".pm-orchestrator")
        for path in (bench.root / folder).rglob("*")
        if path.is_file() and "objects" not in path.parts
    ]
    texts = {str(path): kept_text(path).decode("utf-8", "replace") for path in kept}
    texts |= {"stdout": ran.out, "stderr": ran.err}
    return [name for name, text in texts.items() if token in text]


def holds(remote: GitProject, token: str) -> bool:
    return token in remote.git("log", "--all", "-p")


@pytest.mark.long
def test_a_committed_token_waits_for_a_person(
    bench: CompanyBench, tmp_path: Path, token: str
) -> None:
    remote = GitProject(tmp_path / "remote.git", "--bare")
    bench.repository.git("remote", "add", "origin", str(remote.path))
    bench.company.does(writes(token))
    ran = bench.run(ASKED)
    assert ran.code == 2, ran.out + ran.err
    assert ran.json["status"] == "INCOMPLETE"
    assert not holds(remote, token)
    assert leaks(bench, ran, token) == []

    accepted = bench("accept", ran.json["task_id"], "--json")
    assert accepted.code == 0, accepted.out + accepted.err
    assert holds(remote, token)
    assert leaks(bench, accepted, token) == []


def test_a_delivered_token_waits_for_a_person_alone(
    bench: CompanyBench, claude: ClaudeScript, token: str
) -> None:
    ran = bench.run(ASKED, "--solo", env=claude.does(writes(token)))
    assert ran.code == 2, ran.out + ran.err
    assert leaks(bench, ran, token) == []
    accepted = bench("accept", ran.json["task_id"], "--json")
    assert accepted.code == 0, accepted.out + accepted.err
    assert token in (bench.root / "service.ini").read_text("utf-8")
