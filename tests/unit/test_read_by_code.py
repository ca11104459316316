"""Which texts are read by code: the gates are needed for those, and for no others."""

import pytest

from pm_orchestrator.gates.detect.documents import is_document
from pm_orchestrator.gates.detect.read_by_code import is_read_by, lies_among_code, readers_in

READ = [
    ("words.txt", "app.py", 'open("words.txt")'),
    ("data2/words.txt", "app.py", "HERE / 'words.txt'"),
    ("lists/words.txt", "src/app.ts", "readFileSync(`${dir}/lists/words.txt`)"),
    ("lists/単語.txt", "app.py", 'open("lists/単語.txt", encoding="utf-8")'),
    ("words.txt", "main.go", 'os.Open("words.txt")'),
    ("words.txt", "check.sh", "sort -c words.txt"),
    ("words.txt", "Makefile", "test:\n\tdiff words.txt out.txt\n"),
    ("words.txt", "setup.cfg", "[options.package_data]\nx = words.txt\n"),
    ("words.txt", "MANIFEST.in", "include words.txt\n"),
    ("words.txt", "config.json", '{"list": "words.txt"}'),
    ("mail/hello.md", "pyproject.toml", '[tool.setuptools.package-data]\nx = ["mail/hello.md"]'),
    ("README.md", "tests/test_docs.py", 'doctest.testfile("../README.md")'),
    ("prompts2/system.md", "agent.py", 'load("system.md")'),
    ("lists/a.txt", "app.py", 'Path("lists").glob("*.txt")'),
    ("lists/a.txt", "app.py", 'glob("lists/*.txt")'),
    ("CHANGELOG.md", "release.py", 'Path("CHANGELOG.md").read_text()'),
]
NOT_READ = [
    ("README.md", "pyproject.toml", 'readme = "README.md"'),
    ("README.md", "setup.py", 'long_description=open("README.md").read()'),
    ("README.md", "package.json", '{"files": ["README.md"]}'),
    ("LICENSE.txt", "pyproject.toml", 'license = {file = "LICENSE.txt"}'),
    ("README.md", "Makefile", "docs:\n\tcp README.md site/\n"),
    ("guide.md", "mkdocs.yml", "nav:\n  - guide.md\n"),
    ("docs/guide.md", "app.py", "# see docs/guide.md\n"),
    ("docs/guide.md", "app.py", 'print("See docs/guide.md for help")'),
    ("docs/guide.md", "docs/conf.py", 'master = "guide.md"'),
    ("words.txt", "app.py", 'open("keywords.txt")'),
    ("words.txt", "app.py", 'open("words.txt.bak")'),
    ("words.txt", "check.sh", "# words.txt is sorted\n"),
    ("words.txt", "README.md", '`open("words.txt")`'),
    ("notes/a.txt", "app.py", 'glob("lists/*.txt")'),
    ("notes.md", "app.py", "x = 1\n"),
]


def is_read(path: str, reader: str, text: str) -> bool:
    return is_read_by(path, dict.fromkeys(readers_in([reader]), text))


@pytest.mark.parametrize(("path", "reader", "text"), READ)
def test_a_text_that_code_reads(path: str, reader: str, text: str) -> None:
    assert is_document(path)
    assert is_read(path, reader, text)


@pytest.mark.parametrize(("path", "reader", "text"), NOT_READ)
def test_a_text_that_is_only_mentioned(path: str, reader: str, text: str) -> None:
    assert not is_read(path, reader, text)


def test_what_is_shipped_inside_a_package() -> None:
    listing = frozenset({"src/app/__init__.py", "scripts/run.py"})
    assert lies_among_code("src/app/mail/hello.md", listing)
    assert not lies_among_code("src/app/README.md", listing)
    assert not lies_among_code("scripts/notes.md", listing)
    assert not lies_among_code("notes.md", listing | {"__init__.py"})


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("tests/fixtures/words.txt", False),
        ("data/words.txt", False),
        ("spec/golden/out.md", False),
        ("app/templates/mail.md", False),
        ("tests/README.md", True),
        ("data/LICENSE", True),
        ("docs/data/format.md", True),
        ("docs/testing.md", True),
        ("README.ja.md", True),
    ],
)
def test_the_place_of_a_text(path: str, document: bool) -> None:
    assert is_document(path) is document
