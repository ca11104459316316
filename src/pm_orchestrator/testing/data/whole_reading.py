"""All that is read from the words of an instruction, as one line that can be compared."""

from typing import Any

import msgspec

from pm_orchestrator.domain.errors import NeedsPersonError
from pm_orchestrator.runner.instructions import dangers, one_piece, targets
from pm_orchestrator.runner.instructions.answered import question_at_end
from pm_orchestrator.runner.instructions.effects.commit_wording import commit_messages
from pm_orchestrator.runner.instructions.effects.reading import effects_of
from pm_orchestrator.runner.instructions.effects.refused_programs import refused_programs
from pm_orchestrator.runner.instructions.kinds.answer_here import wants_text_here
from pm_orchestrator.runner.instructions.kinds.small_talk import small_talk
from pm_orchestrator.runner.instructions.kinds.sureness import is_unsure
from pm_orchestrator.runner.instructions.kinds.task_types import classify, is_unclear, recognised
from pm_orchestrator.runner.instructions.requirement import Requirement, names_to_find, understand
from pm_orchestrator.runner.instructions.resolving import KnownFiles, resolve_names
from pm_orchestrator.runner.instructions.stated.behaviour import (
    asks_for_behaviour,
    asks_for_no_text,
)
from pm_orchestrator.runner.instructions.stated.kinds_of_result import (
    asks_for_code,
    asks_for_translation,
    asks_to_rewrite,
)
from pm_orchestrator.runner.instructions.stated.named_code import named_code, wants_no_work
from pm_orchestrator.runner.instructions.stated.tests_wanted import (
    asks_for_more_than_tests,
    asks_for_tests,
    builds_file,
)
from pm_orchestrator.runner.instructions.stated.value_changes import value_changes
from pm_orchestrator.runner.instructions.words.pasted import unpasted

FILES = (
    *("README.md", "CHANGELOG.md", "LICENSE", "Makefile", "package.json", "pyproject.toml"),
    *("setup.cfg", ".eslintrc.json", ".github/workflows/ci.yml", ".env.example", ".gitignore"),
    *("Dockerfile", "main.py", "config.py", "src/app.py", "src/cart.py", "src/auth/login.py"),
    *("src/auth/token.py", "src/api/client.py", "src/utils/dates.js", "src/Button.tsx"),
    *("tests/test_cart.py", "tests/test_login.py", "docs/guide.md", "docs/install.md"),
    *("docs/設計.md", "docs/release notes.md", "議事録.txt", "scripts/deploy.sh", "bin/run"),
    *("scripts/build.sh", "data/users.csv", "templates/index.html", "static/style.css"),
    *("legacy/old.py", "legacy/notes.txt", "releases/v2/a.txt"),
)
ROLES = {"create": "+", "change": "~", "remove": "-", "source": "?"}
SAID = (
    dangers.is_dangerous, is_unclear, is_unsure, wants_text_here, asks_for_behaviour,
    asks_for_no_text, asks_for_code, asks_for_translation, asks_to_rewrite, wants_no_work,
    asks_for_tests, asks_for_more_than_tests,
)  # fmt: skip
SHOWN = (small_talk, question_at_end, commit_messages, refused_programs, named_code, value_changes)


def reading(instruction: str) -> str:
    """Everything that differs from nothing, in one line."""
    kinds = ", ".join(kind.lower() for kind in recognised(instruction))
    parts = [f"{classify(instruction).lower()} ({kinds})"]
    try:
        found = understand(instruction, "task-1")
        parts += _requirement(found)
        parts += [f"in the project: {part}" for part in _resolved(found)]
    except NeedsPersonError as question:
        parts.append(f"asks {question.slug}")
        parts.append(_targets(targets.targets(instruction)))
    parts += [f"answer alone: {_targets(targets.targets(instruction, answer_only=True))}"]
    parts += [ask.__name__ for ask in SAID if ask(instruction)]
    parts += [f"{ask.__name__} {_plain(said)}" for ask in SHOWN if (said := ask(instruction))]
    if (spoken := unpasted(instruction)) != instruction:
        parts.append(f"spoken {_plain(spoken)}")
    return " | ".join(part for part in parts if part)


def roles_in(instruction: str) -> str:
    """The files it names, each with what is wanted with it."""
    return _targets(targets.targets(instruction))


def effects_in(instruction: str) -> str:
    """What is to be so besides the content of files."""
    found = effects_of(instruction, targets.targets(instruction))
    return " | ".join(_effect(effect) for effect in found)


def _requirement(found: Requirement) -> list[str]:
    names = names_to_find(found)
    built = [t.path for t in found.targets if builds_file(found.instruction, t.path)]
    return [
        _targets(found.targets),
        *(_effect(effect) for effect in found.effects),
        "" if found.gates is None else f"gates {_plain(found.gates)}",
        f"find {', '.join(names)}" if names else "",
        f"builds {', '.join(built)}" if built else "",
        "answer" if found.wants_answer else "",
        "unsure" if found.unsure else "",
        "read only" if found.read_only else "",
        "" if found.needs_executor else "gates alone",
        "one piece" if one_piece.is_one_piece(found) else "",
    ]


def _resolved(found: Requirement) -> list[str]:
    names = names_to_find(found)
    there = frozenset(n for n in names if any(f == n or f.startswith(f"{n}/") for f in FILES))
    known = KnownFiles(files=FILES, there=there, root="/home/me/mono/pkg")
    try:
        resolved = resolve_names(found, known, ())
    except NeedsPersonError as question:
        return [f"asks {question.slug}"]
    targets_ = _targets(resolved.targets) if resolved.targets != found.targets else ""
    effects = [_effect(e) for e in resolved.effects if e not in found.effects]
    return [part for part in (targets_, *effects) if part]


def _targets(found: tuple[targets.Target, ...]) -> str:
    return " ".join(
        ROLES[t.role] + t.path + "!" * t.must_change + "." * t.must_be + "0" * t.may_be_empty
        + ("" if t.kind == "plain" else f"({t.kind})")
        for t in found
    )  # fmt: skip


def _effect(effect: Any) -> str:
    return " ".join(f"{k}={_plain(v)}" for k, v in msgspec.to_builtins(effect).items() if v)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
