"""Is a document what a schema says? As much of JSON Schema as our own schemas use, and no more.

A keyword that is not known here is an error, not a pass: a check that skips what it does not
understand would call anything valid.
"""

from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]
KINDS: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
SAYS_NOTHING = {"title", "description", "default", "discriminator"}


class SchemaCheck:
    """Documents against schemas that share definitions."""

    def __init__(self, definitions: dict[str, Schema]) -> None:
        self._definitions = definitions

    def problems(self, value: Any, schema: Schema, place: str = "$") -> list[str]:
        """What does not fit, by place; nothing when all does."""
        if "$ref" in schema:
            return self.problems(value, self._definitions[schema["$ref"].rpartition("/")[2]], place)
        found: list[str] = []
        for keyword, wanted in schema.items():
            if keyword not in SAYS_NOTHING:
                found += self._keyword(keyword, wanted, value, schema, place)
        return found

    def _keyword(
        self, keyword: str, wanted: Any, value: Any, schema: Schema, place: str
    ) -> list[str]:
        match keyword:
            case "type":
                fits = KINDS[wanted](value)
            case "enum":
                fits = value in wanted
            case "anyOf":
                fits = any(not self.problems(value, one, place) for one in wanted)
            case "minimum":
                fits = not isinstance(value, int | float) or value >= wanted
            case "maximum":
                fits = not isinstance(value, int | float) or value <= wanted
            case "minLength":
                fits = not isinstance(value, str) or len(value) >= wanted
            case "required":
                fits = not isinstance(value, dict) or all(name in value for name in wanted)
            case "items" | "properties" | "additionalProperties":
                return self._inside(keyword, wanted, value, schema, place)
            case _:
                raise ValueError(f"{place}: the keyword {keyword} is not known here")
        return [] if fits else [f"{place}: {keyword} {wanted}, but it is {value!r:.80}"]

    def _inside(
        self, keyword: str, wanted: Any, value: Any, schema: Schema, place: str
    ) -> list[str]:
        found: list[str] = []
        if keyword == "items" and isinstance(value, list):
            for number, one in enumerate(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
                found += self.problems(one, wanted, f"{place}[{number}]")
        elif isinstance(value, dict):
            known: Schema = schema.get("properties", {})
            for name, one in value.items():  # pyright: ignore[reportUnknownVariableType]
                inner = f"{place}.{name}"
                if keyword == "properties" and name in known:
                    found += self.problems(one, known[str(name)], inner)  # pyright: ignore[reportUnknownArgumentType]
                elif keyword == "additionalProperties" and name not in known:
                    if wanted is False:
                        found.append(f"{inner}: there is no such field")
                    elif wanted is not True:
                        found += self.problems(one, wanted, inner)
        return found
