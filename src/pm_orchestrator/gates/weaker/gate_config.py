"""Did the work change what judges it?

Only the parts that belong to a gate are compared: the rule of a target, a script of a
package, the section of a tool. Files that are nothing but such settings are compared as
a whole. Adding to a list that can only make a gate see more is no weakening.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any, cast

from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.domain.judging.quality import Dilution
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.domain.setup.settings import Settings
from pm_orchestrator.gates.compare.check_files import is_setting
from pm_orchestrator.gates.detect.make_rules import meaning_of
from pm_orchestrator.gates.detect.makefile import NAMES

TOOLS = frozenset(
    {
        *("pytest", "coverage", "tox", "nox"),
        *("ruff", "mypy", "pyright", "basedpyright", "pylint", "flake8", "black", "isort"),
    }
)
# More of these makes a gate see more, or means nothing to its verdict.
HARMLESS_ADDITIONS = frozenset(
    {"markers", "pythonpath", "testpaths", "select", "extend-select", "src", "source"}
)
PLACES = frozenset({"pythonpath", "testpaths"})
WHICH_TESTS = "which tests are collected"
HIDDEN = "hidden from the linter"
PACKAGE_KEYS = ("jest", "eslintConfig", "mocha", "nyc", "c8", "vitest", "ava")
# A file that is only settings of a tool, with the word by which people name the tool.
SETTINGS_FILES: tuple[tuple[LatePattern, str], ...] = tuple(
    (LatePattern(rf"(?:^|/)(?:{pattern})$"), word)
    for pattern, word in (
        (r"\.?pytest\.(?:ini|toml)", "pytest"),
        (r"tox\.ini", "tox"),
        (r"noxfile\.py", "nox"),
        (r"\.coveragerc", "coverage"),
        (r"\.flake8", "flake8"),
        (r"\.?ruff\.toml", "ruff"),
        (r"\.?mypy\.ini", "mypy"),
        (r"pyrightconfig\.json", "pyright"),
        (r"\.?pylintrc(?:\.toml)?", "pylint"),
        (r"\.eslintrc[^/]*|eslint\.config\.\w+|\.eslintignore", "eslint"),
        (r"\.?jest\.config\.\w+", "jest"),
        (r"vitest\.config\.\w+", "vitest"),
        (r"\.mocharc[^/]*", "mocha"),
        (r"\.nycrc[^/]*|\.c8rc[^/]*", "coverage"),
        (r"\.golangci\.\w+", "golangci"),
        (r"\.?clippy\.toml", "clippy"),
        (r"phpunit\.xml[^/]*", "phpunit"),
        (r"\.rubocop[^/]*", "rubocop"),
        (r"codecov\.ya?ml|\.codecov\.ya?ml", "codecov"),
        (r"\.pre-commit-config\.yaml", "pre-commit"),
    )
)
PIPELINES = LatePattern(
    r"(?:^|/)(?:\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci/config\.yml"
    r"|azure-pipelines\.ya?ml|Jenkinsfile|\.travis\.yml)$"
)
OF_A_PROGRAM = LatePattern(
    r"\.?(?P<name>[a-z][a-z0-9-]*?)(?:[._-]?config|[._-]?rc)?"
    r"(?:\.(?:jsonc?|json5|ya?ml|toml|ini|cfg|conf|neon|xml|[cm]?[jt]s))?(?:\.dist)?",
    re.IGNORECASE,
)
PROGRAM = LatePattern(r"[\w./-]+")
THRESHOLD = LatePattern(
    r"(?P<key>(?:cov-)?fail[_-]under|min[_-]?coverage|coverage[_-]?threshold|threshold|branches"
    r"|functions|lines|statements|target)[\"']?\s*[:= ]\s*[\"']?(?P<value>\d+(?:\.\d+)?)",
    re.IGNORECASE,
)
SWITCH = LatePattern(
    r"[\"']?(?P<key>strict\w*|no[A-Z]\w*|check\w*|disallow_\w+|warn_\w+|fail[_-]\w+)[\"']?"
    r"\s*[:=]\s*[\"']?(?P<value>true|True|false|False|on|off|yes|no)\b"
)
ON, OFF = frozenset({"true", "True", "on", "yes"}), frozenset({"false", "False", "off", "no"})
RULES = LatePattern(
    r"(?P<key>\b(?:extend-)?select|enable|rules)\b\s*=\s*\[(?P<value>[^\]]{0,4000})\]"
)
# Whole files taken out of a linter's sight.
SUPPRESSION = LatePattern(
    r"^\s*(?:# (?:ruff|flake8): noqa\b|# pylint: (?:skip-file|disable=all)|# mypy: ignore-errors"
    r"|/\* eslint-disable(?: [\w/, -]+)? \*/|// @ts-nocheck|#!\[allow\()",
    re.MULTILINE,
)
COLLECTION = LatePattern(
    r"\bcollect_ignore(?:_glob)?\b|\bpytest_(?:collection_modifyitems|ignore_collect|runtest_\w+"
    r"|sessionfinish)\b|\.skip\b|\.xfail\b|\bos\._exit\b|\bsys\.exit\b|\bpytest\.exit\b"
)
POLICY = ".claude/settings.json"
"""By what the next task will be judged."""
RECORDS = LatePattern(r"\.pm-orchestrator/|\.claude/(?:logs/|raw/|evidence/|repl\.json$)")
"""Nobody but the Runner writes here, in no tree."""
# A module of this name in the project is found before the tool itself.
IN_PLACE_OF_A_TOOL = LatePattern(r"^(?:src/)?(?:pytest|unittest|_pytest|ruff|nose2?)(?:\.py$|/)")


def tool_files(recipes: str, paths: Iterable[str]) -> frozenset[str]:
    """Files of settings that are called after a program which gates run, whichever it is."""
    programs = {word.rpartition("/")[2] for word in PROGRAM.findall(recipes)}
    return frozenset(path for path in paths if tool_name(path) in programs)


def tool_name(path: str) -> str | None:
    """The program that a file of settings is called after; None for any other file."""
    found = OF_A_PROGRAM.fullmatch(path.rpartition("/")[2])
    return None if found is None else found["name"].lower()


def tool_word(path: str) -> str | None:
    """The word for a file that is only settings of one tool."""
    if PIPELINES.search(path):
        return "CI"
    return next((word for pattern, word in SETTINGS_FILES if pattern.search(path)), None)


def config_changes(
    path: str,
    before: str | None,
    after: str | None,
    gates: tuple[Gate, ...],
    *,
    of_a_tool: bool = False,
) -> Iterator[Dilution]:
    """What a changed file takes away from the gates."""
    lowered: list[Dilution] = []
    if is_config(path) or is_setting(path):
        texts = before or "", after or ""
        lowered += (*_lowered(path, *texts), *_switched_off(path, *texts))
        lowered += _shortened(path, *texts)
    yield from lowered
    parts = list(_changed_parts(path, before, after, gates))
    if of_a_tool and not parts and before is not None and before != after:
        parts = ["settings"]
    if not lowered:
        for part in parts:
            yield Dilution(kind="gate_changed", path=path, detail=part)


def gate_part(
    path: str, text: str | None, gates: tuple[Gate, ...], *, of_a_tool: bool = False
) -> str:
    """What of a file says how checks other than tests are made; those are tried by running."""
    name = PurePosixPath(path).name
    if path in NAMES or name.endswith(".mk"):
        own = (g.argv[-1] for g in gates if g.argv[0] == "make" and g.kind == "lint")
        return "\n".join(line for target in own for line in meaning_of(text or "", target))
    if name == "package.json":
        table = _json(text)
        kept = {key: table[key] for key in PACKAGE_KEYS if key in table}
        lint = _table(table.get("scripts")).get("lint", "")
        return json.dumps({**kept, "lint": lint}, indent=2, ensure_ascii=False)
    if name == "setup.cfg":
        return _cfg_sections(text)
    if name == "pyproject.toml":
        return _tool_sections(text)
    return (text or "") if of_a_tool or tool_word(path) is not None else ""


def is_of_tests(finding: Dilution) -> bool:
    """Whether it is about how tests are started, and not about another check."""
    return finding.detail in {"target test", "script test", WHICH_TESTS}


def hidden_from_linter(path: str, before: str | None, after: str | None) -> Iterator[Dilution]:
    """A whole file taken out of a linter's sight; one that is new was never in it."""
    known = before is not None
    if known and len(SUPPRESSION.findall(after or "")) > len(SUPPRESSION.findall(before)):
        yield Dilution(kind="gate_changed", path=path, detail=HIDDEN)


