"""Keys and services outside the machine's programs. Of a key only SET or NOT SET is said."""

import asyncio
from urllib.parse import urlsplit

from pm_orchestrator.bootstrap.doctor.surroundings import Finding, Level, Surroundings
from pm_orchestrator.bootstrap.registry import ENGINES, FORGES, MODELS, QUEUES
from pm_orchestrator.bootstrap.shipped_models import model_registry
from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.setup.providers import PROVIDERS, Provider

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN")
"""Shown also where no model of ours asks with them yet."""
REDIS_PORT = 6379
REDIS_PATIENCE_S = 5.0


async def keys(surroundings: Surroundings) -> list[Finding]:
    """Which keys there are; that one is missing is no fault of its own."""
    findings: list[Finding] = []
    asked = (name for model in MODELS.names for name in MODELS.load(model).needs.variables)
    for name in dict.fromkeys((*KEYS, *asked)):
        is_set = bool(surroundings.environment.variables.get(name))
        level: Level = "ok" if is_set else "note"
        findings.append(surroundings.found(name, level, "key_set" if is_set else "key_not_set"))
    return findings


async def needs(surroundings: Surroundings) -> list[Finding]:
    """What the chosen adapters cannot do without, as they say themselves."""
    company, variables = surroundings.chosen.company, surroundings.environment.variables
    findings: list[Finding] = []
    for setting, name, factory in (
        ("company.message_queue", company.message_queue, QUEUES.load(company.message_queue)),
        ("company.engine", company.engine, ENGINES.load(company.engine)),
        ("company.forge", company.forge, FORGES.load(company.forge)),
    ):
        for variable in factory.needs.variables:
            is_set = bool(variables.get(variable))
            level: Level = "ok" if is_set else "problem"
            key = "need_set" if is_set else "need_not_set"
            params = {"setting": setting, "name": name, "variable": variable}
            findings.append(surroundings.found(variable, level, key, **params))
    return findings


async def model(surroundings: Surroundings) -> list[Finding]:
    """Whether the company's model is near its end, by the dates of the shipped list."""
    company, setting = surroundings.chosen.company, "company.model"
    listed = model_registry()
    provider: Provider | None = next((p for p in PROVIDERS if p == company.adapter), None)
    known = () if provider is None else listed.of(provider)
    mine = next((model for model in known if model.name == company.model), None)
    if provider is None or mine is None or mine.until is None:
        return []
    instead = listed.current(provider, mine.name)
    params = {"name": mine.name, "until": mine.until, "instead": instead}
    return [surroundings.found(setting, "note", "model_ends", **params)]


async def redis(surroundings: Surroundings) -> list[Finding]:
    """Ask Redis for a sign of life, where one is configured; nothing else is said about it."""
    url = surroundings.environment.variables.get("REDIS_URL")
    if not url:
        return []
    host, port = _address(url)
    place = f"{host}:{port}"
    try:
        async with asyncio.timeout(REDIS_PATIENCE_S):
            await _ping(host, port)
    except (OSError, TimeoutError, PmError) as error:
        reason = str(error) or type(error).__name__
        return [surroundings.found("redis", "note", "redis_down", place=place, reason=reason)]
    return [surroundings.found("redis", "ok", "redis", place=place)]


def _address(url: str) -> tuple[str, int]:
    """Host and port; the password in the address stays where it is."""
    try:
        parts = urlsplit(url if "://" in url else f"redis://{url}")
        return parts.hostname or "127.0.0.1", parts.port or REDIS_PORT
    except ValueError:
        return "REDIS_URL", REDIS_PORT


async def _ping(host: str, port: int) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(b"PING\r\n")
        answer = await reader.readline()
    finally:
        writer.close()
    # One that asks for a password is alive as well.
    if not answer.startswith((b"+PONG", b"-NOAUTH")):
        raise ConnectionError("it does not speak the Redis protocol")
