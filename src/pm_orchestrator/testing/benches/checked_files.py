"""Small files with tests and gate settings, and what is found when they change."""

from pm_orchestrator.domain.judging.gate import Gate
from pm_orchestrator.domain.judging.outcome import ChangeKind, FileChange
from pm_orchestrator.gates.weaker.dilution import Trees, find_dilution

Files = dict[str, str]

GATES = (
    Gate(kind="lint", argv=("make", "lint"), source="Makefile"),
    Gate(kind="test", argv=("make", "test"), source="Makefile"),
)
PY = "tests/test_calc.py"
PLAIN = "def test_add():\n    assert add(1, 2) == 3\n\ndef test_sub():\n    assert sub(2, 1) == 1\n"
UNIT = (
    "class CalcTest(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n"
)
JS = "src/calc.test.js"
JEST = (
    "describe('calc', () => {\n  it('adds', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n});\n"
)
GO = "calc_test.go"
GOTEST = 'func TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n'
RS = "src/lib.rs"
RUST = (
    "#[cfg(test)]\n"
    "mod tests {\n"
    "    #[test]\n"
    "    fn adds() {\n"
    "        assert_eq!(add(1, 2), 3);\n"
    "    }\n"
    "}\n"
)
JAVA = "src/test/java/CalcTest.java"
JUNIT = (
    "class CalcTest {\n"
    "    @Test\n"
    "    void adds() {\n"
    "        assertEquals(3, add(1, 2));\n"
    "    }\n"
    "}\n"
)
RB = "spec/calc_spec.rb"
RSPEC = "describe Calc do\n  it 'adds' do\n    expect(add(1, 2)).to eq 3\n  end\nend\n"
MAKE = (
    "FLAGS = -q\n"
    "all: lint test\n"
    "lint:\n"
    "\truff check .\n"
    "test: build\n"
    "\tpytest $(FLAGS)\n"
    "build:\n"
    "\ttrue\n"
)
PYPROJECT = (
    '[project]\nname = "x"\ndependencies = []\n[tool.pytest.ini_options]\naddopts = "-q"\n'
    '[tool.coverage.report]\nfail_under = 90\n[tool.ruff.lint]\nselect = ["E"]\nignore = []\n'
)
PACKAGE = '{"name": "x", "scripts": {"test": "jest", "lint": "eslint ."}, "dependencies": {}}'


def found(
    before: Files, after: Files, instruction: str = "Add a function mul to calc.py"
) -> list[str]:
    """What is found, where `before` and `after` hold the files that may differ."""
    paths = {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}
    changes = tuple(_change(path, before, after) for path in sorted(paths))
    trees = Trees(
        before={p: before[p] for p in paths if p in before},
        after={p: after[p] for p in paths if p in after},
    )
    return [d.kind for d in find_dilution(trees, changes, GATES, instruction)]


def _change(path: str, before: Files, after: Files) -> FileChange:
    kind: ChangeKind = "modified"
    if path not in before:
        kind = "created"
    elif path not in after:
        kind = "deleted"
    return FileChange(path=path, kind=kind, size=len(after.get(path, "")))
