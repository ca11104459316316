"""Work, its result or an error crosses the bus and is the same on the other side."""

from string import Formatter
from typing import Any

from hypothesis import given, strategies as st

from pm_orchestrator.dispatch.replies import (
    answered_by,
    failed_reply,
    failure_payload,
    in_reply,
    is_outage,
    result_in,
    result_payload,
    work_in,
    work_payload,
)
from pm_orchestrator.domain.catalogue.error_texts import ERRORS
from pm_orchestrator.domain.company.agent import AgentMessage
from pm_orchestrator.domain.company.assignment import Assignment, AttemptResult
from pm_orchestrator.domain.errors import ERROR_CLASSES, NextStep, PmError, may_pass
from pm_orchestrator.domain.record import from_json, to_json
from pm_orchestrator.testing.data.any_record import instances

steps: st.SearchStrategy[NextStep] = st.sampled_from(sorted(ERROR_CLASSES))
slugs = st.sampled_from(sorted(ERRORS))
values = st.one_of(st.text(max_size=20), st.integers(), st.just("caf\udce9"), st.none())
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=5), inner, max_size=2)
    ),
    max_leaves=5,
)


def fields_of(slug: str) -> set[str]:
    said = ERRORS[slug]
    texts = (said.what_en, said.hint_en, said.what_ja, said.hint_ja)
    return {name for text in texts for _, name, _, _ in Formatter().parse(text) if name}


@st.composite
def errors(draw: st.DrawFn) -> PmError:
    slug = draw(slugs)
    params = {name: draw(values) for name in sorted(fields_of(slug))}
    return ERROR_CLASSES[draw(steps)](slug, **params)


def sent(payload: dict[str, Any]) -> AgentMessage:
    message = AgentMessage(
        id="reply-1",
        run_id="run_001",
        type="task_failed",
        sender="worker-1",
        recipient="manager",
        payload=payload,
        timestamp="",
    )
    return from_json(AgentMessage, to_json(message))


@given(work=instances(Assignment), result=instances(AttemptResult))
def test_work_and_its_result_are_the_same_on_the_other_side(work: Any, result: Any) -> None:
    asked = sent(work_payload(work))
    assert work_in(asked) == work
    answer = sent(in_reply(asked, result_payload(result)) | {"of_another_version": 1})
    assert (answered_by(answer), result_in(answer)) == (asked.id, result)


@given(errors())
def test_an_error_is_the_same_on_the_other_side(error: PmError) -> None:
    message = sent(failure_payload(error))
    again = failed_reply(message)
    assert type(again) is type(error)
    assert (again.slug, again.code, again.next_step) == (error.slug, error.code, error.next_step)
    kept = {name: str(value).replace("\udce9", "\\udce9") for name, value in error.params.items()}
    assert again.params == kept
    assert message.payload["what"] == again.what()
    assert is_outage(message) == may_pass(error)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "slug": st.one_of(slugs, json_values),
            "params": json_values,
            "next_step": st.one_of(steps, json_values),
            "what": json_values,
        },
    )
)
def test_nonsense_is_a_worker_that_broke_down(payload: dict[str, object]) -> None:
    error = failed_reply(sent(payload))
    assert error.what()
    assert error.hint("ja")
