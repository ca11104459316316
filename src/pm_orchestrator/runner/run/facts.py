"""The facts about a tree, built in one function from what a place reports. Pure.

Everything a verdict may rest on comes together here, for the project directory and for
branches, for a sub-task and for the merged whole.
"""

from collections.abc import Callable, Collection, Iterable

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.domain.judging.gate import Gate, GateKind, GateReport, GateResult, GateVerdict
from pm_orchestrator.domain.judging.outcome import Facts, Reason, listed, rightly_gone
from pm_orchestrator.domain.judging.quality import BaseComparison, Dilution
from pm_orchestrator.domain.tasks.task import LimitViolation, SubTask
from pm_orchestrator.gates.detect.detection import altered_gates
from pm_orchestrator.runner.instructions.effects.refused_programs import refused_programs
from pm_orchestrator.runner.instructions.requirement import Requirement
from pm_orchestrator.runner.places.place import Seen


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be true of a tree."""

    instruction: str
    """The user's own words: what they name is asked for, whatever an agent says besides."""
    repairs: str
    """The words that say which failures have to go."""
    expected_files: tuple[str, ...] = ()
    files_to_go: tuple[str, ...] = ()
    files_to_change: tuple[str, ...] = ()
    may_be_empty: tuple[str, ...] = ()
    wants_answer: bool = False
    asked_gates: tuple[GateKind, ...] = ()
    effects: tuple[Effect, ...] = ()
    unsure: bool = False
    """The words do not say whether a change or an answer is wanted."""
    read_only: bool = False
    """It was said that nothing is to be changed."""
    limited: bool = True
    """Whether the limits of one task hold for it."""
    of_whole: tuple[str, ...] = ()
    """For a part, files whose mode the whole task is about; to change one is work, too."""
    whole: bool = False
    """Whether it is all of the task, so that all that the words state has to be there."""

    @property
    def modes(self) -> tuple[str, ...]:
        """Files whose mode counts as much as what is in them."""
        asked = (*self.of_whole, *(e.name for e in self.effects if e.kind == "executable"))
        return tuple(dict.fromkeys((*asked, *refused_programs(self.instruction))))


def wanted_of_task(requirement: Requirement) -> Wanted:
    """What the instruction itself asks for."""
    return Wanted(
        instruction=requirement.instruction,
        repairs=requirement.instruction,
        expected_files=requirement.expected_files,
        files_to_go=requirement.files_to_go,
        files_to_change=requirement.files_to_change,
        may_be_empty=requirement.may_be_empty,
        wants_answer=requirement.wants_answer,
        asked_gates=requirement.asked_gates,
        effects=requirement.effects,
        unsure=requirement.unsure,
        read_only=requirement.read_only,
        whole=True,
    )


def wanted_of_part(requirement: Requirement, sub_task: SubTask) -> Wanted:
    """What a part of it asks for: its own files, and nothing that the user did not name."""
    gone = set(requirement.files_to_go)
    return Wanted(
        instruction=requirement.instruction,
        repairs=f"{sub_task.title}\n{sub_task.description}",
        expected_files=tuple(f for f in sub_task.expected_files if f not in gone),
        may_be_empty=requirement.may_be_empty,
        of_whole=tuple(e.name for e in requirement.effects if e.kind == "executable"),
    )


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """What QA found out about a tree besides what is in it."""

    report: GateReport
    comparisons: tuple[BaseComparison, ...] = ()
    dilution: tuple[Dilution, ...] | None = ()
    """None when there is nothing to compare with."""
    gate_changes: tuple[str, ...] = ()
    violations: tuple[LimitViolation, ...] = ()
    secrets: tuple[str, ...] = ()
    only_words: tuple[str, ...] = ()
    tests_seen: bool = False
    """Whether each test of before was looked for by its name."""
    tests_tried: bool = False
    """Whether changed tests were compared by running them, test by test."""


