"""No secret survives, and ordinary text is left alone."""

import time

import pytest

from pm_orchestrator.evidence.masking.masker import Masker, secret_literals
from pm_orchestrator.evidence.masking.placeholders import is_placeholder
from pm_orchestrator.evidence.masking.randomness import looks_random
from pm_orchestrator.evidence.masking.secret_forms import NAMES, NAMING, NAMING_WORDS
from pm_orchestrator.testing.data.secrets import LOOK_ALIKES, Planted, planted_secrets

SECRETS = planted_secrets()
RANDOM = "aB3dE5fG7hJ9kL2m"


@pytest.mark.parametrize("planted", SECRETS, ids=range(len(SECRETS)))
def test_no_secret_survives(planted: Planted) -> None:
    masked = Masker().mask(planted.text)
    assert masked.found
    assert planted.secret not in masked.text
    assert Masker().mask(masked.text).text == masked.text


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_ordinary_text_stays(text: str) -> None:
    assert Masker().mask(text) == (text, False)


def test_the_corpus_is_large_enough() -> None:
    assert len(SECRETS) >= 60
    assert len(LOOK_ALIKES) >= 60


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("x " + "s" + "k-" + "a" * 20, "x [MASKED:OPENAI_KEY]"),
        ("s" + "k-ant-" + "a-" * 10, "[MASKED:ANTHROPIC_KEY]"),
        ("gl" + "pat-k3qz8vwht2jpm7rsxb4nd9", "[MASKED:GITLAB_TOKEN]"),
        ("ey" + "Ja.ey" + "Jb.c", "[MASKED:JWT]"),
        ("Authorization: Bearer x", "[MASKED:AUTH_HEADER]"),
        ("Cookie: a=b", "[MASKED:COOKIE]"),
        ("Set-Cookie: a=b", "[MASKED:SET_COOKIE]"),
        ('"password": "x"', "[MASKED:JSON_CREDENTIAL]"),
        ("API_KEY=x", "[MASKED:ENV_CREDENTIAL]"),
        ("OPENAI_API_KEY=x y", "OPENAI_[MASKED:ENV_CREDENTIAL] y"),
        ("Bearer abc123", "[MASKED:BEARER_TOKEN]"),
        (f"password: '{RANDOM}'", "[MASKED:GENERIC_SECRET]'"),
        ("a\nCookie: x=1; y=2\nHost: h", "a\n[MASKED:COOKIE]\nHost: h"),
    ],
)
def test_each_kind_has_its_own_marker(text: str, masked: str) -> None:
    assert Masker().mask(text).text == masked


def test_a_higher_priority_wins_and_its_marker_is_not_looked_at_again() -> None:
    key = "s" + "k-" + "b" * 24
    assert Masker().mask(f"TOKEN={key}").text == "TOKEN=[MASKED:OPENAI_KEY]"
    assert Masker().mask(f'"token": "{key}"').text == '"token": "[MASKED:OPENAI_KEY]"'


def test_only_our_own_markers_are_left_alone() -> None:
    assert "OPENAI_KEY" in NAMES
    text = f"PASSWORD=[MASKED:{RANDOM}]"
    assert Masker().mask(text).text == "[MASKED:ENV_CREDENTIAL]"


def test_text_between_two_markers_is_looked_at_once_more() -> None:
    # In one piece the value is a path of words; what is left of it is not.
    key = "s" + "k-" + "c" * 24
    text = f"token=a1b2c3d4e5f6{key}"
    once = Masker().mask(text).text
    assert "a1b2c3d4e5f6" not in once
    assert Masker().mask(once).text == once


def test_text_that_grows_in_lower_case_keeps_its_places() -> None:
    assert Masker().mask(f"İİİ password={RANDOM}").text == "İİİ [MASKED:GENERIC_SECRET]"


def test_broken_unicode_is_no_obstacle() -> None:
    assert Masker().mask(f"\ud800 password={RANDOM}").text == "\ud800 [MASKED:GENERIC_SECRET]"


