"""When to ask, and what: one question, or none.

A task needs a target or an outcome that can be verified. Words that name neither
("fix it", "make it better") are taken away; when nothing is left, the Runner asks.
A question that was answered is never asked again, whatever the answer was.
"""

from collections.abc import Collection, Iterable

import msgspec

from pm_orchestrator.domain.errors import NeedsPersonError, PmError
from pm_orchestrator.domain.history.log_contents import RunnerClarification, UserResponse, contents
from pm_orchestrator.domain.history.task_log import LogEvent
from pm_orchestrator.runner.instructions.words import vague_words as words
from pm_orchestrator.runner.instructions.words.file_roles import Role, Target
from pm_orchestrator.runner.instructions.words.patterns import pattern
from pm_orchestrator.runner.instructions.words.wording import is_japanese, plain

OPTIONS: dict[str, tuple[str, ...]] = {
    "ask_overwrite": ("overwrite", "update", "keep"),
    "dangerous_instruction": ("yes", "no"),
    "executor_denied": ("yes", "no"),
}
YES = pattern(r"\s*(?:yes|y|はい|承認|承認します)[.!。]?\s*")
NO = pattern(
    r"\s*(?:no\b|n$|keep|cancel|stop|leave\s+it|don't|do\s+not|いいえ|やめ|残し|キャンセル|中止|しない)"
)


class PersonAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a person said to a question of the Runner."""

    question: str
    text: str


def answers_in(events: Iterable[LogEvent]) -> tuple[PersonAnswer, ...]:
    """The questions of a task that were answered, in order."""
    asked: str | None = None
    answers: list[PersonAnswer] = []
    for said in contents(events, RunnerClarification, UserResponse):
        if isinstance(said, RunnerClarification):
            asked = said.question
        elif asked is not None:
            answers.append(PersonAnswer(question=asked, text=said.response))
            asked = None
    return tuple(answers)


def options_of(error: PmError) -> tuple[str, ...]:
    """The answers a question offers; none where any text will do."""
    return OPTIONS.get(error.slug, ())


def question_for(instruction: str) -> str | None:
    """The slug of the one question to ask, or None when the task can be verified."""
    text = plain(instruction)
    if words.SURELY_SAYS_SOMETHING.search(text):
        return None
    rest = words.SAYS_NOTHING.sub(" ", text)
    if is_japanese(rest) or words.SAYS_SOMETHING.search(rest):
        return None
    return "ask_target" if words.WANTS_TARGET.search(text) else "ask_place"


def overwritten(
    instruction: str, targets: Collection[Target], existing: Collection[str]
) -> tuple[str, ...]:
    """Files that are to be created although they are there, and nothing says what then."""
    made = tuple(t.path for t in targets if t.role is Role.CREATE and t.path in existing)
    return () if made and words.EXPECTS_IT.search(plain(instruction)) else made


def ask(question: NeedsPersonError, answers: Iterable[PersonAnswer]) -> str:
    """The answer that was given to `question`.

    Raises:
        NeedsPersonError: it has not been asked yet.
    """
    given = [answer.text for answer in answers if answer.question == question.what()]
    if not given:
        raise question
    return given[-1]


def says_yes(answer: str) -> bool:
    """Whether it is an explicit yes and nothing else."""
    return YES.fullmatch(plain(answer)) is not None


def says_no(answer: str) -> bool:
    """Whether it declines."""
    return NO.match(plain(answer)) is not None
