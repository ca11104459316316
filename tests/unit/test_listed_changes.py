"""Of a flood of changes records name the ones that matter, and count the rest."""

from pm_orchestrator.domain.judging.outcome import LISTED_CHANGES, ChangeKind, FileChange, listed


def change(path: str, kind: ChangeKind = "created") -> FileChange:
    return FileChange(path=path, kind=kind, size=1)


def test_as_many_as_fit_are_all_named() -> None:
    changes = tuple(change(f"{n:05d}") for n in range(LISTED_CHANGES))
    assert listed(changes, ()) is changes


def test_of_a_flood_the_named_and_the_old_files_come_first() -> None:
    flood = tuple(change(f"{n:05d}") for n in range(2 * LISTED_CHANGES))
    work = (change("y-deleted", "deleted"), change("z-asked-for"))
    found = listed((*flood, *work), ["z-asked-for"])
    assert len(found) == LISTED_CHANGES
    assert found[-2:] == work
    assert found[:-2] == flood[: LISTED_CHANGES - 2]