def absent(kind: GateKind) -> GateResult:
    """The result of a gate that there is none of, or that nothing called for."""
    return GateResult(kind=kind, verdict=GateVerdict.ABSENT, output="")


def not_installed(gate: Gate) -> GateResult:
    """The result of a gate whose tool nobody has here."""
    return replace(absent(gate.kind), reason_key="gate_not_installed", command=gate.argv)


def quality_in(facts: Facts) -> Quality | None:
    """What facts that were built before know about the same tree."""
    if facts.gates is None:
        return None
    return Quality(
        report=facts.gates,
        comparisons=facts.comparisons,
        dilution=facts.dilution,
        gate_changes=facts.gate_changes,
        violations=facts.violations,
        secrets=facts.secrets,
        only_words=facts.only_words,
    )


class KnownElsewhere(msgspec.Struct, frozen=True, kw_only=True):
    """What is known from elsewhere than the tree."""

    claimed: tuple[str, ...] = ()
    """Files somebody says they worked on: each has to be there."""
    budget_seconds: int | None = None
    """The time it had, where the Runner stopped it because that was over."""
    answer_size: int | None = None
    effects: tuple[Effect, ...] = ()
    """Effects that were asked for and are there, as work of its own."""
    unmet: tuple[Effect, ...] = ()
    blank: tuple[str, ...] = ()
    shortfalls: tuple[Reason, ...] = ()


def facts_of(
    wanted: Wanted,
    seen: Seen,
    quality: Quality,
    gates: tuple[Gate, ...],
    besides: KnownElsewhere | None = None,
) -> Facts:
    """Everything that was established about one tree."""
    more = besides or KnownElsewhere()
    changes, expected = seen.changes, wanted.expected_files
    gone = rightly_gone(changes, expected)
    asked_for = dict.fromkeys((*expected, *more.claimed))
    named = listed(changes, asked_for)
    touched = {change.path for change in changes} | gone
    known = quality.dilution is not None
    # Where nothing was done, what was said may be what was wanted.
    talked = wanted.unsure and not changes and not more.effects
    return Facts(
        # What is there, whatever the gates were run on.
        commit=seen.tree if changes or more.effects else None,
        changes=named,
        unlisted_changes=len(changes) - len(named),
        expected_files=expected,
        missing_files=tuple(p for p in asked_for if p not in gone and p in seen.absent),
        files_to_go=wanted.files_to_go,
        left_alone=tuple(p for p in wanted.files_to_go if p not in seen.absent),
        files_to_change=wanted.files_to_change,
        unchanged_files=still_as_before(wanted.files_to_change, touched, seen.absent.__contains__),
        gates=quality.report,
        comparisons=quality.comparisons,
        dilution=quality.dilution or (),
        # What can be compared in detail need not be suspected as a whole.
        altered_gates=() if known else altered_gates(gates, changes, expected),
        gate_changes=quality.gate_changes,
        violations=quality.violations,
        secrets=quality.secrets,
        only_words=quality.only_words,
        budget_seconds=more.budget_seconds,
        may_be_empty=wanted.may_be_empty,
        blank_files=more.blank,
        effects=more.effects,
        unmet=more.unmet,
        shortfalls=more.shortfalls,
        unsure=wanted.unsure,
        answer_size=more.answer_size if wanted.wants_answer or talked else None,
        words=0 if changes or more.effects else more.answer_size or 0,
        asked_gates=wanted.asked_gates if wanted.wants_answer else (),
    )


def still_as_before(
    paths: Iterable[str], touched: Collection[str], absent: Callable[[str], bool]
) -> tuple[str, ...]:
    """Those that are there and untouched: files, or directories with all that is in them."""

    def changed(path: str) -> bool:
        below = f"{path.rstrip('/')}/"
        return path in touched or any(name.startswith(below) for name in touched)

    return tuple(path for path in paths if not absent(path) and not changed(path))
