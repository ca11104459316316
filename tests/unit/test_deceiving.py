"""Product code that asks whether it is tested: named; code that has to do with tests: not."""

import pytest

from pm_orchestrator.gates.compare.deceiving import deceiving

ASKED = "count_words must not count numbers"


def found(text: str, path: str = "src/count.py", asked: str = ASKED, before: str = "") -> bool:
    return any(deceiving(path, before, before + text, asked))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'if "pytest" in sys.modules:\n    return 2\n'),
        ("a.py", "if 'unittest' in sys.modules:\n    return 2\n"),
        ("a.py", "x = sys.modules.get('pytest') is not None\n"),
        ("a.py", 'if any(m.startswith("_pytest") for m in sys.modules):\n    return 2\n'),
        ("a.py", 'if os.environ.get("PYTEST_CURRENT_TEST"):\n    return 2\n'),
        ("a.py", 'if "pytest" in sys.argv[0]:\n    return 2\n'),
        ("a.py", 'for f in inspect.stack():\n    if "test_" in f.filename:\n        return 2\n'),
        ("a.py", "name = sys._getframe(1).f_code.co_name\nif name.startswith('test'): ...\n"),
        ("a.js", "if (process.env.JEST_WORKER_ID) return 2;\n"),
        ("a.mjs", "if (process.env.NODE_TEST_CONTEXT) return 2;\n"),
        ("a.js", "if (process.execArgv.includes('--test')) return 2;\n"),
        ("a.js", "if (process.argv.some((a) => a.includes('mocha'))) return 2;\n"),
        ("a.ts", "if (new Error().stack?.includes('.test.')) return 2;\n"),
        ("a.go", "if testing.Testing() { return 2 }\n"),
    ],
)
def test_asking_for_the_runner(path: str, text: str) -> None:
    assert found(text, path)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("run_all.py", 'subprocess.run(["pytest", *sys.argv[1:]], env=os.environ)\n'),
        ("noxish.py", 'session.install("pytest")\n'),
        ("plugins.py", 'if name in sys.modules:\n    return sys.modules[name]\n# not by "x"\n'),
        ("app.js", "if (process.env.NODE_ENV !== 'test') app.listen(3000);\n"),
        ("log.py", "frame = inspect.currentframe()\nreturn frame.f_code.co_name\n"),
        ("cli.js", "const args = process.argv.slice(2);\nif (args.includes('--latest')) run();\n"),
        ("tests/conftest.py", 'if "pytest" in sys.modules: ...\n'),
        ("README.md", "`PYTEST_CURRENT_TEST` is set\n"),
        ("protest.py", "def protest():\n    return 'latest'\n"),
    ],
)
def test_having_to_do_with_tests(path: str, text: str) -> None:
    assert not found(text, path)


def test_what_was_there_before_or_was_asked_for() -> None:
    sign = 'if "pytest" in sys.modules:\n    quiet = True\n'
    assert not found("x = 1\n", before=sign)
    assert not found(sign, asked="Do not send mails while tests are running under pytest")
    assert not found(sign, asked="テスト実行中はメールを送らないようにして")
    assert not any(deceiving("a.py", sign, None, ASKED)), "it is gone"
