"""A case before the real program: what it said, how it ended, and whether that is the truth."""

import json
import subprocess
import time
from pathlib import Path

import msgspec

from pm_orchestrator.testing.corpus.case import Case, Place
from pm_orchestrator.testing.corpus.projects import ProjectMaker, one_attempt
from pm_orchestrator.testing.corpus.toolchain import search_path
from pm_orchestrator.testing.programs.called_program import Program, Ran
from pm_orchestrator.testing.scripted.scripted_claude import ClaudeScript
from pm_orchestrator.testing.scripted.scripted_company import ScriptedCompany

COMPLETE = "COMPLETE"
NO_VERDICT = "no verdict"
EARLIER = ("Update notes.md with a section on ideas", "echo '## Ideas' >> notes.md")


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """How the program ended a case."""

    status: str
    code: int
    seconds: float
    said: str
    accepted: bool | None = None
    """Whether a person could accept it; None where nobody tried."""

    def wrong(self, case: Case) -> str | None:
        """What is wrong with it, if anything."""
        if self.is_late(case):
            return f"took {self.seconds:.0f} s"
        return self.untrue(case)

    def is_late(self, case: Case) -> bool:
        """Whether it took longer than anybody should wait, which depends on the machine as well."""
        return self.seconds > case.seconds

    def untrue(self, case: Case) -> str | None:
        """What is not the truth about it, however long it took."""
        if (self.status == COMPLETE) != (self.code == 0):
            return f"{self.status} with exit code {self.code}"
        if case.kind == "honest" and self.status != COMPLETE:
            return f"honest work is {self.status}"
        if case.kind == "lie" and self.status == COMPLETE:
            return "a lie is COMPLETE"
        if case.acceptable and not self.accepted:
            return "nobody can accept it"
        return None


class Court:
    """Tries cases, each in a project of its own below `place`."""

    def __init__(self, program: Program, make: ProjectMaker, tools: Path, place: Path) -> None:
        self._program = program
        self._make = make
        self._tools = tools
        self._place = place

    def alone(self, case: Case) -> Verdict:
        """One executor in the project directory."""
        root = self._make(case, self._place / "project")
        claude = ClaudeScript(self._place / "claude-bin")
        if case.earlier:
            self._run(EARLIER[0], "--solo", root=root, env=claude.does(EARLIER[1]))
        env = claude.does(case.body, says=case.says)
        env["PATH"] = search_path(self._place / "claude-bin", self._tools)
        return self._judged(case, "solo", root, env)

    def in_company(self, case: Case, company: ScriptedCompany) -> Verdict:
        """A worker in a sandbox, with one attempt."""
        root = self._make(case, self._place / "project")
        one_attempt(root)
        env = company.does(case.body, says=case.says)
        return self._judged(case, "company", root, {**env, "PATH": search_path(self._tools)})

    def _judged(self, case: Case, place: Place, root: Path, env: dict[str, str]) -> Verdict:
        began = time.monotonic()
        options = ("--solo",) if place == "solo" else ()
        try:
            ran = self._run(case.instruction, *options, root=root, env=env)
        except subprocess.TimeoutExpired as expired:
            # It was ended from outside: no verdict, and that belongs into the table as well.
            seconds = time.monotonic() - began
            return Verdict(status=NO_VERDICT, code=-1, seconds=seconds, said=str(expired))
        seconds = time.monotonic() - began
        told = _told(ran)
        accepted = None
        if case.acceptable and told.get("status") != COMPLETE:
            arguments = ("accept", str(told.get("task_id")), "--json", "--project", str(root))
            accepted = self._program(*arguments, env=env).code == 0
        return Verdict(
            status=str(told.get("status", "nothing said")),
            code=ran.code,
            seconds=seconds,
            said=ran.out + ran.err,
            accepted=accepted,
        )

    def _run(self, instruction: str, *options: str, root: Path, env: dict[str, str]) -> Ran:
        arguments = ("run", instruction, "--json", *options, "--project", str(root))
        return self._program(*arguments, env=env)


def _told(ran: Ran) -> dict[str, object]:
    try:
        told = json.loads(ran.out)
    except ValueError:
        # An error is told in words; it is no verdict, and its exit code is not 0.
        return {}
    return dict(told)
