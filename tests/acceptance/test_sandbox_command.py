"""A person looks into the sandboxes of a project, and tries commands there."""

from pathlib import Path

import pytest

from pm_orchestrator.testing.benches.git_project import GitProject
from pm_orchestrator.testing.programs.called_program import Program, Ran

MAKEFILE = "test:\n\tpython3 -m unittest\nlint:\n\ttrue\n"


@pytest.fixture
def prepared(project: Path) -> Path:
    """A project with a check, a module beside its commits, and a secret."""
    repository = GitProject.at(project)
    repository.write("Makefile", MAKEFILE)
    repository.write("package.json", "{}\n")
    repository.write(".gitignore", "node_modules/\n.env\n")
    repository.commit("Have checks")
    (project / "node_modules").mkdir()
    (project / "node_modules/.npmrc").write_text("token", "utf-8")
    (project / ".env").write_text("TOKEN=secret", "utf-8")
    (project / "notes.md").write_text("not committed", "utf-8")
    return project


def sandbox(program: Program, project: Path, *arguments: str) -> Ran:
    return program("sandbox", *arguments[:1], "--project", str(project), *arguments[1:])


def test_a_command_is_tried_as_a_worker_would_run_it(program: Program, prepared: Path) -> None:
    script = "cat notes.md; ls -A; echo x > node_modules/new; echo oops >&2; printf end; exit 7"
    ran = sandbox(program, prepared, "exec", "--", "sh", "-c", script)
    shown = ran.out.split()
    assert ran.code == 7, ran.err
    assert shown[-1] == "end"
    assert {"Makefile", "node_modules", "notes.md"} <= set(shown)
    assert "not" not in shown
    assert ".env" not in shown
    assert "oops" in ran.err
    assert [path.name for path in (prepared / "node_modules").iterdir()] == [".npmrc"]


def test_another_commit_can_be_looked_at(program: Program, prepared: Path) -> None:
    ran = sandbox(program, prepared, "exec", "--base", "HEAD~1", "--", "ls")
    assert (ran.code, ran.out.split()) == (0, ["node_modules", "notes.md"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--base", "nowhere", "--", "true"), "E210"),
        (("--", "no-such-program"), "E901"),
    ],
)
def test_what_cannot_be_tried_is_said(
    program: Program, prepared: Path, arguments: tuple[str, ...], code: str
) -> None:
    ran = sandbox(program, prepared, "exec", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert code in ran.err


def test_it_is_seen_what_is_there(program: Program, prepared: Path) -> None:
    ran = sandbox(program, prepared, "list")
    assert "✓ bwrap: ready" in ran.out
    assert f"{prepared}/node_modules is seen; what is written there is thrown away" in ran.out
    assert "without .npmrc" in ran.out
    assert "✓ test: `make test` has its program" in ran.out
    japanese = program("sandbox", "list", "--lang", "ja", "--project", str(prepared)).out
    assert "プログラムがあります" in japanese


def test_the_doctor_says_which_checks_would_run(program: Program, prepared: Path) -> None:
    repository = GitProject.at(prepared)
    repository.write(".claude/settings.json", _with_lint(prepared))
    ran = program("doctor", "--project", str(prepared))
    assert "✓ check test: `make test` can run in the sandbox" in ran.out
    assert "· check lint: `no-such-linter .` cannot run in the sandbox" in ran.out


def _with_lint(project: Path) -> str:
    text = (project / ".claude/settings.json").read_text("utf-8")
    return text.replace('"lint": null', '"lint": ["no-such-linter", "."]', 1)
