"""The effects that an instruction asks for, sentence by sentence."""

from collections.abc import Iterator

from msgspec.structs import replace

from pm_orchestrator.domain.judging.effect import Effect, EffectKind
from pm_orchestrator.domain.late_pattern import LatePattern
from pm_orchestrator.runner.instructions.file_names import all_mentions, unnamed
from pm_orchestrator.runner.instructions.words.file_roles import Role, Target
from pm_orchestrator.runner.instructions.words.pasted import spoken
from pm_orchestrator.runner.instructions.words.wording import is_japanese, plain, sentences

NO_FILE: frozenset[EffectKind] = frozenset(
    {
        "directory",
        "gone",
        "linked",
        "branched",
        "tagged",
        "merged",
        "branch_gone",
        "tag_gone",
        "picked",
        "reverted",
        "untracked",
    }
)
"""What they name has no content of its own."""

SAYS = LatePattern(
    r"""(?:\b(?:to|as|says?|reads?|be)|:)\s*(?:"([^"]+)"|“([^”]+)”|`([^`]+)`|'([^']+)'(?!\w))"""
    r"""|(?:「([^」]+)」|『([^』]+)』|"([^"]+)")(?:に|へ|と)"""
)


def effects_of(instruction: str, targets: tuple[Target, ...]) -> tuple[Effect, ...]:
    """Everything that has to be so afterwards, beside what is in files; each thing once.

    `targets` are the files that the instruction names.
    """
    from pm_orchestrator.runner.instructions.effects.commit_wording import left_out
    from pm_orchestrator.runner.instructions.effects.named_commits import named_again, with_words

    found = dict.fromkeys(_written(targets))
    last = ""
    never: list[str] = []
    text, commits = with_words(plain(instruction))
    for sentence in sentences(plain(spoken(text))):
        named = all_mentions(sentence)
        text = unnamed(sentence, named)
        if is_japanese(text):
            from pm_orchestrator.runner.instructions.effects.japanese_effects import (
                japanese_effects,
            )

            found |= dict.fromkeys(japanese_effects(text, named, last))
        else:
            from pm_orchestrator.runner.instructions.effects.english_effects import english_effects

            found |= dict.fromkeys(english_effects(text, named, last))
        last = named[-1].name if named else last
        never += left_out(text, named, japanese=is_japanese(text))
    out = tuple(dict.fromkeys(never))
    return tuple(
        said
        for effect in found
        for said in _with_message(named_again(effect, commits), instruction, out)
    )


def _with_message(effect: Effect, instruction: str, never: tuple[str, ...]) -> Iterator[Effect]:
    """The effect, once for each thing that its commit is to say."""
    from pm_orchestrator.runner.instructions.effects.commit_wording import commit_messages

    if effect.kind == "reworded":
        yield replace(effect, name=_new_message(instruction))
    elif effect.kind in {"committed", "amended", "squashed"}:
        for message in commit_messages(plain(instruction)) or ("",):
            yield replace(effect, name=message, never=never)
    else:
        yield effect


def _new_message(instruction: str) -> str:
    """The one text in quotes that a commit is to say."""
    said = {next(filter(None, found.groups())) for found in SAYS.finditer(plain(instruction))}
    return said.pop().strip() if len(said) == 1 else ""


def without_effects(targets: tuple[Target, ...], effects: tuple[Effect, ...]) -> tuple[Target, ...]:
    """The files without what is no file, or is asked for in another way than by its content."""
    other = {name for e in effects if e.kind in NO_FILE for name in e.name.split("|")}
    moved = {effect.source for effect in effects if effect.kind == "moved"}
    modes = {effect.name for effect in effects if effect.kind == "executable"}
    found: list[Target] = []
    for target in targets:
        if target.path.rstrip("/") in other:
            continue
        if target.path in moved and target.role is not Role.SOURCE:
            found.append(replace(target, role=Role.REMOVE, must_change=False))
        elif target.path in modes and target.role is Role.CHANGE:
            found.append(replace(target, must_change=False))
        else:
            found.append(target)
    return tuple(found)


def _written(targets: tuple[Target, ...]) -> Iterator[Effect]:
    for target in targets:
        wanted = target.role is Role.CREATE or target.must_change
        if target.kind == "family" and wanted:
            yield Effect(kind="written", name=target.path)