def is_config(path: str) -> bool:
    """Whether thresholds can stand in this file."""
    name = PurePosixPath(path).name
    return (
        tool_word(path) is not None
        or IN_PLACE_OF_A_TOOL.match(path) is not None
        or name in {*NAMES, "pyproject.toml", "setup.cfg", "package.json", "conftest.py"}
        or name.endswith(".mk")
        or path == POLICY
        or RECORDS.match(path) is not None
    )


def _changed_parts(
    path: str, before: str | None, after: str | None, gates: tuple[Gate, ...]
) -> Iterator[str]:
    name = PurePosixPath(path).name
    if path in NAMES or name.endswith(".mk"):
        yield from _targets(before, after, gates)
    elif path == POLICY:
        yield from _policy(before, after)
    elif RECORDS.match(path):
        yield "the Runner's own records"
    elif path == "package.json":
        yield from _package(before, after)
    elif path == "pyproject.toml":
        yield from _sections(before, after)
    elif (part := _one_part(path, before, after, gates)) is not None:
        yield part


def _one_part(
    path: str, before: str | None, after: str | None, gates: tuple[Gate, ...]
) -> str | None:
    name = PurePosixPath(path).name
    if IN_PLACE_OF_A_TOOL.match(path):
        return "takes the place of a tool" if before is None else None
    if name == "setup.cfg":
        return "sections of tools" if _cfg_sections(before) != _cfg_sections(after) else None
    if name == "conftest.py":
        more = len(COLLECTION.findall(after or "")) > len(COLLECTION.findall(before or ""))
        return WHICH_TESTS if more else None
    if PIPELINES.search(path):
        # A pipeline that is new takes nothing away.
        return "the pipeline" if before is not None and before != after else None
    return "settings" if tool_word(path) is not None and gates and before != after else None


