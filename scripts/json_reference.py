"""The reference of `--json`: a page for people and the schemas for programs, from one table."""

import json
from typing import Any

import msgspec

from pm_orchestrator.cli.json_outputs import JSON_OUTPUTS

ENDS = (
    "## Ends",
    "",
    "Whatever a command about a task comes to, and whatever keeps any command from doing what it "
    "is for, is told as one [CommandEnd](#commandend): `ended` says how, `status` and `exit_code` "
    "what it is called, `error` has code, sentence and cure, `reason` is the verdict's, and what "
    "there is none of is `null` or empty.",
    "",
    "| `ended` | when | `status` | `exit_code` | `error` | `task_id` |",
    "| --- | --- | --- | --- | --- | --- |",
    "| `judged` | the Runner gave its verdict | `COMPLETE`, `INCOMPLETE` or `NO_EVIDENCE` "
    "| 0 or 2 | null | set |",
    "| `asked` | the task waits for an answer, which `result.clarification_question` asks for "
    "| `INCOMPLETE` | 2 | set | set |",
    "| `failed` | an error ended the task: an executor that failed or was blocked, a fault, "
    "records that were altered | `ERROR`, `INVALID` or `INCOMPLETE` | 1 | set | set |",
    "| `capped` | a cap on what may be spent was reached; `resume` with a higher one goes on "
    "| `INCOMPLETE` | 2 | set | set |",
    "| `interrupted` | Ctrl-C, a signal, or `cancel` (whose own exit code is 0) "
    "| `INCOMPLETE` | 2 | null | set once it has begun |",
    "| `refused` | nothing began: no project, no key, somebody else at work, an unknown id, a "
    "mistake on the command line | `ERROR`, or `INCOMPLETE` with a question | 1 or 2 | set "
    "| null |",
    "",
    "A task whose process was killed has no end of its own: the next start closes it, `status`, "
    "`logs` and `watch` show it as `ERROR`, and `continue` or `resume` ends it in this form.",
)
PLACE = "#/$defs/{name}"


def schemas() -> dict[str, Any]:
    """Every output by the command that prints it, and the definitions they refer to."""
    found, definitions = msgspec.json.schema_components(JSON_OUTPUTS.values(), ref_template=PLACE)
    commands = dict(zip(JSON_OUTPUTS, found, strict=True))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "commands": commands,
        "$defs": dict(sorted(definitions.items())),
    }


def schemas_file() -> str:
    """The same as JSON."""
    return json.dumps(schemas(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def json_page() -> str:
    """One line per command and one table per structure."""
    document = schemas()
    lines = [
        "# JSON output",
        "",
        "With `--json` a command prints one JSON document to standard output and nothing else; "
        "`watch` prints one per line.",
        "Errors go to standard error as text too, and the exit codes are the same as without it. "
        "Fields may be added, none is renamed or taken away.",
        "Schemas for programs: [json-schemas.json](json-schemas.json). Written by `make docs`.",
        "",
        *ENDS,
        "",
        "## Commands",
        "",
        "| command | output |",
        "| --- | --- |",
    ]
    lines += [
        f"| `{command} --json` | {_kind(schema)} |"
        for command, schema in document["commands"].items()
    ]
    for name, schema in document["$defs"].items():
        lines += ["", f"## {name}", ""]
        if "description" in schema:
            lines += [_first_line(schema["description"]), ""]
        lines += _fields(schema) if "properties" in schema else [_kind(schema)]
    return "\n".join(lines) + "\n"


def _fields(schema: dict[str, Any]) -> list[str]:
    required = set(schema.get("required", ()))
    rows = ["| field | type | |", "| --- | --- | --- |"]
    for name, field in schema["properties"].items():
        rows.append(f"| `{name}` | {_kind(field)} | {'' if name in required else 'optional'} |")
    return rows


def _kind(schema: dict[str, Any]) -> str:
    """A type in one cell of a table."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = str(schema.get("type", "anything"))
    word = {"array": "list"}.get(kind, kind)
    inner = schema.get({"array": "items", "object": "additionalProperties"}.get(kind, ""))
    return f"{word} of {_kind(inner)}" if inner else word


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0]