class TestPrivateKeys:
    HEAD = "-----BEGIN PRIVATE" + " KEY-----"
    FOOT = "-----END PRIVATE" + " KEY-----"

    def test_two_keys_are_masked_one_by_one(self) -> None:
        key = f"{self.HEAD}\n{RANDOM}\n{self.FOOT}"
        masked = Masker().mask(f"{key}\nbetween\n{key}\nend").text
        assert masked == "[MASKED:PRIVATE_KEY]\nbetween\n[MASKED:PRIVATE_KEY]\nend"

    def test_an_end_that_stands_before_the_beginning_does_not_count(self) -> None:
        masked = Masker().mask(f"{self.FOOT}\n{self.HEAD}\n{RANDOM}\n{self.FOOT}").text
        assert masked == f"{self.FOOT}\n[MASKED:PRIVATE_KEY]"

    def test_a_key_cut_off_before_its_end_is_masked_as_far_as_it_goes(self) -> None:
        assert Masker().mask(f'a {self.HEAD}\n{RANDOM}"rest').text == 'a [MASKED:PRIVATE_KEY]"rest'

    def test_an_end_too_far_away_belongs_to_something_else(self) -> None:
        text = f'"{self.HEAD}" is how it begins.' + "\n. " * 40_000 + self.FOOT
        assert Masker().mask(text).text == text


class TestLiterals:
    def test_a_given_value_is_masked_wherever_it_stands(self) -> None:
        masker = Masker(["my own secret value"])
        assert masker.mask("<my own secret value>").text == "<[MASKED:ENV_CREDENTIAL]>"

    def test_its_json_and_url_forms_are_masked_too(self) -> None:
        masker = Masker(['quo"ted/value'])
        assert masker.mask('{"x": "quo\\"ted/value"}').found
        assert masker.mask("?x=quo%22ted/value").found

    def test_a_value_of_several_lines_is_masked_line_by_line(self) -> None:
        masker = Masker(["first line here\nsecond line here\n\nx"])
        assert masker.mask("second line here; x").text == "[MASKED:ENV_CREDENTIAL]; x"

    def test_the_environment_gives_only_what_looks_random(self) -> None:
        environment = {
            "DB_PASSWORD": "postgres",
            "DB_PASS": RANDOM,
            "MY_TOKEN": RANDOM + "1",
            "AWS_SECRET_ACCESS_KEY": RANDOM + "2",
            "OPENAI_API_KEY": "plain words",
            "ANTHROPIC_API_KEY": "short",
            "HOME": RANDOM,
            "PWD": f"/tmp/{RANDOM}",
            "OLDPWD": f"/tmp/{RANDOM}",
        }
        assert secret_literals(environment) == (RANDOM + "1", RANDOM + "2", "plain words")
        masker = Masker(secret_literals(environment))
        assert not masker.mask("the postgres server").found
        assert masker.mask(f"see {RANDOM}1").found


class TestFields:
    @pytest.mark.parametrize("name", ["password", "Token", "client_secret", "apiKey"])
    def test_a_telling_name_masks_any_value(self, name: str) -> None:
        assert Masker().mask_field(name, "plain") == ("[MASKED:JSON_CREDENTIAL]", True)

    def test_other_names_mask_what_the_value_shows(self) -> None:
        assert Masker().mask_field("text", "plain") == ("plain", False)
        assert Masker().mask_field("text", "API_KEY=x").found

    def test_nothing_and_a_marker_stay(self) -> None:
        assert Masker().mask_field("password", "") == ("", False)
        marker = "[MASKED:JSON_CREDENTIAL]"
        assert Masker().mask_field("password", marker) == (marker, False)


class TestPersonalData:
    @pytest.mark.parametrize(
        "text",
        [
            "jane.doe@example.com",
            "mail <j+x@sub.example.co.jp> now",
            "someone@163.com",
            "090-1234-5678",
            "03-1234-5678",
            "+81 90 1234 5678",
            "+1-555-123-4567",
            "(555) 123-4567",
            "555-123-4567",
            "09012345678",
            "(03) 1234-5678",
            "03(1234)5678",
            "TEL：０３－１２３４－５６７８",
        ],
    )
    def test_it_is_masked_in_log_events_only(self, text: str) -> None:
        assert not Masker().mask(text).found
        assert Masker().for_log_events().mask(text).found
        assert Masker(personal=True).mask(text).found

    @pytest.mark.parametrize(
        "text",
        [
            "task-1768282936521",
            "1768282936521",
            "2026-01-15",
            "20260115-0001",
            "git@github.com:org/repo.git",
            "pkg@1.2.3",
            "@decorator.name",
            "10.0.0.1",
            "line 12-34",
            "550e8400-e29b-41d4-a716-446655440000",
            "+5 points",
            "f(0) - 1234",
            "range(10) 20-30",
            "rows (0) 12-345",
            "１－２－３",
        ],
    )
    def test_our_own_ids_and_code_are_not_personal(self, text: str) -> None:
        assert not Masker(personal=True).mask(text).found

    def test_literals_are_kept(self) -> None:
        assert Masker(["known literal"]).for_log_events().mask("known literal").found


