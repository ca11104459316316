"""The changed files as text, before and after: as much as comparing checks needs."""

from collections.abc import Awaitable, Callable, Iterable, Sequence

from msgspec.structs import replace

from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.evidence.masking.new_secrets import new_secrets
from pm_orchestrator.gates.compare.check_files import is_product_code, is_setting, is_test
from pm_orchestrator.gates.compare.recognised_tests import may_hold_tests
from pm_orchestrator.gates.weaker.dilution import Trees
from pm_orchestrator.gates.weaker.gate_config import is_config, tool_files

ReadTree = Callable[[str], Awaitable[bytes | None]]
"""A file's content in one of the two trees; None where it is not there."""

LARGEST = 1024**2
"""Bytes; no test and no setting that a person wrote is larger."""
MOST = 500
"""Files; more than this is no reading matter, and is over every limit anyway."""


async def texts_of(
    changes: Sequence[FileChange], before: ReadTree, now: ReadTree, recipes: str = ""
) -> Trees:
    """Contents of the changed files that can hold tests or settings of gates.

    `recipes` say which programs gates run.
    """
    of_tools = tool_files(recipes, (c.path for c in changes)) if recipes else frozenset[str]()
    old: dict[str, str | None] = {}
    new: dict[str, str | None] = {}
    # What is new comes last: a flood of new files must not hide an old one that is gone.
    mattering = [
        c
        for c in changes
        if c.path in of_tools or _matters(c.path) or _matters(c.previous_path or c.path)
    ]
    mattering.sort(key=lambda change: change.kind == "created")
    for change in mattering[:MOST]:
        was = change.previous_path or change.path
        if change.kind != "created":
            old[was] = _text(await before(was))
        if change.kind != "deleted":
            new[change.path] = _text(await now(change.path))
    seen = all(change.kind == "created" for change in mattering[MOST:])
    return Trees(before=old, after=new, whole=seen, of_tools=of_tools)


async def with_files(known: Trees, paths: Iterable[str], before: ReadTree, now: ReadTree) -> Trees:
    """The same with some files more."""
    old = {path: _text(await before(path)) for path in paths}
    new = {path: _text(await now(path)) for path in paths}
    return replace(known, before={**known.before, **old}, after={**known.after, **new})


async def secrets_in(
    changes: Sequence[FileChange], before: ReadTree, now: ReadTree, literals: tuple[str, ...]
) -> tuple[str, ...]:
    """Keys that the changes put into files: where and of which kind, never the key itself.

    `literals` are values that are secret whatever they look like.
    """
    found: list[str] = []
    for change in [c for c in changes if c.kind != "deleted"][:MOST]:
        content = await now(change.path)
        if content is None or len(content) > LARGEST:
            continue
        secrets = new_secrets(None, content, literals)
        if secrets and change.kind != "created":
            # Only now: most files hold none, and what was there before is nobody's offence.
            old = await before(change.previous_path or change.path)
            secrets = new_secrets(old, content, literals)
        found += [f"{change.path}:{secret.line} {secret.sample}" for secret in secrets]
    return tuple(found)


def _matters(path: str) -> bool:
    return any(
        rule(path) for rule in (may_hold_tests, is_config, is_product_code, is_test, is_setting)
    )


def _text(content: bytes | None) -> str | None:
    """None for what is not there or is no reading matter."""
    return None if content is None or len(content) > LARGEST else content.decode("utf-8", "replace")
