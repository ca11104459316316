"""What must not be in the repository, whoever wrote it.

The forbidden words are put together from halves, so that this file passes its own test.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Directories that git does not keep; walking them would only find other people's text.
NOT_OURS = {
    ".git",
    ".venv",
    ".hypothesis",
    ".pytest_cache",
    ".ruff_cache",
    ".import_linter_cache",
    ".pm-orchestrator",
    "__pycache__",
    "htmlcov",
    "dist",
}

FORBIDDEN = {
    # A lock file or a script that names a registry works only where that registry is reached.
    "a package registry": r"py" + r"pi\.org|python" + r"hosted|npm" + r"js\.(?:org|com)",
    "a directory of one machine": r"/work/" + r"(?:main|shared)|/ro" + r"ot/",
    # What a reader needs is in the repository; how it came about is not.
    "a paper that is not here": r"\b(?:DES"
    + r"IGN|STY"
    + r"LE|FAC"
    + r"TS|DEPEND"
    + r"ENCIES)\.md",
    "an entry of a tracker": r"\bissue" + r" #?\d",
}


def our_files(root: Path) -> Iterator[Path]:
    """Yield every file that could be committed."""
    for path in sorted(root.iterdir()):
        if path.name in NOT_OURS or path.is_symlink():
            continue
        if path.is_dir():
            yield from our_files(path)
        elif not path.name.startswith(".coverage"):
            yield path


def offences(root: Path, pattern: str) -> list[str]:
    """Name every line below `root` that matches, by file and number."""
    return [
        f"{path.relative_to(root)}:{number}"
        for path in our_files(root)
        for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").splitlines(), 1)
        if re.search(pattern, line)
    ]


@pytest.mark.parametrize("what", FORBIDDEN)
def test_the_repository_does_not_name(what: str) -> None:
    assert offences(ROOT, FORBIDDEN[what]) == [], f"{what} is named"


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("a package registry", "url = https://files.python" + "hosted.org/packages/x"),
        ("a package registry", "https://py" + "pi.org/simple"),
        ("a directory of one machine", "see /work/" + "main/src"),
        ("a directory of one machine", "HOME=/ro" + "ot/.cache"),
        ("a paper that is not here", "as DES" + "IGN.md §4 says"),
        ("an entry of a tracker", "for issue" + " 12"),
    ],
)
def test_an_offence_is_found(tmp_path: Path, what: str, line: str) -> None:
    (tmp_path / "notes.txt").write_text(f"first\n{line}\n", "utf-8")
    assert offences(tmp_path, FORBIDDEN[what]) == ["notes.txt:2"]
