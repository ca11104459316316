"""Names as the project knows them.

A file may be named by its last part, from the top of the repository, or by what it is (the
README). Where exactly one file fits, it is meant; where several do and one of them has to
change, a person is asked. A name that no file has, and that is not to be made, was no file.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath

import msgspec
from msgspec.structs import replace

from pm_orchestrator.domain.errors import NeedsPersonError
from pm_orchestrator.domain.judging.effect import Effect
from pm_orchestrator.gates.compare.task_names import asks_to_remove
from pm_orchestrator.runner.instructions.clarification import PersonAnswer, ask
from pm_orchestrator.runner.instructions.requirement import Requirement
from pm_orchestrator.runner.instructions.words.families import STEMS, members
from pm_orchestrator.runner.instructions.words.file_roles import Role, Target

SHOWN = 8


class KnownFiles(msgspec.Struct, frozen=True, kw_only=True):
    """What a project has."""

    files: tuple[str, ...]
    there: frozenset[str]
    """Names that are files or directories as they stand."""
    root: str
    """Where the project lies; the end of it may begin a name."""
    may_ask: bool = True


def resolve_names(
    requirement: Requirement, project: KnownFiles, answers: tuple[PersonAnswer, ...]
) -> Requirement:
    """The same requirement, with each name resolved or left out.

    Raises:
        NeedsPersonError: several files have a name of which one has to change.
    """
    finder = _Finder(project, answers)
    placed = finder.in_its_folder(requirement.targets)
    targets = [found for t in placed if (found := finder.target(t)) is not None]
    if asks_to_remove(requirement.instruction):
        # "It is not used any more. Delete it": what is only spoken of may be what has to go.
        targets = [t for t in targets if t.role is not Role.CHANGE or t.must_change]
    effects = [finder.effect(effect) for effect in requirement.effects]
    written = dict.fromkeys(e.name for e in requirement.effects if e.kind == "written")
    return replace(
        requirement,
        targets=(*targets, *finder.family_files(written)),
        effects=tuple(e for e in effects if e is not None),
    )


class _Finder:
    def __init__(self, project: KnownFiles, answers: tuple[PersonAnswer, ...]) -> None:
        self._project = project
        self._answers = answers

    def in_its_folder(self, targets: tuple[Target, ...]) -> tuple[Target, ...]:
        """`In services/api, add a CHANGELOG.md`: what is made is made in the one folder named."""
        folders = {t.path for t in targets if t.role is Role.CHANGE and self._is_folder(t.path)}
        if len(folders) != 1:
            return targets
        (folder,) = folders
        return tuple(
            replace(t, path=f"{folder.rstrip('/')}/{t.path}") if self._is_in_folder(t) else t
            for t in targets
        )

    def _is_in_folder(self, target: Target) -> bool:
        """Whether a name does not begin at the top of the project."""
        if target.kind != "plain" or target.path in self._project.there:
            return False
        first, rest, _ = target.path.partition("/")
        return not rest or not self._is_folder(first)

    def _is_folder(self, path: str) -> bool:
        start = f"{path.rstrip('/')}/"
        return path not in self._project.files and any(
            name.startswith(start) for name in self._project.files
        )

    def target(self, target: Target) -> Target | None:
        """The file that is meant; None where no file is."""
        if target.role is Role.SOURCE:
            return target
        if target.kind == "family":
            return self._family_target(target)
        if target.path in self._project.there:
            return self._as_found(target, target.path)
        sure = target.must_change or target.role is Role.REMOVE
        if target.role is Role.CREATE:
            return replace(
                target, path=self._from_repository(target.path, made=True) or target.path
            )
        found = self._one(target.path, ask_for=sure)
        if found is not None:
            return self._as_found(target, found)
        # Of several none is demanded; and a file that is not there is one only by its form,
        # and only where something is surely done to it.
        several = len(self._fitting(target.path)) > 1
        doubtful = several or target.kind == "loose" or not (sure or target.must_be)
        return None if doubtful else target

    def effect(self, effect: Effect) -> Effect | None:
        """The effect on what is meant; None where it is a file that is demanded by itself."""
        if effect.kind == "written":
            return None if len(self._members(effect.name)) == 1 else effect
        if effect.kind == "committed":
            lists = {"only": effect.only, "takes": effect.takes, "never": effect.never}
            found = {key: tuple(map(self._called, names)) for key, names in lists.items()}
            return replace(effect, **found)
        if effect.kind == "executable" and not effect.name.endswith("/"):
            return replace(effect, name=self._one(effect.name, ask_for=True) or effect.name)
        if effect.kind == "moved":
            return replace(effect, source=self._one(effect.source, ask_for=True) or effect.source)
        if effect.kind == "gone":
            return replace(effect, name=self._from_repository(effect.name) or effect.name)
        return effect

    def _called(self, name: str) -> str:
        """A file of a commit as the project calls it; a family by its one member."""
        family = self._members(name) if name in STEMS else ()
        return family[0] if len(family) == 1 else self._one(name, ask_for=False) or name

    def family_files(self, families: Iterable[str]) -> tuple[Target, ...]:
        """The one file of each family that has to change."""
        found = ((family, self._members(family)) for family in families)
        return tuple(
            Target(path=files[0], role=Role.CHANGE, must_change=True)
            for _, files in found
            if len(files) == 1
        )

    def _family_target(self, target: Target) -> Target | None:
        files = self._members(target.path)
        if target.role is Role.REMOVE and len(files) == 1:
            return replace(target, path=files[0], kind="plain")
        return None

    def _members(self, family: str) -> tuple[str, ...]:
        """Files of a family where the project begins; else wherever the only one is."""
        every = members(family, self._project.files)
        top = tuple(path for path in every if "/" not in path)
        return top or every

    def _as_found(self, target: Target, path: str) -> Target | None:
        if self._is_folder(path) and target.role is not Role.REMOVE:
            return None  # A place for files, and no file.
        return replace(target, path=path, kind="plain")

    def _one(self, name: str, *, ask_for: bool) -> str | None:
        """The one file that a name can mean."""
        if name in self._project.there:
            return name
        if (inside := self._from_repository(name)) is not None:
            return inside
        fitting = self._fitting(name)
        if len(fitting) == 1:
            return fitting[0]
        if len(fitting) < 2 or not ask_for or not self._project.may_ask:
            return None
        shown = ", ".join(fitting[:SHOWN])
        said = ask(NeedsPersonError("ask_which_file", name=name, files=shown), self._answers)
        chosen = [path for path in fitting if path in said.split() or path == said.strip(" `'\".")]
        return chosen[0] if len(chosen) == 1 else None

    def _fitting(self, name: str) -> list[str]:
        low = name.casefold()
        ends = [p for p in self._project.files if p == name or p.endswith(f"/{name}")]
        return ends or [p for p in self._project.files if p.casefold() == low]

    def _from_repository(self, name: str, *, made: bool = False) -> str | None:
        """A name from the top of the repository, as the project sees it."""
        parts = PurePosixPath(name).parts
        root = PurePosixPath(self._project.root).parts
        for count in range(len(parts) - 1, 0, -1):
            if parts[:count] != root[-count:]:
                continue
            inside = "/".join(parts[count:])
            known = any(p == inside or p.startswith(f"{inside}/") for p in self._project.files)
            own = any(p.startswith(f"{parts[0]}/") for p in self._project.files)
            if known or (made and not own):
                return inside
        return None
