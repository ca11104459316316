"""What counts as the same question."""

from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import assume, given, strategies as st

from pm_orchestrator.adapters.gateway.normalise import (
    PARTS,
    RequestDigest,
    differing,
    question_digest,
)
from pm_orchestrator.adapters.models.anthropic import AnthropicMessages

Json = dict[str, Any]

HEX = "0123456789abcdef"
ticket = st.from_regex(r"\A20[0-9]{6}-[0-9a-z]{4}\Z")
run = st.integers(1, 5000).map(lambda number: f"run_{number:03d}")
sha = st.text(HEX, min_size=7, max_size=64)
moment = st.datetimes().map(lambda value: value.isoformat(timespec="milliseconds") + "Z")
day = st.dates().map(str)
place = st.from_regex(r"\A/(var/)?tmp/[a-z0-9_-]{1,12}(/[a-z0-9._-]{1,8}){0,3}\Z")
data = st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: "</data>" not in text)
session = st.tuples(day, sha).map(lambda pair: f"session-{pair[0].replace('-', '')}-{pair[1]}")


@st.composite
def volatile(draw: st.DrawFn) -> Json:
    """One run's own names and times."""
    kinds = {
        "ticket": ticket,
        "run": run,
        "sha": sha,
        "moment": moment,
        "day": day,
        "place": place,
        "data": data,
        "session": session,
    }
    return {name: draw(kind) for name, kind in kinds.items()}


WORDS = st.lists(
    st.sampled_from(["add", "a", "greeting", "to", "src/app.py", "テスト", "fix:", "12", "(x)"]),
    min_size=1,
    max_size=6,
).map(" ".join)


def sentence(words: str, own: Json) -> str:
    return (
        f"{words} for {own['ticket']}-01 [{own['ticket']}] on agent/{own['ticket']}-slug, "
        f"{own['run']}; base {own['sha']} of {own['day']} at {own['moment']}, {own['session']} "
        f'in "{own["place"]}"\n<data source="gate {own["run"]}">\n{own["data"]}\n</data>\n{words}'
    )


def conversation(words: str, own: Json) -> Json:
    """Two turns, with this run's own names wherever a run puts them."""
    call = {"type": "tool_use", "id": f"toolu_{own['sha']}", "name": "read", "input": {"p": "a"}}
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": own["data"]}
    return {
        "model": "model-1",
        "max_tokens": 100,
        "metadata": {"user_id": own["session"]},
        "system": sentence("You are a worker.", own),
        "tools": [{"name": "read", "input_schema": {}}, {"name": "write", "input_schema": {}}],
        "messages": [
            {"role": "user", "content": sentence(words, own)},
            {"role": "assistant", "content": [{"type": "text", "text": words}, call]},
            {"role": "user", "content": [result, {"type": "text", "text": sentence("on", own)}]},
        ],
    }


def digest_of(body: Json) -> RequestDigest:
    asked = AnthropicMessages().read_request(msgspec.json.encode(body), "/v1/messages")
    return question_digest(asked.request)


@given(words=WORDS, one=volatile(), other=volatile())
def test_what_differs_between_runs_does_not_count(words: str, one: Json, other: Json) -> None:
    assert digest_of(conversation(words, one)) == digest_of(conversation(words, other))


CHANGES: dict[str, tuple[str, Callable[[Json], object]]] = {
    "model": ("model", lambda body: body.update(model="model-2")),
    "tool added": ("tools", lambda body: body["tools"].append({"name": "run"})),
    "tool renamed": ("tools", lambda body: body["tools"][0].update(name="rename")),
    "system": ("system", lambda body: body.update(system=body["system"] + " Be brief.")),
    "user text": ("messages", lambda body: body["messages"][0].update(content="other words")),
    "assistant text": (
        "messages",
        lambda body: body["messages"][1]["content"][0].update(text="other words"),
    ),
    "tool called": (
        "messages",
        lambda body: body["messages"][1]["content"][1].update(name="write"),
    ),
    "tool input": (
        "messages",
        lambda body: body["messages"][1]["content"][1].update(input={"p": "b"}),
    ),
    "tool failed": (
        "messages",
        lambda body: body["messages"][2]["content"][0].update(is_error=True),
    ),
    "result dropped": ("messages", lambda body: body["messages"][2]["content"].pop(0)),
    "picture added": (
        "messages",
        lambda body: body["messages"][2]["content"].append({"type": "image", "source": {}}),
    ),
    "thought added": (
        "messages",
        lambda body: body["messages"][1]["content"].append({"type": "thinking"}),
    ),
    "one more": (
        "messages",
        lambda body: body["messages"].append({"role": "assistant", "content": "go"}),
    ),
    "other role": ("messages", lambda body: body["messages"][0].update(role="assistant")),
}


@given(words=WORDS, own=volatile(), change=st.sampled_from(sorted(CHANGES)))
def test_what_is_really_asked_counts(words: str, own: Json, change: str) -> None:
    part, alter = CHANGES[change]
    body = conversation(words, own)
    before = digest_of(body)
    alter(body)
    assert differing(before, digest_of(body)) == [part]


@given(one=WORDS, other=WORDS, own=volatile())
def test_other_words_are_another_question(one: str, other: str, own: Json) -> None:
    assume(one != other)
    assert differing(digest_of(conversation(one, own)), digest_of(conversation(other, own))) == [
        "messages"
    ]


@given(words=WORDS, own=volatile())
def test_the_short_forms_ask_the_same(words: str, own: Json) -> None:
    body = conversation(words, own)
    long = conversation(words, own)
    long["system"] = [{"type": "text", "text": body["system"], "cache_control": {"type": "x"}}]
    long["messages"][0]["content"] = [{"type": "text", "text": body["messages"][0]["content"]}]
    long["tools"].reverse()
    assert differing(digest_of(body), digest_of(long)) == []
    assert set(PARTS) == set(msgspec.structs.asdict(digest_of(body)))
