"""The tools of a model that works in the user's own directory, where somebody can be asked."""

from collections.abc import Collection

from typing_extensions import override

from pm_orchestrator.agents.standing_limit import StandingLimit
from pm_orchestrator.agents.tools.commands import CommandFailedError
from pm_orchestrator.agents.tools.tool_calls import AskUser, RunCommand
from pm_orchestrator.agents.tools.toolbox import Toolbox
from pm_orchestrator.domain.company.asking import OpenChoice, Option, Permit, Wish
from pm_orchestrator.ports.clock import Clock
from pm_orchestrator.ports.executor import ExecutorTask

RUN = "run_command"
LONGEST_CALL = 1_000
"""Characters that a person reads before they say yes."""
TOO_LONG = (
    f"not run: the user is asked about each command, and reads {LONGEST_CALL} characters at most; "
    "write it into a file of the project, and run that"
)
NOT_NOW = "nobody is there who could answer: the work stops here, and goes on with the answer"
UNPERMITTED = (
    "not run: there is no sandbox here, so each command needs the user's word, or a place in "
    "executor.allowed_commands of the settings; do what can be done without it"
)


class SoloToolbox(Toolbox):
    """What is written is delivered as it lies; a commit is made only where one was asked for."""

    commits = False

    def __init__(
        self,
        task: ExecutorTask,
        clock: Clock,
        limit: StandingLimit,
        allowed: Collection[str] | None,
    ) -> None:
        """`allowed` are the commands that may be run unasked; None where a sandbox holds all."""
        super().__init__(
            task.hands, task.task_id, clock, read_only=task.read_only, refused=task.refused
        )
        self._person = task.person
        self._limit = limit
        self._allowed = allowed
        self._tools.pop("git_commit", None)
        self._tools["ask_user"] = (AskUser, self._ask_user)

    async def _ask_user(self, given: AskUser) -> str:
        choice = OpenChoice(
            question=given.question, options=tuple(Option(label=text) for text in given.options)
        )
        answer = ""
        if self._person is not None:
            answer = await self._limit.standing(self._person.pick(choice))
        if answer:
            return answer
        self.question = given.question
        return NOT_NOW

    @override
    async def _run_command(self, given: RunCommand) -> str:
        if self._allowed is not None and given.command.strip() not in self._allowed:
            await self._permitted(given.command.strip())
        return await super()._run_command(given)

    async def _permitted(self, command: str) -> None:
        wish = Wish(tool=RUN, subject=" ".join(command.split()), rules=_rules(command))
        if len(wish.subject) > LONGEST_CALL:
            raise CommandFailedError(TOO_LONG)
        permit = Permit(decision="nobody")
        if self._person is not None:
            permit = await self._limit.standing(self._person.permit(wish))
        if permit.decision in {"once", "always"}:
            return
        if permit.decision == "no":
            said = f": {permit.words}" if permit.words else ""
            raise CommandFailedError(f"not run: the user does not want it{said}")
        if wish.call not in self.denied:
            self.denied.append(wish.call)
        raise CommandFailedError(UNPERMITTED)


def _rules(command: str) -> tuple[str, ...]:
    """What would allow it from now on, as both kinds of executor understand it."""
    return () if "\n" in command else (f"Bash({command})",)


def allowed_in(commands: Collection[str], tools: Collection[str]) -> frozenset[str]:
    """Commands that the settings allow: by themselves, or as the one tool that runs them."""
    as_tools = (t.removeprefix("Bash(")[:-1] for t in tools if t.startswith("Bash("))
    # A rule with a pattern is the coding CLI's to understand.
    return frozenset((*commands, *(t for t in as_tools if not t.endswith("*"))))
