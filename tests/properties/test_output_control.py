"""A claim that only supposes is refused; honest words are not; neither decides anything."""

import inspect

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.domain.judging.outcome import ExecutorClaim
from pm_orchestrator.gates.judge.completion import decide
from pm_orchestrator.gates.judge.executor_output import review_claim

SUBJECTS = ("It", "Everything", "The code", "The fix", "This", "The tests", "All of it")
ENDS = ("done", "finished", "working", "fixed", "complete", "passing")
MOULDS = (
    "{subject} should now be {end}.",
    "{subject} should be {end}",
    "I think {lower} is {end}.",
    "I believe that {lower} is now {end}, have a look.",
    "Probably {end}.",
    "Hopefully {lower} is {end}!",
    "{subject} is most likely {end}.",
    "{subject} seems to be {end}.",
    "I am not sure whether {lower} is {end}.",
    "{end}, I think.",
    "Added the page.\n\n{subject} should be {end}.",
)
JAPANESE_MOULDS = (
    "{end}はずです。",
    "{end}と思います。",
    "おそらく{end}。",
    "たぶん{end}",
    "ページを追加しました。{end}かもしれません。",
)
JAPANESE_ENDS = ("完了している", "動作する", "通る", "修正されている", "成功している")


def claim(summary: str, kind: str = "finished") -> ExecutorClaim:
    assert kind in {"finished", "gave_up", "failed"}
    return ExecutorClaim(kind=kind, summary=summary)  # pyright: ignore[reportArgumentType]


@given(st.sampled_from(MOULDS), st.sampled_from(SUBJECTS), st.sampled_from(ENDS))
def test_supposing_is_not_claiming(mould: str, subject: str, end: str) -> None:
    """R-15 Output Control and Validation: a claim of completion that supposes is refused."""
    said = mould.format(subject=subject, lower=subject[0].lower() + subject[1:], end=end)
    review = review_claim(claim(said))
    assert not review.accepted
    assert review.reason_key == "claim_speculative"
    assert review.reason_params["words"] in review.reason("ja")


@given(st.sampled_from(JAPANESE_MOULDS), st.sampled_from(JAPANESE_ENDS))
def test_supposing_in_japanese(mould: str, end: str) -> None:
    """R-15 Output Control and Validation: the same in Japanese."""
    assert not review_claim(claim(mould.format(end=end))).accepted


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Done.",
        "Implemented the login page and added tests.",
        "I think we should rename the option later; the page itself is done.",
        "The likely cause was a missing import. Fixed it and added a test.",
        "Users should be able to log in now: I added the form and its handler.",
        "Invalid input should be rejected, so I added a check. All 14 tests pass.",
        "Handled files that may be incomplete.",
        "Added a probability table; `it should work` is the new banner text.",
        'Changed the label to "Probably done".',
        "I could not run the tests, because make is missing here.",
        "Perhaps-typed values are now unwrapped. Finished.",
        "If the cache seems stale, it is dropped.",
        "ページを追加し、テストが通りました。",
        "値がないかもしれない場合の処理を追加し、完了しました。",
        "完了するはずの処理が止まる不具合を修正しました。",
        "「動作すると思います」という文言を削除しました。",
        "ユーザーに便利だと思います。実装は完了しました。",
        "多分岐の条件を整理しました。",
    ],
)
def test_honest_words_are_taken(said: str) -> None:
    assert review_claim(claim(said)).accepted


@given(st.text(max_size=300), st.sampled_from(["gave_up", "failed"]))
def test_who_does_not_claim_completion_may_doubt(said: str, kind: str) -> None:
    """R-15 Output Control and Validation: only claims of completion are looked at for doubt."""
    assert review_claim(claim(f"{said} It should be done, I think.", kind)).accepted


@given(st.text(max_size=300))
def test_any_text_gets_an_answer_and_no_status(said: str) -> None:
    """R-15 Output Control and Validation: a review is a remark; the verdict has no place for it."""
    review = review_claim(claim(said))
    assert review.reason("en")
    assert not hasattr(review, "status")
    assert "review" not in inspect.signature(decide).parameters