def _policy(before: str | None, after: str | None) -> Iterator[str]:
    """The Runner's own settings that differ; other tools keep theirs in the same file."""
    old, new = _json(before), _json(after)
    ours = sorted(k for k in Settings.__struct_fields__ if old.get(k) != new.get(k))
    if ours:
        yield f"the Runner's settings: {', '.join(ours)}"


def _targets(before: str | None, after: str | None, gates: tuple[Gate, ...]) -> Iterator[str]:
    for gate in gates:
        if gate.argv[0] != "make" or before is None:
            continue
        target = gate.argv[-1]
        if meaning_of(before, target) != meaning_of(after or "", target):
            yield f"target {target}"


def _package(before: str | None, after: str | None) -> Iterator[str]:
    old, new = _json(before), _json(after)
    old_scripts, new_scripts = _table(old.get("scripts")), _table(new.get("scripts"))
    for kind in ("lint", "test"):
        for script in (f"pre{kind}", kind, f"post{kind}"):
            added_first = script not in old_scripts and kind not in old_scripts
            if old_scripts.get(script) != new_scripts.get(script) and not added_first:
                yield f"script {script}"
    yield from (key for key in PACKAGE_KEYS if old.get(key) != new.get(key))


def _sections(before: str | None, after: str | None) -> Iterator[str]:
    old, new = _table(_toml(before).get("tool")), _table(_toml(after).get("tool"))
    for tool in sorted(TOOLS & (old.keys() | new.keys())):
        tables = _table(old.get(tool)), _table(new.get(tool))
        if not _only_more(*tables):
            moved = tool == "pytest" and _only_more(*tables, PLACES)
            yield WHICH_TESTS if moved else f"tool.{tool}"


