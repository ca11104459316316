"""Each reason has its cure, and every command that a cure or hint names works where it is read."""

import re
import shlex
import string
from collections.abc import Callable, Iterator, Mapping

import click
import msgspec
import pytest

from pm_orchestrator.cli.pages.ends.cures import cure_of
from pm_orchestrator.cli.program import COMMANDS as SHELL_COMMANDS, program
from pm_orchestrator.cli.repl.slash_commands import COMMANDS as SLASH_COMMANDS
from pm_orchestrator.cli.terminal.spelling import Spelling
from pm_orchestrator.domain.catalogue.error_texts import ERRORS
from pm_orchestrator.domain.catalogue.messages import MESSAGES
from pm_orchestrator.domain.catalogue.reasons import known_objection, objections
from pm_orchestrator.domain.catalogue.repl_texts import all_texts
from pm_orchestrator.domain.history.report import RunResult, WorkResult
from pm_orchestrator.domain.history.task_log import BlockedReason
from pm_orchestrator.domain.judging.gate import GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import Reason
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.domain.tasks.task import LimitViolation
from pm_orchestrator.domain.text import Lang
from pm_orchestrator.runner.records.execution_record import BLOCKED_SLUGS
from pm_orchestrator.testing.data.any_record import sample

SHELL = Spelling()
CONVERSATION = Spelling({name: bool(each.arguments) for name, each in SLASH_COMMANDS.items()})
PLACES = {"a shell": SHELL, "the conversation": CONVERSATION}
VALUES = {
    "seconds": "7",
    "bytes": "7",
    "count": "7",
    "minutes": "7",
    "command": "run",
    "twice": "7",
}
ADDED = frozenset({"task", "which", "minutes", "more", "gate"})
"""What a cure may name although the reason itself does not."""
LANGS: tuple[Lang, ...] = ("en", "ja")
MARKED = re.compile(r"`([^`]+)`")
SLASH = re.compile(r"(?:^|(?<=[\s(（、。]))/[a-z]+")
"""A command of the conversation that stands in a text without marks."""


def places(text: str) -> dict[str, str]:
    names = {name for _, name, _, _ in string.Formatter().parse(text) if name}
    return {name: VALUES.get(name, f"some-{name}") for name in names}


def an_end(*, parts: int = 0, limits: tuple[str, ...] = ("files",), **more: object) -> RunResult:
    end = msgspec.convert(sample(RunResult), RunResult)
    found = tuple(
        LimitViolation(
            limit_type=name,
            limit_value=2,
            actual_value=130,
            timestamp="",
            resolution_required=True,
        )
        for name in limits
    )
    given = {"task_id": "task-1795099321519", "status": TaskStatus.INCOMPLETE, "violations": found}
    part = msgspec.convert(sample(WorkResult), WorkResult)
    return msgspec.structs.replace(end, **given, work=(part,) * parts, **more)


def wrong_in_a_shell(typed: str) -> str | None:
    """What the real parser has against a line that is to be typed into a shell."""
    words = shlex.split(typed)
    if words[0] != "pm-orchestrator":
        return f"{words[0]} is called without the program" if words[0] in SHELL_COMMANDS else None
    if words[1].startswith("-"):
        return None
    command = program.get_command(click.Context(program), words[1])
    if command is None:
        return f"there is no command {words[1]}"
    return wrong_for(command, words[1:])


def wrong_for(command: click.Command, words: list[str]) -> str | None:
    try:
        if isinstance(command, click.Group):
            name, found, rest = command.resolve_command(click.Context(command), words[1:])
            return f"there is no {name}" if found is None else wrong_for(found, [words[0], *rest])
        command.make_context(words[0], words[1:])
    except click.exceptions.Exit:
        return None  # --help, which ends there
    except click.ClickException as error:
        return error.format_message()
    return None


def wrong_in_conversation(typed: str) -> str | None:
    """What the table of slash commands has against a line; what a shell can do is said of one."""
    if not typed.startswith("/"):
        return wrong_in_a_shell(typed)
    name, _, rest = typed.partition(" ")
    command = SLASH_COMMANDS.get(name)
    if command is None:
        return f"there is no {name}"
    needs = command.arguments.startswith("<") and not rest
    return f"{name} needs {command.arguments}" if needs else None


CHECKS: dict[str, Callable[[str], str | None]] = {
    "a shell": wrong_in_a_shell,
    "the conversation": wrong_in_conversation,
}


def commands_in(text: str) -> Iterator[str]:
    """Every command that a text names."""
    yield from MARKED.findall(text)
    for name in SLASH.findall(MARKED.sub("", text)):
        # Its arguments cannot be told from the words around it.
        yield f"{name} …"


def wrong_in(text: str, place: str) -> list[str]:
    """The commands of a text that its reader could not use."""
    spelt = PLACES[place].of(text)
    found: list[str] = []
    for typed in commands_in(spelt):
        if typed.startswith("pm-orchestrator ") or typed.partition(" ")[0] in SHELL_COMMANDS:
            wrong = CHECKS[place](typed)
        else:
            wrong = CHECKS[place](typed) if typed.startswith("/") else None
        if wrong is not None:
            found.append(f"{typed}: {wrong}")
    return found


def wrong_among(texts: Mapping[str, str], place: str) -> dict[str, list[str]]:
    """The same for many texts, by their names; only those in which something is wrong."""
    found = {key: wrong_in(text.format_map(places(text)), place) for key, text in texts.items()}
    return {key: wrong for key, wrong in found.items() if wrong}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("key", sorted(objections()))