class TestLooksRandom:
    @pytest.mark.parametrize("value", ["S3cr3t!9", "x$9!kL#2zz", RANDOM, "9f8e7d6c5b4a3928"])
    def test_generated_values(self, value: str) -> None:
        assert looks_random(value)

    @pytest.mark.parametrize(
        "value",
        [
            *("", "short1A", "password", "user_name_2", "getUserNameById", "0000000000"),
            *("3.11.7-final", "freezeSize1", "resizeGazeSize2"),
        ],
    )
    def test_words_and_numbers(self, value: str) -> None:
        assert not looks_random(value)


HOSTILE = [
    "sk-" * 350_000,
    "eyJ" * 350_000,
    "eyJ." * 260_000,
    "key=" * 260_000,
    "key =" * 200_000,
    "key" + " " * 1_000_000,
    ("key" + " " * 60) * 16_000,
    '"token":' * 130_000,
    '"token":"' * 110_000,
    '\\"token\\":\\\\\\"' * 60_000,
    '"' * 1_000_000,
    '"' + "a" * 1_000_000,
    "cookie: a " * 100_000,
    "Cookie: a=b " * 80_000,
    "authorization: basic " * 50_000,
    "bearer " * 150_000,
    "-----BEGIN PRIVATE" + ' KEY-----"' + ("-----BEGIN PRIVATE" + ' KEY-----"') * 34_000,
    "-----BEGIN A " + "A " * 500_000,
    "://a:" * 200_000,
    "://" + "a" * 1_000_000,
    "a@" * 500_000,
    "a." * 500_000,
    "0-" * 500_000,
    "+1 " * 330_000,
    "TOKEN=" * 170_000,
    "a" * 1_000_000,
    "\\" * 1_000_000,
    "password='" * 100_000,
    "https://u:" + "@" * 1_000_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_megabyte_of_hostile_text_takes_linear_time(text: str) -> None:
    def seconds(part: str) -> float:
        start = time.process_time()
        Masker(personal=True).mask(part)
        return time.process_time() - start

    # A quadratic rule needs minutes for this; the bound only has to tell the two apart.
    assert seconds(text) < 10


@pytest.mark.parametrize("body", ["mysecretQ9Zx", "Sample-9QzX7", "yourTokenQ9Z"])
def test_a_value_of_words_stands_for_a_key(body: str) -> None:
    assert is_placeholder(body)


def test_a_word_in_a_generated_value_hides_no_key() -> None:
    assert not is_placeholder("secret_9Q7xWv4")


@pytest.mark.parametrize(
    ("text", "suspected"),
    [
        ('{"reason_key":null,"command":[]}', False),
        ('{"secret": false}', False),
        ("token: true\n", False),
        ('{"api_key":"nullX7f93kQ2Lm8"}', True),
        ("password: trueX7f93kQ2Lm8", True),
        ("password: null\npassword: hunter2X7f93kQ2", True),
    ],
)
def test_nothing_is_no_value_and_what_begins_so_is_one(text: str, suspected: bool) -> None:
    """R-24 API Key Secrecy: a field that is empty sends no record through the slow masking."""
    masker = Masker()
    assert masker.suspects(text.encode()) is suspected
    assert masker.mask(text).found is suspected


def test_every_name_of_a_secret_begins_with_what_is_looked_for_first() -> None:
    """Only there is it looked whether a name gives its value away."""
    assert all(any(word.startswith(name) for name in NAMING) for word in NAMING_WORDS)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the key to it, the token of it and its password: vR7qLm2xTz", True),
        ("the key, then run it --api-key 0123456789abcdefXYZ9 now", True),
        ("--- key, token and secret are words of this text ---", False),
    ],
)
def test_a_name_that_gives_nothing_away_hides_no_later_one(text: str, found: bool) -> None:
    assert Masker().mask(text).found is found
