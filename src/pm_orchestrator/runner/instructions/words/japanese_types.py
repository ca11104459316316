"""The kinds of work that a Japanese sentence asks for, whose verb stands at its end."""

from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.runner.instructions.words import japanese_words as words
from pm_orchestrator.runner.instructions.words.patterns import pattern

WHETHER = pattern(
    r"(?:して|され|でき|なって)(?:い)?(?:る|ます|た|ました)か(?:どうか)?(?=[、をは確教調見])"
)


def japanese_types(sentence: str) -> list[TaskType]:
    """The kinds of work that one sentence asks for."""
    found: list[TaskType] = []
    # What something does is asked there, and not that it be done.
    sentence = rest = WHETHER.sub("か", sentence)
    if words.REPORT_FEATURE.search(sentence) is None and (report := words.REPORTS.search(sentence)):
        found.append(TaskType.REPORT)
        # "レポートを作成して" is asked for as an answer; its verb is no change.
        rest = f"{sentence[: report.start()]}…{sentence[report.end() :]}"
    if words.CHANGES_LIGHT.search(rest):
        found.append(TaskType.LIGHT_EDIT)
    if words.CHANGES_BUILD.search(rest):
        found.append(TaskType.IMPLEMENTATION)
    if not found and words.ASKS.search(words.SHOWN_LATER.sub("", rest)):
        found.append(TaskType.READ_INFO)
    return found
