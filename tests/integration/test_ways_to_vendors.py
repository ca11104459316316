"""The way out to a vendor: proxies, certificates of a company's own, and its gateways."""

import asyncio
import ssl
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pm_orchestrator.adapters.gateway.upstream import Forward
from pm_orchestrator.adapters.models.http_model import HttpModel
from pm_orchestrator.bootstrap.environment import read_environment
from pm_orchestrator.bootstrap.registry import MODELS
from pm_orchestrator.bootstrap.traffic.gateway_source import answers, model_behind
from pm_orchestrator.domain.company.model_conversation import ChatRequest, Message
from pm_orchestrator.domain.errors import PmError, RetryableError
from pm_orchestrator.domain.setup.settings import ModelSettings
from pm_orchestrator.ports.chat_model import ChatModel, Upstream
from pm_orchestrator.ports.gateway import Access
from pm_orchestrator.testing.benches.any_gateway import any_gateway
from pm_orchestrator.testing.memory.fake_clock import CountingIds
from pm_orchestrator.testing.scripted.anthropic_messages import say_error, say_text
from pm_orchestrator.testing.scripted.scripted_vendor import Failure, ScriptedVendor

Json = dict[str, Any]
KEY = "sk-ant-api03-the-real-one-0123456789"
ASK = ChatRequest(model="m", system="", messages=(Message(role="user", text="hello"),))
FAR = "vendor.example"
"""A name that nobody resolves: only a proxy knows where it is."""


def hello(_: Json) -> Json:
    return say_text("Hello")


@asynccontextmanager
async def asking(
    url: str, models: ModelSettings | None = None, **variables: str
) -> AsyncGenerator[ChatModel]:
    """A model behind a gateway whose vendor is found at `url`, as the product puts it together."""
    given = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY, **variables}
    source = answers(read_environment(given), ["anthropic"], None, models)
    gateway = any_gateway(source, CountingIds())
    await gateway.start()
    try:
        yield model_behind(gateway, "worker-1", "anthropic", 20, models)
    finally:
        await gateway.close()


