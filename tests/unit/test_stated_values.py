"""Whether a stated value stands in a file: as the thing itself, and not as a remark about it."""

import pytest

from pm_orchestrator.domain.judging.value_change import ValueChange
from pm_orchestrator.gates.judge.stated_values import TwoTexts, holding, is_set

PORT = ValueChange(old="8080", new="9090")
TIMEOUT = ValueChange(new="60")
LEVEL = ValueChange(old="level", new="debug", old_may_be_a_key=True)
WORD = ValueChange(old="Copy", new="Unpack")
ALL = ValueChange(old="Copy", new="Unpack", reach="everywhere")


@pytest.mark.parametrize(
    ("wanted", "path", "before", "after"),
    [
        (TIMEOUT, "c.yaml", "timeout: 30\n", "timeout: 60  # was 30\n"),
        (TIMEOUT, "c.yaml", "timeout: 30\n", "timeout: 60s\n"),
        (TIMEOUT, "c.json", '{"t": 30}\n', '{\n "t": 60.0\n}\n'),
        (TIMEOUT, ".env.local", "", "T=60\n"),
        (TIMEOUT, "settings.py", "T = 30\n", "T = MINUTE\n"),
        (TIMEOUT, "README.md", "# It\n", "# It waits a minute\n"),
        (ValueChange(new="10000"), "c.toml", "n = 1\n", "n = 10_000\n"),
        (ValueChange(new="v1.3"), "c.toml", "v = '1.2.0'\n", "v = '1.3.0'\n"),
        (ValueChange(new='a "b" ü'), "c.json", "{}", '{"a": "a \\"b\\" \\u00fc"}'),
        (ValueChange(old="info", new="DEBUG"), "c.ini", "l = INFO\n", "l = debug\n"),
        (PORT, "c.yaml", "port: 8080\n", "port: 9090  # no longer 8080\n"),
        (PORT, "c.yaml", "port: 80\n", "port: 9090\n"),
        (PORT, "a.py", "listen(8080)\n", "listen(PORT)\n"),
        (LEVEL, "c.yaml", "level: info\n", "level: debug\n"),
        (LEVEL, "a.txt", "the level is\n", "the debug is\n"),
        (WORD, "a.md", "Copy. Copy it.\n", "Unpack. Copy it.\n"),
        (WORD, "a.md", "Take it.\n", "Take it out.\n"),
        (ALL, "a.md", "Copy. Copy it.\n", "Unpack. Unpack it, see Copy.md and /Copy.\n"),
        (ValueChange(old="Copy", new="Copy all"), "a.md", "Copy it\n", "Copy all it\n"),
        (ValueChange(old="a b", new="long new name"), "a.md", "a b\n", "long\nnew name\n"),
    ],
)
def test_a_value_that_stands(wanted: ValueChange, path: str, before: str, after: str) -> None:
    files = {path: TwoTexts(before, after)}
    assert is_set(wanted, files, files)
    assert is_set(wanted, {}, files)


@pytest.mark.parametrize(
    ("wanted", "path", "before", "after"),
    [
        (TIMEOUT, "c.yaml", "timeout: 30\n", "timeout: 30  # should become 60\n"),
        (TIMEOUT, "c.ini", "timeout = 30\n", "timeout = 30\n; timeout = 60\n"),
        (TIMEOUT, "c.json", '{"t": 30}\n', '{"t": 30} // 60\n'),
        (TIMEOUT, "c.yaml", "timeout: 30\n", "timeout: 600\n"),
        (TIMEOUT, "c.yaml", "retries: 60\n", "retries: 60\nmore: 1\n"),
        (PORT, "c.json", '"h": "x",\n"p": 8080', '"h": "x:9090",\n"p": 8080'),
        (PORT, "c.json", '"p": 8080', '"p": 80'),
        (PORT, "a.py", "listen(8080)\n", "# 9090\nlisten(8080)\n"),
        (LEVEL, "c.yaml", "level: info\n", "level: info\nmore: 1\n"),
        (WORD, "a.md", "Copy it.\n", "Copy it.\n<!-- Unpack -->\n"),
        (WORD, "a.md", "Copy it.\n", "Take it.\n"),
    ],
)
def test_a_value_that_does_not(wanted: ValueChange, path: str, before: str, after: str) -> None:
    files = {path: TwoTexts(before, after)}
    assert not is_set(wanted, files, files)
    assert not is_set(wanted, {}, files)


def test_all_of_it_has_to_go_from_the_files_that_are_named() -> None:
    half = {"a.md": TwoTexts("Copy. Copy it.\n", "Unpack. Copy it.\n")}
    assert not is_set(ALL, half, half)
    assert holding(ALL, {"a.md": "Copy it.", "b.md": "Copying", "c.py": "Copy()"}) == ("a.md",)


def test_each_file_that_is_named_has_to_hold_it() -> None:
    done, left = TwoTexts("p: 8080\n", "p: 9090\n"), TwoTexts("p: 8080\n", "p: 8080\n")
    assert not is_set(PORT, {"a.yaml": done, "b.yaml": left}, {"a.yaml": done})
    assert is_set(PORT, {}, {"a.yaml": done, "b.yaml": left}), "nobody said that both are meant"
    assert is_set(TIMEOUT, {}, {"a.yaml": done, "b.py": left}), "code may have it otherwise"


def test_another_file_is_no_excuse_where_the_old_value_only_went() -> None:
    files = {"c.json": TwoTexts('"p": 8080', '"p": 80'), "a.md": TwoTexts("", "The port.")}
    assert not is_set(PORT, {}, files)
