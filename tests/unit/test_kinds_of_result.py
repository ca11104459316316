"""Which kind of result the words ask for, and which they leave open."""

import pytest

from pm_orchestrator.runner.instructions.stated.kinds_of_result import (
    asks_for_code,
    asks_for_translation,
    asks_to_rewrite,
)


@pytest.mark.parametrize(
    ("instruction", "asked"),
    [
        ("Queueにclearメソッドを実装してください", True),
        ("再試行の処理を実装して", True),
        ("合計を返す関数を追加して", True),
        ("関数 total を追加して", True),
        ("Implement retries with a limit", True),
        ("Please add a method `clear` to Queue", True),
        ("Fix the function total() for empty carts", True),
        ("clearメソッドを追加するための計画を PLAN.md に書いてください。実装はまだ不要です", False),
        ("clearメソッドはまだ実装しないでください", False),
        ("関数の一覧を作って", False),
        ("Add a section on the function total to the guide", False),
        ("Write a class overview", False),
        ("Draft how we would implement retries", False),
        ("Implement it", False),
        ("Fix the failure:\n```\nimplement a method\n```", False),
    ],
)
def test_code(instruction: str, *, asked: bool) -> None:
    assert asks_for_code(instruction) is asked


@pytest.mark.parametrize(
    ("instruction", "asked"),
    [
        ("Translate docs/guide.md into Japanese as docs/guide.ja.md", True),
        ("Add a German version of the README", True),
        ("docs/guide.mdを日本語に翻訳して", True),
        ("Copy docs/guide.md to docs/guide.ja.md, I will translate it", False),
        ("docs/guide.mdをdocs/guide.ja.mdにコピーして。翻訳は後で", False),
        ("Write docs/guide.ja.md", False),
    ],
)
def test_a_translation(instruction: str, *, asked: bool) -> None:
    assert asks_for_translation(instruction) is asked


@pytest.mark.parametrize(
    ("instruction", "asked"),
    [
        ("docs/old-faq.md を docs/faq.md に改名して、内容は一から書き直してください", True),
        ("Move docs/guide.md to manual/guide.md and shorten it", True),
        ("docs/guide.md を manual/guide.md に移動して", False),
        ("Rename a.py to b.py and update the imports", False),
    ],
)
def test_another_text(instruction: str, *, asked: bool) -> None:
    assert asks_to_rewrite(instruction) is asked
