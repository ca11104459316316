"""Where something that runs is to be otherwise, and where words may be all that is wanted."""

import pytest

from pm_orchestrator.runner.instructions.stated.behaviour import (
    asks_for_behaviour,
    asks_for_no_text,
)

MEANS_CODE = [
    "The test of Stock.ship fails since yesterday, please fix it",
    "Stock.ship のテストが落ちます。直してください。",
    "Fix the failing build",
    "fix the crash in the importer",
    "Make Stock.ship refuse negative counts",
    "parse_date() should accept a time zone",
    "formatPrice must not round twice, please repair that",
    "Add a --version flag to the slugify command line that prints the version",
    "Add an option --dry-run to the importer",
    "importコマンドに --dry-run オプションを追加して",
    "空のカートで例外が出るので修正してください",
    "CIのテストが落ちているので直して",
]
MAY_BE_TEXT = [
    "Fix the broken links in the README",
    "Correct the spelling of our company everywhere",
    "Fix the typo in docs/guide.md",
    "Document how Stock.ship works",
    "Explain why the test of Stock.ship fails",
    "誤字を直してください",
    "READMEのStock.shipの説明を直してください",
    "Add a FAQ entry on why the tests fail without a token",
    "Write an example for parse_date()",
    "CHANGELOG.md says 1.2 twice, fix it",
    "リンク切れを修正してください",
    "Mention in the handbook that parse_date() raises a ValueError",
    "Add a known-issues list: crash on empty input",
    "FAQに「テストが落ちる場合」を追加してください",
    "Document the new --json flag",
    "Mention the --json flag in the handbook",
    "Add a section about the --json flag to the README",
    "Where does parse_date() raise a ValueError?",
]


@pytest.mark.parametrize("instruction", MEANS_CODE)
def test_words_alone_are_not_enough(instruction: str) -> None:
    assert asks_for_no_text(instruction)
    assert asks_for_behaviour(instruction)


BOTH = [
    "Make the salt configurable through SHOP_SALT and document that in docs/signer.rst",
    "Add a function slug_of() to text.py and describe it in the README",
    "Let parse_date() accept a time zone. Update the docs as well.",
]
TEXT_FIRST = [
    "Update docs/guide.md: rename parse_date() to read_date()",
    "Document SHOP_SALT in docs/signer.rst",
    "Add SHOP_SALT to the deployment notes",
    "Describe in the README that parse_date() takes a zone, and add an example",
]


@pytest.mark.parametrize("instruction", BOTH)
def test_half_of_code_and_document_is_not_both(instruction: str) -> None:
    assert asks_for_behaviour(instruction)


@pytest.mark.parametrize("instruction", TEXT_FIRST)
def test_what_is_to_stand_in_a_text_may_speak_of_code(instruction: str) -> None:
    assert not asks_for_behaviour(instruction)


@pytest.mark.parametrize("instruction", MAY_BE_TEXT)
def test_words_may_be_enough(instruction: str) -> None:
    assert not asks_for_no_text(instruction)
    assert not asks_for_behaviour(instruction)


@pytest.mark.parametrize(
    "instruction",
    ["It does not start any more, please fix that", "動かないので直してください"],
)
def test_a_repair_of_nobody_knows_what_is_gated(instruction: str) -> None:
    assert asks_for_no_text(instruction)
    assert not asks_for_behaviour(instruction)