@asynccontextmanager
async def proxy(to: str) -> AsyncGenerator[tuple[str, list[str]]]:
    """A proxy that leads every name to one place; what it was asked for, line by line."""
    host, _, port = to.partition("://")[2].partition(":")
    asked: list[str] = []

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            return
        finally:
            writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        line = head.split(b"\r\n")[0].decode()
        asked.append(line)
        there, back = await asyncio.open_connection(host, int(port))
        if line.startswith("CONNECT "):
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        else:
            method, url, version = line.split()
            path = "/" + url.partition("://")[2].partition("/")[2]
            rest = head.partition(b"\r\n")[2]
            back.write(f"{method} {path} {version}\r\n".encode() + rest)
        await asyncio.gather(pass_on(reader, back), pass_on(there, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked
    finally:
        server.close()


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


async def test_a_proxy_of_the_environment_is_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ScriptedVendor(hello) as vendor, proxy(vendor.base_url) as (address, asked):
        monkeypatch.setenv("HTTP_PROXY", address)
        async with asking(f"http://{FAR}") as model:
            assert (await model.chat(ASK)).message.text == "Hello"
        assert asked == [f"POST http://{FAR}/v1/messages HTTP/1.1"]

        monkeypatch.setenv("NO_PROXY", FAR)
        async with asking(f"http://{FAR}") as model:
            with pytest.raises(RetryableError):
                await model.chat(ASK)
        assert len(asked) == 1


async def test_what_is_on_this_machine_needs_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model server of one's own is not behind the company's proxy."""
    async with ScriptedVendor(hello) as vendor, proxy(vendor.base_url) as (address, asked):
        monkeypatch.setenv("HTTP_PROXY", address)
        async with asking(vendor.base_url) as model:
            assert (await model.chat(ASK)).message.text == "Hello"
        assert asked == []


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of nobody's but ours, and its key beside it."""
    folder = tmp_path_factory.mktemp("authority")
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    argv += ["-keyout", "key.pem", "-out", "ca.pem", "-subj", f"/CN={FAR}"]
    argv += ["-addext", f"subjectAltName=DNS:{FAR},IP:127.0.0.1"]
    subprocess.run(argv, cwd=folder, check=True, capture_output=True, timeout=30)
    return folder / "ca.pem"


@asynccontextmanager
async def behind_tls(authority: Path, vendor: ScriptedVendor) -> AsyncGenerator[str]:
    """The vendor at an https address whose certificate only `authority` vouches for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority, authority.with_name("key.pem"))
    host, _, port = vendor.base_url.partition("://")[2].partition(":")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(host, int(port))
        back.write(await reader.readuntil(b"\r\n\r\n"))
        back.write(await reader.read(65_536))
        writer.write(await there.read())
        await writer.drain()
        for each in (writer, back):
            each.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def test_a_company_vouches_for_its_own_gateway(
    monkeypatch: pytest.MonkeyPatch, authority: Path
) -> None:
    """By SSL_CERT_FILE or by the settings; who is vouched for by nobody is refused for good."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    async with ScriptedVendor(hello) as vendor, behind_tls(authority, vendor) as url:
        async with asking(url) as model:
            with pytest.raises(PmError) as caught:
                await model.chat(ASK)
        assert vendor.received == []
        error = caught.value
        assert (error.slug, isinstance(error, RetryableError)) == ("model_untrusted", False)
        assert "model_calls.ca_file" in error.hint()
        assert "self-signed" in error.what()

        async with asking(url, ModelSettings(ca_file=str(authority))) as model:
            assert (await model.chat(ASK)).message.text == "Hello"

        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        async with asking(url) as model:
            assert (await model.chat(ASK)).message.text == "Hello"


@pytest.mark.parametrize("text", [None, "no certificate"])
async def test_a_file_without_certificates_is_said(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "ca.pem"
    if text is not None:
        file.write_text(text, "utf-8")
    async with asking(f"https://{FAR}", ModelSettings(ca_file=str(file))) as model:
        with pytest.raises(PmError, match="E602") as caught:
            await model.chat(ASK)
    assert str(file) in caught.value.what()


@pytest.mark.parametrize(
    ("name", "given", "path"),
    [
        ("anthropic", "/bedrock/anthropic", "/bedrock/anthropic/v1/messages"),
        ("openai", "/openai/deployments/x/v1", "/openai/deployments/x/v1/chat/completions"),
        ("openai", "", "/v1/chat/completions"),
        ("openai-responses", "/proxy/v1/", "/proxy/v1/responses"),
        ("gemini", "/vertex", "/vertex/v1beta/models/m:generateContent"),
        ("ollama", "/models", "/models/api/chat"),
    ],
)
async def test_a_gateway_of_the_company_is_asked_at_its_path_with_its_headers(
    name: str, given: str, path: str
) -> None:
    """Bedrock- and Vertex-like addresses have a path before ours, and want more than a key."""
    factory = MODELS.load(name)
    settings = ModelSettings(headers={name: {"x-team": "blue", "api-key": "$GATEWAY_KEY"}})
    secret = "gateway-" + "secret-0123456789"

    def echo(_: Json) -> Failure:
        headers = vendor.received[-1].headers
        return Failure(kind="status", status=400, body=str(headers).encode())

    async with ScriptedVendor(echo, factory.dialect) as vendor:
        upstream = factory.upstream
        keys = {upstream.key_variable: KEY} if upstream.key_variable else {}
        variables = {upstream.url_variable or "": vendor.base_url + given, **keys}
        source = answers(
            read_environment(variables | {"GATEWAY_KEY": secret}), [name], None, settings
        )
        gateway = any_gateway(source, CountingIds())
        await gateway.start()
        with pytest.raises(PmError, match="E602") as caught:
            await model_behind(gateway, "worker-1", name, 20).chat(ASK)
        await gateway.close()
    (received,) = vendor.received
    assert received.path == path
    assert (received.headers["x-team"], received.headers["api-key"]) == ("blue", secret)
    assert secret not in str(caught.value.params)


@pytest.mark.parametrize("name", MODELS.names)
async def test_temperature_and_room_are_asked_for(name: str) -> None:
    """`model_calls.temperature` and `model_calls.max_tokens`; without them as the agent asks."""
    dialect = MODELS.load(name).dialect
    access = Access(base_url="http://127.0.0.1:9", token="t")
    heard: list[ChatRequest] = []

    def answer(body: Json) -> Failure:
        sent = msgspec.json.encode(body)
        heard.append(dialect.read_request(sent, dialect.path(ASK)).request)
        return Failure(kind="status", status=400)

    async with ScriptedVendor(answer, dialect) as vendor:
        there = replace(access, base_url=vendor.base_url)
        for model in (HttpModel(dialect, there), HttpModel(dialect, there, 20, 0.0, 1234)):
            with pytest.raises(PmError):
                await model.chat(ASK)
    assert [(each.temperature, each.max_tokens) for each in heard] == [(None, 4096), (0.0, 1234)]


async def test_a_key_is_read_when_it_is_shown() -> None:
    """Whoever changes it while a run goes on is asked with the new one."""
    variables = {"ANTHROPIC_API_KEY": "first-key-0123456789"}

    def echo(_: Json) -> Failure:
        shown = vendor.received[-1].headers["x-api-key"]
        body = say_error("authentication_error", f"who is {shown}?")
        return Failure(kind="status", status=401, body=body)

    async with ScriptedVendor(echo) as vendor:
        upstream = Upstream(
            base_url=vendor.base_url,
            key_variable="ANTHROPIC_API_KEY",
            key_header="x-api-key",
            key_form="{key}",
        )
        gateway = any_gateway(Forward(upstream, variables), CountingIds())
        await gateway.start()
        model = model_behind(gateway, "worker-1", "anthropic", 20)
        for key in ("first-key-0123456789", "second-key-0123456789"):
            variables["ANTHROPIC_API_KEY"] = key
            with pytest.raises(PmError) as caught:
                await model.chat(ASK)
            assert key not in caught.value.what()
            assert "[MASKED:ANTHROPIC_KEY]" in caught.value.what()
        await gateway.close()
    assert [each.headers["x-api-key"][:6] for each in vendor.received] == ["first-", "second"]
