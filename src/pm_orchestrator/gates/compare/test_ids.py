"""How runners name a test: `file::Class::test[1]`, `module.Class.test` or `file > suite > test`."""

from collections.abc import Collection
from pathlib import PurePosixPath

from pm_orchestrator.domain.late_pattern import LatePattern

NOT_LOADED = "unittest.loader._FailedTest."
BETWEEN = LatePattern(r"::| > ")


def file_in(test: str) -> str | None:
    """The file that stands in a test's name; None where none does."""
    found = BETWEEN.search(test)
    return None if found is None else test[: found.start()]


def own_name(test: str) -> str:
    """A test's own name with its parameters, without the file, class or suite it is in."""
    if BETWEEN.search(test) is None:
        return test.rsplit(".", 1)[-1]
    head, bracket, parameters = test.partition("[")
    if bracket and "::" in head:
        return head.rsplit("::", 1)[-1] + bracket + parameters
    return BETWEEN.split(test)[-1]


def is_example(test: str) -> bool:
    """Whether it is an example in a docstring: called by the module it stands in.

    Who runs those collects the product, which is no test by that.
    """
    file, name = file_in(test), own_name(test)
    if file is None or not file.endswith(".py"):
        return False
    parts = [part for part in PurePosixPath(file).with_suffix("").parts if part != "__init__"]
    modules = (".".join(parts[first:]) for first in range(len(parts)))
    return any(name == module or name.startswith(f"{module}.") for module in modules)


def file_of(test: str, files: Collection[str]) -> str | None:
    """The file that holds a test: named in its id, or the module of that name."""
    path = file_in(test) or test
    if path in files:
        return path
    # Run in a folder of the project, a gate names what is there from that folder.
    below = [f for f in files if f.endswith(f"/{path}")]
    if len(below) == 1 or path != test:
        return below[0] if len(below) == 1 else None
    parts = test.removeprefix(NOT_LOADED).split(".")
    for length in range(len(parts), 0, -1):
        tail = "/".join(parts[:length]) + ".py"
        known = next((f for f in files if f == tail or f.endswith(f"/{tail}")), None)
        if known is not None:
            return known
    return None
