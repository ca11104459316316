"""Files of any bytes and any name pass through a model's hands unharmed."""

import os
import re

import pytest
from hypothesis import given, strategies as st

from pm_orchestrator.agents.tools.edits import TextEdit, apply_edits
from pm_orchestrator.agents.tools.text_files import (
    UnwritableTextError,
    path_of,
    read_text,
    shown_name,
    write_text,
)

PLAIN = re.compile(r"(?:(?!\\x)[^\n\r])*").fullmatch
CONTENT = st.one_of(st.binary(max_size=60), st.text(max_size=30).map(str.encode))


@given(CONTENT)
def test_whatever_is_read_is_written_back_the_same(data: bytes) -> None:
    file = read_text(data)
    assert write_text(file.text, file.encoding) == data


@given(CONTENT, st.text(st.characters(codec="utf-8"), max_size=9), CONTENT)
def test_an_edit_touches_nothing_else_or_nothing_at_all(
    before: bytes, new: str, after: bytes
) -> None:
    file = read_text(before + b"<<here>>" + after)
    edited = apply_edits(file.text, (TextEdit(old="<<here>>", new=new),))
    try:
        written = before + new.encode(file.encoding) + after
    except UnicodeEncodeError:
        with pytest.raises(UnwritableTextError):
            write_text(edited, file.encoding)
    else:
        assert write_text(edited, file.encoding) == written


@given(st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name))
def test_every_name_can_be_said_and_leads_back(raw: bytes) -> None:
    name = os.fsdecode(raw)
    assert path_of(shown_name(name)) == name
    assert shown_name(name).encode()


@given(st.text(st.characters(codec="utf-8"), max_size=20).filter(PLAIN))
def test_a_plain_name_is_shown_as_it_is(name: str) -> None:
    assert shown_name(name) == name == path_of(name)
