"""Which gates a project has: read from its files, traps included."""

import pytest

from pm_orchestrator.domain.errors import PmError
from pm_orchestrator.domain.judging.outcome import FileChange
from pm_orchestrator.domain.setup.settings import GateSettings
from pm_orchestrator.gates.detect.detection import applicable, detect
from pm_orchestrator.gates.detect.documents import is_document
from pm_orchestrator.gates.detect.makefile import targets_in
from pm_orchestrator.testing.memory.memory_place import MemoryPlace

NONE: set[str] = set()
PLACEHOLDER = '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'
BOTH = "lint:\n\truff check .\ntest:\n\tpytest\n"


async def found(configured: GateSettings | None = None, **files: str) -> dict[str, tuple[str, str]]:
    """Kind to command and source, for a project with these files."""
    names = {name.replace("__", "."): content.encode() for name, content in files.items()}
    gates = await detect(MemoryPlace(names, names), configured)
    assert [g.kind for g in gates] == sorted(g.kind for g in gates)
    return {gate.kind: (" ".join(gate.argv), gate.source) for gate in gates}


async def test_a_project_without_gates() -> None:
    assert await found() == {}
    assert await found(Makefile="all:\n\tcc x.c\n", README__md="make test") == {}


async def test_make_targets() -> None:
    expected = {"lint": ("make lint", "Makefile"), "test": ("make test", "Makefile")}
    assert await found(Makefile=BOTH) == expected
    assert await found(Makefile=".PHONY: lint test\n" + BOTH) == expected
    assert await found(Makefile="lint test: deps\n\techo $@\n") == expected


async def test_make_reads_the_first_of_its_names() -> None:
    gates = await found(GNUmakefile="lint:\n\tx\n", Makefile=BOTH)
    assert gates == {"lint": ("make lint", "GNUmakefile")}


async def test_included_makefiles_count() -> None:
    gates = await found(
        Makefile="-include common__mk $(OTHER)\n".replace("__", "."), common__mk=BOTH
    )
    assert set(gates) == {"lint", "test"}
    assert await found(Makefile="include Makefile\n") == {}
    assert set(await found(Makefile=f"include none.mk\n{BOTH}")) == {"lint", "test"}


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("test:\n", {"test"}),
        ("test::\n\tx", {"test"}),
        ("test : all", {"test"}),
        ("test: ; true", {"test"}),
        ("a \\\n  test: b", {"a", "test"}),
        ("test: # comment", {"test"}),
        ("%.o: %.c", {"%.o"}),
        ("test-all:\n\tx", {"test-all"}),
        ("mytest:\n", {"mytest"}),
        ("test := x", NONE),
        ("test ::= x", NONE),
        ("test :::= x", NONE),
        ("test = a:b", NONE),
        ("test ?= x", NONE),
        ("test: CFLAGS = -g", NONE),
        ("test: export CFLAGS := -g", NONE),
        ("# test: x", NONE),
        (".PHONY: test", NONE),
        ("\ttest: x", NONE),
        ("all:\n\techo test: x\n", {"all"}),
        ("define help\ntest: x\nendef\n", NONE),
        ("define help\ntest: x\nendef\nlint:\n", {"lint"}),
        ("all: test", {"all"}),
    ],
)
def test_what_counts_as_a_rule(text: str, targets: set[str]) -> None:
    assert targets_in(text)[0] == targets


async def test_python_projects() -> None:
    full = "[tool.ruff]\nline-length = 100\n[tool.pytest.ini_options]\n"
    pytest_gate = ("python3 -m pytest", "pyproject.toml")
    assert await found(pyproject__toml=full) == {
        "lint": ("ruff check .", "pyproject.toml"),
        "test": pytest_gate,
    }
    for asks in (
        "[dependency-groups]\ndev = ['pytest>=8', {include-group = 'x'}]\n",
        "[project]\ndependencies = ['pytest']\n",
        "[project.optional-dependencies]\ntest = ['pytest [x] ; python_version > \"3\"']\n",
    ):
        assert await found(pyproject__toml=asks) == {"test": pytest_gate}
    assert (
        await found(pyproject__toml="[project]\ndependencies = ['pytest-cov', 'pytester']\n") == {}
    )


async def test_python_projects_without_pytest() -> None:
    package = {"pyproject.toml": b"", "tests/__init__.py": b""}
    (gate,) = await detect(MemoryPlace(package, package))
    assert gate.argv == ("python3", "-m", "unittest", "discover", "-s", "tests", "-t", ".")
    assert await found(pyproject__toml="") == {}


async def test_javascript_projects() -> None:
    scripts = '{"scripts": {"lint": "eslint .", "test": "node --test"}}'
    assert await found(package__json=scripts) == {
        "lint": ("npm run lint", "package.json"),
        "test": ("npm run test", "package.json"),
    }
    for nothing in (PLACEHOLDER, "{}", '{"scripts": []}', "[]", '{"scripts": {"test": " "}}'):
        assert await found(package__json=nothing) == {}


async def test_compiled_languages() -> None:
    assert (await found(Cargo__toml="x"))["test"] == ("cargo test", "Cargo.toml")
    assert (await found(go__mod="module x"))["lint"] == ("go vet ./...", "go.mod")


async def test_each_kind_comes_from_the_first_source_that_has_it() -> None:
    gates = await found(Makefile="lint:\n\tx\n", pyproject__toml="[tool.ruff]\n[tool.pytest]\n")
    assert gates == {
        "lint": ("make lint", "Makefile"),
        "test": ("python3 -m pytest", "pyproject.toml"),
    }


async def test_settings_come_first_and_can_switch_a_gate_off() -> None:
    settings = GateSettings(lint=("./check",), test=())
    assert await found(settings, Makefile=BOTH) == {"lint": ("./check", "settings")}
    partly = await found(GateSettings(test=("./t", "-q")), Makefile=BOTH)
    assert partly == {"lint": ("make lint", "Makefile"), "test": ("./t -q", "settings")}


@pytest.mark.parametrize(
    ("name", "content"),
    [("pyproject.toml", b"[tool"), ("pyproject.toml", b"\xff"), ("package.json", b"{")],
)
async def test_a_file_that_cannot_be_read_is_not_taken_for_no_gate(
    name: str, content: bytes
) -> None:
    with pytest.raises(PmError, match="E104"):
        await detect(MemoryPlace({name: content}, {}))


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("README.md", True),
        ("docs/使い方.MD", True),
        ("LICENSE", True),
        ("docs/a.rst", True),
        ("notes.txt", True),
        ("CODEOWNERS", True),
        ("requirements.txt", False),
        ("CMakeLists.txt", False),
        ("docs/conf.py", False),
        ("README.md.py", False),
        ("Makefile", False),
        ("license.py", False),
        (".txt", False),
        ("data.json", False),
    ],
)
def test_documents(path: str, document: bool) -> None:
    assert is_document(path) is document


async def test_documents_alone_need_no_gate() -> None:
    gates = await detect(MemoryPlace({"Makefile": BOTH.encode()}, {}))
    text = FileChange(path="README.md", kind="modified", size=1)
    code = FileChange(path="a.py", kind="created", size=1)
    moved = FileChange(path="a.md", kind="renamed", size=1, previous_path="a.py")
    assert applicable(gates, (text,)) == ()
    assert applicable(gates, ()) == ()
    assert applicable(gates, (text, code)) == gates
    assert applicable(gates, (moved,)) == gates
