"""Files that everybody calls by what they are: the README, the changelog, the license."""

from collections.abc import Iterable

from pm_orchestrator.runner.instructions.words.patterns import pattern

STEMS: dict[str, frozenset[str]] = {
    "README": frozenset({"readme"}),
    "CHANGELOG": frozenset(
        {"changelog", "changes", "history", "news", "releases", "release_notes"}
    ),
    "LICENSE": frozenset({"license", "licence", "copying", "unlicense"}),
    "CONTRIBUTING": frozenset({"contributing"}),
}
# What follows shows that the file is meant, and not a part of the program.
FAMILY = pattern(
    r"""
    (?<![\w/.-])(?P<name>readme|change\s?log|licen[cs]e|contributing
    |(?:変更|更新)履歴|チェンジログ|リードミー|ライセンス(?=ファイル))
    (?:\s+(?:file|guide|entry|entries))?(?:ファイル)?
    (?=\s*(?:$|[.,;:!?)"'」』]|\s(?:with|to|for|so|and|in|at|from|about|as|if|by|that|which|too|also
    |now|please|saying|explaining|describing|but|then|or|is|are|on|using|of|accordingly
    |when|where|needs?|should|must|has|does|here|there)\b|(?:を|に|へ|の(?!機能|画面|パーサ)|も|は|と|、|。)))
    """,
    needs="readme change licen contributing 履歴 チェンジログ リードミー ライセンス",
)
JAPANESE = {"リードミー": "README", "ライセンス": "LICENSE"}


def family_of(word: str) -> str:
    """The family that a word for it means."""
    low = word.lower().replace(" ", "")
    if low.isascii():
        return "LICENSE" if low.startswith("licen") else low.upper()
    return JAPANESE.get(word, "CHANGELOG")


def members(family: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Those of the paths that are such a file, by their names without suffixes."""
    return tuple(path for path in paths if is_member(family, path))


def is_member(family: str, path: str) -> bool:
    """Whether a file is one of the family, in any usual spelling."""
    name = path.rpartition("/")[2].casefold().replace("-", "_")
    return name.partition(".")[0] in STEMS[family]
