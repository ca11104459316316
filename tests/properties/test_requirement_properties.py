"""Requirement analysis over made-up instructions."""

import string

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.domain.errors import NeedsPersonError
from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.gates.judge.executor_output import review_claim
from pm_orchestrator.runner.instructions.clarification import PersonAnswer, question_for
from pm_orchestrator.runner.instructions.kinds.task_types import ANSWERS, LOUDNESS, classify, louder
from pm_orchestrator.runner.instructions.requirement import refuse_overwriting, understand

TASK = "task-1"
POLITE = st.sampled_from(["", "please ", "Could you ", "hey, ", "I want you to ", "OK, "])
VERBS = st.sampled_from(
    ["fix", "change", "modify", "create", "add", "update", "improve", "refactor"]
)
NOTHINGS = st.sampled_from(
    ["", " it", " this", " that", " something", " the code", " stuff", " them"]
)
ENDS = st.sampled_from(["", ".", "!", " now", " please", "?"])
VAGUE = st.builds("".join, st.tuples(POLITE, VERBS, NOTHINGS, ENDS)) | st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "それを", "これを", "そのバグを", "何か", "コードを"]),
        st.sampled_from(["修正", "変更", "作成", "追加", "更新", "改善"]),
        st.sampled_from(["", "して", "してください", "をお願いします", "したい。"]),
    ),
)
DESTRUCTIVE = st.sampled_from(
    [
        "rm -rf build",
        "drop the users table",
        "git push --force origin main",
        "wipe the disk",
        "delete all files",
        "git reset --hard HEAD~3",
        "delete the production database",
        "すべてのファイルを削除してください",
        "mainに強制プッシュして",
        "本番データベースを削除して",
    ]
)
ANYTHING = st.text(max_size=80)
QUESTIONS = st.sampled_from(
    [
        "Explain how the cache works.",
        "What does the parser do?",
        "Summarize the design.",
        "キャッシュの仕組みを説明して。",
        "Where is the login handler?",
        "設計を要約して。",
    ]
)
CHANGES = st.sampled_from(
    [
        "Fix the parser.", "Then add a login page.", "Please fix it.", "Create notes.txt.",
        "Also rename a.py to b.py.", "テストを追加してください。", "バグを修正して。",
    ]
)  # fmt: skip
NAMES = st.text(string.ascii_lowercase, min_size=1, max_size=8).map(lambda name: f"{name}.md")


@given(VAGUE)
def test_the_unclear_is_never_guessed(instruction: str) -> None:
    """R-9 Fail-Safe Error Handling: an unclear instruction stops, and nothing is assumed."""
    with pytest.raises(NeedsPersonError):
        understand(instruction, TASK)


@given(VAGUE, NAMES)
def test_a_question_is_short_and_supposes_nothing(instruction: str, name: str) -> None:
    """R-19 Communication Mediation: one question of at most two lines, free of guesses."""
    asked: list[NeedsPersonError] = []
    for attempt in (
        lambda: understand(instruction, TASK),
        lambda: refuse_overwriting(
            understand(f"create {name}", TASK), TASK, lambda path: path == name
        ),
        lambda: understand("delete everything", TASK),
    ):
        with pytest.raises(NeedsPersonError) as caught:
            attempt()
        asked.append(caught.value)
    for question in asked:
        for lang in ("en", "ja"):
            text = question.what(lang)
            assert text.count("\n") <= 1
            assert text.count("?") + text.count("？") <= 1
            assert review_claim(ExecutorClaim(kind="finished", summary=text)).accepted


@given(VAGUE, ANYTHING)
def test_an_answered_question_never_returns(instruction: str, said: str) -> None:
    """R-19 Communication Mediation: whatever was answered, the same question is not put again."""
    slug = question_for(instruction)
    assert slug is not None
    question = NeedsPersonError(slug).what()
    asked = ""
    try:
        understand(instruction, TASK, (PersonAnswer(question=question, text=said),))
    except NeedsPersonError as error:
        asked = error.what()
    assert asked != question


@given(ANYTHING, DESTRUCTIVE, ANYTHING)
def test_danger_is_found_wherever_it_stands(before: str, order: str, after: str) -> None:
    """R-9 Fail-Safe Error Handling: words around an order do not make it harmless."""
    assert classify(f"{before}\n{order}\n{after}") is TaskType.DANGEROUS_OP


@given(DESTRUCTIVE | ANYTHING, st.none() | st.sampled_from(TaskType))
def test_the_second_voice_never_lowers_the_danger(
    instruction: str, opinion: TaskType | None
) -> None:
    """R-9 Fail-Safe Error Handling: a second opinion is heard only where it is more careful."""
    first = classify(instruction)
    result = louder(first, opinion)
    assert LOUDNESS[result] >= LOUDNESS[first]
    assert result in {first, opinion}
    if first not in ANSWERS:
        assert result not in ANSWERS


@given(DESTRUCTIVE, st.sampled_from(TaskType))
def test_a_dangerous_task_waits_whatever_a_second_voice_says(
    instruction: str, opinion: TaskType
) -> None:
    """R-19 Communication Mediation: only a person's yes lets a dangerous task begin."""
    with pytest.raises(NeedsPersonError) as caught:
        understand(instruction, TASK, second_voice=opinion)
    assert caught.value.slug == "dangerous_instruction"


@given(st.permutations(["a", "b"]), QUESTIONS, CHANGES)
def test_a_change_beside_a_question_is_a_change(
    order: list[str], question: str, change: str
) -> None:
    """R-9 Fail-Safe Error Handling: work is never reduced to an answer about it."""
    parts = {"a": question, "b": change}
    assert classify(" ".join(parts[key] for key in order)) not in ANSWERS


@given(st.text(max_size=400))
def test_any_text_is_judged_and_the_same_each_time(text: str) -> None:
    """R-9 Fail-Safe Error Handling: no text breaks the analysis, and it does not waver."""
    assert classify(text) is classify(text)
    question_for(text)
