"""Programs that an instruction reports as not allowed to start.

"./scripts/deploy.sh: Permission denied" asks for nothing by itself. But where its repair is a
change of the file's mode and of nothing else, that is work, and has to be seen.
"""

import posixpath

from pm_orchestrator.domain.late_pattern import LatePattern

REFUSED = LatePattern(
    r"(?P<path>[\w.@+-]*(?:/[\w.@+-]+)+|[\w@+-][\w.@+-]*)['\"`]?:?\s*"
    r"(?:[Pp]ermission denied|EACCES|is not executable|isn't executable|許可がありません"
    r"|実行でき(?:ない|ません))",
    needs="denied eacces executable 許可 実行でき",
)
SPAWNED = LatePattern(r"\b(?:spawn|exec\w*)\s+(?P<path>[\w./@+-]+)\s+EACCES", needs="eacces")


def refused_programs(instruction: str) -> tuple[str, ...]:
    """Paths as they are below the project; others cannot be meant."""
    found = [each["path"] for p in (REFUSED, SPAWNED) for each in p.finditer(instruction)]
    paths = (posixpath.normpath(path) for path in found)
    return tuple(dict.fromkeys(p for p in paths if not p.startswith(("/", "..")) and p != "."))
