"""Surely a question, surely a change, or unsure: only the first is completed by talk."""

import pytest

from pm_orchestrator.domain.tasks.task import TaskType
from pm_orchestrator.runner.instructions.kinds.task_types import is_unclear
from pm_orchestrator.runner.instructions.requirement import understand

QUESTIONS = (
    "Write a short announcement for our Slack, just answer here, I'll paste it.",
    "告知文を書いて、ここに答えて。",
    "この設定ファイルの色は変えられる?",
    "What does the parser do?",
    "Why is the build slow?",
    "How would you speed up the tests?",
    "Explain the cache",
    "Is the parser thread-safe?",
    "Does this project support Windows?",
    "Should we use asyncio here?",
    "Can you explain how login works?",
    "Could you tell me where the config is read?",
    "Can you review the error handling?",
    "Suggest a better name for the parser class",
    "Propose three ways to speed up startup",
    "Make a plan for the migration to Python 3.12",
    "Draft a release announcement",
    "Draft a plan for splitting the module",
    "Give me an estimate for moving to Postgres",
    "Estimate the effort of a rewrite",
    "Recommend a logging library",
    "Any ideas for making startup faster?",
    "Thoughts on the API design?",
    "Brainstorm names for the command line tool",
    "Outline how you would add caching",
    "Review the last change and list problems",
    "Write a proposal for the new cache",
    "Compare the two parsers",
    "Which files would have to change to add a flag?",
    "What would you change in the README?",
    "How can I add a new command?",
    "Is it possible to run a single test?",
    "Is there a way to see the queries?",
    "Can the parser handle tabs?",
    "Would the cache survive a restart?",
    "Can I use this on Windows?",
    "パーサーは何をしますか？",
    "ビルドが遅いのはなぜですか？",
    "キャッシュの仕組みを説明してもらえますか？",
    "この関数の役割を教えていただけますか",
    "改善案を提案してください",
    "移行の計画を立ててください",
    "リリース文の下書きをお願いします",
    "工数を見積もってください",
    "エラー処理をレビューしてもらえますか",
    "ログライブラリのおすすめはありますか？",
    "どうすれば起動を速くできますか？",
    "設定はどこで読み込まれていますか",
    "テストは通っていますか？",
    "Windowsで実行できますか？",
    "legacy/old.pyを削除しても大丈夫ですか",
    "キャッシュを消してもいいですか？",
    "Show me the diff between main and develop",
    "List the exported functions",
)
CHANGES = (
    "Fix the crash with the empty cart. Then write an announcement, just answer here.",
    "割引を追加して、告知文も書いて。ここに答えてくれれば自分で貼る。",
    "Add a message to the login page, I'll send it out",
    "Add a --json flag",
    "Fix the off-by-one error in the pager",
    "Can you fix the crash in the parser?",
    "Could you add a test for the pager?",
    "Would you please rename the class Foo to Bar?",
    "Please update the dependencies",
    "Create notes.txt",
    "Implement the plan from the issue",
    "Remove the deprecated endpoint",
    "Explain the bug in the pager and fix it",
    "Why don't you add a cache?",
    "Update the README",
    "When a user leaves, remove their picture",
    "Where possible, replace the loops",
    "Search is broken since yesterday",
    "Add a section to docs/設計.md",
    "Refactor the importer",
    "Explain how retry works and add a comment about it to lib/retry.js",
    "Can we get rid of that odd spinner and have something calmer?",
    "Delete old.txt",
    "Improve the error messages",
    "ページャーのバグを修正して",
    "テストを追加してもらえますか？",
    "READMEを更新していただけますか",
    "エラーメッセージを改善してください",
    "キャッシュを実装してほしい",
    "原因を調べて修正してください",
)
UNSURE = (
    "docs/guide.md に誤字が二つあるんだけど、直せる?",
    "この誤字、直せる?",
    "src/cart.py に割引を追加できる?",
    "Can you bring it up to date?",
    "Could you take care of the flaky pager?",
    "Would you give the parser some love?",
    "Could the startup be quicker?",
    "Is it possible to have a dark mode?",
    "Would it be possible to have the list alphabetical?",
    "Are you able to get the pager in shape?",
    "Do you mind modernising the importer?",
    "Any chance you could polish the error texts?",
    "The pager, again?",
    "Show sizes over a mebibyte as MiB",
    "Check for updates at startup",
    "Run the tests on every push",
    "検索結果の件数を画面に表示してほしい",
    "失敗したらエラーを表示して",
    "もう少し見やすくならないでしょうか",
    "Can the list be alphabetical?",
    "最新の状態にしてもらえますか？",
    "もう少し読みやすくしていただけますか",
    "ページャーをきれいにしてくれますか？",
    "一覧をアルファベット順にできますか？",
    "ダークモードにできますか",
    "起動をもっと速くしてもらえませんか",
    "クラス名を変更できますか？",
    "READMEを日本語に翻訳できますか？",
)


def sureness(instruction: str) -> str:
    found = understand(instruction, "task-1")
    if found.unsure:
        return "unsure"
    return "question" if found.wants_answer else "change"


@pytest.mark.parametrize("instruction", QUESTIONS)
def test_surely_a_question(instruction: str) -> None:
    assert sureness(instruction) == "question"


@pytest.mark.parametrize("instruction", CHANGES)
def test_surely_a_change(instruction: str) -> None:
    assert sureness(instruction) == "change"


@pytest.mark.parametrize("settled", [TaskType.READ_INFO, TaskType.LIGHT_EDIT])
def test_a_second_voice_settles_what_is_unsure(settled: TaskType) -> None:
    found = understand("Can you bring it up to date?", "task-1", second_voice=settled)
    assert (found.unsure, found.task_type) == (False, settled)


@pytest.mark.parametrize("instruction", ["run the tests", "delete all my files", "Add a flag"])
def test_what_a_rule_knows_needs_no_second_voice(instruction: str) -> None:
    assert not is_unclear(instruction)
    assert is_unclear("The pager, again")


@pytest.mark.parametrize("instruction", UNSURE)
def test_unsure(instruction: str) -> None:
    assert sureness(instruction) == "unsure"


@pytest.mark.parametrize(
    "instruction",
    [
        "What would it take to let push return false? If it's less than ten lines, just do it.",
        "Is there a usage message? If not, add one.",
        "Which tests are slow? Then go ahead and fix them.",
    ],
)
def test_a_question_with_the_deed_behind_it_is_no_question(instruction: str) -> None:
    requirement = understand(instruction, "task-1")
    assert requirement.unsure or not requirement.wants_answer


@pytest.mark.parametrize(
    "instruction",
    [
        "How would you do it?",
        "What does it take, and who would do that?",
        "Why do it twice?",
        "Explain why we do it this way, and what it costs.",
    ],
)
def test_a_question_about_the_deed_is_one(instruction: str) -> None:
    requirement = understand(instruction, "task-1")
    assert requirement.wants_answer
    assert not requirement.unsure