def test_every_reason_has_a_cure_that_works_where_it_is_read(
    key: str, lang: Lang, place: str
) -> None:
    objected = objections()[key]
    reason = Reason(key=key, params=places(objected.why.en))
    cures = (objected.cure, objected.in_company or objected.cure)
    assert all(places(c.en).keys() - ADDED <= reason.params.keys() for c in cures)
    for parts in (0, 1):
        helps = cure_of(an_end(parts=parts), reason, lang)
        assert helps, key
        assert "{" not in helps
        assert wrong_in(helps, place) == []


def test_what_has_no_cure_is_no_reason_against_a_task() -> None:
    with pytest.raises(LookupError, match="no_test_gate"):
        known_objection("no_test_gate")
    assert cure_of(an_end(), Reason(key="all_proved", params={"count": "1"}), "en") is None


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("lang", LANGS)
def test_every_error_hints_at_what_works_where_it_is_read(lang: Lang, place: str) -> None:
    # By itself it is one of the conversation; behind the program one of the shell.
    hints = {s: e.hint(lang).replace("`{command}`", "`/status`") for s, e in ERRORS.items()}
    assert wrong_among(hints, place) == {}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("lang", LANGS)
def test_every_sentence_names_what_works_where_it_is_read(lang: Lang, place: str) -> None:
    every = {**MESSAGES, **all_texts()}.items()
    said = {key: sentence.ja if lang == "ja" else sentence.en for key, sentence in every}
    texts = {key: text.replace("/{command}", "/status") for key, text in said.items()}
    assert wrong_among(texts, place) == {}


def test_every_way_to_be_stuck_has_its_own_hint() -> None:
    assert set(BLOCKED_SLUGS) == set(BlockedReason)
    assert "--max-minutes" in ERRORS[BLOCKED_SLUGS[BlockedReason.TIMEOUT]].hint_en


@pytest.mark.parametrize(
    ("typed", "wrong"),
    [
        ("pm-orchestrator accept task-1", False),
        ("pm-orchestrator reply task-1", True),
        ("pm-orchestrator reply task-1 'go on' --max-minutes 30", False),
        ("pm-orchestrator reply task-1 'go on' --max-hours 1", True),
        ("pm-orchestrator evidence verify", False),
        ("pm-orchestrator evidence prove", True),
        ("pm-orchestrator accept task-1 task-2", True),
        ("accept task-1", True),
        ("/accept task-1", False),
        ("/undo", False),
        ("/redo task-1", True),
    ],
)
def test_a_command_that_does_not_work_is_found(typed: str, *, wrong: bool) -> None:
    check = CHECKS["the conversation" if typed.startswith("/") else "a shell"]
    assert (check(typed) is not None) is wrong


def test_commands_are_spelt_for_the_reader() -> None:
    call = '`pm-orchestrator reply task-1 "go on" --max-minutes 30`'
    assert SHELL.of(call) == call
    assert CONVERSATION.of(call) == "`/limits minutes 30` → `/reply go on`"
    run = "`pm-orchestrator run INSTRUCTION --solo --max-files 25 --max-minutes 9`"
    assert CONVERSATION.of(run) == "`/limits files 25 minutes 9`"
    only = "`pm-orchestrator evidence verify`"
    assert CONVERSATION.of(only) == only


def failing(*names: str) -> GateReport:
    result = GateResult(kind="test", verdict=GateVerdict.FAIL, output="", failed_tests=names)
    return GateReport(commit="c", results=(result,))


def test_failing_tests_are_named() -> None:
    reason = Reason(key="gate_failed", params={"gate": "test"})
    helps = cure_of(an_end(gates=failing("a.t", "b.t", "c.t", "d.t")), reason, "en")
    assert helps is not None
    assert helps.startswith("failing: a.t, b.t, c.t …. `pm-orchestrator reply task-")
    nameless = cure_of(an_end(gates=None), reason, "en")
    assert nameless is not None
    assert nameless.startswith("failing: test. ")


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (("files",), "run INSTRUCTION --solo --max-files 130`"),
        (("seconds",), "run INSTRUCTION --solo --max-minutes 3`"),
        (("tests",), "task_limits.tests 130 in .claude/settings.json"),
        (("tokens by characters",), "budgets.tokens 130 in .claude/settings.json"),
    ],
)
def test_an_overrun_names_what_raises_its_limit(limits: tuple[str, ...], named: str) -> None:
    reason = Reason(key="limits_overrun", params={"limits": "x"})
    helps = cure_of(an_end(limits=limits), reason, "en")
    assert helps is not None
    assert named in helps
    company = cure_of(an_end(limits=limits, parts=1), reason, "en")
    assert company is not None
    assert "--solo" not in company
    assert "--max-minutes" not in company


def test_time_that_ran_out_is_doubled() -> None:
    reason = Reason(key="budget_ran_out", params={"seconds": "900"})
    helps, company = (cure_of(an_end(parts=parts), reason, "en") for parts in (0, 1))
    assert helps is not None
    assert company is not None
    assert '"go on" --max-minutes 30`' in helps
    assert "--max-minutes" not in company


def test_a_name_from_the_work_can_be_pasted_into_a_shell() -> None:
    evil = 'a.md, $(reboot)`x`".md, b; c'
    helps = cure_of(an_end(), Reason(key="files_missing", params={"files": evil}), "en")
    assert helps is not None
    assert "$" not in helps
    assert "(reboot)" not in helps
    assert helps.count("`") == 2
    assert helps.count('"') == 2
    option = cure_of(an_end(), Reason(key="files_missing", params={"files": "--help"}), "ja")
    assert option is not None
    assert wrong_in(option, "a shell") == []
    assert '"./--help ' in option
