"""How runners name a test: `file::Class::test[1]`, `module.Class.test` or `file > suite > test`."""

from pm_orchestrator.domain.late_pattern import LatePattern

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
