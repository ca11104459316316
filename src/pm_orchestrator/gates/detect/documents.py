"""Which files are only read by people: a change of nothing else needs no gate."""

from pathlib import PurePosixPath

DOCUMENT_SUFFIXES = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".org"})
DOCUMENT_NAMES = frozenset(
    {
        "license",
        "licence",
        "copying",
        "notice",
        "authors",
        "contributors",
        "changelog",
        "readme",
        "codeowners",
    }
)
ROLES = DOCUMENT_NAMES | frozenset(
    {"changes", "contributing", "history", "install", "news", "security", "todo", "code_of_conduct"}
)
"""Names of documents wherever they lie, `tests/README.md` as well."""
# Text that tools read: a change here can break a build.
NOT_DOCUMENTS = frozenset({"cmakelists.txt", "requirements.txt", "constraints.txt"})
READ_BY_CODE = frozenset(
    {"test", "tests", "__tests__", "spec", "specs", "testdata", "test_data", "test-data"}
    | {"fixture", "fixtures", "__fixtures__", "snapshots", "__snapshots__", "golden", "goldens"}
    | {"data", "templates", "prompts", "locale", "locales", "resources", "cassettes"}
)
"""Folders whose texts are there for code to read."""
FOR_PEOPLE = frozenset({"doc", "docs", "documentation", "man", "wiki"})


def is_document(path: str) -> bool:
    """Whether a file is only read by people, by its name and its place."""
    place = PurePosixPath(path)
    name = place.name.lower()
    if name in NOT_DOCUMENTS:
        return False
    suffix = PurePosixPath(name).suffix
    if suffix not in DOCUMENT_SUFFIXES and (suffix or name not in DOCUMENT_NAMES):
        return False
    return has_role(path) or not _is_for_code(place)


def has_role(path: str) -> bool:
    """Whether a file is called as documents are: README.md, LICENSE.txt, README.ja.md."""
    return PurePosixPath(path).name.lower().split(".")[0].replace("-", "_") in ROLES


def _is_for_code(place: PurePosixPath) -> bool:
    folders = {part.lower() for part in place.parts[:-1]}
    return bool(folders & READ_BY_CODE) and not folders & FOR_PEOPLE
