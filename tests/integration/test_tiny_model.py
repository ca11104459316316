"""A real model, tiny and on this machine, behind the gateway and the openai adapter."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from pm_orchestrator.adapters.models.http_model import HttpModel
from pm_orchestrator.adapters.models.openai import OpenAIChat
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.traffic.gateway_source import answers, model_behind
from pm_orchestrator.domain.company.model_conversation import ChatRequest, Message
from pm_orchestrator.domain.setup.settings import ModelSettings
from pm_orchestrator.testing.benches.any_gateway import any_gateway
from pm_orchestrator.testing.memory.fake_clock import CountingIds

MODEL = Path(__file__).parents[2] / ".venv" / "model"
SERVER = Path(__file__).with_name("tiny_model_server.py")
ASK = ChatRequest(
    model="tiny",
    system="Be brief.",
    messages=(Message(role="user", text="What is the capital of France?"),),
)

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the model is asked."""
    assert MODEL.is_dir(), "`make model` installs it"
    with subprocess.Popen(
        [sys.executable, str(SERVER)],
        env={**os.environ, "PYTHONPATH": str(MODEL)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        assert server.stdin is not None
        server.stdin.close()
        server.wait(60)


async def test_a_real_model_answers_through_the_openai_adapter(
    address: str, ids: CountingIds
) -> None:
    given = {"OPENAI_BASE_URL": f"{address}/v1", "OPENAI_API_KEY": "a-key-for-nothing"}
    settings = ModelSettings(temperature=0)
    gateway = any_gateway(answers(read_environment(given), ["openai"], None, settings), ids)
    await gateway.start()
    model = model_behind(gateway, "worker-1", "openai", 200, settings)
    reply = await model.chat(ASK)
    assert "Paris" in reply.message.text
    assert not reply.stopped_early
    assert reply.usage.input_tokens > 10
    assert reply.usage.output_tokens > 3
    assert gateway.usage("worker-1") == reply.usage

    short = HttpModel(OpenAIChat(), gateway.admit("worker-2", "openai"), 200, 0, 3)
    cut = await short.chat(ASK)
    assert cut.stopped_early
    assert cut.usage.output_tokens == 3

    # The same as a stream, as a coding CLI would ask for it.
    access = gateway.admit("worker-3", "openai")
    body = OpenAIChat().write_request(ASK) | {"stream": True, "temperature": 0}
    async with (
        asyncio.timeout(200),
        httpx2.AsyncClient(trust_env=False, verify=False, timeout=200) as client,
    ):
        heard = await client.post(
            f"{access.base_url}/v1/chat/completions",
            json=body | {"stream_options": {"include_usage": True}},
            headers={"authorization": f"Bearer {access.token}"},
        )
    await gateway.close()
    assert heard.headers["content-type"].startswith("text/event-stream")
    assert b"Paris" in heard.content
