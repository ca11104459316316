"""JSON without the library says what the library says."""

import inspect
import json
import sys
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.adapters.processes import plain_json
from pm_orchestrator.adapters.processes.plain_json import dumps, loads

REFUSED = (ValueError, UnicodeDecodeError)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_it_writes_and_reads_as_the_library_does(value: Any) -> None:
    assert dumps(value) == json.dumps(value)
    assert loads(json.dumps(value)) == value
    assert loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")) == value
    assert loads(f" \n{json.dumps(value, indent=1)}\r\n") == value


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_it_refuses_what_the_library_refuses(data: bytes) -> None:
    try:
        text = data.decode("utf-8", "surrogatepass")
        expected = json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        with pytest.raises(REFUSED):
            loads(data)
    else:
        assert text.startswith("\ufeff") or loads(data) == expected or expected != expected


@pytest.mark.parametrize("text", ["", "  ", "{", "[1] 2", "nul", '{"a" 1}', "\x0b1"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(REFUSED):
        loads(text)


def test_what_has_no_form_is_refused() -> None:
    with pytest.raises(TypeError):
        dumps(object())


def test_without_the_accelerator_it_is_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_json", None)
    source = inspect.getsource(plain_json)
    own: dict[str, Any] = {"__name__": "plain_json"}
    exec(compile(source, "plain_json", "exec"), own)
    assert own["loads"](own["dumps"]({"a": [1, "é"]})) == {"a": [1, "é"]}
    with pytest.raises(ValueError, match="more than JSON"):
        own["loads"]("1 2")
