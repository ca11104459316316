"""Masking over generated text: nothing leaks, and nothing is masked twice."""

from hypothesis import given, strategies as st

from pm_orchestrator.evidence.masking.masker import Masker
from pm_orchestrator.testing.data.secrets import LOOK_ALIKES, planted_secrets

SECRETS = planted_secrets()
FRAGMENTS = (
    *("key", "token", "password", "secret", "=", ":", " ", "\n", "\\n", '"', "'", "\\", "eyJ", "."),
    *(
        "sk-",
        "Bearer ",
        "Cookie: ",
        "authorization",
        "://",
        "@",
        "[MASKED:",
        "]",
        "JWT",
        "a1b2c3d4",
    ),
    *("-----BEGIN PRIVATE" + " KEY-----", "-----END PRIVATE" + " KEY-----", "AbCdEf123456", "x=y"),
    *("PASSWORD=", "İ", "日本", "{", "}", ",", "0", "+81", "-"),
)
noise = st.lists(
    st.one_of(st.sampled_from(FRAGMENTS), st.sampled_from(LOOK_ALIKES), st.text(max_size=8)),
    max_size=12,
).map("".join)


@given(st.lists(st.sampled_from(SECRETS), min_size=1, max_size=4), st.lists(noise, min_size=5))
def test_no_key_value_survives(planted: list[tuple[str, str]], around: list[str]) -> None:
    """R-24 API Key Secrecy: no key value reaches a log or a record, whatever surrounds it."""
    text = "\n".join(f"{before}\n{item[0]}" for before, item in zip(around, planted, strict=False))
    # What stands before may end in an open quote or an open key, which then takes more away;
    # it never takes less.
    masked = Masker(personal=True).mask(text).text
    for _, secret in planted:
        assert secret not in masked


@given(noise)
def test_masking_twice_is_masking_once(text: str) -> None:
    """R-25 Log Visibility Control: masked text is not masked again at any later exit."""
    for masker in (Masker(), Masker(["AbCdEf123456"], personal=True)):
        once = masker.mask(text).text
        assert masker.mask(once) == (once, False)


@given(st.text())
def test_found_tells_whether_anything_changed(text: str) -> None:
    """R-25 Log Visibility Control: `found` is true exactly when something was taken out."""
    masked = Masker(personal=True).mask(text)
    assert masked.found == (masked.text != text)
