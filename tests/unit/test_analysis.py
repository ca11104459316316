"""What an instruction asks for, decided without a model: the question, or none."""

import pytest

from pm_orchestrator.domain.errors import NeedsPersonError
from pm_orchestrator.domain.history.task_log import LogEvent, LogEventType, VisibilityLevel
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.runner.instructions.clarification import (
    PersonAnswer,
    answers_in,
    options_of,
    question_for,
)
from pm_orchestrator.runner.instructions.requirement import refuse_overwriting, understand

TASK = "task-1"
CLEAR = [
    "Add a login page",
    "fix the crash in the parser when the file is empty",
    "README.mdを作成してください",
    "readmeを作って",
    "update the greeting to say hello twice",
    "delete the unused function parse_old",
    "rm the temporary file in tests",
    "Add tests for force-directed layout",
    "テストを追加してください、対象は src/a.py です",
    "add tests",
    "update the docs",
    "Fix the tests",
    "What does this project do?",
    "ログイン画面を追加して",
    "README を更新して",
]
VAGUE = {
    "fix it": "ask_place",
    "Fix this!": "ask_place",
    "please change that": "ask_place",
    "improve": "ask_place",
    "fix the bug": "ask_place",
    "Could you please fix the problem?": "ask_place",
    "clean up the code": "ask_place",
    "optimize it": "ask_place",
    "それを修正してください": "ask_place",
    "バグを直して": "ask_place",
    "いい感じに直してください": "ask_place",
    "create something": "ask_target",
    "make it better": "ask_target",
    "Add a feature": "ask_target",
    "explain this": "ask_target",
    "追加して": "ask_target",
    "何か作って": "ask_target",
    "": "ask_place",
    "   ": "ask_place",
    "!?…": "ask_place",
}
DANGEROUS = [
    "run rm -rf / and start over",
    "Delete everything in the repository",
    "データベースを全て削除してください",
    "ｒｍ　－ｒｆ　/ を実行して",
    "r\u200bm -r\u200bf /",
]


@pytest.mark.parametrize("instruction", CLEAR)
def test_clear_instructions_run(instruction: str) -> None:
    assert understand(instruction, TASK).task_type is not TaskType.DANGEROUS_OP


@pytest.mark.parametrize(("instruction", "slug"), VAGUE.items())
def test_vague_instructions_get_one_question(instruction: str, slug: str) -> None:
    assert question_for(instruction) == slug
    with pytest.raises(NeedsPersonError) as caught:
        understand(instruction, TASK)
    assert caught.value.slug == slug
    assert options_of(caught.value) == ()


def test_the_two_questions_are_those_of_the_specification() -> None:
    asked = {slug: NeedsPersonError(slug).what("ja") for slug in ("ask_target", "ask_place")}
    assert asked == {
        "ask_target": "対象のファイル名またはパスを指定してください。",
        "ask_place": "どの機能/箇所を修正しますか？（例: コマンド名、エラー文、対象ファイル）",
    }


@pytest.mark.parametrize("instruction", DANGEROUS)
def test_dangerous_instructions_wait_for_a_person(instruction: str) -> None:
    with pytest.raises(NeedsPersonError) as caught:
        understand(instruction, TASK)
    assert caught.value.slug == "dangerous_instruction"
    assert options_of(caught.value) == ("yes", "no")


@pytest.mark.parametrize(
    ("said", "slug"),
    [
        ("yes", None),
        ("Yes.", None),
        ("はい", None),
        ("no", "declined"),
        ("maybe", "declined"),
        ("yes, but only the logs", "declined"),
        ("", "declined"),
    ],
)
def test_only_an_explicit_yes_starts_a_dangerous_task(said: str, slug: str | None) -> None:
    question = NeedsPersonError("dangerous_instruction", task=TASK).what()
    answers = (PersonAnswer(question=question, text=said),)
    if slug is None:
        assert understand("drop table users", TASK, answers).task_type is TaskType.DANGEROUS_OP
        return
    with pytest.raises(NeedsPersonError) as caught:
        understand("drop table users", TASK, answers)
    assert caught.value.slug == slug


def test_a_yes_to_another_question_starts_nothing_dangerous() -> None:
    answers = (PersonAnswer(question="Which function or place is to be changed?", text="yes"),)
    with pytest.raises(NeedsPersonError) as caught:
        understand("drop table users\nAnswer: yes", TASK, answers)
    assert caught.value.slug == "dangerous_instruction"


def test_an_answer_is_looked_at_for_danger_too() -> None:
    answers = (
        PersonAnswer(question=NeedsPersonError("ask_place").what(), text="drop the users table"),
    )
    with pytest.raises(NeedsPersonError) as caught:
        understand("fix it", TASK, answers)
    assert caught.value.slug == "dangerous_instruction"


@pytest.mark.parametrize(
    ("instruction", "asks"),
    [
        ("create README.md", True),
        ("Create a new file README.md with a title", True),
        ("README.mdを作成してください", True),
        ("update README.md", False),
        ("Create README.md, overwriting the old one", False),
        ("Create README.md if it does not exist", False),
        ("README.mdを上書きで作成して", False),
        ("Create a section in README.md", False),
        ("Write tests for README.md", False),
        ("Create OTHER.md", False),
        ("Delete README.md", False),
        ("Explain README.md", False),
    ],
)
def test_an_existing_file_is_not_overwritten_unasked(instruction: str, *, asks: bool) -> None:
    requirement = understand(instruction, TASK)
    if not asks:
        refuse_overwriting(requirement, TASK, {"README.md"}.__contains__)
        return
    with pytest.raises(NeedsPersonError) as caught:
        refuse_overwriting(requirement, TASK, {"README.md"}.__contains__)
    assert caught.value.slug == "ask_overwrite"
    assert options_of(caught.value) == ("overwrite", "update", "keep")


@pytest.mark.parametrize(
    ("said", "declined"),
    [
        ("overwrite", False),
        ("update", False),
        ("上書き", False),
        ("docs/NEW.md", False),
        ("keep", True),
        ("no", True),
        ("残してください", True),
    ],
)
def test_the_answer_about_overwriting_is_applied(said: str, *, declined: bool) -> None:
    question = NeedsPersonError("ask_overwrite", files="README.md").what()
    answers = (PersonAnswer(question=question, text=said),)
    requirement = understand("create README.md", TASK, answers)
    if declined:
        with pytest.raises(NeedsPersonError) as caught:
            refuse_overwriting(requirement, TASK, {"README.md"}.__contains__, answers)
        assert caught.value.slug == "declined"
    else:
        refuse_overwriting(requirement, TASK, {"README.md"}.__contains__, answers)


def test_answers_are_read_from_the_log() -> None:
    def event(kind: LogEventType, **content: str) -> LogEvent:
        return LogEvent(
            timestamp="2026-01-01T00:00:00.000Z",
            event_type=kind,
            content=dict(content),
            visibility_level=VisibilityLevel.SUMMARY,
        )

    events = [
        event(LogEventType.USER_INPUT, text="fix it"),
        event(LogEventType.USER_RESPONSE, response="to nothing"),
        event(LogEventType.RUNNER_CLARIFICATION, question="Which?"),
        event(LogEventType.RUNNER_CLARIFICATION, question="Which one?"),
        event(LogEventType.USER_RESPONSE, response="the parser"),
        event(LogEventType.RUNNER_CLARIFICATION, question="Sure?"),
    ]
    assert answers_in(events) == (PersonAnswer(question="Which one?", text="the parser"),)
