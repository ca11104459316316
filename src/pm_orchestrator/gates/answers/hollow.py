"""Functions that are there by name alone: they do nothing with what they are given."""

from pm_orchestrator.gates.answers.functions import CodeFunction, source_of

IDLE = frozenset(
    {"return", "pass", "None", "null", "undefined", "nil", "True", "False", "true", "false"}
    | {"raise", "throw", "new", "void", "NotImplementedError", "NotImplementedException", "Error"}
    | {"todo", "unimplemented", "panic"}
)
"""Names in a body that does no work."""


def hollow_functions(path: str, text: str) -> dict[str, bool]:
    """The functions of a file that take something, by name: whether each of that name is hollow."""
    found: dict[str, bool] = {}
    for function in source_of(path, text).functions:
        if function.parameters:
            found[function.name] = found.get(function.name, True) and _is_hollow(function)
    return found


def _is_hollow(function: CodeFunction) -> bool:
    return all(token.kind != "name" or token.text in IDLE for token in function.body)
