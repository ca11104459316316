"""Thanks, greetings and a bare yes start nobody; whatever asks for something is never one."""

import pytest

from pm_orchestrator.runner.instructions.answered import as_answer, question_at_end
from pm_orchestrator.runner.instructions.kinds.small_talk import small_talk

TALK = (
    *(
        "thanks",
        "Thank you!",
        "thanks a lot for your help",
        "thank you very much",
        "thanks!!",
        "thx",
    ),
    *("hello", "Hi there", "good morning", "good night, see you later", "bye", "how are you?"),
    *("great work!", "nice job on the tests", "well done", "that's great", "haha nice", "cool"),
    *(
        "OK thanks",
        "no thanks",
        "looks good",
        "LGTM 👍",
        "👍",
        "perfect, it works",
        "got it, thanks",
    ),
    *("thanks for fixing the bug", "thanks for the tests and docs", "never mind", "sorry"),
    *(
        "ありがとう",
        "ありがとうございます！",
        "ありがとうございました。助かりました",
        "お疲れ様です",
    ),
    *("こんにちは", "おはようございます", "すごいですね！", "完璧です", "修正ありがとうございます"),
    *("テストの追加、ありがとうございました", "よろしくお願いします", "なるほど", "大丈夫です"),
    *("動きました！ありがとう", "教えてくれて、ありがとう"),
)
ASSENT = (
    *("ok", "yes", "yes please", "no", "sure", "alright", "got it", "I see"),
    *("はい", "はい、お願いします", "了解です", "いいえ", "わかりました", "OKです"),
)
NEITHER = (
    *("thanks, now fix it", "good, and now the tests", "thanks for fixing the bug and add a test"),
    *("thanks for the report. fix it", "make it nice", "dark mode please", "README", "tests"),
    *("is it done?", "all good?", "does it work?", "this is not good", "that is wrong"),
    *("no, the other one", "yes, do it", "say hello in app.py", "hello world program", "continue"),
    *(
        "print hello",
        "try again",
        "fix it",
        "night mode",
        "good error messages",
        "nice progress bar",
    ),
    *("great, ship it", "thanks 404", "help me with the docs", "welcome page", "hello endpoint"),
    *("okay button", "thank-you page", "cool down timer", "right align it", "I have a problem"),
    *("ありがとうと表示して", "「ありがとう」と出力する関数を書いて", "直してもらえると助かります"),
    *(
        "READMEを更新してくれると助かります",
        "こんにちはと挨拶する関数を追加",
        "ありがとう、次はテスト",
    ),
    *("はい、その方法で直して", "続けて", "もう一度", "それを直して", "いいえ、b.pyの方です"),
    *("お願いします、READMEも", "おはようと返すAPIを作って", "お礼メール機能", "完璧にして"),
    *("最高値を返して", "いい感じにして", "すごい速くして", "", "   ", "x" * 500),
)


@pytest.mark.parametrize("line", TALK)
def test_talk_asks_for_nothing(line: str) -> None:
    assert small_talk(line) == "talk"


@pytest.mark.parametrize("line", ASSENT)
def test_a_bare_yes_answers_what_was_asked_or_nothing(line: str) -> None:
    assert small_talk(line) == "assent"


@pytest.mark.parametrize("line", NEITHER)
def test_an_instruction_is_never_swallowed(line: str) -> None:
    assert small_talk(line) is None


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ("Done. Shall I do b.py too?", "Shall I do b.py too?"),
        ("I left it.\n\n**Which one do you want?**", "Which one do you want?"),
        ("追加しました。テストも書きますか？", "テストも書きますか?"),
        ("直しました。続けてよろしいでしょうか。", "続けてよろしいでしょうか。"),
        ("What was wrong? A comma. It is fixed now.", None),
        ("Done.", None),
        ("", None),
    ],
)
def test_a_question_is_found_where_the_words_end_with_it(words: str, question: str | None) -> None:
    found = question_at_end(words)
    assert (found and found.replace("？", "?")) == question


def test_what_means_nothing_by_itself_is_said_with_its_question() -> None:
    question = 'Rename "a"?'
    assert as_answer("yes", question) == "yes (to your question: \"Rename 'a'?\")"
    assert as_answer("do it", question).startswith("do it (to")
    assert as_answer("はい、お願いします", question).startswith("はい、お願いします (to")
    assert as_answer("yes, and rename b.py to c.py", question) == "yes, and rename b.py to c.py"
