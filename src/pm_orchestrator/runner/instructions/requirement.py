"""A verifiable task out of an instruction, or the one question that stands in its way."""

from collections.abc import Callable

import msgspec

from pm_orchestrator.domain.errors import NeedsPersonError
from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.domain.judging.gate import GateKind
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.runner.instructions.clarification import (
    PersonAnswer,
    ask,
    overwritten,
    question_for,
    says_no,
    says_yes,
)
from pm_orchestrator.runner.instructions.effects.reading import effects_of, without_effects
from pm_orchestrator.runner.instructions.gate_requests import GateRequest, gate_request
from pm_orchestrator.runner.instructions.kinds.forbidding import forbids_changes
from pm_orchestrator.runner.instructions.kinds.sureness import is_unsure
from pm_orchestrator.runner.instructions.kinds.task_types import ANSWERS, classify, louder
from pm_orchestrator.runner.instructions.targets import expected_files, is_sure, targets
from pm_orchestrator.runner.instructions.words.courtesy import without_courtesy
from pm_orchestrator.runner.instructions.words.file_roles import Role, Target
from pm_orchestrator.runner.instructions.words.wording import plain


class Requirement(msgspec.Struct, frozen=True, kw_only=True):
    """What has to be true when the task is done."""

    instruction: str
    task_type: TaskType
    targets: tuple[Target, ...]
    gates: GateRequest | None = None
    """Checks of the project that are to be run."""
    effects: tuple[Effect, ...] = ()
    """What has to be so besides the content of files."""
    unsure: bool = False
    """Nobody can tell from the words whether a change or an answer is wanted."""

    @property
    def expected_files(self) -> tuple[str, ...]:
        """Files that must be there afterwards."""
        return expected_files(self.targets)

    @property
    def files_to_go(self) -> tuple[str, ...]:
        """Files that may not stay as they are: to be deleted, or moved away."""
        return tuple(t.path for t in self.targets if t.role is Role.REMOVE and is_sure(t))

    @property
    def files_to_change(self) -> tuple[str, ...]:
        """Files that are the very thing to be changed, so that they may not stay as they are."""
        return tuple(t.path for t in self.targets if t.must_change and is_sure(t))

    @property
    def may_be_empty(self) -> tuple[str, ...]:
        """Files that the instruction itself asks to be empty."""
        return tuple(t.path for t in self.targets if t.may_be_empty)

    @property
    def wants_answer(self) -> bool:
        """Whether a text is the product; not where it is to be put into a file."""
        made = self.expected_files or self.effects
        return self.task_type in ANSWERS and not made and not self.unsure

    @property
    def read_only(self) -> bool:
        """Whether nothing may be changed, in so many words."""
        return self.wants_answer and forbids_changes(self.instruction)

    @property
    def asked_gates(self) -> tuple[GateKind, ...]:
        """Checks the Runner runs although no change calls for them."""
        return self.gates.kinds if self.gates is not None else ()

    @property
    def needs_executor(self) -> bool:
        """Not where the Runner's own run of a check is the whole task."""
        return self.gates is None or not self.gates.alone or self.task_type not in ANSWERS


def understand(
    instruction: str,
    task: str,
    answers: tuple[PersonAnswer, ...] = (),
    second_voice: TaskType | None = None,
) -> Requirement:
    """What `instruction` asks for, with every answer given so far.

    A second opinion on the kind of work can make it more careful, never less.

    Raises:
        NeedsPersonError: it is dangerous and nobody said yes, or it is unclear.
    """
    said = without_courtesy(plain(instruction))
    whole = "\n".join((said, *(plain(answer.text) for answer in answers)))
    kind = louder(louder(classify(said), classify(whole)), second_voice)
    if kind is TaskType.DANGEROUS_OP or answers:
        danger = NeedsPersonError("dangerous_instruction", task=task)
        # Once it was asked, the answer counts, whoever thinks otherwise by now.
        if kind is TaskType.DANGEROUS_OP or any(a.question == danger.what() for a in answers):
            kind = TaskType.DANGEROUS_OP
            if not says_yes(ask(danger, answers)):
                raise NeedsPersonError("declined", task=task)
    slug = question_for(said)
    if slug is not None:
        ask(NeedsPersonError(slug), answers)
    unsure = kind is not TaskType.DANGEROUS_OP and is_unsure(said)
    if unsure and second_voice is not None:
        # A second voice settles what the words leave open, and nothing else.
        unsure, kind = False, second_voice
    elif unsure and kind in ANSWERS:
        kind = TaskType.IMPLEMENTATION
    found = targets(whole, answer_only=kind in ANSWERS)
    effects = () if kind in ANSWERS else effects_of(whole, found)
    unsure = unsure and not effects
    return Requirement(
        instruction=instruction,
        task_type=kind,
        targets=without_effects(found, effects),
        gates=gate_request(said),
        effects=effects,
        unsure=unsure,
    )


def names_to_find(requirement: Requirement) -> tuple[str, ...]:
    """Names that mean something only in the project: what is worked on, moved or removed."""
    found = [t.path for t in requirement.targets if t.role is not Role.SOURCE and not is_new(t)]
    for effect in requirement.effects:
        found += [
            effect.source if effect.kind == "moved" else "",
            effect.name if effect.kind in {"executable", "gone"} else "",
            *effect.only,
            *effect.takes,
            *effect.never,
        ]
    return tuple(dict.fromkeys(name for name in found if name and not name.endswith("/")))


def is_new(target: Target) -> bool:
    """Whether it is made by the name it is given."""
    return target.role is Role.CREATE and target.kind != "family" and "/" not in target.path


def refuse_overwriting(
    requirement: Requirement,
    task: str,
    exists: Callable[[str], bool],
    answers: tuple[PersonAnswer, ...] = (),
) -> None:
    """Ask before a file that is to be created takes the place of one that is there.

    Raises:
        NeedsPersonError: nobody said what is to happen, or it was declined.
    """
    there = [target.path for target in requirement.targets if exists(target.path)]
    clashes = overwritten(requirement.instruction, requirement.targets, there)
    if not clashes:
        return
    said = ask(NeedsPersonError("ask_overwrite", files=", ".join(clashes)), answers)
    if says_no(said):
        raise NeedsPersonError("declined", task=task)
