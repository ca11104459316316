"""Every error has a code, a sentence and a cure, in both languages."""

import re
import string
from typing import get_args

import pytest

from pm_orchestrator.domain.catalogue.error_texts import ERRORS
from pm_orchestrator.domain.errors import (
    ERROR_CLASSES,
    CapReachedError,
    NeedsPersonError,
    NextStep,
    PmError,
    RetryableError,
)

# One code, one meaning: slugs that share a code are cases of it.
MEANINGS = {
    "E101": "no .claude",
    "E102": "bad project path",
    "E103": "configuration file missing",
    "E104": "schema",
    "E105": "corruption",
    "E201": "phase failure",
    "E202": "phase skipped",
    "E203": "bad transition",
    "E204": "lifecycle violation",
    "E205": "decomposition",
    "E206": "limit exceeded",
    "E207": "continuation rejected",
    "E208": "output invalid",
    "E209": "unknown command",
    "E210": "missing, unknown or conflicting argument",
    "E211": "provider, model or key not set",
    "E301": "evidence not collected",
    "E302": "evidence invalid",
    "E303": "artifacts missing",
    "E304": "hash mismatch",
    "E305": "unknown format",
    "E401": "lock order",
    "E402": "lock not acquired",
    "E403": "deadlock",
    "E404": "semaphore limit",
    "E405": "automatic release forbidden",
    "E501": "session id missing in a record",
    "E502": "session mismatch",
    "E503": "executor invalid",
    "E504": "output interception failed",
    "E505": "mediation bypassed",
}
every_error = pytest.mark.parametrize("slug", sorted(ERRORS))


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@every_error
def test_a_code_is_one_that_the_design_knows(slug: str) -> None:
    code = ERRORS[slug].code
    assert re.fullmatch(r"E[1-9]\d\d", code)
    assert code in MEANINGS or code[1] in "6789"


@every_error
def test_both_languages_say_the_same(slug: str) -> None:
    text = ERRORS[slug]
    for lang in ("en", "ja"):
        assert text.what(lang).strip()
        assert text.hint(lang).strip()
    assert places(text.what_en) == places(text.what_ja)
    assert places(text.hint_en) == places(text.hint_ja)
    assert not re.search(r"[ぁ-んァ-ヶ一-龠]", text.what_en + text.hint_en)
    assert re.search(r"[ぁ-んァ-ヶ一-龠]|\{", text.what_ja)


@every_error
def test_an_error_can_be_told_with_its_parameters(slug: str) -> None:
    text = ERRORS[slug]
    params = {name: f"<{name}>" for name in places(text.what_en) | places(text.hint_en)}
    error = PmError(slug, **params)
    assert str(error) == f"{text.code}: {error.what()}"
    for lang in ("en", "ja"):
        told = error.what(lang) + error.hint(lang)
        assert all(value in told for value in params.values())
        assert "{" not in told


def test_a_slug_that_is_not_in_the_table_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        PmError("no_such_slug")


def test_the_class_says_what_may_happen_next() -> None:
    assert PmError.next_step == "stop"
    assert RetryableError.next_step == "retry"
    assert NeedsPersonError.next_step == "ask"
    assert CapReachedError.next_step == "allow"
    assert set(ERROR_CLASSES) == set(get_args(NextStep))
    assert all(kind.next_step == step for step, kind in ERROR_CLASSES.items())
