"""Rules that are written down: the settings stay the user's, and a yes is for one task."""

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.domain.history.log_contents import (
    ExecutorOutput,
    LogContent,
    RunnerClarification,
    UserResponse,
    event_of,
)
from pm_orchestrator.runner.instructions.permissions import denied_question, permitted_in
from pm_orchestrator.runner.project.allowed_tools import with_rules

RULES = st.lists(st.text(min_size=1, max_size=10), max_size=4)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(max_size=8), JSON), st.none() | RULES, RULES, st.sampled_from([2, 4])
)
def test_only_the_list_of_rules_is_other_than_before(
    document: dict[str, Any], known: list[str] | None, rules: list[str], indent: int
) -> None:
    document.pop("executor", None)
    if known is not None:
        document["executor"] = {"name": "claude-code", "allowed_tools": known}
    written = with_rules(json.dumps(document, indent=indent), rules)
    changed = json.loads(written)
    assert list(changed)[: len(document)] == list(document)
    allowed = changed["executor"].pop("allowed_tools")
    assert allowed[: len(known or ())] == list(known or ())
    assert set(allowed) == {*(known or ()), *rules}
    if known is None:
        assert changed.pop("executor") == {}
    else:
        del document["executor"]["allowed_tools"]
    assert changed == document


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"executor": []}', '{"executor": {"allowed_tools": "Bash"}}', "{", "null"],
)
def test_what_are_no_settings_is_left_alone(text: str) -> None:
    with pytest.raises(ValueError, match="Expect"):
        with_rules(text, ["Bash"])


CALLS = ("Bash make", "WebFetch localhost")
OTHER = ("Bash rm -rf /",)


def output(*denied: str) -> ExecutorOutput:
    return ExecutorOutput(
        executor="e", exit_code=0, output_summary="", raw_output_ref="r", denied_calls=denied
    )


def asked(calls: tuple[str, ...]) -> RunnerClarification:
    return RunnerClarification(question=denied_question(calls).what())


@pytest.mark.parametrize(
    ("said", "answer", "permitted"),
    [
        ([output(*CALLS), asked(CALLS)], "yes", CALLS),
        ([output(*CALLS), asked(CALLS)], "はい", CALLS),
        ([output(*CALLS), asked(CALLS), UserResponse(response="yes")], None, CALLS),
        ([output(*CALLS), asked(CALLS)], "no", ()),
        ([output(*CALLS), asked(CALLS)], "yes, if you must", ()),
        # A yes to something else is none to this.
        ([output(*CALLS), RunnerClarification(question="Overwrite it?")], "yes", ()),
        ([output(*CALLS), asked(OTHER)], "yes", ()),
        ([output(*CALLS)], "yes", ()),
        # The calls that were last denied are the ones that were asked about.
        ([output(*OTHER), output(*CALLS), asked(CALLS)], "yes", CALLS),
        ([output(*CALLS), asked(CALLS), UserResponse(response="no")], "yes", ()),
    ],
)
def test_permitted_is_what_an_explicit_yes_was_said_to(
    said: list[LogContent], answer: str | None, permitted: tuple[str, ...]
) -> None:
    events = [event_of(content, "2026-01-15T09:00:00.000Z") for content in said]
    assert permitted_in(events, answer) == frozenset(permitted)
