"""What judges the work may not be changed by the work."""

import pytest

from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.gates.detect.detection import altered_gates

MAKE = Gate(kind="test", argv=("make", "test"), source="Makefile")
NPM = Gate(kind="test", argv=("npm", "test"), source="package.json")


def change(path: str, previous: str | None = None) -> FileChange:
    return FileChange(path=path, kind="modified", size=1, previous_path=previous)


@pytest.mark.parametrize(
    ("changes", "named", "found"),
    [
        ([change("Makefile")], [], ("Makefile",)),
        ([change("old.mk", "Makefile")], [], ("Makefile",)),
        ([change("src/a.py"), change("Makefile")], ["src/a.py"], ("Makefile",)),
        # The task asks for it, or it is no gate of ours.
        ([change("Makefile")], ["Makefile"], ()),
        ([change("src/a.py")], [], ()),
        ([change("docs/Makefile")], [], ()),
        # Adding a dependency is honest work.
        ([change("package.json")], [], ()),
        ([], [], ()),
    ],
)
def test_makefiles_that_judge(
    changes: list[FileChange], named: list[str], found: tuple[str, ...]
) -> None:
    assert altered_gates([MAKE, NPM], changes, named) == found
