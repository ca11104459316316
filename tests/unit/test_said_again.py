"""Reasons on record, in the language of whoever reads them."""

import pytest

from pm_orchestrator.cli.pages.watch_page import end_text
from pm_orchestrator.cli.terminal.spelling import Spelling
from pm_orchestrator.domain.catalogue.reasons import all_reasons
from pm_orchestrator.domain.catalogue.said_again import PLACE, said_again
from pm_orchestrator.domain.tasks.status import TaskStatus
from pm_orchestrator.runner.sessions.run_watch import WatchEnd


@pytest.mark.parametrize("key", sorted(all_reasons()))
def test_every_reason_is_said_as_if_it_had_been_japanese(key: str) -> None:
    sentence = all_reasons()[key]
    names = {found[1] for found in PLACE.finditer(sentence.en)}
    params = {name: f"{number + 2}" for number, name in enumerate(sorted(names))}
    assert said_again(sentence.say("en", **params), "ja") == sentence.say("ja", **params)
    assert said_again(sentence.say("en", **params), "en") == sentence.say("en", **params)


@pytest.mark.parametrize("count", ["1", "7"])
def test_one_and_several_are_known(count: str) -> None:
    said = all_reasons()["all_proved"].say("en", count=count)
    assert f" {count} 件" in said_again(said, "ja")


def test_other_words_are_left_alone() -> None:
    for text in ("", "Somebody else said this.", "The gate"):
        assert said_again(text, "ja") == text


def test_who_watches_in_japanese_reads_why_in_japanese() -> None:
    end = WatchEnd(
        session_id="session-1",
        task_id="task-1",
        run_id="run_001",
        status=TaskStatus.INCOMPLETE,
        reason=all_reasons()["tests_missing"].say("en"),
        exit_code=2,
    )
    assert all_reasons()["tests_missing"].say("ja") in end_text(end, "ja", Spelling())