def _only_more(old: dict[str, Any], new: dict[str, Any], but: frozenset[str] = frozenset()) -> bool:
    """Whether `new` differs from `old` by harmless additions alone, `but` for these keys."""
    for key in old.keys() | new.keys():
        was, now = old.get(key), new.get(key)
        if was == now or key in but:
            continue
        if isinstance(was, dict) or (was is None and isinstance(now, dict)):
            if not _only_more(_table(cast("Any", was)), _table(now), but):
                return False
        elif key == "fail_under" and isinstance(now, int | float) and now >= (was or 0):
            continue
        elif key not in HARMLESS_ADDITIONS or not set(_list(was)) <= set(_list(now)):
            return False
    return True


def _switched_off(path: str, before: str, after: str) -> Iterator[Dilution]:
    """What was demanded and is not any more."""
    now = {found["key"]: found["value"] for found in SWITCH.finditer(after)}
    for found in SWITCH.finditer(before):
        key = found["key"]
        if found["value"] in ON and now.get(key) in OFF:
            yield Dilution(kind="threshold_lowered", path=path, detail=f"{key} -> gone")


def _shortened(path: str, before: str, after: str) -> Iterator[Dilution]:
    """Lists of rules from which something was taken."""
    now = {found["key"]: _entries(found["value"]) for found in RULES.finditer(after)}
    for found in RULES.finditer(before):
        left = _entries(found["value"]) - now.get(found["key"], frozenset())
        if left and found["key"] in now:
            detail = f"{found['key']} without {', '.join(sorted(left))} -> gone"
            yield Dilution(kind="threshold_lowered", path=path, detail=detail)


def _entries(text: str) -> frozenset[str]:
    return frozenset(entry.strip(" \t\r\n\"'") for entry in text.split(",") if entry.strip())


def _lowered(path: str, before: str, after: str) -> Iterator[Dilution]:
    old, new = _thresholds(before), _thresholds(after)
    for key, value in old.items():
        now = new.get(key)
        if now is None or now < value:
            shown = "gone" if now is None else f"{now:g}"
            detail = f"{key} {value:g} -> {shown}"
            yield Dilution(kind="threshold_lowered", path=path, detail=detail)


def _thresholds(text: str) -> dict[str, float]:
    return {found["key"].lower(): float(found["value"]) for found in THRESHOLD.finditer(text)}


def _cfg_sections(text: str | None) -> str:
    """The tool sections of a setup.cfg."""
    wanted = False
    kept: list[str] = []
    for line in (text or "").splitlines():
        if line.startswith("["):
            wanted = any(line.strip("[]").startswith(tool) for tool in (*TOOLS, "tool:"))
        if wanted and line.strip():
            kept.append(line.strip())
    return "\n".join(kept)


def _tool_sections(text: str | None) -> str:
    """The sections of checking tools in a pyproject.toml."""
    kept: list[str] = []
    wanted = False
    for line in (text or "").splitlines():
        if line.startswith("["):
            parts = line.strip("[] ").replace('"', "").split(".")
            wanted = parts[0] == "tool" and len(parts) > 1 and parts[1] in TOOLS
        if wanted:
            kept.append(line)
    return "\n".join(kept)


def _json(text: str | None) -> dict[str, Any]:
    try:
        return _table(json.loads(text or "{}"))
    except ValueError:
        return {}


def _toml(text: str | None) -> dict[str, Any]:
    if not text:
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[str]:
    return [str(v) for v in cast("list[Any]", value)] if isinstance(value, list) else []
